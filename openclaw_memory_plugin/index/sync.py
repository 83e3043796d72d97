"""
Bring the index up to date with the files: only what changed is read, a file is never half written.

Whether a file changed is told by size, modification time and inode; the digest of its bytes decides. A file read so
soon after its change that a further one might leave the same time is read again next time, as git does.
"""

import contextlib
import gc
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from openclaw_memory_plugin.errors import IndexUnavailableError
from openclaw_memory_plugin.index import journal
from openclaw_memory_plugin.index.hiding import Hidden
from openclaw_memory_plugin.index.store import Store, WordsDrift
from openclaw_memory_plugin.workspace import FileState, Workspace

if TYPE_CHECKING:
    from openclaw_memory_plugin.index.merge import Merged
    from openclaw_memory_plugin.index.reading import Reading
    from openclaw_memory_plugin.index.write import Tally, Writer

log = logging.getLogger(__name__)

GROUP_FACTS = 16_000
"""Statements after which a transaction ends; files are never divided."""

GROUP_SECONDS = 2.0
"""After so many of them it ends, too: files are read meanwhile, and others wait."""

MANY_FILES = 10
"""From so many changed files on, a sync is a bulk sync."""

REMEMBERED_FACTS = 100_000
"""New facts that are kept in memory until they are linked; those beyond are read back."""

DIGESTS = "SELECT path, digest FROM files"
FILES = "SELECT path, size, mtime_ns, inode FROM files"
STALE = "SELECT EXISTS (SELECT 1 FROM stale_facts) OR EXISTS (SELECT 1 FROM stale_names)"
TOUCH = "UPDATE files SET size = ?, mtime_ns = ?, inode = ? WHERE path = ? AND digest = ?"

Progress = Callable[[int, int], None]
"""Files done, files to do."""


@attrs.frozen(kw_only=True)
class SyncReport:
    """What a sync found and did."""

    files: int = 0
    """Files that are read at all."""
    updated: int = 0
    """Files whose content had changed or was new."""
    removed: int = 0
    """Files that were gone."""
    facts_added: int = 0
    facts_changed: int = 0
    facts_removed: int = 0
    seconds: float = 0.0


def sync(store: Store, workspace: Workspace, progress: Progress | None = None) -> SyncReport:
    """
    Read what changed and write it, then apply the journal.

    Raises:
        IndexUnavailableError: Other processes kept the index locked.
        sqlite3.DatabaseError: The index is damaged.
    """
    started = time.perf_counter()
    run = _Run(store, workspace)
    run.follow_archive()
    states = workspace.scan()
    changed, gone = _differences(store, states)
    with _without_collector(len(changed) >= MANY_FILES):
        wrote = run.write(changed, sorted(gone), progress)
    if wrote:
        store.tidy()
    elif journal.is_behind(store.connection, workspace.state_dir):
        apply_journal(store, workspace.state_dir)
    return SyncReport(
        files=len(states),
        updated=run.updated,
        removed=run.removed,
        facts_added=run.added,
        facts_changed=run.changed,
        facts_removed=run.forgotten,
        seconds=time.perf_counter() - started,
    )


@contextlib.contextmanager
def _without_collector(many: bool) -> Iterator[None]:
    """Spare a bulk sync the searches for reference cycles among its many small objects: it makes none."""
    collects = many and gc.isenabled()
    if collects:
        gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _differences(store: Store, states: list[FileState]) -> tuple[list[FileState], set[str]]:
    """Return the files that are new or not what they were, and the paths of those that are no longer there."""
    (version,) = store.connection.execute("PRAGMA data_version").fetchone()
    if store.same == (version, states):
        return [], set()
    known = store.connection.execute(FILES).fetchall()
    known.sort()
    if known == states:
        store.same = (version, states)
        return [], set()
    store.same = None
    before = set(known)
    changed = [state for state in states if state not in before]
    return changed, {row[0] for row in before.difference(states)}.difference(state.path for state in changed)


