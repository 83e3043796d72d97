"""
One room for each workspace: a thread that owns its memory, a queue of what to do there, an index kept fresh.

Nobody who is answered waits for a large re-index: small changes are read on the way, large ones in the background
while answers come from what there is.
"""

import datetime as dt
import itertools
import logging
import queue
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from openclaw_memory_hookspecs import Heartbeat, Note, Recalled, RecallRequest, Turn
from openclaw_memory_plugin.builtin import Memory
from openclaw_memory_plugin.config import Config
from openclaw_memory_plugin.errors import IndexUnavailableError, OpenClawMemoryError
from openclaw_memory_plugin.faces.host.quiet import Job, Quiet
from openclaw_memory_plugin.index import Index, SyncReport, open_index
from openclaw_memory_plugin.index.sync import Progress
from openclaw_memory_plugin.memory.meaning import fill
from openclaw_memory_plugin.memory.reflecting import QuietWork
from openclaw_memory_plugin.plugins import Plugins
from openclaw_memory_plugin.turns.before import asked
from openclaw_memory_plugin.workspace import RACY_NS, FileState, Workspace

log = logging.getLogger(__name__)

SMALL_FILES = 24
SMALL_BYTES = 256 * 1024
"""What changed files may amount to before they are read in the background."""

GRACE_SECONDS = 0.3
"""How long an answer waits for a background re-index that is about to end."""

QUIET_SECONDS = 50.0
"""How long work in which nobody waits may wait for one."""

REMEMBERED_TURNS = 512
"""Turns of which it is known that they come, or that they were reported."""

FORESEEN = 8
"""Answers that are kept for turns about to start."""

Task = Callable[[Any], None]
"""Called in the room's thread with the Room, or with the exception that kept it from opening."""


class Rooms:
    """All workspaces that were asked for, each opened at its first task."""

    def __init__(self) -> None:
        self._rooms: dict[str, Room] = {}

    def submit(self, workspace: str, task: Task, *, timeout_ms: int = 0) -> None:
        """Queue what somebody waits for; with a time-out it is given up when its turn comes too late."""
        self._room(workspace).submit(task, urgent=True, timeout_ms=timeout_ms)

    def think(self, workspace: str, job: Job) -> None:
        """Queue what takes long, beside what the room answers."""
        self._room(workspace).think(job)

    def tell(self, workspace: str, task: Task) -> None:
        """Queue a task for which nobody waits."""
        self._room(workspace).submit(task, urgent=False)

    def warm(self, workspace: str) -> None:
        """Open a workspace before it is needed."""
        self._room(workspace).submit(lambda _: None, urgent=True)

    def close(self, seconds: float) -> None:
        """Let all rooms finish what was asked of them, at most so long together."""
        deadline = time.monotonic() + seconds
        for room in self._rooms.values():
            room.leave()
        for room in self._rooms.values():
            room.join(max(0.0, deadline - time.monotonic()))

    def _room(self, workspace: str) -> "Room":
        if workspace not in self._rooms:
            self._rooms[workspace] = Room(Path(workspace))
        return self._rooms[workspace]


