"""The journal's lines as data: read, written, and summed up when there are many."""

import contextlib
import json
import os
from collections.abc import Collection
from typing import Any

ERASED = "0" * 12
"""What forgetting leaves of an id; it is nobody's, and never that of two forgotten facts together."""


def parse(raw: bytes) -> dict[str, Any]:
    """Return the JSON object of a line, without ids that were erased; an empty one for anything else."""
    try:
        line = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(line, dict):
        return {}
    return (
        line if ERASED.encode() not in raw else {name: _kept(value) for name, value in line.items() if value != ERASED}
    )


def _kept(value: Any) -> Any:
    """Return a value of a line without erased ids; a pair that loses one is none, and is not taken for one."""
    if isinstance(value, list):
        return [item for item in value if item != ERASED]
    if isinstance(value, dict):
        return {key: _kept(item) for key, item in value.items() if ERASED not in (key, item)}
    return value


def dump(line: dict[str, Any]) -> str:
    """Return an object as the line that stands for it."""
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"


def compacted(data: bytes, keep_since: str) -> bytes:
    """Return the lines of `data` with everything summed up that nobody needs line by line."""
    sums = _Sums()
    recent: list[dict[str, Any]] = []
    for raw in data.split(b"\n"):
        line = parse(raw)
        if not line or "journal" in line:
            continue
        if recent or ("turn" in line and str(line.get("at", "")) >= keep_since):
            recent.append(line)
            continue
        with contextlib.suppress(KeyError, TypeError, ValueError, AttributeError):
            sums.add(line)
    body = "".join(map(dump, [*sums.lines({str(line["turn"]) for line in recent if "turn" in line}), *recent]))
    return (dump({"journal": os.urandom(8).hex(), "compacted": len(body)}) + body).encode()


class _Sums:
    """What lines amount to together."""

    def __init__(self) -> None:
        self._counts: dict[str, tuple[int, str]] = {}
        self._judged: dict[str, tuple[int, int]] = {}
        self._renamed: dict[str, str] = {}
        self._turns: set[tuple[str, str]] = set()

    def add(self, line: dict[str, Any]) -> None:
        if "ids" in line:
            turn = line.get("turn")
            for id in dict.fromkeys(map(str, line["ids"])):
                if turn is None or (str(turn), id) not in self._turns:
                    self._count(id, 1, str(line["at"]))
                if turn is not None:
                    self._turns.add((str(turn), id))
        elif "rename" in line:
            old, new = map(str, line["rename"])
            if old in self._counts:
                self._count(new, *self._counts.pop(old))
            if old in self._judged:
                self._judge(new, *self._judged.pop(old))
            self._renamed = {key: new if value == old else value for key, value in self._renamed.items() if key != new}
            self._renamed[old] = new
        elif "feedback" in line:
            good = bool(line["good"])
            self._judge(str(line["feedback"]), int(good), int(not good))
        elif "counts" in line:
            for id, (count, at) in line["counts"].items():
                self._count(str(id), int(count), str(at))
        elif "judged" in line:
            for id, (good, bad) in line["judged"].items():
                self._judge(str(id), int(good), int(bad))
        elif "counted" in line:
            self._turns.update((str(turn), str(id)) for turn, ids in line["counted"].items() for id in ids)
        elif "renamed" in line:
            self._renamed.update((str(old), str(new)) for old, new in line["renamed"].items())

    def lines(self, turns: Collection[str]) -> list[dict[str, Any]]:
        """Return the sums, and what has been counted of `turns`, which go on."""
        counted: dict[str, list[str]] = {}
        for turn, id in sorted(self._turns):
            if turn in turns:
                counted.setdefault(turn, []).append(id)
        sums: dict[str, dict[str, Any]] = {"counts": self._counts, "judged": self._judged}
        sums["renamed"] = self._renamed
        sums["counted"] = counted
        return [{name: dict(sorted(values.items()))} for name, values in sums.items() if values]

    def _count(self, id: str, count: int, at: str) -> None:
        before = self._counts.get(id, (0, at))
        self._counts[id] = (before[0] + count, max(before[1], at))

    def _judge(self, id: str, good: int, bad: int) -> None:
        before = self._judged.get(id, (0, 0))
        self._judged[id] = (before[0] + good, before[1] + bad)
