"""A walk through retain, recall and explain in a copy of the packaged example workspace."""

import datetime as dt
import shlex
import shutil
import tempfile
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from openclaw_memory_hookspecs import Draft, Kind, RecallRequest
from openclaw_memory_plugin.builtin import Memory
from openclaw_memory_plugin.config import Config
from openclaw_memory_plugin.faces import answers
from openclaw_memory_plugin.faces.commands import reasons, render
from openclaw_memory_plugin.faces.commands.options import PROGRAM
from openclaw_memory_plugin.faces.commands.retaining import told

NOW = dt.datetime(2025, 11, 28, 10, tzinfo=dt.UTC)
"""The day after the last log of the example: the walk is the same whenever it is taken."""

DRAFT = Draft(
    text="Sarah announced that she leaves at the end of the year.",
    kind=Kind.EXPERIENCE,
    entities=("Sarah", "project"),
    salience=0.95,
)
QUESTIONS = (
    RecallRequest(query="What does Peter prefer?", k=3, track=False, now=NOW),
    RecallRequest(query="When does Sarah leave?", k=3, track=False, now=NOW),
    RecallRequest(query="Who can help with performance?", k=5, associative_depth=2, track=False, now=NOW),
)


def walk() -> tuple[dict[str, Any], Callable[[render.Pen], Sequence[str]], int]:
    """
    Take the walk in a new temporary folder, which stays for further tries.

    Returns:
        What to say to a program, to a person, and the exit code.
    """
    root = Path(tempfile.mkdtemp(prefix="openclaw-memory-demo-"))
    _copy_example(root)
    steps: list[tuple[str, dict[str, Any], Callable[[render.Pen], Sequence[str]]]] = []
    with Memory.open(root, config=Config()) as memory:
        retained = memory.retain(DRAFT, now=NOW)
        line = memory.line(retained.source).removeprefix("- ")
        steps.append(
            (
                f"retain {shlex.quote(DRAFT.text)} --type B --entity Sarah --entity project --salience 0.95",
                answers.fact_json(retained),
                lambda pen: told(line, retained.source, retained, pen),
            )
        )
        for request in QUESTIONS:
            answer = memory.recall(request)
            depth = f" --associative-depth {request.associative_depth}" if request.associative_depth else ""
            steps.append(
                (
                    f"recall {shlex.quote(request.query)} --k {request.k}{depth} --no-track",
                    answers.recalled_json(answer),
                    lambda pen, answer=answer, k=request.k: render.recalled(answer, pen, k=k),  # type: ignore[misc]  # bound now
                )
            )
        why = answers.plain(memory.explain(retained.id, QUESTIONS[1]))
        fact = memory.fact(retained.id)
        steps.append(
            (
                f"explain {retained.id} --query {shlex.quote(QUESTIONS[1].query)}",
                {**answers.fact_json(fact), "why": why},
                lambda pen: [*render.fact_lines(fact, pen), "", *reasons.lines(why, pen)],
            )
        )
    payload = {"workspace": str(root), "steps": [{"command": said, "answer": got} for said, got, _ in steps]}

    def lines(pen: render.Pen) -> list[str]:
        found = [f"An example workspace is in {root}"]
        for said, _, shown in steps:
            found += ["", pen("strong", f"$ {PROGRAM} {said}"), *shown(pen)]
        return [
            *found,
            "",
            f"Go on with: {PROGRAM} --workspace {root} recall …",
            f"It stays until you remove it: rm -r {root}",
        ]

    return payload, lines, 0


def _copy_example(root: Path) -> None:
    with resources.as_file(resources.files("openclaw_memory_plugin") / "demo") as example:
        shutil.copytree(example, root, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