class Room:
    """One workspace. Everything but `submit`, `leave` and `join` belongs to its own thread."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.memory: HostedMemory | None = None
        self.ended: OrderedDict[tuple[str, str], None] = OrderedDict()
        self.coming: OrderedDict[tuple[str, str], dt.datetime] = OrderedDict()
        self._tasks: queue.PriorityQueue[tuple[int, int, float, Task | None]] = queue.PriorityQueue()
        self._order = itertools.count()
        self._quiet = Quiet(root)
        self._thread = threading.Thread(target=self._live, name=f"memory {root}", daemon=True)
        self._thread.start()

    def submit(self, task: Task, *, urgent: bool, timeout_ms: int = 0) -> None:
        """Queue a task; with a time-out it is told so, and not done, when its turn comes too late."""
        late = time.monotonic() + timeout_ms / 1000 if timeout_ms else float("inf")
        self._tasks.put((0 if urgent else 1, next(self._order), late, task))

    def think(self, job: Job) -> None:
        """Queue what takes long; it begins when the index has been read as far as the room had begun to."""

        def begin(memory: Memory | Exception) -> None:
            if self.memory is not None:
                self.memory.wait(QUIET_SECONDS)
            job(memory)

        self._quiet.submit(begin)

    def leave(self) -> None:
        """End after everything queued."""
        self._quiet.leave()
        self._tasks.put((2, next(self._order), float("inf"), None))

    def join(self, seconds: float) -> None:
        """Wait for the end at most so long."""
        deadline = time.monotonic() + seconds
        self._thread.join(seconds)
        self._quiet.join(max(0.0, deadline - time.monotonic()))

    def opened(self) -> "HostedMemory":
        """
        The memory of this workspace, opened once; again after the folder had vanished.

        Raises:
            OpenClawMemoryError: It cannot be opened.
        """
        if self.memory is not None and not self.root.is_dir():
            self._shut()
        if self.memory is None:
            memory = HostedMemory.open(self.root)
            assert isinstance(memory, HostedMemory)
            memory.begin()
            self.memory = memory
        return self.memory

    def notice(self, session: str, run: str, now: dt.datetime) -> dt.datetime:
        """Note that a turn comes, which is its instant from then on, and return it; without a run nothing is noted."""
        if run:
            self.coming[session, run] = now
        if len(self.coming) > REMEMBERED_TURNS:
            self.coming.popitem(last=False)
        return now

    def noticed(self, session: str, run: str) -> dt.datetime | None:
        """Return when a turn was noticed, once; None when it was not."""
        return self.coming.pop((session, run), None)

    def is_repeated(self, session: str, run: str) -> bool:
        """Tell whether this turn was reported before, and note it; a turn without a run is always new."""
        if not run:
            return False
        key = (session, run)
        if key in self.ended:
            return True
        self.ended[key] = None
        if len(self.ended) > REMEMBERED_TURNS:
            self.ended.popitem(last=False)
        return False

    def _live(self) -> None:
        while True:
            _, _, late, task = self._tasks.get()
            if task is None:
                break
            try:
                self._do(task, late)
            except Exception:
                log.exception("a task of %s failed", self.root)
        self._shut()

    def _do(self, task: Task, late: float) -> None:
        if time.monotonic() > late:
            task(OpenClawMemoryError("memory was busy for too long; not begun, ask again"))
            return
        try:
            self.opened()
        except Exception as error:
            log.info("%s cannot be opened", self.root, exc_info=True)
            task(error)
            return
        task(self)

    def _shut(self) -> None:
        memory, self.memory = self.memory, None
        if memory is not None:
            memory.close()


class HostedMemory(Memory):
    """
    The memory of one workspace inside a host that must not wait.

    `catch_up` reads what changed when that is little; a large change is read by a thread of its own, with a connection
    of its own, and until then it raises, so that callers go on with what there is.
    """

    _seen: list[FileState] | None = None
    """The files as the last complete sync found them; None before the first."""
    _working: threading.Thread | None = None
    _embedding: threading.Thread | None = None
    _last = SyncReport()
    _failed: str | None = None
    """Why the last reading in the background came to nothing."""
    _prepared: QuietWork | Exception | None = None
    patient = False

    def __init__(self, workspace: Workspace, config: Config, index: Index, plugins: Plugins) -> None:
        super().__init__(workspace, config, index, plugins)
        self._foreseen: OrderedDict[RecallRequest, tuple[object, Recalled | None]] = OrderedDict()
        """Answers to what is about to be asked, each with the state of memory that gave it."""

    def foresee(self, turn: Turn) -> None:
        """Bring the index up to date and have an answer ready for this turn's start, which may come or not."""
        request = asked(self, turn)
        if request is None:
            return
        self.freshen(turn.now)
        state = self._state
        self._foreseen[request] = (state, super().answer(request))
        if len(self._foreseen) > FORESEEN:
            self._foreseen.popitem(last=False)

    def answer(self, request: RecallRequest) -> Recalled:
        """Give the engine's own answer: one that was foreseen, once, unless memory has changed since."""
        state, answer = self._foreseen.pop(request, (None, None))
        return answer if answer is not None and state == self._state else super().answer(request)

    @property
    def _state(self) -> object:
        return self.index.version, self.patient

    def catch_up(self, *, now: dt.datetime | None = None, progress: Progress | None = None) -> SyncReport:
        """
        Bring the index up to date as far as that is quick.

        Raises:
            IndexUnavailableError: A large change is still being read, or could not be.
        """
        if not self.settle(GRACE_SECONDS):
            raise IndexUnavailableError("memory is still being indexed")
        files = self.workspace.scan()
        if files == self._seen and not _is_recent(files):
            return self._last
        changed = set(files).difference(self._seen or ())
        if self._seen is None or len(changed) > SMALL_FILES or sum(state.size for state in changed) > SMALL_BYTES:
            self.begin()
            if not self.settle(GRACE_SECONDS):
                raise IndexUnavailableError("memory is still being indexed")
            if self._failed is not None:
                raise IndexUnavailableError(self._failed)
            return self._last
        self._last = super().catch_up(now=now, progress=progress)
        self._seen = files
        if self._last.updated:
            self.begin_vectors()
        return self._last

    def heartbeat_after(self, prepared: QuietWork | Exception, beat: Heartbeat) -> tuple[list[Note], list[str]]:
        """Let all plugins use a quiet moment of which the long work is done, or has failed."""
        self._prepared = prepared
        return self.heartbeat(beat)

    def quiet_work(self, *, scheduled: bool, heard: bool, now: dt.datetime) -> QuietWork:
        """Give what was prepared, once."""
        prepared, self._prepared = self._prepared, None
        if isinstance(prepared, Exception):
            raise prepared
        return prepared or super().quiet_work(scheduled=scheduled, heard=heard, now=now)

    def begin(self) -> None:
        """Start to bring the index up to date in the background."""
        working = threading.Thread(target=self._read_all, name="memory index", daemon=True)
        working.start()
        self._working = working

    def wait(self, seconds: float) -> None:
        """Wait at most so long for the background; any thread may."""
        if (working := self._working) is not None:
            working.join(seconds)

    def settle(self, seconds: float) -> bool:
        """Wait at most so long for the background; tell whether nothing is going on there."""
        if self._working is not None:
            self._working.join(seconds)
            if self._working.is_alive():
                return False
            self._working = None
        return True

    def _read_all(self) -> None:
        workspace = Workspace(root=self.workspace.root, zone=self.workspace.zone, extra=self.workspace.extra)
        try:
            files = workspace.scan()
            index = open_index(workspace, self.config)
            try:
                self._last = index.sync(dt.datetime.now(dt.UTC))
            finally:
                index.close()
            self._seen = files
            self._failed = None
            self.begin_vectors()
        except Exception as error:
            self._failed = str(error) or type(error).__name__
            log.warning("the index is behind: %s", error)

    def begin_vectors(self) -> None:
        """Start to make missing vectors in the background, where somebody makes any; recalls use them from then on."""
        if self.embedder is None or (self._embedding is not None and self._embedding.is_alive()):
            return
        self._embedding = threading.Thread(target=self._embed_all, name="memory vectors", daemon=True)
        self._embedding.start()

    def _embed_all(self) -> None:
        workspace = Workspace(root=self.workspace.root, zone=self.workspace.zone, extra=self.workspace.extra)
        try:
            self.plugins.embed(["What loads now need not be waited for."])
            self.patient = True
            index = open_index(workspace, self.config)
            try:
                fill(index, self.plugins, self.embedder or "")
            finally:
                index.close()
        except Exception as error:
            log.warning("vectors are missing: %s", error)


def _is_recent(states: Iterable[FileState]) -> bool:
    """Tell whether a file changed so recently that a further change might have left the same time."""
    newest = max((state.mtime_ns for state in states), default=0)
    return time.time_ns() - newest < RACY_NS
