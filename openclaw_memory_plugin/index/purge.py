"""Leave nothing of forgotten facts in the state folder: not in the journal, not in pages that SQLite no longer uses."""

import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from openclaw_memory_plugin.errors import IndexUnavailableError
from openclaw_memory_plugin.index.indexed import MERGE_WORDS
from openclaw_memory_plugin.index.journal import NAME

KNOWN_BY_ID = (
    "DELETE FROM parked_accesses WHERE id = ?",
    "DELETE FROM feedback WHERE id = ?",
    "DELETE FROM counted_turns WHERE id = ?",
    "DELETE FROM renamed_ids WHERE ? IN (old, new)",
)
FILE = "PRAGMA database_list"
EARLIER = "SELECT old FROM renamed_ids WHERE new = ? ORDER BY old"
JUDGED = "SELECT COALESCE(SUM(good), 0), COALESCE(SUM(bad), 0) FROM feedback"


def purge(connection: sqlite3.Connection, ids: Sequence[str]) -> None:
    """
    Erase from the file what a sync has deleted: word lists are merged, the file is written anew, its log is emptied.

    O(size of the index). Call it outside a transaction, after the sync that followed the change of Markdown.

    Raises:
        IndexUnavailableError: another process reads the index all the time.
    """
    try:
        for fact_id in ids:
            for statement in KNOWN_BY_ID:
                connection.execute(statement, (fact_id,))
        connection.execute(MERGE_WORDS)
        connection.execute("VACUUM")
        busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    except sqlite3.OperationalError as error:
        raise IndexUnavailableError(f"the index still holds what was erased from Markdown ({error})") from error
    if busy:
        raise IndexUnavailableError(
            "the index's log still holds what was erased from Markdown, because another process reads it"
        )


def erase_ids(folder: Path, ids: Sequence[str], *, but: str) -> None:
    """
    Overwrite these ids in the access journal and the notes beside it, all `but` one.

    It is done in place: others append to the journal meanwhile and remember how far they read.

    Raises:
        OSError: one of them cannot be written.
    """
    for path in (folder / NAME, *sorted(folder.glob("*.json"))):
        if path.name != but:
            _overwrite(path, ids)


def others_beside(connection: sqlite3.Connection, folder: Path) -> list[str]:
    """Index files of other versions in the state folder; they are not ours to change."""
    used = Path(connection.execute(FILE).fetchone()[2])
    return sorted(path.name for path in folder.glob("index*.sqlite") if not (used.exists() and path.samefile(used)))


def earlier_ids(connection: sqlite3.Connection, fact_id: str) -> tuple[str, ...]:
    """The ids that a fact had before small edits."""
    return tuple(row[0] for row in connection.execute(EARLIER, (fact_id,)))


def feedback(connection: sqlite3.Connection) -> tuple[int, int]:
    """How many recalled facts were judged good, and how many bad."""
    good, bad = connection.execute(JUDGED).fetchone()
    return int(good), int(bad)


def _overwrite(path: Path, ids: Sequence[str]) -> None:
    try:
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        return
    with open(descriptor, "r+b") as file:
        data = file.read()
        for fact_id in ids:
            wanted = fact_id.encode()
            at = data.find(wanted)
            while at >= 0:
                file.seek(at)
                file.write(b"0" * len(wanted))
                at = data.find(wanted, at + len(wanted))
        file.flush()
        os.fsync(descriptor)
