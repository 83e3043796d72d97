"""What of a fact can be found by words: the one place that decides it, for writing and for taking back."""

import sqlite3
import zlib
from collections.abc import Sequence

from openclaw_memory_plugin.index.merge import Merged
from openclaw_memory_plugin.index.places import stated
from openclaw_memory_plugin.words import joined_terms

LEARN_WORDS = "INSERT INTO words (rowid, terms) VALUES (?, ?)"
MERGE_WORDS = "INSERT INTO words (words) VALUES ('optimize')"


class WordsDrift(Exception):
    """The terms of a fact are not those under which it was indexed: `words` has to be filled anew."""


def indexed_terms(
    *,
    content: str,
    heads: Sequence[str],
    marks: Sequence[str],
    tags: Sequence[str],
    day: str | None,
    language: str,
) -> str:
    """
    Return the terms under which a fact is found, joined by blanks.

    Depends on its arguments alone: the index calls it again to forget a fact, and it must say the same then. Whoever
    changes it raises `store.VERSION`.

    Args:
        heads: names before the colon, as written; the text itself need not repeat them.
        marks, tags: as written, without sign; only those that the text does not show itself add anything.
        day: first recorded day, YYYY-MM-DD.
    """
    parts = [content, *heads, *(word for word in (*marks, *tags) if word not in content)]
    return joined_terms(" ".join(parts), language)


def terms_of(fact: Merged) -> str:
    """Return the terms of a fact as its places state it."""
    return indexed_terms(
        content=fact.content,
        heads=fact.heads,
        marks=fact.marks,
        tags=fact.tags,
        day=fact.timestamp,
        language=fact.language,
    )


def refill_words(connection: sqlite3.Connection) -> None:
    """Fill `words` anew from the facts; O(facts)."""
    connection.execute("INSERT INTO words (words) VALUES ('delete-all')")
    seqs = [row[0] for row in connection.execute("SELECT seq FROM facts ORDER BY seq")]
    for start in range(0, len(seqs), 500):
        facts = stated(connection, seqs[start : start + 500])
        texts = [(seq, terms_of(fact)) for seq, fact in facts.items()]
        connection.executemany(LEARN_WORDS, texts)
        connection.executemany(
            "UPDATE facts SET words_check = ? WHERE seq = ?", ((zlib.crc32(text.encode()), seq) for seq, text in texts)
        )
