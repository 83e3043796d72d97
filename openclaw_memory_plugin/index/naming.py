"""Whom a name stands for: one answer for recall, lists of facts, entities and merging; and which are in dispute."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import attrs

from openclaw_memory_plugin.names import name_key, slug
from openclaw_memory_plugin.words import content_words, match_expression

STANDS_FOR = """
SELECT e.id, e.key, e.name, e.file_id IS NOT NULL
FROM entities AS e
WHERE e.key = :key OR e.id IN (SELECT entity_id FROM aliases WHERE key = :key)
ORDER BY e.key
"""
MENTIONED = """
SELECT 1
FROM entities
WHERE fact_count > 0
  AND (key = :key OR id IN (SELECT entity_id FROM aliases WHERE key = :key))
LIMIT 1
"""
HOLDING = """
SELECT facts.seq
FROM words
JOIN facts ON facts.seq = words.rowid
WHERE words MATCH :match
  AND facts.archived = 0
ORDER BY facts.seq
"""
CLAIMED = """
SELECT i.key, i.name, i.role = 'title', f.path, t.key, t.name
FROM introductions AS i
JOIN files AS f USING (file_id)
JOIN introductions AS t ON t.file_id = i.file_id AND t.role = 'title'
WHERE i.role IN ('title', 'alias')
  AND (i.role = 'title' OR i.key <> t.key)
  AND i.key IN (
    SELECT key
    FROM introductions
    WHERE role IN ('title', 'alias')
    GROUP BY key
    HAVING COUNT(DISTINCT file_id) > 1
  )
ORDER BY i.key, i.role DESC, f.path, i.name
"""


LONGEST_TOLD = 80
"""Characters of a name in a sentence about it."""


@attrs.frozen(kw_only=True)
class Called:
    """Whom a name stands for."""

    written: str
    """The name as it was asked for."""
    id: int | None = None
    """Of the entity; None when it is nobody's, or only an alias of several."""
    key: str = ""
    name: str = ""
    candidates: tuple[str, ...] = ()
    """Names of the other entities that have it as an alias."""
    titled: bool = False
    """A page has this name as its title, which no alias takes away."""

    @property
    def ambiguous(self) -> bool:
        """Whether it cannot be told who is meant."""
        return bool(self.candidates) and not self.titled

    @property
    def trouble(self) -> str | None:
        """What somebody who asked for it has to know, in a sentence; None when it is plainly somebody's name."""
        written = self.written if len(self.written) <= LONGEST_TOLD else f"{self.written[:LONGEST_TOLD]}…"
        if not self.candidates and self.id is None:
            return f"no entity is called {written!r}, so nothing can be about it"
        if not self.ambiguous:
            return None
        only = "; only what says no more than that is meant" if self.id is not None else ""
        return f"{written!r} may be {' or '.join(self.candidates)}{only}; ask for one of them"


class Claim(NamedTuple):
    """A page that says a name to be its entity's."""

    name: str
    """As written there."""
    is_title: bool
    path: str
    title_key: str
    title: str


def whom(connection: sqlite3.Connection, name: str) -> Called:
    """
    Tell whom a name stands for, as facts are linked: the title of a page is that page, an alias of one page that page.

    An alias of several pages is none of them. What says it and no more is then an entity of its own, where there is
    such a fact.
    """
    key = name_key(name)
    rows = connection.execute(STANDS_FOR, {"key": key}).fetchall()
    own = next((row for row in rows if row[1] == key), None)
    others = [row for row in rows if row[1] != key]
    if len(others) == 1 and not (own and own[3]):
        own, others = others[0], []
    found = Called(written=name, candidates=tuple(row[2] for row in others))
    if own is None:
        return found
    return attrs.evolve(found, id=own[0], key=own[1], name=own[2], titled=bool(own[3]))


def unknown(connection: sqlite3.Connection, name: str, languages: Iterable[str]) -> str:
    """Say that nobody is called so, how many facts hold the words all the same, and how a name becomes known."""
    found: set[int] | None = None
    for word in content_words(name, languages):
        rows = connection.execute(HOLDING, {"match": match_expression([word])})
        holding = {row[0] for row in rows}
        found = holding if found is None else found & holding
    count = len(found or ())
    held = f", though {'1 fact holds' if count == 1 else f'{count} facts hold'} the word" if count else ""
    return (
        f"no entity is called {name!r}{held}; a name becomes known by a mark in a note (@{slug(name)} or [[{name}]]), "
        f"or by a page bank/entities/{slug(name)}.md"
    )


def is_mentioned(connection: sqlite3.Connection, name: str) -> bool:
    """Tell whether any fact mentions an entity that has this name or alias."""
    return connection.execute(MENTIONED, {"key": name_key(name)}).fetchone() is not None


def claimed(connection: sqlite3.Connection) -> dict[str, list[Claim]]:
    """Return the names that more than one page has as title or alias: key -> pages, those titled so first."""
    found: dict[str, list[Claim]] = {}
    for key, name, is_title, path, title_key, title in connection.execute(CLAIMED):
        claims = found.setdefault(key, [])
        if path not in (claim.path for claim in claims):
            claims.append(Claim(name, bool(is_title), path, title_key, title))
    return {key: claims for key, claims in found.items() if len(claims) > 1}


def rings(claims: Mapping[str, Iterable[Claim]]) -> Iterator[tuple[str, ...]]:
    """Yield the rings of pages each of which has the next one's title as an alias; each ring once, as title keys."""
    leads: dict[str, list[str]] = {}
    for key, pages in claims.items():
        if any(claim.is_title for claim in pages):
            for claim in pages:
                if not claim.is_title:
                    leads.setdefault(claim.title_key, []).append(key)
    done: set[str] = set()
    for start in sorted(leads):
        way, further = [start], [iter(leads[start])]
        while further:
            step = next(further[-1], None)
            if step is None:
                done.add(way.pop())
                further.pop()
            elif step in way:
                yield tuple(way[way.index(step) :])
            elif step not in done:
                way.append(step)
                further.append(iter(leads.get(step, ())))
