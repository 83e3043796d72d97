"""Promises about what is installed, and about what the repository holds."""

import importlib.metadata
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples/openclaw-memory-newest-first"


def text_files() -> list[Path]:
    """Every text file that belongs to the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    paths = [ROOT / os.fsdecode(name) for name in listed.stdout.split(b"\0") if name]
    return [path for path in paths if path.is_file() and "workspaces" not in path.parts]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel as it would be published."""
    folder = tmp_path_factory.mktemp("wheel")
    code = f"import os; os.chdir({str(ROOT)!r}); from hatchling.build import build_wheel; build_wheel({str(folder)!r})"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, cwd=folder)
    return zipfile.ZipFile(next(folder.glob("*.whl")))


@pytest.mark.parametrize(
    "name",
    [
        "openclaw_memory_plugin/py.typed",
        "openclaw_memory_hookspecs/py.typed",
        "openclaw_memory_plugin/index/schema.sql",
        "openclaw_memory_plugin/demo/MEMORY.md",
        "openclaw_memory_plugin/demo/memory/2025-11-27.md",
        "openclaw_memory_plugin/demo/bank/entities/Sarah.md",
    ],
)
def test_the_wheel_holds_what_is_needed_beside_code(wheel: zipfile.ZipFile, name: str) -> None:
    """Type markers, schema and the example workspace are installed."""
    assert name in wheel.namelist()


def test_the_wheel_holds_the_whole_bridge(wheel: zipfile.ZipFile) -> None:
    """Every file of the bridge is installed."""
    bridge = ROOT / "openclaw_memory_plugin/faces/bridge"
    files = {f"openclaw_memory_plugin/faces/bridge/{path.name}" for path in bridge.iterdir() if path.is_file()}
    assert files - set(wheel.namelist()) == set()


def test_the_wheel_holds_no_tests(wheel: zipfile.ZipFile) -> None:
    """Tests, benchmarks and examples stay in the repository."""
    tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {
        "openclaw_memory_plugin",
        "openclaw_memory_hookspecs",
    }


def test_both_commands_are_installed() -> None:
    """`openclaw-memory-plugin` and `ocmem` are one program; the engine is published for Python hosts."""
    points = importlib.metadata.distribution("openclaw-memory-plugin").entry_points
    scripts = {point.name: point.value for point in points if point.group == "console_scripts"}
    assert scripts["openclaw-memory-plugin"] == scripts["ocmem"]
    assert {point.name for point in points if point.group == "openclaw.plugins"} == {"memory"}


def test_the_repository_names_no_machine() -> None:
    """No file holds a path of somebody's machine."""
    pattern = re.compile(r"(?<![\w.])/(?:work|root|home/(?!user\b)\w+)/|[A-Z]:\\\\Users\\\\")
    found = []
    for path in text_files():
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT)}:{n}" for n, line in enumerate(lines, 1) if pattern.search(line)]
    assert [place for place in found if not place.startswith("tests/test_packaging.py")] == []


def test_ci_runs_the_commands_of_the_readme() -> None:
    """`.ci/run` holds the README's two set-up commands as they stand."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"^## Set-up\n.*?```bash\n(.*?)```", readme, re.DOTALL | re.MULTILINE)
    assert block is not None
    commands = block[1].strip().splitlines()
    assert len(commands) == 2
    script = ROOT / ".ci/run"
    assert script.read_text(encoding="utf-8").strip().splitlines()[-2:] == commands
    assert os.access(script, os.X_OK)


def test_the_example_plugin_is_complete_and_changes_the_order(tmp_path: Path) -> None:
    """Installed from `examples/`, the scorer is found and decides; blocked, it is not even imported."""
    site = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(site), str(EXAMPLE)], check=True, capture_output=True, cwd=tmp_path)
    workspace = tmp_path / "ws"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "memory/2026-01-01.md").write_text("- The harbour ferry harbour ferry leaves at nine.\n")
    (workspace / "memory/2026-02-01.md").write_text("- A walk past the harbour, and much else besides that day.\n")

    def order(**environ: str) -> list[str]:
        code = (
            "from openclaw_memory_plugin import Memory; import datetime as dt, sys\n"
            "from openclaw_memory_hookspecs import RecallRequest\n"
            "now = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)\n"
            f"with Memory.open({str(workspace)!r}) as memory:\n"
            "    answer = memory.recall(RecallRequest(query='harbour ferry', track=False, now=now))\n"
            "print(*[str(hit.fact.source) for hit in answer.hits], *answer.degraded)\n"
            "print('openclaw_memory_newest_first' in sys.modules)\n"
        )
        path = os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep)
        environment = {**os.environ, "PYTHONPATH": path, **environ}
        run = subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment, cwd=tmp_path
        )
        return run.stdout.split()

    best, newer = "memory/2026-01-01.md#L1", "memory/2026-02-01.md#L1"
    assert order(OPENCLAW_MEMORY_BLOCK="newest-first") == [best, "False"]
    assert order() == [newer, best, "True"]
