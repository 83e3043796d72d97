"""The terms that the word index knows, and in how many facts each occurs: FTS5's own list of them, nothing on disk."""

import json
import sqlite3
from collections.abc import Iterable

LONG_WORDS = 50_000
"""So many long words of compounding languages are looked into for a part of them."""

OPEN = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words', 'row')"
COUNTED = "SELECT term, doc FROM temp.vocabulary WHERE term IN (SELECT value FROM json_each(:terms))"
BEGINNING = "SELECT term, doc FROM temp.vocabulary WHERE term >= :low AND term < :high ORDER BY term LIMIT :limit"
WITHIN_LONG = """
SELECT term
FROM (SELECT term FROM temp.vocabulary WHERE term >= '<' AND term < '=' ORDER BY term LIMIT :most)
WHERE instr(term, :part)
ORDER BY term
LIMIT :limit
"""
SIZE = "SELECT block FROM words_data WHERE id = 1"


def size(db: sqlite3.Connection) -> tuple[int, float]:
    """Return how many facts there are and how many terms one has on average."""
    row = db.execute(SIZE).fetchone()
    if row is None or not row[0]:
        return 0, 1.0
    count, at = _varint(row[0], 0)
    total, _ = _varint(row[0], at)
    return count, (total / count if count else 1.0) or 1.0


def counts(db: sqlite3.Connection, terms: Iterable[str]) -> dict[str, int]:
    """Return in how many facts each term occurs; terms that do not occur are left out."""
    db.execute(OPEN)
    return dict(db.execute(COUNTED, {"terms": json.dumps(list(terms))}).fetchall())


def beginning(db: sqlite3.Connection, prefix: str, limit: int) -> list[tuple[str, int]]:
    """Return terms that begin with `prefix`, with their counts, in alphabetical order."""
    db.execute(OPEN)
    high = prefix[:-1] + chr(ord(prefix[-1]) + 1)
    return db.execute(BEGINNING, {"low": prefix, "high": high, "limit": limit}).fetchall()


def within_long(db: sqlite3.Connection, part: str, limit: int) -> list[str]:
    """
    Return terms of long words, as `words` writes them: backwards behind `<`, that hold `part` anywhere.

    O(long words), of which at most `LONG_WORDS` are looked at.
    """
    db.execute(OPEN)
    values = {"part": part[::-1], "limit": limit, "most": LONG_WORDS}
    return [term for (term,) in db.execute(WITHIN_LONG, values)]


def _varint(block: bytes, at: int) -> tuple[int, int]:
    """Return the SQLite varint at an offset, and the offset behind it."""
    value = 0
    for length in range(9):
        byte = block[at + length]
        if length == 8:
            return (value << 8) | byte, at + 9
        value = (value << 7) | (byte & 0x7F)
        if byte < 0x80:
            return value, at + length + 1
    return value, at + 9
