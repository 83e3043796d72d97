"""The memory of one workspace: retain, recall, sync and the questions about them. A façade: it decides nothing."""

import contextlib
import datetime as dt
import logging
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import attrs

from openclaw_memory_hookspecs import (
    Candidate,
    Citation,
    Draft,
    Fact,
    Heartbeat,
    Kind,
    Note,
    Recalled,
    RecallRequest,
    Turn,
)
from openclaw_memory_plugin.config import Config, load_config, runtime
from openclaw_memory_plugin.errors import (
    IndexUnavailableError,
    MissingWorkspaceError,
    OpenClawMemoryError,
    RetainError,
    UsageError,
    WorkspaceError,
)
from openclaw_memory_plugin.index import Index, SyncReport, open_index
from openclaw_memory_plugin.index.store import is_busy
from openclaw_memory_plugin.memory.keeping import Keeping
from openclaw_memory_plugin.memory.meaning import IMPATIENT_SECONDS
from openclaw_memory_plugin.memory.reflecting import QuietWork, Reflecting
from openclaw_memory_plugin.memory.telling import Telling
from openclaw_memory_plugin.plugins import Plugins
from openclaw_memory_plugin.workspace import Workspace

if TYPE_CHECKING:
    from openclaw_memory_plugin.index.sync import Progress
    from openclaw_memory_plugin.memory.checkup import Finding
    from openclaw_memory_plugin.reflect.pages.merging import Merge

log = logging.getLogger(__name__)


