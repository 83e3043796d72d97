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
import os
import stat
from collections.abc import Iterable, Sequence

import attrs

from openclaw_memory_plugin.errors import ConflictError, OpenClawMemoryError, UsageError, WorkspaceError
from openclaw_memory_plugin.reflect.history import hunks as lines
from openclaw_memory_plugin.reflect.history.ledger import Edit, Entry, Ledger
from openclaw_memory_plugin.workspace import ABSENT, Workspace, digest_of, encode_edited

PENDING = ".memory/pending.json"
"""Where the change that is being made is written down before it is made."""


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
    """Digest of `before` as `Workspace.read` gave it; the bytes themselves are what is compared."""


@attrs.frozen(kw_only=True)
class Applied:
    """What `apply` did; no entry when nothing differed."""

    entry: Entry | None = None

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that were written."""
        return self.entry.paths if self.entry else ()


def apply(
    workspace: Workspace,
    changes: Iterable[Change],
    *,
    reason: str,
    now: dt.datetime,
    undoes: int | None = None,
    secret: bool = False,
) -> Applied:
    """
    Write several files as one change that can be taken back.

    All or nothing: every file is compared with `before` first, the entry is durable before the first file changes,
    each file is replaced atomically, and when one cannot be written those before it are put back. Takes the
    workspace's lock. Changes whose bytes are equal are left out; when none is left nothing is recorded, unless it is
    that an entry was undone.

    Args:
        secret: record that it was done and not how it read; it cannot be undone, nor carried through after a crash.

    Raises:
        ConflictError: a file is no longer what the change was made from; nothing was changed.
        WorkspaceError: a file is read-only or cannot be written; nothing was changed.
    """
    wanted = [change for change in map(_as_read, changes) if change.before != change.after]
    ledger = Ledger(workspace)
    with workspace.lock():
        _carry_through(ledger)
        for change in wanted:
            _check(workspace, change)
        if not wanted and undoes is None:
            return Applied()
        entry = Entry(
            number=ledger.next_number(),
            at=now.astimezone(dt.UTC),
            reason=reason,
            edits=tuple(_edit(change, secret=secret) for change in wanted),
            undoes=undoes,
        )
        ledger.begin(entry)
        _write_all(ledger, wanted)
        if secret:
            entry = attrs.evolve(entry, edits=tuple(edit.without_text() for edit in entry.edits))
            ledger.begin(entry)
        ledger.file_away(entry.number)
    return Applied(entry=entry)


def history(workspace: Workspace) -> tuple[Entry, ...]:
    """All entries that are kept, oldest first; unreadable ones are left out."""
    return Ledger(workspace).entries()


def preview_undo(workspace: Workspace, number: int | None = None) -> tuple[Entry, tuple[Change, ...]]:
    """
    Tell what taking an entry back would write, without writing.

    Args:
        number: the entry; None for the last one that neither is an undo nor was undone.

    Raises:
        UsageError: there is no such entry, it was undone already, or its text was erased.
        ConflictError: what was written has been edited since in a way that cannot be kept apart.
        WorkspaceError: a file cannot be written.
    """
    entries = history(workspace)
    entry = _choose(entries, number)
    changes = tuple(_reversal(workspace, edit, _undone_before(entries, entry, edit.path)) for edit in entry.edits)
    for change in changes:
        if change.before != change.after:
            _check(workspace, change)
    return entry, changes


def undo(workspace: Workspace, number: int | None = None, *, now: dt.datetime) -> Applied:
    """
    Take an entry back, as a change that is journalled itself; edits that people made since stay.

    Raises:
        UsageError, ConflictError: as `preview_undo`, nothing was changed.
        WorkspaceError: as `apply`.
    """
    entry, changes = preview_undo(workspace, number)
    return apply(workspace, changes, reason=f"undo {entry.number}: {entry.reason}", now=now, undoes=entry.number)


def hindrance(workspace: Workspace, path: str) -> str | None:
    """Return why a file could not be written, None when nothing is known to stand in the way; looks, and no more."""
    try:
        target = workspace.locate(path)
    except WorkspaceError as error:
        return str(error)
    if os.path.exists(target) and not (stat.S_IMODE(os.stat(target).st_mode) & 0o222 and os.access(target, os.W_OK)):
        return "the file is read-only"
    folder = os.path.dirname(target)
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK | os.X_OK):
        name = os.path.relpath(folder, os.path.realpath(workspace.root)).replace(os.sep, "/")
        return f"nothing can be written in {name}"
    return None


def recover(workspace: Workspace) -> Entry | None:
    """Carry a change through that a crash interrupted; None when there is none. Cheap when there is none."""
    ledger = Ledger(workspace)
    if not ledger.is_pending():
        return None
    with workspace.lock():
        return _carry_through(ledger)


def _as_read(change: Change) -> Change:
    """`Workspace.read` gives no bytes, not None, for a file that is missing."""
    return attrs.evolve(change, before=None) if change.before_digest == ABSENT else change


def _check(workspace: Workspace, change: Change) -> None:
    current = _bytes(workspace, change.path)
    if current != change.before:
        what = "appeared" if change.before is None else "was edited" if current is not None else "was removed"
        raise ConflictError(f"{change.path}: the file {what} meanwhile; nothing was changed, run the command again")
    reason = hindrance(workspace, change.path)
    if reason is not None:
        raise WorkspaceError(f"{change.path}: {reason}; nothing was changed, make it writable first")


def _write_all(ledger: Ledger, changes: Sequence[Change]) -> None:
    done: list[Change] = []
    try:
        for change in changes:
            _put(ledger.workspace, change.path, change.after, change.before, settle=False)
            done.append(change)
        ledger.workspace.settle(change.path for change in done)
    except OpenClawMemoryError as error:
        _put_back(ledger, done)
        raise type(error)(f"{error}; nothing was changed") from error


def _put_back(ledger: Ledger, done: Sequence[Change]) -> None:
    try:
        for change in reversed(done):
            _put(ledger.workspace, change.path, change.before, change.after)
    except OpenClawMemoryError as error:
        raise WorkspaceError(
            f"{', '.join(change.path for change in done)}: written, but the rest of the change could not be "
            f"({error}); the next change carries it through, `undo` then takes it back; free some space first"
        ) from error
    ledger.drop()


def _put(workspace: Workspace, path: str, data: bytes | None, instead_of: bytes | None, *, settle: bool = True) -> None:
    if data is not None:
        workspace.write(path, data, ABSENT if instead_of is None else digest_of(instead_of), settle=settle)
        return
    try:
        (workspace.root / path).unlink(missing_ok=True)
    except OSError as error:
        raise WorkspaceError(f"{path} cannot be removed: {error.strerror}") from error


def _carry_through(ledger: Ledger) -> Entry | None:
    """Finish the pending entry; files that were edited after the crash stay as they are and leave the entry."""
    if not ledger.is_pending():
        return None
    entry = ledger.pending()
    if entry is None:
        ledger.drop()
        return None
    entry = attrs.evolve(entry, edits=tuple(edit for edit in entry.edits if _finish(ledger.workspace, edit)))
    if not entry.edits:
        ledger.drop()
        return entry
    ledger.begin(entry)
    ledger.file_away(entry.number)
    return entry


def _finish(workspace: Workspace, edit: Edit) -> bool:
    current = _bytes(workspace, edit.path)
    if _digest(current) == edit.after:
        return True
    if _digest(current) != edit.before or edit.erased:
        return False
    if edit.after is None:
        _put(workspace, edit.path, None, current)
        return True
    try:
        after = encode_edited(lines.forward(_decode(current), edit.hunks))
    except ValueError:
        return False
    if _digest(after) != edit.after:
        return False
    _put(workspace, edit.path, after, current)
    return True


def _choose(entries: tuple[Entry, ...], number: int | None) -> Entry:
    if number is None:
        open_ones = [one for one in entries if one.undoes is None and not one.undone and not one.erased]
        if not open_ones:
            raise UsageError("there is nothing to undo: no change of ours is recorded that still stands")
        return open_ones[-1]
    for entry in entries:
        if entry.number == number:
            if entry.undone:
                raise UsageError(f"change {number} was undone already; see `history`")
            return entry
    raise UsageError(f"there is no change {number}; `history` lists those that are kept")


def _undone_before(entries: Sequence[Entry], entry: Entry, path: str) -> tuple[Edit, ...]:
    """Return what earlier changes did to a page that were taken back first: headings of theirs may be left."""
    gone = (one for one in entries if one.undone and one.number < entry.number and one.number != entry.undoes)
    return tuple(edit for one in gone for edit in one.edits if edit.path == path)


def _reversal(workspace: Workspace, edit: Edit, undone: Sequence[Edit]) -> Change:
    """
    Tell what taking one edit back would write.

    Args:
        undone: what was taken back before on the same page, though it was written earlier.
    """
    if edit.erased:
        raise UsageError(f"{edit.path}: the text of this change was erased by forget; it cannot be undone")
    current = _bytes(workspace, edit.path)
    if _digest(current) == edit.after:
        if edit.before is None:
            return Change(path=edit.path, before=current, after=None)
        return _left(edit, current, lines.backward(_decode(current), edit.hunks), undone)
    if _digest(current) == edit.before:
        return Change(path=edit.path, before=current, after=current)
    if current is not None and edit.after is not None:
        merged = lines.merge_backward(_decode(current), edit.hunks)
        if merged is not None:
            return _left(edit, current, merged, undone)
    raise ConflictError(
        f"{edit.path}: what this change wrote was edited since; nothing was changed, take the lines back by hand"
    )


def _left(edit: Edit, current: bytes | None, text: str, undone: Sequence[Edit]) -> Change:
    """Drop the headings under which only undone changes wrote, and a page of ours of which nothing else was left."""
    for earlier in reversed(undone):
        text = lines.without_frames(text, earlier.hunks)
    empty = not text.strip() and any(one.before is None for one in (*undone, edit))
    return Change(path=edit.path, before=current, after=None if empty else encode_edited(text))


def _edit(change: Change, *, secret: bool) -> Edit:
    before, after = _digest(change.before), _digest(change.after)
    if secret:
        return Edit(path=change.path, before=before, after=after, erased=True)
    parts = lines.compare(_decode(change.before), _decode(change.after))
    return Edit(path=change.path, before=before, after=after, hunks=parts)


def _bytes(workspace: Workspace, path: str) -> bytes | None:
    try:
        return (workspace.root / path).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WorkspaceError(f"{path}: cannot be read ({error.strerror}); nothing was changed") from error


def _digest(data: bytes | None) -> str | None:
    return None if data is None else digest_of(data)


def _decode(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "surrogateescape")
