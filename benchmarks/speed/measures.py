"""What is measured, each against its rival in one run: interleaved pairs, medians."""

import collections
import datetime as dt
import os
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs

from benchmarks.speed import rivals
from benchmarks.speed.corpus import Row, questions
from openclaw_memory_hookspecs import RecallRequest
from openclaw_memory_plugin import Memory

NOW = dt.datetime(2026, 2, 1, 12, tzinfo=dt.UTC)

DIMENSIONS = 512
"""Of a vector, as those of the encoder in the extra `semantic`."""
VECTORS_AT_ONCE = 5_000

SYNC = """
import sys, time
from pathlib import Path
from openclaw_memory_plugin.index import open_index
from openclaw_memory_plugin.workspace import Workspace
index = open_index(Workspace(root=Path(sys.argv[1])))
started = time.perf_counter()
index.sync()
print(time.perf_counter() - started)
"""
RESIDENT = """
import sys
from pathlib import Path
from openclaw_memory_plugin.faces.cli import main
main(["--workspace", sys.argv[1], "recall", sys.argv[2], "--json"])
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(int(peak.split()[1]) / 1024, file=sys.stderr)
"""
NEAREST_RESIDENT = """
import sys
from pathlib import Path
from openclaw_memory_plugin import Memory
with Memory.open(sys.argv[1]) as memory:
    assert memory.index.nearest([1.0] * int(sys.argv[2]), "random")
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(int(peak.split()[1]) / 1024, file=sys.stderr)
"""
BARE_RESIDENT = """
import sqlite3, sys
from pathlib import Path
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(int(peak.split()[1]) / 1024, file=sys.stderr)
"""


@attrs.frozen(kw_only=True)
class Measured:
    """One figure: ours beside the rival's."""

    name: str
    ours: float
    rival: float
    unit: str
    bound: float
    """What the ratio must not exceed, or with `higher` must reach."""
    aim: float
    higher: bool = False
    """Whether the figure is rival / ours, and more is better."""

    @property
    def ratio(self) -> float:
        """Ours as a multiple of the rival's; with `higher` the other way round."""
        return self.rival / self.ours if self.higher else self.ours / self.rival

    @property
    def holds(self) -> bool:
        """Whether the bound holds."""
        return self.ratio >= self.bound if self.higher else self.ratio <= self.bound


def bulk_sync(root: Path, facts: Sequence[Row], pairs: int) -> Measured:
    """Measure the first sync of a workspace, in a process of its own, against inserting the same rows into FTS5."""
    ours, rival = [], []
    for _ in range(pairs):
        _forget_index(root)
        ours.append(float(_python(SYNC, str(root)).stdout))
        started = time.perf_counter()
        rivals.insert(root.with_suffix(".fts"), facts)
        rival.append(time.perf_counter() - started)
    return _measured(f"bulk sync, {len(facts):,} facts", ours, rival, bound=0.10, aim=0.25, higher=True)


def idle_sync(root: Path, files: int, pairs: int) -> Measured:
    """Measure a sync that finds nothing new against listing and stating the same files."""
    with Memory.open(root) as memory:
        memory.sync()
        ours, rival = _pairs(memory.sync, lambda: rivals.scan(root / "memory"), pairs)
    return _measured(f"sync of {files:,} unchanged files", ours, rival, bound=3, aim=1.5)


def warm_recall(root: Path, facts: Sequence[Row], pairs: int, *, bound: float, aim: float) -> Measured:
    """Measure whole recalls with tracking, without the look at the files, against the 25 best rows of raw FTS5."""
    connection = sqlite3.connect(root.with_suffix(".fts"))
    ours, rival = [], []
    with Memory.open(root) as memory:
        memory.sync()
        memory.freshen = lambda now: None
        for number, question in enumerate(questions(list(facts), pairs + 5)):
            request = RecallRequest(query=question, now=NOW)
            match = rivals.expression(question)
            a, b = _pairs(
                lambda: memory.recall(request),  # noqa: B023  called at once
                lambda: connection.execute(rivals.TOP, (match,)).fetchall(),  # noqa: B023  called at once
                1,
            )
            if number >= 5:
                ours += a
                rival += b
    connection.close()
    return _measured(f"warm recall, {len(facts):,} facts", ours, rival, bound=bound, aim=aim)


def association(root: Path, facts: Sequence[Row], pairs: int, *, bound: float, aim: float) -> Measured:
    """Measure what two hops add to a recall, by turns with none, half of the questions naming the largest hub."""
    hub = collections.Counter(name for row in facts for name in row.entities).most_common(1)[0][0]
    connection = sqlite3.connect(root.with_suffix(".fts"))
    added, rival = [], []
    with Memory.open(root) as memory:
        memory.sync()
        memory.freshen = lambda now: None
        for number, question in enumerate(questions(list(facts), pairs + 5)):
            if number % 2:
                question = " ".join([*question.split()[:-1], hub])
            deep, flat = (
                RecallRequest(query=question, now=NOW, associative_depth=depth, track=False) for depth in (2, 0)
            )
            match = rivals.expression(question)
            a, b = _pairs(lambda: memory.recall(deep), lambda: memory.recall(flat), 3)  # noqa: B023  called at once
            _, c = _pairs(lambda: None, lambda: connection.execute(rivals.TOP, (match,)).fetchall(), 3)  # noqa: B023
            if number >= 5:
                added.append(statistics.median(a) - statistics.median(b))
                rival += c
    connection.close()
    return _measured(f"association adds, {len(facts):,} facts", added, rival, bound=bound, aim=aim)


