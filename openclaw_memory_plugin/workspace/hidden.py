"""
The archive: which facts recall must not see, as `memory/archive/` says it, so that it survives `rm -rf .memory` and
travels with the notes.

`archive-YYYY-MM.jsonl` holds one JSON object a line. A line with `archived_at` hides a fact, a later one with
`restored_at` shows it again; what counts is the later instant, never the order of files. Reading never fails: a line
that is not what it should be is a defect, everything else counts.
"""

import contextlib
import datetime as dt
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from openclaw_memory_hookspecs import Kind, Provenance
from openclaw_memory_plugin.workspace.lines import FOLDER, TOMBSTONES, FileDefect, not_ours, records

FIRST_YEAR, LAST_YEAR = 1900, 9000
"""Years within which an instant can be compared in any zone, and a later one be found."""


@attrs.frozen(kw_only=True)
class Archived:
    """One fact in the archive: enough to show it, to score it and to write it again."""

    id: str
    content: str
    kind: Kind
    archived_at: dt.datetime
    reason: str = ""
    relevance_score: float = 0.0
    """Retention score when it was archived."""
    created_at: dt.date | None = None
    """The first day it was recorded."""
    last_seen: dt.date | None = None
    """The last day it had been recorded then; stated again on a later day, it is no longer hidden."""
    entities: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    """Those of the entities that stood before the colon."""
    source: str = ""
    """`path#L12` at the time."""
    salience: float = 0.5
    confidence: float | None = None
    provenance: Provenance = Provenance.OWNER
    private: bool = False
    tokens: int = 0


@attrs.frozen(kw_only=True)
class Archive:
    """The archive as it stands."""

    entries: Mapping[str, Archived]
    """By id, in the order in which they were archived; restored ones are not in it."""
    defects: tuple[FileDefect, ...] = ()
    heard: Mapping[str, dt.datetime] = attrs.field(factory=dict)
    """When each fact was last archived or restored."""

    def next_instant(self, fact_id: str, now: dt.datetime) -> dt.datetime:
        """An instant that is later than what was heard of a fact, also when the clock was put back: `now` if it is."""
        heard = self.heard.get(fact_id)
        return now if heard is None or heard < now else heard + dt.timedelta(seconds=1)

    def hides(self, fact_id: str, last_seen: dt.date | None) -> bool:
        """Whether a fact is archived; no longer so when it was stated again on a later day."""
        entry = self.entries.get(fact_id)
        if entry is None:
            return False
        return entry.last_seen is None or last_seen is None or last_seen <= entry.last_seen


def signature(root: Path) -> str:
    """A text that changes whenever a file of the archive does, empty when there is none; one scan of one folder."""
    found = []
    try:
        with os.scandir(root / FOLDER) as files:
            for file in files:
                if file.name.endswith(".jsonl"):
                    with contextlib.suppress(FileNotFoundError):  # removed since it was listed
                        found.append((file.name, file.stat()))
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        return f"{TOMBSTONES.rpartition('/')[2]}:{error.strerror}"
    return ";".join(f"{name}:{stat.st_size}:{stat.st_mtime_ns}:{stat.st_ino}" for name, stat in sorted(found))


def may_be_archived(root: Path, fact_id: str) -> bool:
    """Whether the archive, as far as it can be read, speaks of a fact at all; quick, because nothing is parsed."""
    wanted = fact_id.encode()
    for path in archive_paths(root):
        with contextlib.suppress(OSError):
            if wanted in (root / path).read_bytes():
                return True
    return False


def read_archive(root: Path) -> Archive:
    """Read all archive files; O(lines)."""
    latest: dict[str, tuple[dt.datetime, Archived | None]] = {}
    defects = []
    for path in archive_paths(root):
        for number, record, defect in records(root, path):
            if defect is not None:
                defects.append(FileDefect(path=path, defect=defect))
                continue
            try:
                fact_id, instant, entry = _event(record)
            except (KeyError, TypeError, ValueError) as error:
                defects.append(FileDefect(path=path, defect=not_ours(number, f"not an archived fact: {error!r}")))
                continue
            if fact_id not in latest or latest[fact_id][0] <= instant:
                latest[fact_id] = (instant, entry)
    standing = [(instant, entry) for instant, entry in latest.values() if entry is not None]
    standing.sort(key=lambda pair: (pair[0], pair[1].id))
    return Archive(
        entries={entry.id: entry for _, entry in standing},
        defects=tuple(defects),
        heard={fact_id: instant for fact_id, (instant, _) in latest.items()},
    )


def archive_paths(root: Path) -> list[str]:
    """The archive files, oldest month first."""
    try:
        names = os.listdir(root / FOLDER)
    except OSError:
        return []
    return [f"{FOLDER}/{name}" for name in sorted(names) if name.startswith("archive-") and name.endswith(".jsonl")]


def archive_record(entry: Archived) -> dict[str, Any]:
    """An archived fact as the JSON object of its line; `read_archive` reads it back."""
    return {
        "id": entry.id,
        "content": entry.content,
        "created_at": entry.created_at.isoformat() if entry.created_at else None,
        "relevance_score": round(entry.relevance_score, 4),
        "archived_at": entry.archived_at.astimezone(dt.UTC).isoformat(),
        "reason": entry.reason,
        "kind": entry.kind.value,
        "entities": list(entry.entities),
        "heads": list(entry.heads),
        "source": entry.source,
        "last_seen": entry.last_seen.isoformat() if entry.last_seen else None,
        "salience": entry.salience,
        "confidence": entry.confidence,
        "by": entry.provenance.value,
        "private": entry.private,
        "tokens": entry.tokens,
    }


def _event(record: Mapping[str, Any]) -> tuple[str, dt.datetime, Archived | None]:
    """One line -> id, instant in UTC, what was archived or None for a restoration."""
    if "restored_at" in record:
        return str(record["id"]), _instant(record["restored_at"]), None
    entry = Archived(
        id=str(record["id"]),
        content=str(record["content"]),
        kind=Kind(record.get("kind", "note")),
        archived_at=_instant(record["archived_at"]),
        reason=str(record.get("reason", "")),
        relevance_score=_number(record.get("relevance_score") or 0.0),
        created_at=_day(record.get("created_at")),
        last_seen=_day(record.get("last_seen")),
        entities=_names(record.get("entities", [])),
        heads=_names(record.get("heads", [])),
        source=str(record.get("source", "")),
        salience=_number(record.get("salience", 0.5)),
        confidence=None if record.get("confidence") is None else _number(record["confidence"]),
        provenance=Provenance(record.get("by", "owner")),
        private=bool(record.get("private", False)),
        tokens=int(_number(record.get("tokens", 0))),
    )
    return entry.id, entry.archived_at, entry


def _instant(value: str) -> dt.datetime:
    instant = dt.datetime.fromisoformat(value)
    if not FIRST_YEAR <= instant.year <= LAST_YEAR:
        raise ValueError(f"no instant of ours: {value}")
    return (instant if instant.tzinfo else instant.replace(tzinfo=dt.UTC)).astimezone(dt.UTC)


def _number(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"not a number: {value}")
    return number


def _names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError(f"not a list of names: {value!r}")
    return tuple(map(str, value))


def _day(value: str | None) -> dt.date | None:
    return dt.date.fromisoformat(value[:10]) if value else None
