"""Several processes, and processes that die, leave an index that equals a rebuilt one."""

import importlib.util
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from openclaw_memory_plugin.index import open_index
from openclaw_memory_plugin.workspace import Workspace

WORKER = """
import datetime as dt, random, sys
from pathlib import Path
from openclaw_memory_plugin.index import open_index
from openclaw_memory_plugin.workspace import Workspace
root, seed, steps = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
names = ["Peter", "Sarah", "Kestrel", "Harbour-Lane", "林静"]
index = open_index(Workspace(root=root))
for step in range(steps):
    path = root / "memory" / f"2026-01-{chance.randint(1, 9):02}.md"
    seen = [(chance.choice(names), chance.choice(names), chance.randint(1, 40)) for _ in range(30)]
    lines = [f"- W @{who}: saw {whom} at gate {gate}" for who, whom, gate in seen]
    temporary = path.with_name(f".ocmem-{seed}.tmp")
    temporary.write_text("## Retain\\n" + "\\n".join(lines) + "\\n", encoding="utf-8")
    temporary.replace(path)
    index.sync()
    facts = index.facts()
    index.track([fact.id for fact in facts[:3]], dt.datetime.now(dt.UTC))
    print(step, flush=True)
index.close()
"""

OPENERS = """
import logging, multiprocessing, sys
from pathlib import Path
from openclaw_memory_plugin.index.store import Store

def open_all(root, together):
    logging.basicConfig(stream=sys.stdout, level=logging.WARNING)
    for number in range(100):
        folder = root / str(number)
        together.wait()
        Store(folder / ".memory", folder).close()

root = Path(sys.argv[1])
for number in range(100):
    (root / str(number)).mkdir()
context = multiprocessing.get_context("fork")
together = context.Barrier(8)
children = [context.Process(target=open_all, args=(root, together)) for _ in range(8)]
for child in children:
    child.start()
for child in children:
    child.join()
print([child.exitcode for child in children])
"""
"""Opens new indexes at the same moment in several processes."""


@pytest.fixture(scope="module")
def properties() -> ModuleType:
    """The module that knows how to compare indexes."""
    path = Path(__file__).with_name("test_index_properties.py")
    spec = importlib.util.spec_from_file_location("index_properties", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def start(root: Path, seed: int, steps: int) -> "subprocess.Popen[str]":
    """Start a process that edits, syncs, reads and tracks."""
    command = [sys.executable, "-c", WORKER, str(root), str(seed), str(steps)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_killed_at_any_moment(tmp_path: Path, properties: ModuleType) -> None:
    """After kill -9 at a random moment the next sync ends where a rebuild does."""
    root = tmp_path / "w"
    (root / "memory").mkdir(parents=True)
    chance = random.Random(5)
    for round_ in range(6):
        child = start(root, round_, 1000)
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(chance.random() * 0.15)
        child.send_signal(signal.SIGKILL)
        child.communicate()
        index = open_index(Workspace(root=root))
        index.sync()
        assert properties.snapshot(index) == properties.rebuilt(root, tmp_path / f"again{round_}")
        index.close()


def test_several_at_once(tmp_path: Path, properties: ModuleType) -> None:
    """Processes that edit, sync, read and track at once do not fail, and agree in the end."""
    root = tmp_path / "w"
    (root / "memory").mkdir(parents=True)
    children = [start(root, seed, 8) for seed in range(4)]
    for child in children:
        _, errors = child.communicate(timeout=120)
        assert (child.returncode, errors) == (0, "")
    index = open_index(Workspace(root=root))
    index.sync()
    said = properties.snapshot(index)
    assert said == properties.rebuilt(root, tmp_path / "again")
    total = sum(row["access_count"] for row in said["facts"]) + sum(row["access_count"] for row in said["parked"])
    assert total == 4 * 8 * 3
    index.close()


@pytest.mark.skipif(sys.platform != "linux", reason="the processes are forked")
def test_an_index_that_another_process_is_making_is_not_taken_for_a_foreign_one(tmp_path: Path) -> None:
    """Whoever comes at the same moment waits for it, and builds nothing anew."""
    command = [sys.executable, "-c", OPENERS, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("[0, 0, 0, 0, 0, 0, 0, 0]\n", "")
