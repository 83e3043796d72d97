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
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from openclaw_memory_plugin.errors import IndexUnavailableError
from openclaw_memory_plugin.index import journal
from openclaw_memory_plugin.index.hiding import Hidden
from openclaw_memory_plugin.index.store import Store
from openclaw_memory_plugin.workspace import ABSENT, FileState, Workspace

if TYPE_CHECKING:
    from openclaw_memory_plugin.index.merge import Merged
    from openclaw_memory_plugin.index.write import Tally, Writer
    from openclaw_memory_plugin.markdown.nouns import Defect, Page

log = logging.getLogger(__name__)

RACY_NS = 2_000_000_000
"""File systems exist that tell times this coarsely."""

UNREADABLE = "unreadable"
"""Digest of a file that could not be read: it is tried again at every sync."""

GROUP_FACTS = 16_000
"""Statements after which a transaction ends; files are never divided."""

MANY_FILES = 10
"""From so many changed files on, a sync is a bulk sync."""

REMEMBERED_FACTS = 50_000
"""New facts that are kept in memory until they are linked; those beyond are read back."""

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


@attrs.frozen
class _Read:
    state: FileState
    digest: str
    page: "Page"
    defects: "tuple[Defect, ...]"
    seen: str | None
    """Digest in the index when it was read."""


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
        run.read(changed, progress)
        has_work = run.has_work or gone or store.connection.execute(STALE).fetchone()[0]
        if has_work:
            run.finish(gone)
    if has_work:
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


class _Run:
    """One sync: files come in, groups of them go out as transactions."""

    def __init__(self, store: Store, workspace: Workspace) -> None:
        self.updated = self.removed = self.added = self.changed = self.forgotten = 0
        self._store = store
        self._workspace = workspace
        self._group: list[_Read] = []
        self._size = 0
        self._archive = Hidden(workspace.root)
        self._renames: list[tuple[str, str]] = []
        self._fresh: dict[int, tuple[str, Merged]] = {}

    def follow_archive(self) -> None:
        """When the archive says something new, hide and show facts accordingly; forgotten text is looked for anew."""
        if self._archive.is_news(self._store.connection):
            with self._store.transaction() as connection:
                self._archive.apply(connection)

    @property
    def has_work(self) -> bool:
        """Whether files were read that are to be written, or some were and are to be linked."""
        return self.updated > 0

    def read(self, changed: list[FileState], progress: Progress | None) -> None:
        if not changed:
            return
        digests = dict(self._store.connection.execute("SELECT path, digest FROM files"))
        now = time.time_ns()
        for number, state in enumerate(changed):
            if progress is not None:
                progress(number, len(changed))
            source = self._workspace.read(state.path)
            if source.digest == ABSENT:
                continue
            settled = _settled(state, now) if source.digest != UNREADABLE else state._replace(mtime_ns=0)
            seen = digests.get(state.path)
            if source.digest == seen:
                if settled.mtime_ns:
                    self._touch(settled, seen)
                continue
            page = _page_of(source.text, state.path)
            self._group.append(_Read(settled, source.digest, page, source.defects, seen))
            self._size += len(page.statements) + 5
            self.updated += 1
            if self._size >= GROUP_FACTS:
                self._flush()
        if progress is not None:
            progress(len(changed), len(changed))

    def finish(self, gone: Iterable[str]) -> None:
        """In one transaction write what is left, forget what is gone, link what is stale and apply the journal."""
        self._flush(sorted(gone), last=True)

    def _flush(self, gone: Sequence[str] = (), *, last: bool = False) -> None:
        from openclaw_memory_plugin.index.indexed import WordsDrift, refill_words

        try:
            self._transact(gone, last)
        except WordsDrift:
            with self._store.transaction() as connection:
                refill_words(connection)
            self._transact(gone, last)
        self._group, self._size = [], 0

    def _transact(self, gone: Sequence[str], last: bool) -> None:
        from openclaw_memory_plugin.index.entities import leave_stale, link_stale

        with self._store.transaction() as connection:
            writer = self._write(connection, gone)
            if last:
                link_stale(connection, writer.stale_names, writer.stale_facts, self._fresh)
                self._merge_words(connection, writer.tally)
            else:
                leave_stale(connection, writer.stale_names, writer.stale_facts)
            if self._renames:
                self._note_renames()
            if last:
                journal.apply(connection, self._workspace.state_dir)
        self.added += writer.tally.added
        self.changed += writer.tally.changed
        self.forgotten += writer.tally.removed

    def _merge_words(self, connection: sqlite3.Connection, tally: "Tally") -> None:
        """Have FTS5 drop what it still holds of facts that are gone, when this sync wrote more than there is now."""
        from openclaw_memory_plugin.index.indexed import MERGE_WORDS

        written = self.added + self.changed + self.forgotten + tally.added + tally.changed + tally.removed
        if written >= connection.execute("SELECT COUNT(*) FROM facts").fetchone()[0]:
            connection.execute(MERGE_WORDS)

    def _touch(self, state: FileState, digest: str) -> None:
        """Remember that a file was looked at; when another process is writing, that can wait."""
        self._store.same = None
        with contextlib.suppress(IndexUnavailableError), self._store.transaction(wait=False) as connection:
            connection.execute(TOUCH, (state.size, state.mtime_ns, state.inode, state.path, digest))

    def _write(self, connection: sqlite3.Connection, gone: Sequence[str]) -> "Writer":
        from openclaw_memory_plugin.index.write import Writer

        self._renames.clear()
        writer = Writer(
            connection,
            hides=self._archive.hides,
            covers=self._archive.covers,
            renamed=lambda old, new: self._renames.append((old, new)),
            changed=lambda seq: self._fresh.pop(seq, None),
        )
        current = dict(connection.execute("SELECT path, digest FROM files")) if self._group else {}
        for item in self._group:
            here = current.get(item.state.path)
            if here == item.digest or (here != item.seen and not self._still(item.state)):
                continue
            writer.write_file(item.state, item.digest, item.page, item.defects)
        for path in gone:
            if not os.path.exists(self._workspace.root / path) or not self._scanned(path):
                writer.remove_file(path)
                self.removed += 1
        writer.finish()
        if len(self._fresh) + len(writer.fresh) <= REMEMBERED_FACTS:
            self._fresh.update(writer.fresh)
        return writer

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


def _page_of(text: str, path: str) -> "Page":
    """Read a page; where our reader fails, one file is without facts and `doctor` says so, everything else works."""
    from openclaw_memory_plugin.markdown.nouns import Defect, Page
    from openclaw_memory_plugin.markdown.page import parse_page

    try:
        return parse_page(text, path)
    except Exception as error:
        log.exception("%s cannot be read", path)
        message = f"the reader failed ({type(error).__name__}: {error}), nothing of it was read"
        return Page(defects=(Defect(line=0, message=message, remedy="report the fault with this file's structure"),))


def _settled(state: FileState, now_ns: int) -> FileState:
    """Return the state to remember: without a time when the file may yet change within the same tick of its clock."""
    return state._replace(mtime_ns=0) if state.mtime_ns > now_ns - RACY_NS else state
