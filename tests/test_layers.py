"""Imports point down only: a room never imports one above it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import openclaw_memory_hookspecs
import openclaw_memory_plugin

ENGINE = Path(openclaw_memory_plugin.__file__).parent
CONTRACT = Path(openclaw_memory_hookspecs.__file__).parent

FLOORS = (
    {"openclaw_memory_hookspecs"},
    {"errors"},
    {"config", "guard", "names"},
    {"embedders", "markdown", "words"},
    {"workspace"},
    {"index"},
    {"recall"},
    {"reflect"},
    {"memory", "plugins"},
    {"turns"},
    {"builtin"},
    {"faces"},
)
"""Rooms from the ground up; those of one floor may use each other."""

FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}


MODULE = re.compile(r"openclaw_memory_(?:plugin|hookspecs)(?:\.\w+)+(?::\w+)?")
"""How text names a module, or what is in one."""


def modules() -> Iterator[tuple[str, Path]]:
    for root, package in ((ENGINE, "openclaw_memory_plugin"), (CONTRACT, "openclaw_memory_hookspecs")):
        for path in sorted(root.rglob("*.py")):
            yield f"{package}/{path.relative_to(root).as_posix()}", path


def room_of(module: str) -> str | None:
    """Name the room of a dotted module; None for the package's root and for what is not ours."""
    package, _, rest = module.partition(".")
    if package == "openclaw_memory_hookspecs":
        return package
    room = rest.partition(".")[0]
    return room if package == "openclaw_memory_plugin" and not room.startswith("_") else None


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Give line and room of every import, inside functions and for type checkers too, and of modules named in text."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: write imports in full"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and MODULE.fullmatch(node.value):
            names = [node.value.partition(":")[0]]
        for name in names:
            room = room_of(name)
            if room:
                yield node.lineno, room


@pytest.mark.parametrize(("name", "path"), list(modules()), ids=lambda value: value if isinstance(value, str) else "")
def test_no_arrow_climbs(name: str, path: Path) -> None:
    """A module imports its own floor and those below."""
    package, _, rest = name.partition("/")
    own = package if package == "openclaw_memory_hookspecs" else rest.partition("/")[0].removesuffix(".py")
    if own == "__init__":
        return
    assert own in FLOOR_OF, f"{own} has no floor yet: add it to FLOORS"
    climbing = [f"line {line}: {room}" for line, room in imported(path) if FLOOR_OF[room] > FLOOR_OF[own]]
    assert climbing == []


def test_pluggy_is_imported_in_one_place() -> None:
    """Beside the contract only `plugins` knows pluggy."""
    users = {name for name, path in modules() if "import pluggy" in path.read_text(encoding="utf-8")}
    assert {name for name in users if name.startswith("openclaw_memory_plugin/")} == {
        "openclaw_memory_plugin/plugins/__init__.py"
    }


def test_sql_is_written_in_one_room() -> None:
    """Only `index/` puts questions to SQLite."""
    users = {name for name, path in modules() if ".execute" in path.read_text(encoding="utf-8")}
    assert {name for name in users if not name.startswith("openclaw_memory_plugin/index/")} == set()


def test_rooms_have_a_natural_size() -> None:
    """No module is longer than 400 lines."""
    long = {name: n for name, path in modules() if (n := len(path.read_text(encoding="utf-8").splitlines())) > 400}
    assert long == {}
