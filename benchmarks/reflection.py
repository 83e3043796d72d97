"""
Measure reflection against reading the same facts through raw SQL: `python -m benchmarks.reflection [--facts 10000]`.

A reflection over facts that it knows reads everything, plans every page, and finds nothing to write; the first one also
writes its pages, each of them durable on its own. Both are paired with raw reads of the same rows in the same run.
Exit 1 when the bound does not hold.
"""

import argparse
import datetime as dt
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.results import replace_section
from benchmarks.speed.corpus import FACTS_A_FILE, rows
from openclaw_memory_plugin import Memory

BOUND = 20.0
NOW = dt.datetime(2026, 1, 31, 12, tzinfo=dt.UTC)
KINDS = {"world facts alone": "W", "all kinds, two in nine opinions": "WBOWWSOWB"}
READ = (
    "SELECT * FROM facts ORDER BY seq",
    "SELECT o.*, f.path FROM occurrences AS o JOIN files AS f USING (file_id) ORDER BY o.seq",
    "SELECT m.*, e.name FROM mentions AS m JOIN entities AS e ON e.id = m.entity_id ORDER BY m.seq",
)
"""The facts, where they stand, and whom they mention."""


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reflection", description=__doc__)
    parser.add_argument("--facts", type=int, default=10_000)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--dry-run", action="store_true", help="print the table and leave RESULTS.md alone")
    arguments = parser.parse_args()
    lines = [
        f"`python -m benchmarks.reflection --facts {arguments.facts}`: times the raw SQL read of the same facts with "
        f"places and mentions (in parentheses: of the table `facts` alone); bound {BOUND:.0f}.",
        "",
        "| corpus | first reflection | nothing new |",
        "|---|---|---|",
    ]
    holds = True
    for name, kinds in KINDS.items():
        with tempfile.TemporaryDirectory(prefix="ocmem-reflect-") as folder:
            first, again, bare = _measure(Path(folder), arguments.facts, kinds, arguments.pairs)
        holds &= again <= BOUND
        lines.append(f"| {name} | {first:.1f} ({first * bare:.1f}) | {again:.1f} ({again * bare:.1f}) |")
        print(lines[-1], file=sys.stderr, flush=True)
    table = "\n".join(lines)
    print(table)
    if not arguments.dry_run:
        replace_section("reflection", table)
    return 0 if holds else 1


def _measure(root: Path, count: int, kinds: str, pairs: int) -> tuple[float, float, float]:
    """First and later reflection as multiples of the raw read, and that as a multiple of reading `facts` alone."""
    _write(root, count, kinds)
    with Memory.open(root) as memory:
        memory.sync(now=NOW)
        path = memory.stats()["index_path"]
        read = [_timed(lambda: _raw(path, READ)) for _ in range(pairs)]
        first = _timed(lambda: memory.reflect(now=NOW)) / statistics.median(read)
        memory.sync(now=NOW)
        ratios, shares = [], []
        for _ in range(pairs):
            reading, table = _timed(lambda: _raw(path, READ)), _timed(lambda: _raw(path, READ[:1]))
            ratios.append(_timed(lambda: memory.reflect(now=NOW)) / reading)
            shares.append(reading / table)
    return first, statistics.median(ratios), statistics.median(shares)


def _write(root: Path, count: int, kinds: str) -> None:
    (root / "memory").mkdir(parents=True)
    facts = list(rows(count))
    starts = range(0, count, FACTS_A_FILE)
    for number, start in enumerate(starts):
        day = NOW.date() - dt.timedelta(days=len(starts) - 1 - number)
        bullets = "\n".join(
            f"- {kinds[index % len(kinds)]}{fact.bullet.removeprefix('- W')}"
            for index, fact in enumerate(facts[start : start + FACTS_A_FILE], start)
        )
        (root / f"memory/{day}.md").write_text(f"# {day}\n\n## Retain\n{bullets}\n", encoding="utf-8")


def _raw(path: str, queries: tuple[str, ...]) -> int:
    connection = sqlite3.connect(path)
    try:
        return sum(len(connection.execute(query).fetchall()) for query in queries)
    finally:
        connection.close()


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