def cold_recall(root: Path, facts: Sequence[Row], pairs: int) -> Measured:
    """Measure the command line's recall against a bare Python that opens SQLite and asks."""
    question = questions(list(facts), 1)[0]
    command = [str(Path(sys.executable).with_name("openclaw-memory-plugin")), "--workspace", str(root), "recall"]
    bare = [sys.executable, "-I", "-c", rivals.BARE, str(root.with_suffix(".fts")), rivals.expression(question)]
    ours, rival = _pairs(
        lambda: subprocess.run([*command, question, "--json"], check=True, capture_output=True),
        lambda: subprocess.run([*bare, rivals.TOP], check=True, capture_output=True),
        pairs,
    )
    return _measured(f"cold recall, {len(facts):,} facts", ours, rival, bound=9, aim=6)


def resident(root: Path, facts: Sequence[Row]) -> Measured:
    """Measure the peak memory of one recall in megabytes, beside a bare Python with sqlite3."""
    ours = float(_python(RESIDENT, str(root), questions(list(facts), 1)[0]).stderr.split()[-1])
    rival = float(_python(BARE_RESIDENT).stderr.split()[-1])
    name = f"memory of one recall, {len(facts):,} facts"
    return Measured(name=name, ours=ours, rival=rival, unit="MB", bound=80 / rival, aim=50 / rival)


def vectors(root: Path, facts: Sequence[Row], pairs: int) -> list[Measured]:
    """Measure the search among random vectors of all facts against the raw query, and the memory of one search."""
    import numpy as np

    chance = np.random.default_rng(5)
    connection = sqlite3.connect(root.with_suffix(".fts"))
    ours, rival = [], []
    with Memory.open(root) as memory:
        memory.sync()
        while missing := memory.index.without_vectors(VECTORS_AT_ONCE, "random"):
            seqs = [seq for seq, _ in missing]
            memory.index.keep_vectors(seqs, chance.standard_normal((len(seqs), DIMENSIONS)), "random")
        for question in questions(list(facts), pairs):
            vector = chance.standard_normal(DIMENSIONS)
            match = rivals.expression(question)
            a, b = _pairs(
                lambda: memory.index.nearest(vector, "random"),  # noqa: B023  called at once
                lambda: connection.execute(rivals.TOP, (match,)).fetchall(),  # noqa: B023  called at once
                1,
            )
            ours += a
            rival += b
    connection.close()
    bare = float(_python(BARE_RESIDENT).stderr.split()[-1])
    peak = float(_python(NEAREST_RESIDENT, str(root), str(DIMENSIONS)).stderr.split()[-1])
    memory_name = f"memory of one search among vectors, {len(facts):,} facts"
    return [
        _measured(f"search among vectors, {len(facts):,} facts", ours, rival, bound=3, aim=1.5),
        Measured(name=memory_name, ours=peak, rival=bare, unit="MB", bound=80 / bare, aim=60 / bare),
    ]


def size(root: Path, facts: Sequence[Row]) -> Measured:
    """Measure the bytes of the index for each fact against FTS5 with the text."""
    connection = sqlite3.connect(root / ".memory" / "index.sqlite")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    ours = (root / ".memory" / "index.sqlite").stat().st_size / len(facts)
    rival = root.with_suffix(".fts").stat().st_size / len(facts)
    return Measured(
        name=f"index size, {len(facts):,} facts", ours=ours, rival=rival, unit="bytes/fact", bound=1.8, aim=1.3
    )


def _pairs(ours: Callable[[], object], rival: Callable[[], object], pairs: int) -> tuple[list[float], list[float]]:
    """Run both by turns, the first of each pair by turns as well."""
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(pairs):
        for which in (0, 1) if number % 2 else (1, 0):
            started = time.perf_counter()
            (ours, rival)[which]()
            times[which].append(time.perf_counter() - started)
    return times


def _measured(
    name: str, ours: Sequence[float], rival: Sequence[float], *, bound: float, aim: float, higher: bool = False
) -> Measured:
    a, b = statistics.median(ours) * 1000, statistics.median(rival) * 1000
    return Measured(name=name, ours=a, rival=b, unit="ms", bound=bound, aim=aim, higher=higher)


def _forget_index(root: Path) -> None:
    for path in (root / ".memory").glob("index*"):
        path.unlink()


def _python(script: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    here = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": here}
    return subprocess.run(
        [sys.executable, "-c", script, *arguments], check=True, capture_output=True, text=True, env=environment
    )
