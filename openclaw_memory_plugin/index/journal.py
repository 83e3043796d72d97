"""
What Markdown cannot hold: which facts were recalled, judged and edited, as lines of `.memory/access.jsonl`.

One line is one JSON object. The first one names the journal's generation, `{"journal": …}`; then, in any order,

- `{"at": "2026-03-01 09:00:00", "ids": […], "turn": "…"}`: facts that a recall returned; `turn` only where known,
- `{"at": …, "rename": [old id, new id]}`: a small edit, the new fact inherits what is known of the old one,
- `{"at": …, "feedback": id, "good": true}`: a judgement.

After a compaction `{"counts": {id: [count, last instant]}}`, `{"judged": {id: [good, bad]}}`,
`{"renamed": {old: new}}` and `{"counted": {turn: [id]}}` stand for the lines that they replace. An append is one write
without any lock of the workspace; the index remembers up to which byte it has read, and a rebuilt one reads everything.
"""

import contextlib
import datetime as dt
import os
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from openclaw_memory_plugin.index.lines import compacted, dump, parse

NAME = "access.jsonl"

COMPACT_BYTES = 256 * 1024
"""A journal may grow by this much, and to twice its compacted size, before it is compacted."""

TURN_DAYS = 2
"""Lines of known turns younger than this are kept as they are: the turn may be reported again."""

POSITION = "SELECT key, value FROM meta WHERE key IN ('journal', 'journal_offset', 'journal_size')"
BUMP = """
UPDATE facts
SET access_count = access_count + :count,
  last_accessed_at = MAX(COALESCE(last_accessed_at, ''), :at)
WHERE id = :id
"""
PARK = """
INSERT INTO parked_accesses (id, access_count, last_accessed_at)
VALUES (:id, :count, :at)
ON CONFLICT DO UPDATE SET access_count = access_count + :count, last_accessed_at = MAX(last_accessed_at, :at)
"""
JUDGE = """
INSERT INTO feedback (id, good, bad)
VALUES (:id, :good, :bad)
ON CONFLICT DO UPDATE SET good = good + :good, bad = bad + :bad
"""
FORGET_ALL = (
    "UPDATE facts SET access_count = 0, last_accessed_at = NULL WHERE access_count > 0",
    "DELETE FROM parked_accesses",
    "DELETE FROM counted_turns",
    "DELETE FROM feedback",
    "DELETE FROM renamed_ids",
)
TAKE_FROM_FACT = "SELECT access_count, last_accessed_at FROM facts WHERE id = ?"
TAKE_FROM_PARKED = "SELECT access_count, last_accessed_at FROM parked_accesses WHERE id = ?"
RENAME_FEEDBACK = """
INSERT INTO feedback (id, good, bad)
SELECT :new, good, bad FROM feedback WHERE id = :old AND true
ON CONFLICT DO UPDATE SET good = good + excluded.good, bad = bad + excluded.bad
"""


def stamp(now: dt.datetime) -> str:
    """Return an instant as the index stores it: `YYYY-MM-DD HH:MM:SS`, UTC."""
    return now.astimezone(dt.UTC).strftime("%Y-%m-%d %H:%M:%S")


def access_line(ids: Iterable[str], now: dt.datetime, turn: str | None = None) -> dict[str, Any]:
    """Return the line for facts that a recall returned."""
    line: dict[str, Any] = {"at": stamp(now), "ids": list(ids)}
    if turn is not None:
        line["turn"] = turn
    return line


def append(folder: Path, lines: Iterable[dict[str, Any]]) -> None:
    """
    Append lines in one write; raises OSError when that is impossible.

    A line that a crash left unfinished is closed first, so that it costs no other one.
    """
    data = "".join(dump(line) for line in lines).encode()
    if not data:
        return
    path = folder / NAME
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        try:
            with _locked(descriptor, shared=True):
                size = os.fstat(descriptor).st_size
                if not _is_current(descriptor, path):
                    continue
                if size == 0:
                    data = dump({"journal": os.urandom(8).hex()}).encode() + data
                elif _byte_at(descriptor, size - 1) != b"\n":
                    data = b"\n" + data
                written = os.write(descriptor, data)
                if written != len(data):
                    raise OSError(f"{path}: only {written} of {len(data)} bytes were written")
                return
        finally:
            os.close(descriptor)


def apply(connection: sqlite3.Connection, folder: Path) -> int:
    """
    Bring what the index says of accesses up to date with the journal, inside a transaction of the caller.

    Returns:
        How many lines were new; those that are no lines of ours are skipped.
    """
    known = dict(connection.execute(POSITION))
    generation, offset = known.get("journal", ""), int(known.get("journal_offset", 0))
    try:
        with open(folder / NAME, "rb") as file:
            first = parse(file.readline())
            current = str(first.get("journal", "?")) if first else ""
            status = os.fstat(file.fileno())
            size = status.st_size
            if current != generation or offset > size:
                for statement in FORGET_ALL:
                    connection.execute(statement)
                offset = 0
            file.seek(offset)
            data = file.read()
    except FileNotFoundError:
        if not generation:
            return 0
        for statement in FORGET_ALL:
            connection.execute(statement)
        connection.executemany("DELETE FROM meta WHERE key = ?", ((key,) for key in known))
        return 0
    complete = data.rfind(b"\n") + 1
    lines = 0
    for raw in data[:complete].split(b"\n"):
        line = parse(raw)
        if line:
            _apply_line(connection, line)
            lines += 1
    connection.executemany(
        "INSERT OR REPLACE INTO meta VALUES (?, ?)",
        (
            ("journal", current),
            ("journal_offset", str(offset + complete)),
            ("journal_size", f"{size}:{status.st_ino}"),
        ),
    )
    return lines


