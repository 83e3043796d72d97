"""What of a fact can be found by words: the one place that decides it, for writing and for taking back."""

import sqlite3
import zlib
from typing import TYPE_CHECKING

from openclaw_memory_plugin.index.places import stated
from openclaw_memory_plugin.words import joined_terms

if TYPE_CHECKING:
    from openclaw_memory_plugin.index.merge import Merged
    from openclaw_memory_plugin.markdown.nouns import Statement

LEARN_WORDS = "INSERT INTO words (rowid, terms) VALUES (?, ?)"
MERGE_WORDS = "INSERT INTO words (words) VALUES ('optimize')"


def terms_of(fact: "Merged | Statement", language: str) -> str:
    """
    Return the terms under which a fact is found, joined by blanks.

    Names before the colon always count, for the text itself need not repeat them; marks, runs and tags where the text
    does not show them, because they stand in what is struck out. Depends on its arguments alone: the index calls it
    again to forget a fact, and it must say the same then. Whoever changes it raises `store.VERSION`.
    """
    content = fact.content
    parts = [content, *fact.heads, *(word for word in (*fact.marks, *fact.runs, *fact.tags) if word not in content)]
    return joined_terms(" ".join(parts), language)


def refill_words(connection: sqlite3.Connection) -> None:
    """Fill `words` anew from the facts; O(facts)."""
    connection.execute("INSERT INTO words (words) VALUES ('delete-all')")
    seqs = [row[0] for row in connection.execute("SELECT seq FROM facts ORDER BY seq")]
    for start in range(0, len(seqs), 500):
        facts = stated(connection, seqs[start : start + 500])
        texts = [(seq, terms_of(fact, fact.language)) for seq, fact in facts.items()]
        connection.executemany(LEARN_WORDS, texts)
        connection.executemany(
            "UPDATE facts SET words_check = ? WHERE seq = ?", ((zlib.crc32(text.encode()), seq) for seq, text in texts)
        )
