"""The journal of changes on disk: one JSON file an entry, the one being made in a file of its own."""

import datetime as dt
import functools
import json
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import attrs

from openclaw_memory_plugin.errors import WorkspaceError
from openclaw_memory_plugin.reflect.history import hunks as lines
from openclaw_memory_plugin.reflect.history.hunks import Hunk
from openclaw_memory_plugin.workspace import Workspace
from openclaw_memory_plugin.workspace.files import read_json
from openclaw_memory_plugin.workspace.saying import exact, holds

KEEP = 500
"""Entries kept."""
FORGOTTEN = "(a forgotten page)"
"""Stands for the path of a page of which not even the name may be left."""
WITHOUT_ID = "(a forgotten fact)"
"""Stands for the id of a fact of which not even that may be left."""
KEEP_BYTES = 16_000_000
"""Bytes of entries kept."""


@attrs.frozen(kw_only=True)
class Edit:
    """What one entry did to one file."""

    path: str
    before: str | None
    """Digest of the bytes before; None when there was no file."""
    after: str | None
    hunks: tuple[Hunk, ...] = ()
    erased: bool = False
    """The text was forgotten since: what was done is known, how it read is not, and it cannot be undone."""

    def without_text(self) -> "Edit":
        """The same edit when its text is erased; of digests only stays whether there was a file."""
        before, after = (None if digest is None else "" for digest in (self.before, self.after))
        return attrs.evolve(self, before=before, after=after, hunks=(), erased=True)

    def diff(self) -> str:
        """Render as a unified diff; a line saying so when the text was erased."""
        if self.erased:
            return f"--- {self.path}\n+++ {self.path}\n(text erased by forget)\n"
        return lines.unified(self.path, self.hunks, created=self.before is None, removed=self.after is None)


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

    @property
    def erased(self) -> bool:
        """Nothing of its text is left."""
        return bool(self.edits) and all(edit.erased for edit in self.edits)

    def diff(self) -> str:
        """Render the whole change as a unified diff."""
        return "".join(edit.diff() for edit in self.edits)


@attrs.frozen
class Ledger:
    """The entries of one workspace, under its `.memory`; write only with the workspace's lock held."""

    workspace: Workspace

    def entries(self) -> tuple[Entry, ...]:
        """All entries that are kept, oldest first; unreadable ones are left out."""
        found = [entry for number in self._numbers() if (entry := _load(self._path(number)))]
        undone: set[int] = set()
        for entry in reversed(found):
            if entry.undoes is not None and entry.number not in undone:
                undone.add(entry.undoes)
        return tuple(attrs.evolve(entry, undone=entry.number in undone) for entry in found)

    def next_number(self) -> int:
        """The number of the next entry."""
        numbers = self._numbers()
        return numbers[-1] + 1 if numbers else 1

    def is_pending(self) -> bool:
        """Whether a change was begun and not filed away; one look at the disk."""
        return self._pending.exists()

    def pending(self) -> Entry | None:
        """The change that was begun; None when there is none or it cannot be read."""
        return _load(self._pending)

    def begin(self, entry: Entry) -> None:
        """
        Put an entry on disk before its files change.

        Raises:
            WorkspaceError: it cannot be written; nothing was changed.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self.workspace.write(self._relative(self._pending), _dump(entry))
        except (OSError, WorkspaceError) as error:
            raise WorkspaceError(f"the history cannot be written ({error}); nothing was changed") from error

    def drop(self) -> None:
        """
        Forget that a change was begun.

        Raises:
            WorkspaceError: its note cannot be removed.
        """
        try:
            self._pending.unlink(missing_ok=True)
        except OSError as error:
            raise WorkspaceError(f"{self._pending} cannot be removed ({error.strerror}); remove it by hand") from error

    def file_away(self, number: int) -> None:
        """Move the entry that was begun to those that are done; the oldest ones make room."""
        os.replace(self._pending, self._path(number))
        room = KEEP_BYTES
        for position, kept in enumerate(reversed(self._numbers())):
            room -= self._path(kept).stat().st_size
            if position and (position >= KEEP or room < 0):
                self._path(kept).unlink()

    def erase(self, texts: Sequence[str], ids: Sequence[str] = ()) -> tuple[int, ...]:
        """
        Remove the lines of every edit that holds one of these texts, markup, blanks and case apart, or of these ids.

        An id tells of a guess whether it is right, so none is left in what was done either. Returns the numbers of the
        entries whose lines went; they stay in the history and cannot be undone. An entry that cannot be read may hold
        anything and is deleted.
        """
        wanted = [exact(text) for text in texts if text.strip()]
        touched = []
        for number in self._numbers():
            path = self._path(number)
            entry = _load(path)
            if entry is None:
                path.unlink(missing_ok=True)
                continue
            edits = tuple(
                edit.without_text() if not edit.erased and _holds(edit, wanted, ids) else edit for edit in entry.edits
            )
            reason = functools.reduce(lambda text, one: text.replace(one, WITHOUT_ID), ids, entry.reason)
            if edits != entry.edits or reason != entry.reason:
                self.workspace.write(self._relative(path), _dump(attrs.evolve(entry, edits=edits, reason=reason)))
            if edits != entry.edits:
                touched.append(number)
        return tuple(touched)

    def erase_paths(self, paths: Collection[str]) -> None:
        """Leave out of every entry which pages these were: they were named after what was forgotten."""
        for number in self._numbers():
            entry = _load(self._path(number))
            if entry is not None and not set(paths).isdisjoint(entry.paths):
                edits = tuple(
                    attrs.evolve(edit.without_text(), path=FORGOTTEN) if edit.path in paths else edit
                    for edit in entry.edits
                )
                self.workspace.write(self._relative(self._path(number)), _dump(attrs.evolve(entry, edits=edits)))

    @property
    def _folder(self) -> Path:
        return self.workspace.state_dir / "history"

    @property
    def _pending(self) -> Path:
        return self.workspace.state_dir / "pending.json"

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:06d}.json"

    def _relative(self, path: Path) -> str:
        return path.relative_to(self.workspace.root).as_posix()

    def _numbers(self) -> list[int]:
        try:
            names = os.listdir(self._folder)
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted(int(name[:-5]) for name in names if name.endswith(".json") and name[:-5].isdigit())


def _holds(edit: Edit, wanted: Sequence[str], ids: Sequence[str]) -> bool:
    before = "".join(line for hunk in edit.hunks for line in (*hunk.above, *hunk.old, *hunk.below))
    after = "".join(line for hunk in edit.hunks for line in (*hunk.above, *hunk.new, *hunk.below))
    return any(one in before or one in after for one in ids) or any(
        holds(text, one) for text in (before, after) for one in wanted
    )


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
    record = read_json(path)
    try:
        edits = tuple(
            Edit(
                path=str(edit["path"]),
                before=edit["before"],
                after=edit["after"],
                erased=bool(edit.get("erased", False)),
                hunks=tuple(map(_hunk, edit["hunks"])),
            )
            for edit in record["edits"]
        )
        return Entry(
            number=record["number"],
            at=dt.datetime.fromisoformat(record["at"]).astimezone(dt.UTC),
            reason=str(record["reason"]),
            edits=edits,
            undoes=record.get("undoes"),
        )
    except (ValueError, KeyError, TypeError, OverflowError):
        return None


def _hunk(record: dict[str, Any]) -> Hunk:
    return Hunk(
        start=record["start"],
        shift=record["shift"],
        old=tuple(record["old"]),
        new=tuple(record["new"]),
        above=tuple(record["above"]),
        below=tuple(record["below"]),
    )
