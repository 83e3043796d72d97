"""
What recall must not see, as the workspace says it: archived facts and forgotten statements.

Both are read from `memory/archive/`, so that they survive `rm -rf .memory` and travel with the notes:

- `archive-YYYY-MM.jsonl`: one JSON object a line. A line with `archived_at` hides a fact, a later one with
  `restored_at` shows it again; what counts is the later instant, never the order of files.
- `tombstones.jsonl`: `{"key": …}` first, then `{"hash": …, "forgotten_at": …}` lines, taken back by
  `{"hash": …, "taught_at": …}`. A hash is HMAC-SHA-256 of the statement without case, blanks and punctuation, and of
  the names before its colon; nothing can be read from it without guessing the whole statement. Files merged from two
  machines may hold two keys: a statement is tried under each.

Reading never fails: a line that is not what it should be is a defect, everything else counts.
"""

import datetime as dt
import json
import math
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from openclaw_memory_hookspecs import Kind, Provenance
from openclaw_memory_plugin.markdown.nouns import Defect
from openclaw_memory_plugin.names import name_key

FOLDER = "memory/archive"
TOMBSTONES = f"{FOLDER}/tombstones.jsonl"
FIRST_YEAR, LAST_YEAR = 1900, 9000
"""Years within which an instant can be compared in any zone, and a later one be found."""

_BETWEEN = re.compile(r"[\W_]+")


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
class FileDefect:
    """A line of ours under `memory/archive/` that could not be used."""

    path: str
    defect: Defect


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


@attrs.frozen(kw_only=True)
class Tombstones:
    """The forgotten statements."""

    keys: tuple[bytes, ...] = ()
    hashes: Mapping[str, str] = attrs.field(factory=dict)
    """Hash -> the instant at which it was forgotten (ISO 8601); those taught again are not in it."""
    defects: tuple[FileDefect, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.hashes)

    def covers(self, content: str, heads: Iterable[str]) -> bool:
        """Whether this statement was forgotten; about 10 µs when anything was, nothing otherwise."""
        return bool(self.hashes) and any(mark in self.hashes for mark in self.marks(content, heads))

    def marks(self, content: str, heads: Iterable[str]) -> tuple[str, ...]:
        """The hashes of a statement, one for each key."""
        import hmac

        said = statement_key(content, heads).encode()
        return tuple(hmac.digest(key, said, "sha256").hex() for key in self.keys)


def letters(text: str) -> str:
    """Text without case, blanks, punctuation and markup; text that is nothing else as it stands."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _BETWEEN.sub("", folded) or " ".join(folded.split())


def statement_key(content: str, heads: Iterable[str]) -> str:
    """What makes two statements one: letters and digits, and the names before the colon in any order."""
    return "\n".join((letters(content), *sorted({name_key(head) for head in heads})))


def signature(root: Path) -> str:
    """A text that changes whenever a file of the archive does; one scan of one folder."""
    try:
        with os.scandir(root / FOLDER) as files:
            found = [(file.name, file.stat()) for file in files if file.name.endswith(".jsonl")]
    except OSError:
        return ""
    return ";".join(f"{name}:{stat.st_size}:{stat.st_mtime_ns}:{stat.st_ino}" for name, stat in sorted(found))


def archived_ids(root: Path) -> frozenset[str]:
    """The ids of all archived facts."""
    return frozenset(read_archive(root).entries)


def may_be_archived(root: Path, fact_id: str) -> bool:
    """Whether the archive speaks of a fact at all; quick, because nothing is parsed."""
    wanted = fact_id.encode()
    return any(wanted in (root / path).read_bytes() for path in archive_paths(root))


def read_archive(root: Path) -> Archive:
    """Read all archive files; O(lines)."""
    latest: dict[str, tuple[dt.datetime, Archived | None]] = {}
    defects = []
    for path in archive_paths(root):
        for number, record, defect in _records(root, path):
            if defect is not None:
                defects.append(FileDefect(path=path, defect=defect))
                continue
            try:
                fact_id, instant, entry = _event(record)
            except (KeyError, TypeError, ValueError) as error:
                defects.append(FileDefect(path=path, defect=_not_ours(number, f"not an archived fact: {error!r}")))
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


def read_tombstones(root: Path) -> Tombstones:
    """Read the tombstones; none when the file does not exist."""
    keys: list[bytes] = []
    hashes: dict[str, str] = {}
    defects = []
    for number, record, defect in _records(root, TOMBSTONES):
        if defect is not None:
            defects.append(FileDefect(path=TOMBSTONES, defect=defect))
            continue
        try:
            if "key" in record:
                keys.append(bytes.fromhex(record["key"]))
            elif "taught_at" in record:
                hashes.pop(str(record["hash"]), None)
            else:
                hashes[str(record["hash"])] = str(record["forgotten_at"])
        except (KeyError, TypeError, ValueError) as error:
            defects.append(FileDefect(path=TOMBSTONES, defect=_not_ours(number, f"not a tombstone: {error!r}")))
    if hashes and not keys:
        defects.append(FileDefect(path=TOMBSTONES, defect=_not_ours(1, "the key is missing: nothing is kept away")))
    return Tombstones(keys=tuple(keys), hashes=hashes, defects=tuple(defects))


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


def _records(root: Path, path: str) -> Iterator[tuple[int, dict[str, Any], Defect | None]]:
    try:
        data = (root / path).read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        yield 0, {}, Defect(line=0, message=f"cannot be read ({error.strerror})", remedy="make the file readable")
        return
    for number, line in enumerate(data.decode("utf-8-sig", "replace").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            yield number, {}, _not_ours(number, f"not JSON: {line[:60]!r}")
            continue
        if isinstance(record, dict):
            yield number, record, None
        else:
            yield number, {}, _not_ours(number, f"not a JSON object: {line[:60]!r}")


def _not_ours(line: int, message: str) -> Defect:
    return Defect(line=line, message=message, remedy="correct or delete the line; the others count")
