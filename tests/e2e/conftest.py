"""One real OpenClaw for all end-to-end tests: stock at first, then with our bridge installed by our own command."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2])]

# The folders above had to be importable first.
from e2e_model import FakeModel, fake_model  # noqa: E402
from e2e_runtime import Gateway, Home  # noqa: E402

from benchmarks.openclaw_runtime import RegistryUnreachable, cache_folder, provide  # noqa: E402
from benchmarks.speed import corpus  # noqa: E402

PLUGIN = '''
"""Turns the order of the match round, for questions about shelves only, and has a brief for every heartbeat."""

from openclaw_memory_hookspecs import Note, hookimpl


@hookimpl
def on_heartbeat(beat):
    return Note(text="Shelf brief: dust the oak.", tokens=7)


@hookimpl
def score_candidates(request, candidates):
    return [-c.base for c in candidates] if "shelf" in request.query else None
'''

FACTS = list(corpus.rows(10_000))
"""What the agent `big` remembers."""

WEEKLY = {
    "declarationKey": "memory-core:weekly",
    "name": "Weekly",
    "agentId": "main",
    "enabled": False,
    "schedule": {"kind": "cron", "expr": "0 5 * * 1"},
    "sessionTarget": "isolated",
    "wakeMode": "now",
    "payload": {"kind": "agentTurn", "message": "Tidy up.", "lightContext": True},
    "delivery": {"mode": "none"},
}
"""A job of the runtime's own memory that its owner disabled."""

CORE = "The owner is called Ada Marker."
"""Stands in MEMORY.md."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder needs the real runtime."""
    for item in items:
        if Path(item.path).is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.e2e)


_report: list[str] = []


@pytest.fixture(scope="session")
def report() -> list[str]:
    """Lines printed at the end of the run: what was measured."""
    return _report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was measured."""
    for line in _report:
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def programs() -> tuple[Path, Path]:
    """Node and OpenClaw; without a registry there is nothing to test against."""
    try:
        return provide(cache_folder())
    except RegistryUnreachable as error:
        pytest.skip(f"the runtime cannot be fetched, the registry does not answer: {error}")


@pytest.fixture(scope="session")
def model() -> Iterator[FakeModel]:
    with fake_model() as served:
        yield served


@pytest.fixture(scope="session")
def folder() -> Iterator[Path]:
    """A folder outside the system's temporary one, where an installation may stay."""
    root = cache_folder() / f"run-{os.getpid()}"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    yield root
    shutil.rmtree(root, ignore_errors=True)


@pytest.fixture(scope="session")
def python(folder: Path) -> Path:
    """An environment that stays, with this package and one third-party scorer in it."""
    target = folder / "env"
    venv.create(target, with_pip=False, symlinks=True)
    site = next(target.glob("lib/python*/site-packages"))
    ours = [path for path in sys.path if path.endswith("site-packages")]
    (site / "ours.pth").write_text("".join(f"import site; site.addsitedir({path!r})\n" for path in ours))
    (site / "shelf_scorer.py").write_text(PLUGIN)
    info = site / "shelf_scorer-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shelf-scorer\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[openclaw_memory_plugin]\nshelf = shelf_scorer\n")
    return target / "bin" / "python"


class Installation:
    """Our command line, run with the interpreter that OpenClaw will use."""

    def __init__(self, home: Home, python: Path) -> None:
        self.home = home
        self.python = python

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        code = "import sys; from openclaw_memory_plugin.faces.cli import main; sys.exit(main())"
        return subprocess.run(
            [str(self.python), "-c", code, *words],
            env=self.home.env, cwd=self.home.root, capture_output=True, text=True, timeout=300,
        )  # fmt: skip


@pytest.fixture(scope="session")
def home(folder: Path, programs: tuple[Path, Path], model: FakeModel) -> Home:
    """A hermetic home whose workspaces hold a few facts; `big` holds ten thousand."""
    made = Home(folder / "home", *programs, model.port)
    (made.workspace / "MEMORY.md").write_text(f"# Memory\n\n- {CORE}\n")
    helper = made.workspace_of("helper")
    (helper / "memory.md").write_text("# Memory\n\n- The helper looks after the Orchard Gate.\n")
    corpus.write_workspace(made.workspace_of("big"), FACTS)
    return made


@pytest.fixture(scope="session")
def stock(home: Home) -> dict[str, object]:
    """What the runtime was before us: its memory's scheduled jobs and its configuration, left by a first start."""
    gateway = Gateway(home)
    try:
        home.run("gateway", "call", "cron.add", "--params", json.dumps(WEEKLY))
        listed = json.loads(home.run("cron", "list", "--all", "--json").stdout)
        jobs = [job for job in listed["jobs"] if str(job.get("declarationKey", "")).startswith("memory-core:")]
    finally:
        gateway.stop()
    return {"jobs": jobs, "config": home.config_path.read_bytes()}


@pytest.fixture(scope="session")
def installation(home: Home, python: Path, stock: dict[str, object]) -> Installation:
    """Our bridge, installed."""
    made = Installation(home, python)
    done = made.run("install", "--yes")
    assert done.returncode == 0, done.stdout + done.stderr
    return made


class Running:
    """The gateway that most tests share; a test that ends it starts another."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.gateway = Gateway(home)

    def restart(self) -> None:
        self.gateway.stop()
        self.gateway = Gateway(self.home)


@pytest.fixture(scope="session")
def running(home: Home, installation: Installation) -> Iterator[Running]:
    shared = Running(home)
    yield shared
    shared.gateway.stop()


@pytest.fixture
def gateway(running: Running) -> Gateway:
    return running.gateway


def median(values: list[float]) -> float:
    return statistics.median(values)
