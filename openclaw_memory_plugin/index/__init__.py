"""
The index of a workspace: a SQLite file derived from Markdown and the journal, which may be deleted at any time.

The only room with SQL. `open_index` gives an `Index`; recall reads through its `connection`.
"""

import contextlib
import datetime as dt
import sqlite3
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from openclaw_memory_plugin.errors import IndexUnavailableError, UsageError, WorkspaceError
from openclaw_memory_plugin.index import journal
from openclaw_memory_plugin.index.store import Store, is_corruption
from openclaw_memory_plugin.index.sync import Progress, SyncReport
from openclaw_memory_plugin.index.sync import sync as sync_files
from openclaw_memory_plugin.workspace import Workspace

if TYPE_CHECKING:
    from openclaw_memory_hookspecs import Fact
    from openclaw_memory_plugin.config import Config
    from openclaw_memory_plugin.index.facts import Entity, FileDefect
    from openclaw_memory_plugin.index.naming import Called, Claim
    from openclaw_memory_plugin.index.vectors import Signs

__all__ = ["Index", "SyncReport", "is_corruption", "open_index"]


def open_index(workspace: Workspace, config: "Config | None" = None) -> "Index":
    """
    Open the index of a workspace; an empty one when there is none, or none that can be trusted. Nothing is read yet.

    Raises:
        IndexUnavailableError: It can be opened nowhere.
    """
    return Index(workspace)


