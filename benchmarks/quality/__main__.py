"""
Measure the quality of recall: `python -m benchmarks.quality PATH…`, where each PATH is a data set of its own.

A PATH is a folder of labelled workspaces (`*/expected.yaml`), LoCoMo conversations or passages with questions (JSON).
No language model takes part: gold evidence decides. `--write` puts the tables into RESULTS.md.
"""

import argparse
import collections
import shlex
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.results import replace_section

from .activation import strongest
from .datasets import Dataset, load
from .metrics import Judged, mean
from .rows import rows, run

HEAD = (
    "| row | n | R@5 | R@10 | all@10 | nDCG@10 | P@1 | answers@5 "
    "| F1 (cut-off) | hits (cut-off) | characters (cut-off) |"
)
NOTE = """Gold evidence decides; no language model takes part. R@k, all@10, nDCG@10, P@1 and answers@5 (recall of the
grade-3 answers in the first five) are per cent without cut-off; F1, hits and characters are with it. Data sets lie
outside this repository; what was tuned on them makes these numbers *dev*.
"""

ASSOCIATION = "without association"
"""The part that may cost a kind of question what it gives to another: its row tells each kind."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its tables as Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--ablation", action="store_true", help="also without each part of the match")
    parser.add_argument("--write", action="store_true", help="write the tables into RESULTS.md")
    chosen = parser.parse_args(arguments)
    tables = []
    for path in chosen.paths:
        with tempfile.TemporaryDirectory(prefix="quality.") as work:
            tables.append(_table(path.name, load(path, Path(work)), chosen.ablation))
            print(tables[-1], flush=True)
    if chosen.write:
        command = "python -m benchmarks.quality " + shlex.join(arguments or sys.argv[1:])
        replace_section("quality", f"## Quality\n\n`{command}`\n\n{NOTE}\n" + "\n".join(tables))
    return 0


def _table(name: str, datasets: list[Dataset], ablation: bool) -> str:
    lines = [f"### {name}", "", HEAD, "|" + "---|" * (HEAD.count("|") - 1)]
    for row in rows(ablation=ablation):
        groups: dict[str, list[Judged]] = collections.defaultdict(list)
        short: dict[str, list[Judged]] = collections.defaultdict(list)
        for _, question, judged in run(row, datasets):
            for key in ("", question.kind):
                groups[key].append(judged)
        for _, question, judged in run(row, datasets, cutoff=True):
            for key in ("", question.kind):
                short[key].append(judged)
        kinds = [""] if row.name.startswith("without") and row.name != ASSOCIATION else sorted(groups)
        lines += [_line(f"{row.name} {kind}".strip(), groups[kind], short[kind]) for kind in kinds]
    name, share = strongest(datasets)
    lines += ["", f"Of all first hops of activation, {name or 'nobody'} receives most: {100 * share:.1f} %."]
    return "\n".join(lines) + "\n"


def _line(name: str, full: list[Judged], short: list[Judged]) -> str:
    a, b = mean(full), mean(short)
    measures = [a.recall5, a.recall10, a.all10, a.ndcg, a.first, a.answers5, b.f1]
    cells = [name, str(len(full)), *(f"{100 * value:.1f}" for value in measures)]
    return "| " + " | ".join([*cells, f"{sum(x.hits for x in short) / len(short):.1f}", f"{b.characters:.0f}"]) + " |"


if __name__ == "__main__":
    raise SystemExit(main())
