"""
Kill the memory at random points and look at what is left: `python -m benchmarks.crash --points 200`.

A child process does one thing to a copy of a workspace (retain, archive, forget, restore, undo, maintain, reflect), is
killed with SIGKILL either at the n-th line of our code that it runs or after a random time, so also within system
calls. Then, from what lies on disk:

- every Markdown file is what it was before or what it becomes, whole;
- every line under `memory/archive/` is JSON;
- no fact is lost that would be there undisturbed: it is in Markdown or in the archive;
- the next start repairs, and doing the same thing (again) leads where it leads undisturbed;
- after a finished `forget` no file holds the text.
"""

import argparse
import datetime as dt
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from openclaw_memory_hookspecs import Draft
from openclaw_memory_plugin import Memory

NOW = dt.datetime(2026, 4, 25, 12, tzinfo=dt.UTC)
ROOM = f"{os.sep}openclaw_memory_plugin{os.sep}"
SECRET = "zanzibar"

Act = Callable[[Memory], object]


def build(root: Path) -> None:
    """A small workspace in which everything has happened once, and `SECRET` stands in a log, a page and the archive."""
    (root / "memory").mkdir(parents=True)
    for day in range(1, 7):
        facts = [f"- W(s=0.{day}{n}) @Port @Ann: Crate {day}{n} went to quay {n}.\n" for n in range(5)]
        (root / f"memory/2026-02-{day:02d}.md").write_text(f"# 2026-02-{day:02d}\n\n## Retain\n{''.join(facts)}")
    text = f"\n## Retain\n- O(c=0.6) @Ann: Dreams of {SECRET} in winter.\n- W @Bo: Repairs the quay.\n"
    (root / "memory/2026-02-10.md").write_text(f"# 2026-02-10\n{text}")
    (root / "memory/2026-02-11.md").write_text(f"# 2026-02-11\n\nProse.\n{text}")
    (root / "MEMORY.md").write_text("# Memory\n\nMine.\n")
    with Memory.open(root) as memory:
        memory.sync(now=NOW)
        memory.archive(memory.facts()[0].id, _secret(memory), now=NOW)
        memory.retain(Draft(text="The ferry is blue.", entities=("Ann",)), now=NOW)


def acts() -> dict[str, Act]:
    """What is done, by name."""
    later = NOW + dt.timedelta(days=8)
    found: dict[str, Act] = {
        "retain": lambda memory: memory.retain(Draft(text="The harbour freezes.", entities=("Bo",)), now=later),
        "archive": lambda memory: memory.archive(*(fact.id for fact in memory.facts()[3:9]), now=later),
        "restore": lambda memory: memory.restore(_secret(memory), now=later),
        "forget": lambda memory: memory.forget(_secret(memory), now=later),
        "undo": lambda memory: memory.undo(1, now=later),
        "maintain": lambda memory: memory.maintain(preview=False, now=later + dt.timedelta(days=60)),
    }
    if hasattr(Memory, "reflect"):
        found["reflect"] = lambda memory: memory.reflect(now=later)  # type: ignore[attr-defined]
    return found


def run(points: int, seed: int = 1, names: tuple[str, ...] = ()) -> tuple[dict[str, int], list[str]]:
    """
    Kill at so many points, evenly over what is done.

    Returns:
        How often a child was killed before it was done, by name; what was wrong, one sentence each.
    """
    chance = random.Random(seed)
    chosen = {name: act for name, act in acts().items() if not names or name in names}
    killed = dict.fromkeys(chosen, 0)
    problems: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        start = Path(folder) / "start"
        build(start)
        for place, (name, act) in enumerate(chosen.items()):
            share = points // len(chosen) + (place < points % len(chosen))
            told = _Undisturbed(start, Path(folder) / name, act)
            for turn in range(share):
                root = Path(folder) / f"{name}-{turn}"
                shutil.copytree(start, root)
                where = (
                    f"{name} at line {(line := chance.randint(1, told.lines))} of {told.lines}"
                    if turn % 2 == 0
                    else f"{name} after {(wait := chance.uniform(0, told.seconds)):.4f} s"
                )
                killed[name] += _disturbed(root, act, line if turn % 2 == 0 else None, None if turn % 2 == 0 else wait)
                problems += [f"{where}: {problem}" for problem in told.compare(root, name, act)]
                shutil.rmtree(root)
    return killed, problems


