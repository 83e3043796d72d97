"""
Measure speed and write the section of RESULTS.md: `python -m benchmarks.speed [--sizes 1000,10000,100000] [--quick]`.

Exit 1 when a bound does not hold.
"""

import argparse
import importlib.util
import platform
import sqlite3
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.results import replace_section
from benchmarks.speed import measures, rivals
from benchmarks.speed.corpus import rows, write_workspace
from benchmarks.speed.measures import Measured

RECALL = {1_000: (25, 10), 10_000: (10, 5), 100_000: (3, 1.7), 1_000_000: (1.6, 1.3)}
"""Facts -> bound and aim of a warm recall as a multiple of the raw query."""

ASSOCIATION = {1_000: (3, 2), 10_000: (2, 1), 100_000: (0.5, 0.25), 1_000_000: (0.1, 0.05)}
"""Facts -> bound and aim of what association adds to a recall, as a multiple of the raw query."""

IDLE_FACTS = 100_000
"""So many facts stand in 2,000 files."""


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--sizes", default="1000,10000,100000", help="numbers of facts, separated by commas")
    parser.add_argument("--pairs", type=int, default=60, help="pairs of each measurement (default 60)")
    parser.add_argument("--dry-run", action="store_true", help="print the table and leave RESULTS.md alone")
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.sizes.split(",")]
    found: list[Measured] = []
    for measured in _measure(sizes, arguments.pairs):
        found.append(measured)
        print(_row(measured), file=sys.stderr, flush=True)
    table = _table(found)
    print(table)
    if not arguments.dry_run:
        replace_section("speed", table)
    return 0 if all(measured.holds for measured in found) else 1


def _measure(sizes: Sequence[int], pairs: int) -> Iterator[Measured]:
    for count in sizes:
        with tempfile.TemporaryDirectory(prefix="ocmem-speed-") as folder:
            root = Path(folder) / "workspace"
            facts = list(rows(count))
            files = write_workspace(root, facts)
            rivals.insert(root.with_suffix(".fts"), facts)
            yield measures.bulk_sync(root, facts, 5 if count <= 10_000 else 2)
            yield measures.size(root, facts)
            bound, aim = RECALL.get(count, (25, 10))
            yield measures.warm_recall(root, facts, pairs, bound=bound, aim=aim)
            bound, aim = ASSOCIATION.get(count, (3, 2))
            yield measures.association(root, facts, pairs, bound=bound, aim=aim)
            if count <= IDLE_FACTS:
                yield measures.cold_recall(root, facts, max(5, pairs // 4))
            if count == IDLE_FACTS:
                yield measures.idle_sync(root, files, pairs)
                yield measures.resident(root, facts)
                if importlib.util.find_spec("numpy"):
                    yield from measures.vectors(root, facts, pairs)


def _table(found: Sequence[Measured]) -> str:
    lines = [
        "## Speed",
        "",
        f"`python -m benchmarks.speed` on Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, "
        f"{platform.system()} {platform.machine()}. Rows of 25 words and 1 to 4 entities by Zipf's law.",
        "",
        "| measured | ours | rival | ratio | must | aim | |",
        "|---|---|---|---|---|---|---|",
        *map(_row, found),
        "",
        "Bulk sync is given as rival / ours (more is better), everything else as ours / rival.",
    ]
    return "\n".join(lines)


def _row(measured: Measured) -> str:
    sign = "≥" if measured.higher else "≤"
    values = (f"{measured.ours:.4g} {measured.unit}", f"{measured.rival:.4g} {measured.unit}", f"{measured.ratio:.3g}")
    bounds = (f"{sign} {measured.bound:.3g}", f"{sign} {measured.aim:.3g}", "holds" if measured.holds else "**missed**")
    return f"| {' | '.join((measured.name, *values, *bounds))} |"


if __name__ == "__main__":
    sys.exit(main())
