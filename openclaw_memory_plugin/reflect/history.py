"""
Every change of ours to Markdown, journalled with its diff before the files change, and taken back on demand.

The journal is `.memory/history/<number>.json`, one entry a file, beside `.memory/pending.json` for the one change
that is being made. It lives in `.memory` and not beside the notes because it holds copies of people's text: nothing
there is committed, synchronised or read as memory, and `forget` can erase from it. `rm -rf .memory` therefore costs
the ability to undo, never a fact. The newest entries are kept, up to KEEP of them and KEEP_BYTES.

Once the pending entry is on disk the change is decided: after a crash, the next change, undo or `recover` carries it
through for every file that still is what it was made on.
"""

import datetime as dt
import hashlib
import json
import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import attrs

from openclaw_memory_plugin.errors import ConflictError, OpenClawMemoryError, UsageError, WorkspaceError
from openclaw_memory_plugin.reflect import hunks as lines
from openclaw_memory_plugin.reflect.hunks import Hunk
from openclaw_memory_plugin.workspace import Workspace

KEEP = 200
"""Entries kept."""
KEEP_BYTES = 16_000_000
"""Bytes of entries kept."""


@attrs.frozen(kw_only=True)
class Change:
    """One file as it was read, and as it shall be."""

    path: str
    """Relative to the workspace, POSIX separators."""
    before: bytes | None
    """The bytes the change was made from; None when the file must not exist yet."""
    after: bytes | None
    """The bytes to write; None deletes the file."""
    before_digest: str | None = None
    """Digest of `before` as `Workspace.read` gave it; the bytes themselves are compared in any case."""


@attrs.frozen(kw_only=True)
class Edit:
    """What one entry did to one file."""

    path: str
    before: str | None
    """SHA-256 of the bytes before, hexadecimal; None when there was no file."""
    after: str | None
    hunks: tuple[Hunk, ...] = ()
    erased: bool = False
    """The text was forgotten since: what was done is known, how it read is not, and it cannot be undone."""

    def diff(self) -> str:
        """Render as a unified diff; a line saying so when the text was erased."""
        if self.erased:
            return f"--- {self.path}\n+++ {self.path}\n(text erased by forget)\n"
        return lines.unified(self.path, self.hunks)


@attrs.frozen(kw_only=True)
class Entry:
    """One change of ours: all files that it touched."""

    number: int
    at: dt.datetime
    reason: str
    """What was done, for people: `reflect`, `undo 12`."""
    edits: tuple[Edit, ...]
    undoes: int | None = None
    """The number of the entry that this one took back."""
    undone: bool = False
    """Taken back by a later entry that still stands."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The files it touched, in the order in which they were written."""
        return tuple(edit.path for edit in self.edits)

    def diff(self) -> str:
        """Render the whole change as a unified diff."""
        return "".join(edit.diff() for edit in self.edits)