class _Undisturbed:
    """What one act does when nobody disturbs it."""

    def __init__(self, start: Path, root: Path, act: Act) -> None:
        shutil.copytree(start, root)
        self.before = _markdown(root)
        known = _known(root)
        counted = Path(f"{root}.lines")
        _in_child(lambda: counted.write_text(str(_counted(root, act))))
        self.lines = int(counted.read_text())
        shutil.rmtree(root)
        shutil.copytree(start, root)
        began = time.perf_counter()
        _in_child(lambda: _act(root, act))
        self.seconds = time.perf_counter() - began
        self.after = _markdown(root)
        self.known = known & _known(root)

    def compare(self, root: Path, name: str, act: Act) -> list[str]:
        """Say what is wrong with what a killed child left."""
        problems = []
        for path, text in _markdown(root).items():
            if text not in (self.before.get(path), self.after.get(path)):
                problems.append(f"{path} is neither old nor new: {text!r}")
        for path in (root / "memory/archive").glob("*.jsonl"):
            for line in path.read_text().splitlines():
                try:
                    json.loads(line)
                except ValueError:
                    problems.append(f"{path.name} holds half a line: {line!r}")
        with Memory.open(root) as memory:
            memory.sync(now=NOW)
            repaired = _markdown(root)
        problems += [f"lost: {one}" for one in sorted(self.known - _known(root))]
        if repaired not in (self.before, self.after):
            problems.append(f"not repaired: {sorted(p for p in repaired if repaired[p] != self.before.get(p))}")
        if repaired != self.after or name in ("archive", "maintain", "reflect"):
            _act(root, act)
            if name != "retain" and _markdown(root) != self.after:
                problems.append("doing it again leads elsewhere")
        if name == "forget":
            problems += [f"{path} still holds it" for path in _holding(root)]
        return problems


def _disturbed(root: Path, act: Act, line: int | None, wait: float | None) -> bool:
    """Do it in a child and kill that; whether it died before it was done."""
    child = os.fork()
    if child == 0:
        try:
            if line is not None:
                die_at(line)
            _act(root, act)
        finally:
            os._exit(0)
    if wait is not None:
        time.sleep(wait)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def _in_child(work: Callable[[], object]) -> None:
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def _act(root: Path, act: Act) -> None:
    with Memory.open(root) as memory:
        memory.sync(now=NOW)
        act(memory)


def die_at(line: int) -> None:
    """Kill this process with SIGKILL at the n-th line of our code from here on."""
    seen = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal seen
        if ROOM not in frame.f_code.co_filename:
            return None
        if event == "line":
            seen += 1
            if seen == line:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)


def _counted(root: Path, act: Act) -> int:
    seen = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal seen
        if ROOM not in frame.f_code.co_filename:
            return None
        seen += event == "line"
        return trace

    sys.settrace(trace)
    _act(root, act)
    sys.settrace(None)
    return seen


def _known(root: Path) -> set[str]:
    with Memory.open(root) as memory:
        memory.sync(now=NOW)
        return {fact.content for fact in memory.facts(include_archived=True)}


def _secret(memory: Memory) -> str:
    found = [fact for fact in memory.facts(include_archived=True) if SECRET in fact.content]
    return found[0].id if found else "0" * 12


def _markdown(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*.md"))}


def _holding(root: Path) -> list[str]:
    files = [path for path in root.rglob("*") if path.is_file()]
    return [str(path.relative_to(root)) for path in files if SECRET.encode() in path.read_bytes().lower()]


def main() -> int:
    """Run from the command line; exit 1 when something was wrong."""
    parser = argparse.ArgumentParser(description="Kill the memory at random points and look at what is left.")
    parser.add_argument("--points", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], help="only this act; may be repeated")
    parser.add_argument("--write", action="store_true", help="note the result in RESULTS.md")
    args = parser.parse_args()
    killed, problems = run(args.points, args.seed, tuple(args.only))
    acts = ", ".join(f"{name} {count}" for name, count in killed.items())
    text = f"Killed {sum(killed.values())} times of {args.points} before it was done ({acts}): "
    text += f"{len(problems)} problems." if problems else "no half file, no lost fact, every next start repaired."
    print("\n".join([text, *problems]))
    if args.write:
        from benchmarks.results import replace_section

        replace_section("crash", f"## Crashes\n\n`python -m benchmarks.crash --points {args.points}`\n\n{text}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
