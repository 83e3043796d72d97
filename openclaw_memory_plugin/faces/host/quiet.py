"""Work of a workspace that takes long: a thread beside the room's, with a memory of its own, one job after another."""

import logging
import queue
import threading
from collections.abc import Callable
from pathlib import Path

from openclaw_memory_plugin.builtin import Memory
from openclaw_memory_plugin.plugins import Plugins

log = logging.getLogger(__name__)

Job = Callable[[Memory | Exception], None]
"""Called with a memory, or with the exception that kept it from opening; raises nothing."""


class Quiet:
    """
    Where one workspace thinks while its room goes on answering.

    The memory is opened for each job and knows no plugins: those belong to the room's thread.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def submit(self, job: Job) -> None:
        """Queue a job; the first one starts the thread."""
        self._jobs.put(job)
        if self._thread is None:
            # Known only once it runs: a signal may end the host in between, and what never ran cannot be joined.
            thread = threading.Thread(target=self._live, name=f"quiet {self._root}", daemon=True)
            thread.start()
            self._thread = thread

    def leave(self) -> None:
        """End after everything queued."""
        self._jobs.put(None)

    def join(self, seconds: float) -> None:
        """Wait for the end at most so long."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _live(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                self._do(job)
            except Exception:
                log.exception("work on %s failed", self._root)

    def _do(self, job: Job) -> None:
        try:
            memory = Memory.open(self._root, plugins=Plugins())
        except Exception as error:
            log.info("%s cannot be opened", self._root, exc_info=True)
            job(error)
            return
        with memory:
            job(memory)