@attrs.frozen(kw_only=True)
class Applied:
    """What `apply` did; no entry when nothing differed."""

    entry: Entry | None = None

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that were written."""
        return self.entry.paths if self.entry else ()


def apply(
    workspace: Workspace, changes: Iterable[Change], *, reason: str, now: dt.datetime, undoes: int | None = None
) -> Applied:
    """
    Write several files as one change that can be taken back.

    All or nothing: every file is compared with `before` first, the entry is durable before the first file changes,
    each file is replaced atomically, and when one cannot be written those before it are put back. Takes the
    workspace's lock. Changes whose bytes are equal are left out; when none is left nothing happens.

    Raises:
        ConflictError: a file is no longer what the change was made from; nothing was changed.
        WorkspaceError: a file is read-only or cannot be written; nothing was changed.
    """
    wanted = [change for change in changes if change.before != change.after]
    with workspace.lock():
        _carry_through(workspace)
        for change in wanted:
            _check(workspace, change)
        if not wanted:
            return Applied()
        entry = Entry(
            number=_next_number(workspace),
            at=now.astimezone(dt.UTC),
            reason=reason,
            edits=tuple(_edit(change) for change in wanted),
            undoes=undoes,
        )
        _write_pending(workspace, entry)
        _write_all(workspace, wanted)
        _file_away(workspace, entry.number)
    return Applied(entry=entry)


def history(workspace: Workspace) -> tuple[Entry, ...]:
    """All entries that are kept, oldest first; unreadable ones are left out."""
    entries = [entry for number in _numbers(workspace) if (entry := _load(_entry_path(workspace, number)))]
    undone: set[int] = set()
    for entry in reversed(entries):
        if entry.undoes is not None and entry.number not in undone:
            undone.add(entry.undoes)
    return tuple(attrs.evolve(entry, undone=entry.number in undone) for entry in entries)


def preview_undo(workspace: Workspace, number: int | None = None) -> tuple[Entry, tuple[Change, ...]]:
    """
    Tell what taking an entry back would write, without writing.

    Args:
        number: the entry; None for the last one that neither is an undo nor was undone.

    Raises:
        UsageError: there is no such entry, it was undone already, or its text was erased.
        ConflictError: what was written has been edited since in a way that cannot be kept apart.
    """
    entry = _choose(history(workspace), number)
    return entry, tuple(_reversal(workspace, edit) for edit in entry.edits)


def undo(workspace: Workspace, number: int | None = None, *, now: dt.datetime) -> Applied:
    """
    Take an entry back, as a change that is journalled itself; edits that people made since stay.

    Raises:
        UsageError, ConflictError: as `preview_undo`, nothing was changed.
        WorkspaceError: as `apply`.
    """
    entry, changes = preview_undo(workspace, number)
    return apply(workspace, changes, reason=f"undo {entry.number}: {entry.reason}", now=now, undoes=entry.number)


def recover(workspace: Workspace) -> Entry | None:
    """Carry a change through that a crash interrupted; None when there is none. Cheap when there is none."""
    if not _pending_path(workspace).exists():
        return None
    with workspace.lock():
        return _carry_through(workspace)


def erase(workspace: Workspace, holds: Sequence[str]) -> tuple[int, ...]:
    """
    Remove from the journal every edit whose lines hold one of these texts, blanks and case apart.

    Returns the numbers of the entries touched. They stay in the history and cannot be undone. Call it with the
    workspace's lock held.
    """
    wanted = [_squeezed(text) for text in holds if text.strip()]
    touched = []
    for number in _numbers(workspace):
        path = _entry_path(workspace, number)
        entry = _load(path)
        if entry is None:
            path.unlink(missing_ok=True)
            continue
        edits = tuple(
            attrs.evolve(edit, hunks=(), erased=True) if _holds(edit, wanted) else edit for edit in entry.edits
        )
        if edits != entry.edits:
            workspace.write(_relative(workspace, path), _dump(attrs.evolve(entry, edits=edits)))
            touched.append(number)
    return tuple(touched)


def _check(workspace: Workspace, change: Change) -> None:
    current = _bytes(workspace, change.path)
    if current != change.before:
        what = "appeared" if change.before is None else "was edited" if current is not None else "was removed"
        raise ConflictError(f"{change.path}: the file {what} meanwhile; nothing was changed, run the command again")
    target = workspace.root / change.path
    if current is not None and not (stat.S_IMODE(target.stat().st_mode) & 0o222 and os.access(target, os.W_OK)):
        raise WorkspaceError(f"{change.path}: the file is read-only; nothing was changed, make it writable first")


def _write_all(workspace: Workspace, changes: Sequence[Change]) -> None:
    done: list[Change] = []
    try:
        for change in changes:
            _put(workspace, change.path, change.after)
            done.append(change)
    except (OSError, OpenClawMemoryError) as error:
        _put_back(workspace, done)
        if isinstance(error, OSError):
            failed = changes[len(done)].path
            raise WorkspaceError(f"{failed}: cannot be written ({error.strerror}); nothing was changed") from error
        raise


def _put_back(workspace: Workspace, done: Sequence[Change]) -> None:
    try:
        for change in reversed(done):
            _put(workspace, change.path, change.before)
    except OSError as error:
        raise WorkspaceError(
            f"{', '.join(change.path for change in done)}: written, but the rest of the change could not be "
            f"({error.strerror}); it is carried through at the next change, free some space or run `undo` then"
        ) from error
    _pending_path(workspace).unlink(missing_ok=True)


def _put(workspace: Workspace, path: str, data: bytes | None) -> None:
    if data is None:
        (workspace.root / path).unlink(missing_ok=True)
    else:
        workspace.write(path, data)


def _carry_through(workspace: Workspace) -> Entry | None:
    """Finish the pending entry; files that were edited after the crash stay as they are and leave the entry."""
    pending = _pending_path(workspace)
    if not pending.exists():
        return None
    entry = _load(pending)
    if entry is None:
        pending.unlink()
        return None
    kept = tuple(edit for edit in entry.edits if _finish(workspace, edit))
    entry = attrs.evolve(entry, edits=kept)
    if not kept:
        pending.unlink()
        return entry
    _write_pending(workspace, entry)
    _file_away(workspace, entry.number)
    return entry


def _finish(workspace: Workspace, edit: Edit) -> bool:
    current = _bytes(workspace, edit.path)
    if _digest(current) == edit.after:
        return True
    if _digest(current) != edit.before:
        return False
    if edit.after is None:
        _put(workspace, edit.path, None)
        return True
    try:
        after = _encode(lines.forward(_decode(current or b""), edit.hunks))
    except ValueError:
        return False
    if _digest(after) != edit.after:
        return False
    _put(workspace, edit.path, after)
    return True


def _choose(entries: tuple[Entry, ...], number: int | None) -> Entry:
    if number is None:
        open_ones = [entry for entry in entries if entry.undoes is None and not entry.undone]
        if not open_ones:
            raise UsageError("there is nothing to undo: no change of ours is recorded that still stands")
        return open_ones[-1]
    for entry in entries:
        if entry.number == number:
            if entry.undone:
                raise UsageError(f"change {number} was undone already; see `history`")
            return entry
    raise UsageError(f"there is no change {number}; `history` lists those that are kept")


def _reversal(workspace: Workspace, edit: Edit) -> Change:
    if edit.erased:
        raise UsageError(f"{edit.path}: the text of this change was erased by forget; it cannot be undone")
    current = _bytes(workspace, edit.path)
    if _digest(current) == edit.after:
        before = None if edit.before is None else _encode(lines.backward(_decode(current or b""), edit.hunks))
        return Change(path=edit.path, before=current, after=before)
    if current is not None and edit.after is not None:
        merged = lines.merge_backward(_decode(current), edit.hunks)
        if merged is not None:
            return Change(path=edit.path, before=current, after=_encode(merged))
    raise ConflictError(
        f"{edit.path}: what this change wrote was edited since; nothing was changed, take the lines back by hand"
    )


def _edit(change: Change) -> Edit:
    return Edit(
        path=change.path,
        before=_digest(change.before),
        after=_digest(change.after),
        hunks=lines.compare(_decode(change.before or b""), _decode(change.after or b"")),
    )


def _holds(edit: Edit, wanted: Sequence[str]) -> bool:
    text = _squeezed("".join(line for hunk in edit.hunks for line in (*hunk.above, *hunk.old, *hunk.new, *hunk.below)))
    return any(one in text for one in wanted)


def _squeezed(text: str) -> str:
    return " ".join(text.casefold().split())


def _bytes(workspace: Workspace, path: str) -> bytes | None:
    try:
        return (workspace.root / path).read_bytes()
    except FileNotFoundError:
        return None


def _digest(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _folder(workspace: Workspace) -> Path:
    return workspace.state_dir / "history"


def _pending_path(workspace: Workspace) -> Path:
    return workspace.state_dir / "pending.json"


def _entry_path(workspace: Workspace, number: int) -> Path:
    return _folder(workspace) / f"{number:06d}.json"


def _relative(workspace: Workspace, path: Path) -> str:
    return path.relative_to(workspace.root).as_posix()


def _numbers(workspace: Workspace) -> list[int]:
    try:
        names = os.listdir(_folder(workspace))
    except FileNotFoundError:
        return []
    return sorted(int(name[:-5]) for name in names if name.endswith(".json") and name[:-5].isdigit())


def _next_number(workspace: Workspace) -> int:
    numbers = _numbers(workspace)
    return numbers[-1] + 1 if numbers else 1


def _write_pending(workspace: Workspace, entry: Entry) -> None:
    try:
        workspace.write(_relative(workspace, _pending_path(workspace)), _dump(entry))
    except OSError as error:
        raise WorkspaceError(f"the history cannot be written ({error.strerror}); nothing was changed") from error


def _file_away(workspace: Workspace, number: int) -> None:
    _folder(workspace).mkdir(parents=True, exist_ok=True)
    os.replace(_pending_path(workspace), _entry_path(workspace, number))
    numbers = _numbers(workspace)
    room = KEEP_BYTES
    for position, kept in enumerate(reversed(numbers)):
        path = _entry_path(workspace, kept)
        room -= path.stat().st_size
        if position and (position >= KEEP or room < 0):
            path.unlink()


def _dump(entry: Entry) -> bytes:
    record: dict[str, Any] = {"number": entry.number, "at": entry.at.isoformat(), "reason": entry.reason}
    if entry.undoes is not None:
        record["undoes"] = entry.undoes
    record["edits"] = [
        {
            "path": edit.path,
            "before": edit.before,
            "after": edit.after,
            **({"erased": True} if edit.erased else {}),
            "hunks": [attrs.asdict(hunk) for hunk in edit.hunks],
        }
        for edit in entry.edits
    ]
    return json.dumps(record, indent=1).encode("ascii")


def _load(path: Path) -> Entry | None:
    try:
        record = json.loads(path.read_bytes())
        edits = tuple(
            Edit(
                path=edit["path"],
                before=edit["before"],
                after=edit["after"],
                erased=bool(edit.get("erased", False)),
                hunks=tuple(
                    Hunk(**{key: tuple(value) if isinstance(value, list) else value for key, value in hunk.items()})
                    for hunk in edit["hunks"]
                ),
            )
            for edit in record["edits"]
        )
        return Entry(
            number=record["number"],
            at=dt.datetime.fromisoformat(record["at"]),
            reason=record["reason"],
            edits=edits,
            undoes=record.get("undoes"),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