class Memory(Keeping, Reflecting, Telling):
    """
    The memory of one workspace. Not thread-safe: one memory, one thread; any number of processes.

    Make one with `Memory.open` of the class that the package offers (`builtin` gives it its engine); it is also a
    context manager.
    """

    def __init__(self, workspace: Workspace, config: Config, index: Index, plugins: Plugins) -> None:
        self.workspace = workspace
        self.config = config
        self.index = index
        self.plugins = plugins
        self.freshen: Callable[[dt.datetime], str | None] = self._freshen
        """Called before each recall; gives what the answer goes without, None when nothing. A host may replace it."""
        self.progress: Progress | None = None
        """Told how far any sync has come that is not given a progress of its own."""
        self._notices: list[str] = []

    @classmethod
    def open(
        cls,
        root: str | Path,
        *,
        config: Config | None = None,
        plugins: Plugins | None = None,
        environ: Mapping[str, str] = os.environ,
    ) -> Self:
        """
        Open the memory of the workspace at `root`; its index is made when missing, and brought up to date by the
        first recall.

        Args:
            config: Settings; None reads the workspace's own file.
            plugins: Plugins without an engine; None loads the installed ones.

        Raises:
            MissingWorkspaceError: There is no folder at `root`.
            ConfigError: The settings cannot be used.
            IndexUnavailableError: The index can be opened nowhere.
        """
        root = Path(root)
        if root.exists() and not root.is_dir():
            raise MissingWorkspaceError(f"{root} is a file; a workspace is a folder, name that which holds the notes")
        if not root.is_dir():
            raise MissingWorkspaceError(
                f"no workspace at {root}; create it with: openclaw-memory-plugin init --workspace {root}, or name "
                "another one with --workspace or OPENCLAW_WORKSPACE"
            )
        config = config or load_config(root)
        workspace = Workspace(root=root, zone=owner_zone(config, environ), extra=config.extra_paths)
        plugins = plugins or Plugins.load(config.plugins, environ)
        memory = cls(workspace, config, open_index(workspace, config), plugins)
        memory.recover()
        plugins.attach(memory.engine())
        try:
            plugins.notify("on_start", memory=memory)
        except ExceptionGroup as failures:
            memory._notices.extend(map(str, failures.exceptions))
        return memory

    def engine(self) -> object:
        """Make the plugin that answers, after all others, what this memory is asked."""
        raise NotImplementedError("a memory is opened by openclaw_memory_plugin.Memory, which has an engine")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the index; the memory cannot be used afterwards."""
        self.index.close()

    def sync(self, *, now: dt.datetime | None = None, progress: "Progress | None" = None) -> SyncReport:
        """
        Carry through what was interrupted, and bring the index up to date with the files: only what changed is read.

        Raises:
            IndexUnavailableError: It stayed locked or cannot be written.
        """
        self.recover(now=now)
        return self.catch_up(now=now, progress=progress)

    def catch_up(self, *, now: dt.datetime | None = None, progress: "Progress | None" = None) -> SyncReport:
        """
        Bring the index up to date as `sync` does; what was interrupted waits for somebody with more time.

        Raises:
            IndexUnavailableError: It stayed locked or cannot be written.
        """
        try:
            return self.index.sync(now or _now(), progress or self.progress)
        except sqlite3.Error as error:
            busy = isinstance(error, sqlite3.OperationalError) and is_busy(error)
            remedy = "end the process that holds it" if busy else "is the disk full?"
            raise IndexUnavailableError(f"the index cannot be brought up to date: {error}; {remedy}") from error

    def rebuild(self, *, progress: "Progress | None" = None) -> SyncReport:
        """Make the index anew from Markdown and journal."""
        return self.index.rebuild(progress)

    def recall(self, request: RecallRequest) -> Recalled:
        """
        Answer a question: freshness, hooks, engine, tracking.

        What cannot be done is answered without and said in `degraded`: a failing plugin, an index that cannot be
        brought up to date.
        """
        behind = self.freshen(request.now)
        degraded = [*self._notices, *self.plugins.problems, *([behind] if behind else [])]
        answer, failures = self.plugins.recall(request)
        if request.track and answer.hits:
            self.track([hit.fact.id for hit in answer.hits], now=request.now)
        degraded += failures
        return attrs.evolve(answer, degraded=(*degraded, *answer.degraded)) if degraded else answer

    def score(self, request: RecallRequest, candidates: Sequence[Candidate]) -> list[float]:
        """Score candidates with the configured built-in scorer: n finite floats, same order, higher is better."""
        from openclaw_memory_plugin.recall.score import score

        return score(request, candidates, self.config)

    def track(self, ids: Sequence[str], *, now: dt.datetime, turn: str | None = None) -> None:
        """Count facts as accessed, once for each `turn`; best effort, a recall is never lost for it."""
        if not self.index.track(ids, now, turn):
            log.warning("accesses were not noted: %s cannot be written", self.workspace.state_dir)

    def retain(self, draft: Draft, *, now: dt.datetime | None = None) -> Fact:
        """
        Write one fact into the daily log of its day and return it as stored.

        Plugins may rewrite or veto it; the engine redacts secrets. The file is replaced in one step under a lock
        that waits up to 60 s; observers learn of it when it is on disk.

        Raises:
            UsageError: There is no text, or it is said to support or contradict a fact that is not known.
            RetainError: Vetoed, forgotten before, or it could not be read back.
            WorkspaceError: The log cannot be read, locked or written.
        """
        from openclaw_memory_plugin.memory.retaining import write_fact

        now = now or _now()
        if not draft.text.strip():
            raise UsageError("nothing to retain: the text is empty; write one self-contained sentence")
        prepared = self.plugins.prepare(draft)
        if not prepared.text.strip():
            raise RetainError("not retained: nothing is left of the text after its preparation")
        prepared = self.with_known_marks(prepared, now=now)
        written = write_fact(self.workspace, prepared, now)
        try:
            fact = self._read_back(written, now)
        except (OpenClawMemoryError, OSError) as error:
            log.warning("%s is written, the index will follow: %s", written.source, error)
            fact = written
        try:
            self.plugins.notify("on_retain", fact=fact)
        except ExceptionGroup as failures:
            for failure in failures.exceptions:
                log.warning("%s", failure)
        return fact

    def _read_back(self, written: Fact, now: dt.datetime) -> Fact:
        """Return a fact as the index has it; what others write into the log meanwhile is waited for once."""
        self.sync(now=now)
        with contextlib.suppress(UsageError):
            return self.index.fact(written.id)
        with self.workspace.lock():
            self.sync(now=now)
        try:
            return self.index.fact(written.id)
        except UsageError:
            raise IndexUnavailableError("others are writing; run sync") from None

    def turn_start(self, turn: Turn) -> tuple[list[Note], list[str]]:
        """Ask all plugins what the agent should have before it; also who failed."""
        notes, failures = self.plugins.turn_start(turn)
        return notes, [str(failure) for failure in failures]

    def turn_end(self, turn: Turn) -> list[str]:
        """Tell all plugins of a finished turn; give who failed."""
        try:
            self.plugins.notify("on_turn_end", turn=turn)
        except ExceptionGroup as failures:
            return [str(failure) for failure in failures.exceptions]
        return []

    def heartbeat(self, beat: Heartbeat) -> tuple[list[Note], list[str]]:
        """Let all plugins use a quiet moment; give their notes and who failed."""
        notes, failures = self.plugins.notes("on_heartbeat", beat=beat)
        if self.patient:
            with contextlib.suppress(OpenClawMemoryError):  # a recall says what it goes without
                self.fill_vectors(seconds=IMPATIENT_SECONDS)
        return notes, [str(failure) for failure in failures]

    def quiet_work(self, *, scheduled: bool, heard: bool, now: dt.datetime) -> QuietWork:
        """Do what a quiet moment is for, reflection and upkeep; give what to ask and to tell an agent that hears it."""
        self.recover(now=now)
        return self.look_after(scheduled=scheduled, heard=heard, now=now), self.upkeep.heartbeat(now=now)

    def facts(
        self,
        *,
        kinds: Sequence[Kind] = (),
        entities: Sequence[str] = (),
        since: dt.date | None = None,
        until: dt.date | None = None,
        task: str | None = None,
        include_archived: bool = False,
    ) -> Sequence[Fact]:
        """
        All facts, in order of path and line, or those of these kinds, about all of these entities, recorded in this
        time (an undated fact is in none), or the tasks that are `open` or `done`. `unclear` says what is wrong with the
        names.

        Raises:
            UsageError: `since` is after `until`.
        """
        if since is not None and until is not None and since > until:
            raise UsageError(f"since {since} is after until {until}")
        found: Sequence[Fact] = self.index.facts(
            kinds=[kind.value for kind in kinds], entities=entities, include_archived=include_archived
        )
        if since is not None:
            found = [fact for fact in found if fact.last_seen is not None and fact.last_seen >= since]
        if until is not None:
            found = [fact for fact in found if fact.timestamp is not None and fact.timestamp <= until]
        if task is not None:
            found = [fact for fact in found if fact.task == task and not fact.superseded]
        return self.with_evidence(found)

    def fact(self, fact_id: str) -> Fact:
        """
        Find a fact by its id or the beginning of it.

        Raises:
            UsageError: No fact, or several, begin so.
        """
        return self.with_evidence([self.index.fact(fact_id)])[0]

    def line(self, citation: Citation) -> str:
        """Return the first line that a citation names, as it stands in the file."""
        return self.workspace.read(citation.path).text.split("\n")[citation.line - 1].rstrip("\r")

    def merge(self, keep: str, other: str, *, now: dt.datetime | None = None) -> "Merge":
        """
        Make one entity of two names: `other` becomes an alias on the page of `keep`. `undo` takes it back.

        Raises:
            UsageError: A name is nobody's or several entities'; nothing was written.
        """
        from openclaw_memory_plugin.reflect.pages.merging import merge_entities

        moment = now or dt.datetime.now(dt.UTC)
        self.sync(now=moment)
        merged = merge_entities(self.workspace, self.index, keep, other, now=moment)
        self.sync(now=moment)
        return merged

    def stats(self) -> dict[str, Any]:
        """Count what is in memory."""
        return self.index.stats()

    def today(self, now: dt.datetime) -> dt.date:
        """Return the owner's day at an instant."""
        return self.workspace.today(now)

    def doctor(self, *, now: dt.datetime | None = None) -> "list[Finding]":
        """
        Look for what is wrong: in files, index, journal, archive and plugins.

        With `now` the index is brought up to date first; that it cannot be is a finding.
        """
        from openclaw_memory_plugin.memory.checkup import findings

        behind = None
        if now is not None:
            try:
                self.sync(now=now)
            except (OpenClawMemoryError, OSError) as error:
                behind = f"the index is not up to date: {error}"
        return findings(self, behind=behind)

    def _freshen(self, now: dt.datetime) -> str | None:
        with self.index.patience(IMPATIENT_SECONDS):
            try:
                self.catch_up(now=now)
            except (OpenClawMemoryError, OSError) as error:
                return f"answered from the index as it was: {error}"
        return None


def create_workspace(root: Path) -> list[str]:
    """
    Make a folder a workspace: what is there stays as it is.

    Returns:
        The folders that were created, relative to `root`.

    Raises:
        WorkspaceError: One cannot be created.
    """
    created = []
    for name in (".", "memory", "bank", "bank/entities"):
        folder = root / name
        if not folder.is_dir():
            if folder.exists():
                raise WorkspaceError(f"{folder} is a file where a folder has to be; move it, or name another workspace")
            try:
                folder.mkdir(parents=True)
            except OSError as error:
                raise WorkspaceError(f"{folder} cannot be created: {error.strerror}; check its permissions") from error
            created.append(name)
    Workspace(root=root).make_state_dir()
    return created


def owner_zone(config: Config, environ: Mapping[str, str]) -> dt.tzinfo | None:
    """Return the owner's zone: the configured one, else OpenClaw's, else None for the system's."""
    name = config.zone or runtime.user_zone(environ)
    if name is None:
        return None
    import zoneinfo

    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        log.warning("OpenClaw's userTimezone %r is no time zone; the system's holds", name)
        return None


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)
