"""
Measure the quality of recall: `python -m benchmarks.quality PATH…`, where each PATH is a data set of its own.

A PATH is a folder of labelled workspaces (`*/expected.yaml`), LoCoMo conversations or passages with questions (JSON).
No language model takes part: gold evidence decides. `--peers` asks other memories too, each in an environment of its
own that is kept in `.cache`. `--write` puts the tables into RESULTS.md.
"""

import argparse
import collections
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.results import replace_section

from .activation import strongest
from .datasets import Dataset, load
from .metrics import Judged, mean
from .peers import PeerError, peer_rows
from .rows import Row, rows, run

HEAD = (
    "| row | n | R@5 | R@10 | all@10 | nDCG@10 | P@1 | answers@5 "
    "| F1 (cut-off) | hits (cut-off) | characters (cut-off) |"
)
NOTE = """Gold evidence decides; no language model takes part. R@k, all@10, nDCG@10, P@1 and answers@5 (recall of the
grade-3 answers in the first five) are per cent without cut-off; F1, hits and characters are with it. Data sets lie
outside this repository; what was tuned on them makes these numbers *dev*. A peer gets the same facts, one entry each,
through its own interface, and runs as it comes, without network or model; the runtime's memory-core reads the same
Markdown, with every file that holds facts among its paths and no least score, and may cite stretches of lines.
dory-memory answers with one context of up to ninety entries; the order in which it lists them is taken as its ranking.
"""

DETAILED = (
    "FTS5 BM25",
    "recall",
    "recall with vectors",
    "recall by default",
    "recall at depth 2",
    "without association",
)
"""Rows that tell each kind of question; without association one kind may cost what another gains."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its tables as Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--ablation", action="store_true", help="also without each part of the match")
    parser.add_argument("--peers", action="store_true", help="also other memories that run offline without a model")
    parser.add_argument("--write", action="store_true", help="write the tables into RESULTS.md")
    chosen = parser.parse_args(arguments)
    compared = rows(ablation=chosen.ablation)
    if chosen.peers:
        compared += peer_rows()
    tables = []
    for path in chosen.paths:
        with tempfile.TemporaryDirectory(prefix="quality.") as work:
            tables.append(_table(path.name, load(path, Path(work)), compared))
            print(tables[-1], flush=True)
    if chosen.write:
        options = [f"--{name}" for name in ("ablation", "peers", "write") if getattr(chosen, name)]
        command = shlex.join(
            ["python", "-m", "benchmarks.quality", *options, *(f"data/{p.name}" for p in chosen.paths)]
        )
        replace_section("quality", f"## Quality\n\n`{command}`\n\n{NOTE}\n" + "\n".join(tables))
    return 0


def _table(name: str, datasets: list[Dataset], compared: Sequence[Row]) -> str:
    lines = [f"### {name}", "", HEAD, "|" + "---|" * (HEAD.count("|") - 1)]
    for row in compared:
        try:
            lines += _lines(row, datasets)
        except PeerError as error:
            lines.append(_skipped(row, str(error)))
    name, share = strongest(datasets)
    lines += ["", f"Of all first hops of activation, {name or 'nobody'} receives most: {100 * share:.1f} %."]
    return "\n".join(lines) + "\n"


def _lines(row: Row, datasets: list[Dataset]) -> list[str]:
    if row.missing:
        return [_skipped(row, row.missing)]
    groups: dict[str, list[Judged]] = collections.defaultdict(list)
    short: dict[str, list[Judged]] = collections.defaultdict(list)
    for found, cutoff in ((groups, False), (short, True)) if row.cuts else ((groups, False),):
        for _, question, judged in run(row, datasets, cutoff=cutoff):
            found[""].append(judged)
            found[question.kind].append(judged)
    kinds = sorted(groups) if row.name in DETAILED else [""]
    return [_line(f"{row.name} {kind}".strip(), groups[kind], (short or groups)[kind]) for kind in kinds]


def _skipped(row: Row, why: str) -> str:
    return f"| {row.name}: skipped, {why} |" + " |" * (HEAD.count("|") - 2)


def _line(name: str, full: list[Judged], short: list[Judged]) -> str:
    a, b = mean(full), mean(short)
    measures = [a.recall5, a.recall10, a.all10, a.ndcg, a.first, a.answers5, b.f1]
    cells = [name, str(len(full)), *(f"{100 * value:.1f}" for value in measures)]
    return "| " + " | ".join([*cells, f"{sum(x.hits for x in short) / len(short):.1f}", f"{b.characters:.0f}"]) + " |"


if __name__ == "__main__":
    raise SystemExit(main())
