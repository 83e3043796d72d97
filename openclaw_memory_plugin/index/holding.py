"""Ask the index who holds a name, also before it is one: the words of every fact are indexed, whatever they are."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from openclaw_memory_plugin.index.guessing import lower_words, prose
from openclaw_memory_plugin.index.linking import atoms_of, is_unspaced, normal
from openclaw_memory_plugin.words import STEMMERS, Word, fold, match_expression, stem

HOLDING_WORD = "SELECT rowid FROM words WHERE words MATCH ?"
NEWEST_HOLDING_WORD = """
SELECT facts.content
FROM words
JOIN facts ON facts.seq = words.rowid
WHERE words MATCH ?
ORDER BY words.rowid DESC
"""
EVERYTHING = "SELECT seq, content, attributes FROM facts JOIN occurrences USING (seq)"


class Holders:
    """Who holds which name, as of the open transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self._languages = [row[0] for row in connection.execute("SELECT DISTINCT language FROM files")]

    def of(self, keys: Sequence[str]) -> set[int]:
        """Return the `seq` of facts that may hold one of these names: all that do, and some that do not."""
        found: set[int] = set()
        scanned: list[str] = []
        for key in keys:
            word = distinctive(key, self._languages)
            if word is None:
                scanned.append(max(atoms_of(key) or (key,), key=len))
            else:
                found.update(row[0] for row in self._db.execute(HOLDING_WORD, (match_expression([word]),)))
        if scanned:
            found.update(self._scan(scanned))
        return found

    def in_lower_case(self, key: str) -> bool:
        """Tell whether a fact writes this word in lower case; quick when a new one does."""
        word = distinctive(key, self._languages) if key.isalpha() else None
        if word is None:
            return False
        rows = self._db.execute(NEWEST_HOLDING_WORD, (match_expression([word]),))
        return any(key in lower_words(prose(content)) for (content,) in rows if key in normal(content))

    def _scan(self, parts: list[str]) -> Iterator[int]:
        for seq, content, attributes in self._db.execute(EVERYTHING):
            text = normal(content + (attributes or "")).casefold()
            if any(part in text for part in parts):
                yield seq


def distinctive(key: str, languages: Iterable[str]) -> Word | None:
    """Return the word of a name by which `words` finds every fact that holds it, None when there is no such word."""
    if is_unspaced(key):
        run = max((part for part in atoms_of(key) if is_unspaced(part)), key=len)
        return Word(text=run[:2], alternatives=(run[:2],)) if len(run) > 1 else None
    atoms = [atom for atom in atoms_of(key) if atom.isalpha() and len(atom) > 1]
    if not atoms or "'" in key or "’" in key:
        return None
    word = fold(max(atoms, key=len))
    stems = (stem(word, language) for language in languages if language in STEMMERS)
    return Word(text=word, alternatives=tuple(dict.fromkeys((word, stem(word, "en"), *stems))))