class Index:
    """An open index. For one thread at a time; several processes may share the file."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        with contextlib.suppress(WorkspaceError):
            workspace.make_state_dir()
        self._store = Store(workspace.state_dir, workspace.root)
        self._signs: Signs | None = None

    @property
    def connection(self) -> sqlite3.Connection:
        """For reading; it is another one after a repair."""
        return self._store.connection

    @property
    def notices(self) -> tuple[str, ...]:
        """What is not as usual with the file, one sentence each."""
        return self._store.notices

    @property
    def version(self) -> tuple[object, ...]:
        """What is another one whenever anybody may have changed the index, and while it cannot be read; O(1)."""
        try:
            (others,) = self.connection.execute("PRAGMA data_version").fetchone()
        except sqlite3.Error:
            return (object(),)
        return self.connection, others, self.connection.total_changes

    def sync(self, now: dt.datetime | None = None, progress: Progress | None = None) -> SyncReport:
        """
        Read what changed in the workspace since the last time.

        A damaged index is built anew. `now` decides only when a long journal is compacted.

        Raises:
            IndexUnavailableError: Other processes kept the index locked, or a file beside it cannot be read; Markdown
                is untouched.
            WorkspaceError: It cannot be told what was forgotten.
        """
        if not self._store.is_current():
            self._store.reopen()
        try:
            try:
                report = sync_files(self._store, self.workspace, progress)
            except sqlite3.DatabaseError as error:
                if not self._store.is_current():
                    self._store.reopen()
                elif not self.repair(error):
                    raise
                report = sync_files(self._store, self.workspace, progress)
        except OSError as error:
            where = error.filename or self.workspace.state_dir
            raise IndexUnavailableError(
                f"{where}: {error.strerror or error}; check what it is and who may read it"
            ) from error
        if now is not None and journal.wants_compaction(self.workspace.state_dir):
            with contextlib.suppress(WorkspaceError), self.workspace.lock(timeout=0):
                journal.compact(self.workspace.state_dir, now)
        return report

    def patience(self, seconds: float) -> contextlib.AbstractContextManager[None]:
        """Inside, nothing waits longer than this for another process; what cannot be written then raises."""
        return self._store.patience(seconds)

    def rebuild(self, progress: Progress | None = None) -> SyncReport:
        """Throw the index away and build it anew from Markdown and the journal."""
        self._store.replace()
        return sync_files(self._store, self.workspace, progress)

    def repair(self, error: sqlite3.Error) -> bool:
        """Replace the file by an empty one when `error` means that it is damaged; tell whether that was so."""
        if not is_corruption(error):
            return False
        self._store.replace()
        return True

    def track(self, ids: Sequence[str], now: dt.datetime, turn: str | None = None) -> bool:
        """
        Note that a recall returned these facts, once for each `turn`.

        One append to the journal, which is what counts; then the index follows when nobody else is writing.

        Returns:
            False when the journal cannot be written: the accesses are not counted.
        """
        if not ids:
            return True
        return self._append([journal.access_line(ids, now, turn)])

    def judge(self, fact_id: str, *, good: bool, now: dt.datetime) -> bool:
        """Note a judgement of a recalled fact; False when the journal cannot be written."""
        return self._append([{"at": journal.stamp(now), "feedback": fact_id, "good": good}])

    def compact(self, now: dt.datetime) -> int:
        """Shorten the journal without changing any answer; return the bytes saved. Takes the workspace's lock."""
        with self.workspace.lock():
            return journal.compact(self.workspace.state_dir, now)

    def facts(
        self, *, kinds: Iterable[str] = (), entities: Iterable[str] = (), include_archived: bool = False
    ) -> "list[Fact]":
        """Return all facts, or those of these kinds that mention all of these entities, in order of path and line."""
        from openclaw_memory_plugin.index import facts as reading

        seqs = reading.in_order(self.connection, include_archived=include_archived)
        for name in entities:
            id = self.whom(name).id
            mentioning = set(reading.about(self.connection, id, include_archived=include_archived))
            seqs = [seq for seq in seqs if seq in mentioning]
        found = reading.load(self.connection, seqs)
        wanted = set(kinds)
        return [fact for fact in found if fact.kind.value in wanted] if wanted else found

    def fact(self, id_or_prefix: str) -> "Fact":
        """
        Return one fact by its id or an unambiguous beginning of it.

        Raises:
            UsageError: No fact or several have it.
        """
        from openclaw_memory_plugin.index import facts as reading

        return reading.load(self.connection, [reading.seq_of(self.connection, id_or_prefix)])[0]

    def whom(self, name: str) -> "Called":
        """Tell whom a name stands for; every question about names asks here."""
        from openclaw_memory_plugin.index.naming import whom

        return whom(self.connection, name)

    def claimed(self) -> "dict[str, list[Claim]]":
        """Return the names that more than one page claims: key -> the claims, of titles first."""
        from openclaw_memory_plugin.index.naming import claimed

        return claimed(self.connection)

    def entity(self, name: str) -> "Entity":
        """
        Return the entity of that name or alias, with its facts, newest first, and those closest to it.

        Raises:
            UsageError: Nobody is called so, or it is only an alias of several.
        """
        from openclaw_memory_plugin.index import facts as reading

        called = self.whom(name)
        if called.id is None and called.candidates:
            raise UsageError(str(called.trouble))
        if called.id is None:
            from openclaw_memory_plugin.index.naming import unknown
            from openclaw_memory_plugin.index.read import Reader

            raise UsageError(unknown(self.connection, name, Reader(self.connection).languages()))
        return reading.entity(self.connection, called)

    def stats(self) -> dict[str, Any]:
        """Return counts of everything, the hubs and the size of the file."""
        from openclaw_memory_plugin.index import facts as reading

        return reading.figures(self.connection) | {"index_path": str(self._store.path)}

    def defects(self) -> "list[FileDefect]":
        """Return what could not be taken as written, by path and line."""
        from openclaw_memory_plugin.index import facts as reading

        return list(reading.defects(self.connection))

    def without_vectors(self, limit: int, model: str) -> list[tuple[int, str]]:
        """Return key and content of facts that have no vector of this model, newest first, at most `limit`."""
        from openclaw_memory_plugin.index import vectors

        return vectors.missing(self.connection, limit, model)

    def vector_coverage(self, model: str) -> tuple[int, int]:
        """Return how many facts there are, and how many of them have a vector of this model."""
        from openclaw_memory_plugin.index import vectors

        return vectors.coverage(self.connection, model)

    def vector_length(self, model: str) -> int | None:
        """Return how long the stored vectors are; None when there are none, 0 when this model has not made them."""
        from openclaw_memory_plugin.index import vectors

        return vectors.length(self.connection, model)

    def give_up_vectors(self) -> None:
        """
        Make all stored vectors count as missing, so that they are computed anew.

        Raises:
            IndexUnavailableError: Another process is writing.
        """
        from openclaw_memory_plugin.index import vectors

        with self._store.transaction(wait=False) as connection:
            vectors.give_up(connection)

    def keep_vectors(self, seqs: Sequence[int], rows: Sequence[Sequence[float]], model: str) -> None:
        """
        Keep the vectors of facts; those of another model or length are dropped.

        Raises:
            VectorShapeError: They are not as many, not finite, or not of one length.
            IndexUnavailableError: Other processes kept the index locked.
        """
        from openclaw_memory_plugin.index import vectors

        with self._store.transaction() as connection:
            vectors.store(connection, seqs, rows, model)

    def nearest(self, vector: Sequence[float], model: str) -> dict[int, float]:
        """Return the facts most like a question, as key -> cosine; empty when this model has made none."""
        from openclaw_memory_plugin.index import vectors

        found, self._signs = vectors.nearest(self.connection, vector, model, self._signs)
        return found

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def _append(self, lines: list[dict[str, Any]]) -> bool:
        folder = self.workspace.state_dir
        try:
            journal.append(folder, lines)
        except OSError:
            return False
        with (
            contextlib.suppress(IndexUnavailableError, sqlite3.OperationalError),
            self._store.transaction(wait=False) as connection,
        ):
            journal.apply(connection, folder)
        return True
