"""
Do the same work on many things in copies of this process, which run ahead while this one takes the results.

A copy inherits what this process knows and gives back what can be pickled. It is no more than a help: where copying is
unsafe or fails, or a copy comes to harm, this process does the work itself.
"""

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

HELPERS = 2
"""Copies that are made; more wait for the process that takes their results."""

T = TypeVar("T")
R = TypeVar("R")


def can_help() -> bool:
    """
    Tell whether a copy has a processor of its own and can be made safely: nothing else runs in this process, and
    nobody else takes notice of the end of its children, whose numbers may then be those of strangers.
    """
    if sys.platform != "linux":
        return False
    import multiprocessing
    import signal

    if multiprocessing.current_process().daemon or signal.getsignal(signal.SIGCHLD) is not signal.SIG_DFL:
        return False
    with contextlib.suppress(OSError):
        return len(os.sched_getaffinity(0)) > 1 and len(os.listdir("/proc/self/task")) == 1
    return False


def work_ahead(work: Callable[[T], R], things: Sequence[T]) -> Iterator[R]:
    """Yield `work(thing)` of all things in order; close it to stop early. `can_help` has been asked."""
    helpers: list[tuple[ForkProcess, Connection]] = []
    done = 0
    try:
        with contextlib.suppress(EOFError, OSError, MemoryError):
            with _undisturbed():
                for number in range(HELPERS):
                    helpers.append(_start(work, things[number::HELPERS], [ours for _, ours in helpers]))
            while done < len(things):
                result = helpers[done % HELPERS][1].recv()
                done += 1
                yield result
        yield from map(work, things[done:])
    finally:
        for process, connection in helpers:
            connection.close()
            process.kill()
        for process, _ in helpers:
            process.join()


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """
    Let whoever wants to stop the program wait until copies are made and known here.

    In the midst of it an interrupt would be swallowed, or told by a copy, or leave a copy that nobody ends.
    """
    import signal

    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(
    work: Callable[[T], R], things: Sequence[T], others: "Sequence[Connection]"
) -> "tuple[ForkProcess, Connection]":
    import multiprocessing

    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=_help, args=(theirs, (ours, *others), work, things), daemon=True)
    process.start()
    theirs.close()
    return process, ours


def _help(
    connection: "Connection", inherited: "Sequence[Connection]", work: Callable[[T], R], things: Sequence[T]
) -> None:
    """
    Work in a copy until all is done, nobody listens any more, or something fails, which will fail and be told there.

    Whoever interrupts the program from a terminal means the other side.

    Args:
        inherited: The other side's ends: as long as a copy holds one, nobody is told that the other side died.
    """
    import gc
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))
    gc.disable()
    for end in inherited:
        end.close()
    with contextlib.suppress(Exception):
        for thing in things:
            connection.send(work(thing))