def is_behind(connection: sqlite3.Connection, folder: Path) -> bool:
    """Tell whether the journal may hold lines that the index has not seen; one stat."""
    known = dict(connection.execute(POSITION))
    try:
        status = os.stat(folder / NAME)
    except FileNotFoundError:
        return bool(known)
    return known.get("journal_size") != f"{status.st_size}:{status.st_ino}"


def foreign_lines(folder: Path) -> list[int]:
    """Return the numbers of the whole lines that are none of ours; none when the journal cannot be read."""
    try:
        with open(folder / NAME, "rb") as file:
            return [number for number, line in enumerate(file, 1) if line.endswith(b"\n") and not parse(line)]
    except OSError:
        return []


def wants_compaction(folder: Path) -> bool:
    """Tell whether the journal has grown enough since its last compaction."""
    path = folder / NAME
    try:
        size = path.stat().st_size
        if size < COMPACT_BYTES:
            return False
        with open(path, "rb") as file:
            first = parse(file.readline())
    except OSError:
        return False
    return size > COMPACT_BYTES + 2 * int(first.get("compacted", 0))


def compact(folder: Path, now: dt.datetime) -> int:
    """
    Replace old lines by their sums; every answer stays what it was. The caller holds the workspace's lock.

    Returns:
        Bytes saved.
    """
    path = folder / NAME
    try:
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        return 0
    try:
        with _locked(descriptor, shared=False):
            if not _is_current(descriptor, path):
                return 0
            with open(path, "rb") as file:
                before = file.read()
            after = compacted(before, stamp(now - dt.timedelta(days=TURN_DAYS)))
            temporary = folder / f".ocmem-{os.getpid()}-{os.urandom(6).hex()}.tmp"
            try:
                with open(temporary, "xb") as file:
                    file.write(after)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(temporary, path)
            except BaseException:
                with contextlib.suppress(OSError):
                    temporary.unlink()
                raise
            return len(before) - len(after)
    finally:
        os.close(descriptor)


def _apply_line(connection: sqlite3.Connection, line: dict[str, Any]) -> None:
    try:
        if "ids" in line:
            at, turn = str(line["at"]), line.get("turn")
            for id in dict.fromkeys(map(str, line["ids"])):
                if turn is None or _first_time(connection, str(turn), id):
                    _add(connection, id, 1, at)
        elif "rename" in line:
            old, new = map(str, line["rename"])
            _rename(connection, old, new)
        elif "feedback" in line:
            good = bool(line["good"])
            connection.execute(JUDGE, {"id": str(line["feedback"]), "good": int(good), "bad": int(not good)})
        elif "counts" in line:
            for id, (count, at) in line["counts"].items():
                _add(connection, str(id), int(count), str(at))
        elif "judged" in line:
            for id, (good, bad) in line["judged"].items():
                connection.execute(JUDGE, {"id": str(id), "good": int(good), "bad": int(bad)})
        elif "counted" in line:
            for turn, ids in line["counted"].items():
                for id in ids:
                    _first_time(connection, str(turn), str(id))
        elif "renamed" in line:
            pairs = [(str(old), str(new)) for old, new in line["renamed"].items()]
            connection.executemany("INSERT OR REPLACE INTO renamed_ids VALUES (?, ?)", pairs)
    except (KeyError, TypeError, ValueError, AttributeError):
        return


def _first_time(connection: sqlite3.Connection, turn: str, id: str) -> bool:
    return connection.execute("INSERT OR IGNORE INTO counted_turns VALUES (?, ?)", (turn, id)).rowcount > 0


def _add(connection: sqlite3.Connection, id: str, count: int, at: str) -> None:
    values = {"id": id, "count": count, "at": at}
    if connection.execute(BUMP, values).rowcount == 0:
        connection.execute(PARK, values)


def _rename(connection: sqlite3.Connection, old: str, new: str) -> None:
    """Let `new` inherit all that is known of `old` up to here, whether or not either is stated at present."""
    for statement in (TAKE_FROM_FACT, TAKE_FROM_PARKED):
        for count, at in connection.execute(statement, (old,)).fetchall():
            if count:
                _add(connection, new, count, at)
    connection.execute("UPDATE facts SET access_count = 0, last_accessed_at = NULL WHERE id = ?", (old,))
    connection.execute("DELETE FROM parked_accesses WHERE id = ?", (old,))
    connection.execute(RENAME_FEEDBACK, {"old": old, "new": new})
    connection.execute("DELETE FROM feedback WHERE id = ?", (old,))
    connection.execute("UPDATE renamed_ids SET new = ? WHERE new = ?", (new, old))
    connection.execute("DELETE FROM renamed_ids WHERE old = ?", (new,))
    connection.execute("INSERT OR REPLACE INTO renamed_ids VALUES (?, ?)", (old, new))


def _byte_at(descriptor: int, offset: int) -> bytes:
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, 1)


def _is_current(descriptor: int, path: Path) -> bool:
    """Tell whether the open file is still the one of that name: a compaction may have replaced it meanwhile."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def _locked(descriptor: int, *, shared: bool) -> Iterator[None]:
    """Keep a compaction from replacing the file while lines are appended; appends do not wait for one another."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
    except OSError:
        yield
        return
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
