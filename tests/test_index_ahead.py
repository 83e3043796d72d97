"""Helpers read ahead of the process that writes; whatever becomes of them, the index says the same."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="helpers are copies of a process, made on Linux only")

SYNC = """
import sys
from pathlib import Path
from openclaw_memory_plugin.index import ahead, open_index, reading
from openclaw_memory_plugin.workspace import Workspace

shared = sys.argv[2] == "shared"
asked = []
reading.can_help = lambda: asked.append(1) or shared
reading.MUCH_TEXT = 1
index = open_index(Workspace(root=Path(sys.argv[1])))
report = index.sync()
assert asked
print(report.updated, report.facts_added)
tables = [row[0] for row in index.connection.execute(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'words_%' AND name <> 'meta' ORDER BY name")]
for table in tables:
    print(table, *sorted(map(repr, index.connection.execute(f"SELECT * FROM {table}"))), sep="\\n")
index.connection.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab (main, words, instance)")
print(*sorted(index.connection.execute("SELECT * FROM temp.terms")), sep="\\n")
"""
"""Syncs a workspace with or without helpers, and prints everything in the index."""

WORK = """
import os, signal, sys
from multiprocessing import parent_process
from openclaw_memory_plugin.index.ahead import work_ahead

def work(number):
    if number == 30 and parent_process() is not None:
        {fault}
    return number, parent_process() is not None

results = list(work_ahead(work, range(100)))
assert [number for number, _ in results] == list(range(100))
print(sum(helped for _, helped in results))
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("no child is left")
"""


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a process in which nothing else runs."""
    return subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("name", ["hub-studio", "zh-biji", "everyday-untyped"])
def test_shared_reading_makes_the_same_index(name: str, copied: Callable[[str], Path]) -> None:
    """Every table is what it is without helpers, the terms under which facts are found too."""
    root = copied(name)
    outputs = []
    for how in ("alone", "shared"):
        shutil.rmtree(root / ".memory", ignore_errors=True)
        done = run(SYNC, str(root), how)
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert outputs[0].count("\n") > 100
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize(
    "fault",
    [
        "os.kill(os.getpid(), signal.SIGKILL)",
        "os._exit(0)",
        "raise ValueError(number)",
        "return lambda: None",
        "sys.exit(3)",
    ],
)
def test_what_a_helper_leaves_undone_is_done_here(fault: str) -> None:
    """Killed, gone or failing: no result is lost, none comes twice, and no process stays behind."""
    done = run(WORK.format(fault=fault))
    assert done.returncode == 0, done.stderr
    helped, left = done.stdout.splitlines()
    assert 0 < int(helped) < 100
    assert left == "no child is left"
    assert done.stderr == ""


def test_a_fault_of_the_work_is_told_here() -> None:
    """What fails in a helper fails here once more, with its own error."""
    done = run("""
from openclaw_memory_plugin.index.ahead import work_ahead
print(list(work_ahead(lambda number: 1 // (number - 7), range(20))))
""")
    assert "ZeroDivisionError" in done.stderr
    assert "Process" not in done.stderr


def test_stopping_early_ends_the_helpers() -> None:
    """A caller that has enough waits for nobody."""
    done = run("""
import os, time
from openclaw_memory_plugin.index.ahead import work_ahead
began = time.monotonic()
some = work_ahead(lambda number: number if number < 4 else time.sleep(100), range(1000))
print(next(some), next(some))
some.close()
assert time.monotonic() - began < 50
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("no child is left")
""")
    assert done.stdout.splitlines() == ["0 1", "no child is left"], done.stderr


def test_helpers_end_with_the_process_that_they_help() -> None:
    """Killed itself, a process leaves nobody behind who works for no one."""
    done = run("""
import multiprocessing, os, signal, time
from openclaw_memory_plugin.index.ahead import work_ahead
some = work_ahead(lambda number: bytes(100_000), range(100_000))
next(some)
print(*(process.pid for process in multiprocessing.active_children()), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
""")
    helpers = [Path("/proc") / pid / "cmdline" for pid in done.stdout.split()]
    assert len(helpers) == 2
    deadline = time.monotonic() + 60
    while any(map(is_running, helpers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_running, helpers))


def is_running(command: Path) -> bool:
    """Tell whether a process is there and no zombie, by the file that says how it was called."""
    try:
        return command.read_bytes() != b""
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_process_and_its_helpers_quietly(number: signal.Signals) -> None:
    """Only the process that was interrupted says so, once."""
    script = """
import signal, sys, time
from openclaw_memory_plugin.index.ahead import work_ahead
for result in work_ahead(lambda number: time.sleep(0.01), range(100_000)):
    print("at work", flush=True)
"""
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        process.stdout.readline()
        os.killpg(process.pid, number)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == -number
    assert errors.count("Traceback") == (1 if number == signal.SIGINT else 0), errors


def test_a_process_with_threads_is_not_copied() -> None:
    """Locks that a thread holds would stay locked in a copy for ever."""
    done = run("""
import threading
from openclaw_memory_plugin.index import ahead
ahead.os.sched_getaffinity = lambda process: {0, 1}
alone = ahead.can_help()
event = threading.Event()
thread = threading.Thread(target=event.wait)
thread.start()
print(alone, ahead.can_help())
event.set()
""")
    assert done.stdout.split() == ["True", "False"], done.stderr


def test_a_process_whose_children_end_unnoticed_is_not_copied() -> None:
    """Who ignores SIGCHLD cannot tell a helper that has ended from a stranger who got its number."""
    done = run("""
import signal
from openclaw_memory_plugin.index import ahead
ahead.os.sched_getaffinity = lambda process: {0, 1}
alone = ahead.can_help()
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
print(alone, ahead.can_help())
""")
    assert done.stdout.split() == ["True", "False"], done.stderr
