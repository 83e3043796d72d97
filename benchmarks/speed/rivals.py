"""The plain ways of doing the same, against which we are measured."""

import os
import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from benchmarks.speed.corpus import Row

TABLE = "CREATE VIRTUAL TABLE f USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2')"
TOP = "SELECT rowid, text FROM f WHERE f MATCH ? ORDER BY bm25(f) LIMIT 25"

BARE = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
print(connection.execute(sys.argv[3], (sys.argv[2],)).fetchall())
"""
"""What a script without any library does: open, ask, print."""


def insert(path: Path, facts: Sequence[Row]) -> None:
    """Index the texts alone, in one transaction."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.execute(TABLE)
    connection.executemany("INSERT INTO f (text) VALUES (?)", ((row.bullet[4:],) for row in facts))
    connection.commit()
    connection.close()


def expression(question: str) -> str:
    """Return the MATCH text for any of the words."""
    return " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))


def scan(root: Path) -> int:
    """List and stat every file below `root`."""
    count = 0
    with os.scandir(root) as entries:
        for entry in entries:
            if entry.is_dir():
                count += scan(Path(entry.path))
            else:
                entry.stat()
                count += 1
    return count
