"""
What recall must not see, as the workspace says it: archived facts and forgotten statements.

Both are read from `memory/archive/`, so that they survive `rm -rf .memory` and travel with the notes:

- `archive-YYYY-MM.jsonl`: one JSON object a line. A line with `archived_at` hides a fact, a later one with
  `restored_at` shows it again; what counts is the later instant, never the order of files.
- `tombstones.jsonl`: `{"key": …}` first, then `{"hash": …, "forgotten_at": …}` lines, taken back by
  `{"hash": …, "taught_at": …}`. A hash is HMAC-SHA-256 of the statement without case, blanks and punctuation, alone or
  with a name before its colon (`saying.py`); nothing can be read from it without guessing the whole statement. Files
  merged from two machines may hold two keys: a statement is tried under each.

Reading never fails: a line that is not what it should be is a defect, everything else counts, and of a damaged
tombstone what is left of its hash. Only when it cannot be told at all what was forgotten (the file or its key cannot
be read), asking raises: nothing new is shown or kept until it can.
"""

import contextlib
import datetime as dt
import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path
from typing import Any

import attrs

from openclaw_memory_hookspecs import Kind, Provenance
from openclaw_memory_plugin.errors import WorkspaceError
from openclaw_memory_plugin.markdown.nouns import Defect
from openclaw_memory_plugin.workspace.saying import asked_keys, statement_key, worded_keys

FOLDER = "memory/archive"
TOMBSTONES = f"{FOLDER}/tombstones.jsonl"
FIRST_YEAR, LAST_YEAR = 1900, 9000
"""Years within which an instant can be compared in any zone, and a later one be found."""

_HASH_CHARS = 64
_HASH_PIECES = re.compile(rf"[0-9a-f]{{16,{_HASH_CHARS}}}")
"""What tells a damaged hash from any other, 64 bits of it."""


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
    taught: Set[str] = frozenset()
    """Hashes of what the owner has stated since, forgotten before or not."""
    pieces: tuple[str, ...] = ()
    """What can be read of damaged hashes; what they may be part of stays forgotten."""
    lost: FileDefect | None = None
    """Why it cannot be told what was forgotten; one of the defects."""
    defects: tuple[FileDefect, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.hashes or self.pieces or self.lost)

    def check(self) -> None:
        """
        Make sure that it can be told what was forgotten.

        Raises:
            WorkspaceError: It cannot.
        """
        if self.lost is not None:
            raise WorkspaceError(
                f"{self.lost.path}: {self.lost.defect.message}, so nothing new is read or kept; "
                f"{self.lost.defect.remedy}"
            )

    def covers(self, content: str, heads: Iterable[str]) -> bool:
        """
        Whether this statement was forgotten; some 20 µs when anything was, nothing otherwise.

        Raises:
            WorkspaceError: It cannot be told.
        """
        self.check()
        return bool(self) and bool(self.standing(asked_keys(content, heads)))

    def refuses(self, content: str, heads: Iterable[str]) -> bool:
        """
        Whether nobody but the owner may state this: what was forgotten, also when it is said of somebody else now.

        Raises:
            WorkspaceError: It cannot be told.
        """
        names = tuple(heads)
        if not self or self.covers(content, names):
            return bool(self)
        said = self.marks([statement_key(content, names)])
        return bool(self.standing(worded_keys(content))) and self.taught.isdisjoint(said)

    def standing(self, keys: Iterable[str]) -> tuple[str, ...]:
        """The hashes of these keys under which something is forgotten."""
        marks = self.marks(keys)
        return tuple(mark for mark in marks if mark in self.hashes or any(piece in mark for piece in self.pieces))

    def marks(self, keys: Iterable[str]) -> tuple[str, ...]:
        """The hashes of these keys, as `saying` gives them, under each of the file's."""
        import hmac

        said = [key.encode() for key in keys]
        return tuple(hmac.digest(key, one, "sha256").hex() for key in self.keys for one in said)


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
    taught: set[str] = set()
    pieces: list[str] = []
    defects = []
    lost: FileDefect | None = None
    for number, record, defect in _records(root, TOMBSTONES):
        message = defect.message if defect else ""
        try:
            if defect is not None:
                pieces += _pieces(record.get("text", ""))
            elif "key" in record:
                keys.append(_key(record["key"]))
            elif "taught_at" in record:
                hashes.pop(str(record["hash"]), None)
                taught.add(str(record["hash"]))
                pieces = [piece for piece in pieces if piece not in str(record["hash"])]
            else:
                hashes[_hash(record["hash"])] = str(record["forgotten_at"])
                taught.discard(record["hash"])
        except (KeyError, TypeError, ValueError) as error:
            message = f"not a tombstone: {error!r}"
            pieces += _pieces(str(record.get("hash", "")))
        if message:
            found = FileDefect(path=TOMBSTONES, defect=defect or _not_ours(number, message))
            if number == 0 or _may_be_key(record):
                found = lost = FileDefect(path=TOMBSTONES, defect=_lost(number, f"the key is lost ({message})"))
            defects.append(found)
    if not keys and lost is None and (hashes or pieces or defects):
        first = defects.pop(0).defect if defects else _not_ours(1, "no line holds it")
        lost = FileDefect(path=TOMBSTONES, defect=_lost(first.line, f"the key is missing ({first.message})"))
        defects.insert(0, lost)
    return Tombstones(
        keys=tuple(keys), hashes=hashes, taught=taught, pieces=tuple(pieces), lost=lost, defects=tuple(defects)
    )


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
    """Yield line number, JSON object and what is wrong with it; then the object holds the line as `text`."""
    try:
        data = (root / path).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
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
            yield number, {"text": line}, _not_ours(number, f"not JSON: {line[:60]!r}")
            continue
        if isinstance(record, dict):
            yield number, record, None
        else:
            yield number, {"text": line}, _not_ours(number, f"not a JSON object: {line[:60]!r}")


def _key(written: Any) -> bytes:
    key = bytes.fromhex(written)
    if not key:
        raise ValueError("the key is empty")
    return key


def _hash(written: Any) -> str:
    if not isinstance(written, str) or len(written) != _HASH_CHARS:
        raise ValueError(f"{written!r} is no hash")
    return written


def _pieces(text: str) -> list[str]:
    """What can be read of the hashes on a damaged line; one that was taught again stays forgotten, too."""
    return [] if _names_key(text) else _HASH_PIECES.findall(text)


def _may_be_key(record: Mapping[str, Any]) -> bool:
    """Whether a line that cannot be used may have been a key: it says so, or bytes of it are gone."""
    text = str(record.get("text", ""))
    return "key" in record or _names_key(text) or (not _pieces(text) and ("\0" in text or "\ufffd" in text))


def _names_key(text: str) -> bool:
    return '"key"' in text and '"hash"' not in text


def _lost(line: int, message: str) -> Defect:
    remedy = "put the file back from a backup or from version control; or delete it, and what was forgotten may return"
    return Defect(line=line, message=f"it cannot be told what was forgotten: {message}", remedy=remedy)


def _not_ours(line: int, message: str) -> Defect:
    return Defect(line=line, message=message, remedy="correct or delete the line; the others count")
