"""Fixtures for everybody: labelled workspaces to copy, a clock that stands still, a home that is nobody's."""

import datetime as dt
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from commanding import Run
    from hosting import Client
    from openclaw_memory_plugin import Memory

WORKSPACES = Path(__file__).parent / "workspaces"


@pytest.fixture(autouse=True)
def hermetic(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the configuration, the caches or the plugins settings of whoever runs it."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in ("CONFIG_PATH", "HOME", "MEMORY_BLOCK", "STATE_DIR", "WORKSPACE"):
        monkeypatch.delenv(f"OPENCLAW_{name}", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)


@pytest.fixture
def growth() -> Callable[[Callable[[int], object], int], float]:
    """
    Tell by which factor the processor time of `work(size)` exceeds that of `work(size // 4)`.

    About 4 where time is linear, 16 where it is quadratic: ask for less than 8. What takes less than a hundredth of a
    second counts as that much. Other processes do not count, and of three tries the least does, so that a busy machine
    changes nothing.
    """

    def spent(work: Callable[[int], object], size: int) -> float:
        begun = time.process_time()
        work(size)
        return max(0.01, time.process_time() - begun)

    def compare(work: Callable[[int], object], size: int) -> float:
        factors = [float("inf")]
        while len(factors) < 4 and min(factors) >= 8:
            shorter = spent(work, size // 4)
            factors.append(spent(work, size) / shorter)
        return min(factors)

    return compare


@pytest.fixture
def now() -> dt.datetime:
    """The instant at which every test plays."""
    return dt.datetime(2026, 3, 25, 12, tzinfo=dt.UTC)


@pytest.fixture
def copied(tmp_path: Path) -> Callable[[str], Path]:
    """Copy a labelled workspace by name into a temporary folder and return its root."""

    def copy(name: str) -> Path:
        root = tmp_path / name
        shutil.copytree(WORKSPACES / name, root, ignore=shutil.ignore_patterns("expected.yaml"))
        return root

    return copy


@pytest.fixture
def memory(tmp_path: Path) -> Iterator["Memory"]:
    """The memory of an empty workspace."""
    from openclaw_memory_plugin import Memory

    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    with Memory.open(root) as memory:
        yield memory


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A small workspace with one typed log."""
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    (root / "memory/2026-03-20.md").write_text(
        "# 2026-03-20\n\n- Bought a ladder for the roof.\n\n## Retain\n\n"
        "- O(c=0.95) @Peter: Prefers concise replies.\n"
        "- B(s=0.8) @Peter @database: Fixed the slow query in the orders table.\n",
        encoding="utf-8",
    )
    return root


@pytest.fixture
def client() -> "Iterator[Client]":
    """A host with an engine of its own."""
    from hosting import Client

    made = Client()
    yield made
    made.close()


@pytest.fixture
def run(workspace: Path, capsys: pytest.CaptureFixture[str]) -> "Run":
    """Run one command line on the small workspace; give exit code, standard output and standard error."""

    from commanding import NOW
    from openclaw_memory_plugin.faces.cli import main

    def command(*arguments: str, root: Path | None = workspace) -> tuple[int, str, str]:
        place = () if root is None else ("--workspace", str(root))
        code = main([*place, *NOW, *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command
