"""Show a person at a terminal how far something long has come."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

PATIENCE = 0.7
"""Seconds after which a person wants to see something move."""


@contextlib.contextmanager
def shown(what: str) -> Iterator[Callable[[int, int], None]]:
    """
    Give a callback for (done, to do) that draws a bar on standard error; nothing is drawn for what is quick, and
    nothing where nobody looks.
    """
    began = time.monotonic()
    bar: Any = None

    def show(done: int, to_do: int) -> None:
        nonlocal bar
        if bar is None and sys.stderr.isatty() and time.monotonic() - began > PATIENCE:
            from rich.console import Console
            from rich.progress import Progress

            bar = Progress(console=Console(file=sys.stderr), transient=True)
            bar.start()
            bar.add_task(what, total=to_do)
        if bar is not None:
            bar.update(bar.task_ids[0], completed=done, total=to_do)

    try:
        yield show
    finally:
        if bar is not None:
            bar.stop()
