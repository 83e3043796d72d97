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
