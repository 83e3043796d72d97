"""
Hide facts reversibly: a verified copy in `memory/archive/`, then out of recall's sight; the daily log is not edited.

Both directions are appends. A fact is archived by a line with `archived_at` and shown again by one with
`restored_at`, so a crash loses nothing, a version control's diff reads as what happened, and two machines' archives
merge by concatenation. Lines leave only through `forget`.
"""

import datetime as dt
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from openclaw_memory_hookspecs import Fact
from openclaw_memory_plugin.errors import RetainError, UsageError, WorkspaceError
from openclaw_memory_plugin.words import count_tokens
from openclaw_memory_plugin.workspace import Workspace, hidden
from openclaw_memory_plugin.workspace.files import UNREADABLE
from openclaw_memory_plugin.workspace.hidden import Archive, Archived
from openclaw_memory_plugin.workspace.lines import FOLDER
from openclaw_memory_plugin.workspace.tombstones import Tombstones, read_tombstones

BATCH = 50
"""Facts written and verified at once."""


def archived(fact: Fact, *, heads: Sequence[str], reason: str, score: float, now: dt.datetime) -> Archived:
    """Say of a fact what its archive line keeps."""
    return Archived(
        id=fact.id,
        content=fact.content,
        kind=fact.kind,
        archived_at=now,
        reason=reason,
        relevance_score=score,
        created_at=fact.timestamp,
        last_seen=fact.last_seen,
        entities=fact.entities,
        heads=tuple(heads),
        source=str(fact.source),
        salience=fact.salience,
        confidence=fact.confidence,
        provenance=fact.provenance,
        private=fact.private,
        tokens=count_tokens(fact.content),
    )


def put_away(workspace: Workspace, entries: Iterable[Archived], *, batch: int = BATCH) -> tuple[Archived, ...]:
    """
    Append facts to the archive of the month, batch by batch, each read back before the next.

    Takes the workspace's lock. Facts that are archived already are left out. Returns those that were appended, in
    order; the index hides them at its next sync.

    Raises:
        WorkspaceError: a batch cannot be written or does not read back as written; those before it are archived.
    """
    with workspace.lock():
        standing = hidden.read_archive(workspace.root)
        todo = [
            attrs.evolve(entry, archived_at=standing.next_instant(entry.id, entry.archived_at))
            for entry in entries
            if not standing.hides(entry.id, entry.last_seen)
        ]
        for start in range(0, len(todo), batch):
            some = todo[start : start + batch]
            for path, group in _by_month(some).items():
                append_records(workspace, path, [hidden.archive_record(entry) for entry in group])
    return tuple(todo)


def bring_back(workspace: Workspace, ids: Iterable[str], *, now: dt.datetime) -> tuple[Archived, ...]:
    """
    Show archived facts again; the index does so at its next sync.

    Takes the workspace's lock. All or nothing.

    Raises:
        UsageError: one of the ids is not archived.
        RetainError: one of the statements was forgotten meanwhile; it does not come back.
    """
    with workspace.lock():
        standing = hidden.read_archive(workspace.root)
        tombstones = read_tombstones(workspace.root)
        found = []
        for fact_id in dict.fromkeys(ids):
            entry = find(standing.entries, fact_id)
            if tombstones.covers(entry.content, entry.heads):
                raise RetainError(f"{entry.id}: was forgotten and does not come back; retain it anew if you want it")
            found.append(entry)
        if found:
            append_records(workspace, month_path(now), [restoration(standing, entry.id, now) for entry in found])
    return tuple(found)


def restoration(standing: Archive, fact_id: str, now: dt.datetime) -> dict[str, Any]:
    """The line that shows a fact again."""
    instant = standing.next_instant(fact_id, now.astimezone(dt.UTC))
    return {"id": fact_id, "restored_at": instant.isoformat()}


def erase(workspace: Workspace, covers: Tombstones, ids: Iterable[str] = ()) -> int:
    """
    Remove every archive line of these ids, and of statements that were forgotten; returns how many.

    Lines that are not ours, or not JSON, stay as they are. Call it with the workspace's lock held.
    """
    unwanted = set(ids)
    removed = 0
    for path in hidden.archive_paths(workspace.root):
        data = (workspace.root / path).read_bytes()
        kept = []
        for line in data.splitlines(keepends=True):
            if _is_about(line, covers, unwanted):
                removed += 1
            else:
                kept.append(line)
        left = b"".join(kept)
        if not left.strip():
            (workspace.root / path).unlink()
        elif left != data:
            workspace.write(path, left)
    return removed


def find(entries: Mapping[str, Archived], fact_id: str) -> Archived:
    """
    Find an archived fact by its id or the beginning of it.

    Raises:
        UsageError: none has it, or several do.
    """
    if fact_id in entries:
        return entries[fact_id]
    close = [entry for key, entry in entries.items() if fact_id and key.startswith(fact_id)]
    if len(close) == 1:
        return close[0]
    if close:
        raise UsageError(f"{fact_id}: is the beginning of {len(close)} ids in the archive; give more of it")
    raise UsageError(f"{fact_id}: is not archived; `facts --include-archived` lists what is")


def month_path(now: dt.datetime) -> str:
    """The archive file of a month."""
    return f"{FOLDER}/archive-{now.astimezone(dt.UTC):%Y-%m}.jsonl"


def append_records(workspace: Workspace, path: str, records: Sequence[Mapping[str, Any]]) -> None:
    """
    Append JSON lines in one write, durable and read back; a torn last line is closed first.

    Call it with the workspace's lock held.

    Raises:
        WorkspaceError: they cannot be written or do not read back; the file is as it was.
    """
    data = b"".join(json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n" for record in records)
    there = workspace.read(path)
    if there.digest == UNREADABLE:
        raise WorkspaceError(f"{path}: {there.defects[0].message}; nothing was changed")
    target = workspace.root / path
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(target, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
    except OSError as error:
        raise WorkspaceError(f"{path}: cannot be written ({error.strerror}); nothing was changed") from error
    try:
        size = os.fstat(handle).st_size
        if size and _read_at(handle, size - 1, 1) != b"\n":
            data = b"\n" + data
        try:
            written = os.write(handle, data)
            os.fsync(handle)
        except OSError as error:
            os.ftruncate(handle, size)
            raise WorkspaceError(f"{path}: cannot be written ({error.strerror}); nothing was changed") from error
        if written != len(data) or _read_at(handle, size, len(data)) != data:
            os.ftruncate(handle, size)
            raise WorkspaceError(f"{path}: what was written does not read back; nothing was changed, check the disk")
    finally:
        os.close(handle)


def _read_at(handle: int, offset: int, size: int) -> bytes:
    os.lseek(handle, offset, os.SEEK_SET)
    return os.read(handle, size)


def _by_month(entries: Iterable[Archived]) -> dict[str, list[Archived]]:
    groups: dict[str, list[Archived]] = {}
    for entry in entries:
        groups.setdefault(month_path(entry.archived_at), []).append(entry)
    return groups


def _is_about(line: bytes, covers: Tombstones, ids: set[str]) -> bool:
    try:
        record = json.loads(line)
        if str(record["id"]) in ids:
            return True
        content = record.get("content")
        return isinstance(content, str) and covers.covers(content, map(str, record.get("heads", ())))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False
