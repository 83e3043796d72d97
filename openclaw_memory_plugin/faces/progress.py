"""Show a person at a terminal that something long goes on."""

import contextlib
import sys
import threading
from collections.abc import Iterator

PATIENCE = 1.0
"""Seconds after which a person wants to see something move."""


@contextlib.contextmanager
def shown(what: str) -> Iterator[None]:
    """Show a moving bar on standard error while the body runs, from `PATIENCE` seconds on; nothing before."""
    done = threading.Event()
    bar = threading.Thread(target=_show, args=(what, done), daemon=True)
    bar.start()
    try:
        yield
    finally:
        done.set()
        bar.join()


def _show(what: str, done: threading.Event) -> None:
    if done.wait(PATIENCE):
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn(what), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as progress:
        progress.add_task(what, total=None)
        done.wait()
