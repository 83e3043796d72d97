"""
Labelled questions over Markdown: every data set becomes a workspace on disk and questions with gold citations.

Data sets are given by path and never copied into the repository.
"""

import datetime as dt
import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import yaml


@attrs.frozen(kw_only=True)
class Question:
    """One question with its answers."""

    text: str
    kind: str
    gold: Mapping[str, int]
    """`path#L12` -> grade, 3 the answer itself."""
    now: dt.datetime
    associative: bool = False
    """Whether depth 2 is asked for, as the judge does."""


@attrs.frozen(kw_only=True)
class Dataset:
    """A workspace and its questions."""

    name: str
    root: Path
    questions: tuple[Question, ...]


def load(path: Path, work: Path) -> list[Dataset]:
    """
    Read what `path` holds: a folder of labelled workspaces, LoCoMo conversations, or passages with questions.

    Args:
        work: an empty folder; workspaces are written into it.
    """
    if path.is_dir():
        return _workspaces(path, work)
    raw = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(raw, list):
        return [_conversation(item, work / item["sample_id"]) for item in raw]
    return [_passages(raw, work / raw["name"])]


def _workspaces(path: Path, work: Path) -> list[Dataset]:
    found = []
    for labels in sorted(path.glob("*/expected.yaml")):
        root = work / labels.parent.name
        shutil.copytree(
            labels.parent, root, ignore=shutil.ignore_patterns("expected.yaml"), copy_function=shutil.copyfile
        )
        for folder in (root, *(p for p in root.rglob("*") if p.is_dir())):
            folder.chmod(0o755)
        questions = []
        for raw in yaml.safe_load(labels.read_text(encoding="utf-8"))["queries"]:
            day = dt.date.fromisoformat(str(raw.get("now") or "2026-03-25"))
            questions.append(
                Question(
                    text=raw["query"],
                    kind=raw["kind"],
                    gold={item["source"]: item["grade"] for item in raw["gold"]},
                    now=_noon(day),
                    associative=raw["kind"] == "associative",
                )
            )
        found.append(Dataset(name=root.name, root=root, questions=tuple(questions)))
    return found


LOCOMO_KINDS = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop", 5: "adversarial"}


def _conversation(raw: Mapping[str, Any], root: Path) -> Dataset:
    """Write one log per session, named by its date, a bullet `- Name: text` a turn."""
    talk = raw["conversation"]
    (root / "memory").mkdir(parents=True)
    places: dict[str, str] = {}
    last = dt.date.min
    for session in sorted(int(key.split("_")[1]) for key in talk if re.fullmatch(r"session_\d+", key)):
        day = dt.datetime.strptime(talk[f"session_{session}_date_time"].split(" on ")[1], "%d %B, %Y").date()
        last = max(last, day)
        path = f"memory/{day.isoformat()}.md"
        if (root / path).exists():
            path = f"memory/{day.isoformat()}-session-{session}.md"
        lines = [f"# {day.isoformat()}", ""]
        for turn in talk[f"session_{session}"]:
            lines.append(f"- {turn['speaker']}: {' '.join(turn['text'].split())}")
            places[turn["dia_id"]] = f"{path}#L{len(lines)}"
        (root / path).write_text("\n".join(lines) + "\n", encoding="utf-8")
    questions = [
        Question(
            text=item["question"],
            kind=LOCOMO_KINDS[item["category"]],
            gold={places[turn]: 3 for turn in item["evidence"] if turn in places},
            now=_noon(last + dt.timedelta(days=7)),
        )
        for item in raw["qa"]
        if any(turn in places for turn in item.get("evidence", ()))
    ]
    return Dataset(name=raw["sample_id"], root=root, questions=tuple(questions))


def _passages(raw: Mapping[str, Any], root: Path) -> Dataset:
    """Write the passages as paragraphs under their titles, a hundred a page."""
    (root / "memory").mkdir(parents=True)
    places: dict[Any, str] = {}
    passages = raw["passages"]
    for start in range(0, len(passages), 100):
        path = f"memory/passages-{start // 100:03}.md"
        lines: list[str] = []
        for passage in passages[start : start + 100]:
            lines += [f"## {passage['title']}", "", f"{passage['title']}: {' '.join(passage['text'].split())}", ""]
            places[passage["id"]] = f"{path}#L{len(lines) - 1}"
        (root / path).write_text("\n".join(lines), encoding="utf-8")
    questions = [
        Question(
            text=item["q"],
            kind=str(item.get("type", "all")),
            gold={places[passage]: 3 for passage in item["gold"]},
            now=_noon(dt.date(2026, 1, 1)),
        )
        for item in raw["queries"]
    ]
    return Dataset(name=raw["name"], root=root, questions=tuple(questions))


def _noon(day: dt.date) -> dt.datetime:
    return dt.datetime.combine(day, dt.time(12), tzinfo=dt.UTC)