def apply_journal(store: Store, folder: Path) -> None:
    """Apply new lines of the journal in a transaction of their own."""
    with store.transaction() as connection:
        journal.apply(connection, folder)


class _Overtaken(Exception):
    """Another process has written what comes next: to read on what it has read as well would keep others waiting."""


class _Run:
    """One sync: files come in, groups of them go out as transactions."""

    def __init__(self, store: Store, workspace: Workspace) -> None:
        self.updated = self.removed = self.added = self.changed = self.forgotten = 0
        self._store = store
        self._workspace = workspace
        self._archive = Hidden(workspace.root)
        self._renames: list[tuple[str, str]] = []
        self._fresh: dict[int, tuple[str, Merged]] = {}
        self._version = 0
        """SQLite's `data_version` in the last transaction: another one when another process has written since."""

    def follow_archive(self) -> None:
        """When the archive says something new, hide and show facts accordingly; forgotten text is looked for anew."""
        if self._archive.is_news(self._store.connection):
            with self._store.transaction() as connection:
                self._archive.apply(connection)

    def write(self, changed: Sequence[FileState], gone: Sequence[str], progress: Progress | None) -> bool:
        """Write what changed, forget what is gone, and link what that makes stale; tell whether there was anything."""
        if not changed and not gone and not self._is_stale():
            return False
        refilled = False
        while True:
            try:
                return self._write(changed, gone, progress)
            except _Overtaken:
                known = set(self._store.connection.execute(FILES))
                changed = [state for state in changed if state not in known]
            except WordsDrift:
                if refilled:
                    raise
                refilled = True
                from openclaw_memory_plugin.index.indexed import refill_words

                with self._store.transaction() as connection:
                    refill_words(connection)

    def _write(self, changed: Sequence[FileState], gone: Sequence[str], progress: Progress | None) -> bool:
        from openclaw_memory_plugin.index.reading import readings

        digests = dict(self._store.connection.execute(DIGESTS)) if changed else {}
        with contextlib.closing(readings(self._workspace, changed, digests)) as found:
            news = _News(found, len(changed), progress)
            has_work = news.first is not None or bool(gone) or self._is_stale()
            if has_work:
                while self._transact(news, gone):
                    pass
        self._touch(news.same)
        return has_work

    def _transact(self, news: "_News", gone: Sequence[str]) -> bool:
        """
        Write a group of files in one transaction, and tell whether more are left.

        The last one also forgets what is gone, links what is stale and applies the journal.
        """
        from openclaw_memory_plugin.index.entities import leave_stale, link_stale

        self._renames.clear()
        with self._store.transaction() as connection:
            (version,) = connection.execute("PRAGMA data_version").fetchone()
            if version != self._version:
                self._version = version
                self._fresh.clear()
            writer = self._writer(connection)
            updated = self._write_files(connection, writer, news)
            is_last = news.first is None
            removed = self._remove_files(writer, gone) if is_last else 0
            writer.finish()
            if len(self._fresh) + len(writer.fresh) <= REMEMBERED_FACTS:
                self._fresh.update(writer.fresh)
            tally = writer.tally
            if is_last:
                link_stale(connection, writer.stale_names, writer.stale_facts, self._fresh)
                self._merge_words(connection, tally)
            else:
                leave_stale(connection, writer.stale_names, writer.stale_facts)
            if self._renames:
                self._note_renames()
            if is_last:
                journal.apply(connection, self._workspace.state_dir)
        self.updated += updated
        self.removed += removed
        self.added += tally.added
        self.changed += tally.changed
        self.forgotten += tally.removed
        return not is_last

    def _write_files(self, connection: sqlite3.Connection, writer: "Writer", news: "_News") -> int:
        """Write files until a transaction has enough; return how many had changed."""
        current = dict(connection.execute(DIGESTS))
        updated = size = 0
        until = time.monotonic() + GROUP_SECONDS
        while (reading := news.first) is not None and size < GROUP_FACTS:
            here = current.get(reading.state.path)
            if here == reading.digest and not updated:
                raise _Overtaken
            if here != reading.digest and (here == reading.seen or self._still(reading.state)):
                writer.write_file(reading.state, reading.digest, reading.contents)
            size += len(reading.contents.entries) + 5
            updated += 1
            news.advance()
            if time.monotonic() > until:
                break
        return updated

    def _remove_files(self, writer: "Writer", gone: Sequence[str]) -> int:
        """Forget the files that are gone still, and return how many."""
        removed = 0
        for path in gone:
            if not os.path.exists(self._workspace.root / path) or not self._scanned(path):
                writer.remove_file(path)
                removed += 1
        return removed

    def _merge_words(self, connection: sqlite3.Connection, tally: "Tally") -> None:
        """
        Have FTS5 merge what it holds, and drop what is gone, when this sync wrote more than there is now.

        What a single transaction added to nothing it holds in one piece already.
        """
        from openclaw_memory_plugin.index.indexed import MERGE_WORDS

        before = self.added + self.changed + self.forgotten
        replaced = tally.changed + tally.removed
        written = before + replaced + tally.added
        if (before or replaced) and written >= connection.execute("SELECT COUNT(*) FROM facts").fetchone()[0]:
            connection.execute(MERGE_WORDS)

    def _touch(self, same: "Sequence[Reading]") -> None:
        """Remember that files were looked at; when another process is writing, that can wait."""
        rows = [(*state[1:], state.path, digest) for state, digest, *_ in same if state.mtime_ns]
        if rows:
            self._store.same = None
            with contextlib.suppress(IndexUnavailableError), self._store.transaction(wait=False) as connection:
                connection.executemany(TOUCH, rows)

    def _writer(self, connection: sqlite3.Connection) -> "Writer":
        from openclaw_memory_plugin.index.write import Writer

        return Writer(
            connection,
            hides=self._archive.hides,
            covers=self._archive.covers,
            renamed=lambda old, new: self._renames.append((old, new)),
            changed=lambda seq: self._fresh.pop(seq, None),
        )

    def _is_stale(self) -> bool:
        return bool(self._store.connection.execute(STALE).fetchone()[0])

    def _still(self, state: FileState) -> bool:
        """Tell whether a file is what it was when this sync read it, now that another process wrote its own reading."""
        try:
            status = os.stat(self._workspace.root / state.path)
        except OSError:
            return False
        return (status.st_size, status.st_ino) == (state.size, state.inode) and state.mtime_ns in (
            0,
            status.st_mtime_ns,
        )

    def _scanned(self, path: str) -> bool:
        return any(state.path == path for state in self._workspace.scan())

    def _note_renames(self) -> None:
        now = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
        folder = self._workspace.state_dir
        with contextlib.suppress(OSError):
            journal.append(folder, ({"at": now, "rename": list(pair)} for pair in self._renames))
        self._renames.clear()


class _News:
    """The readings that tell something new, one after the other."""

    def __init__(self, found: "Iterator[Reading | None]", total: int, progress: Progress | None) -> None:
        self.same: list[Reading] = []
        """Those of files that turned out to be what they were; complete at the end."""
        self._rest = self._of(found, total, progress or (lambda done, total: None))
        self.first = next(self._rest, None)
        """The next of them; None at the end."""

    def advance(self) -> None:
        """Go on to the next one."""
        self.first = next(self._rest, None)

    def _of(self, found: "Iterator[Reading | None]", total: int, report: Progress) -> "Iterator[Reading]":
        if total:
            report(0, total)
        for number, reading in enumerate(found, start=1):
            if reading is not None and reading.is_same:
                self.same.append(reading)
            elif reading is not None:
                yield reading
            report(number, total)
