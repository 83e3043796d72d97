"""
Link facts to entities: heads, marks and every known name in running text.

What a fact is linked to depends on the fact and on the names known in the whole workspace, never on the order in
which files were read. What a transaction makes stale is linked in it, or left in `stale_facts` and `stale_names` for a
later one.
"""

import itertools
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType
from typing import NamedTuple

from openclaw_memory_plugin.index.counts import display_name
from openclaw_memory_plugin.index.graph import recency
from openclaw_memory_plugin.index.holding import Holders
from openclaw_memory_plugin.index.linking import Names, normal
from openclaw_memory_plugin.index.merge import Merged, day_of, heard, load
from openclaw_memory_plugin.names import name_key

SUBJECT, MARK, NAMED, GUESSED = range(4)
"""Roles of a mention, the strongest first."""

FEW_NAMES = 300
"""From more changed names on, all facts are linked anew instead of asking for each name who holds it."""

BATCH = 500

ALL_NAMES = "SELECT key, name, heads + pages > 0, heads + marks + pages + links > 0 FROM names"
INTRODUCED = """
SELECT i.role, i.key, i.name, i.file_id, t.key
FROM introductions AS i
JOIN files AS f USING (file_id)
LEFT JOIN introductions AS t ON t.file_id = i.file_id AND t.role = 'title'
WHERE i.role <> 'link'
ORDER BY f.path, i.role, i.key, i.name
"""
STATED = """
SELECT facts.seq, facts.id, facts.content, facts.last_seen, o.attributes, t.key, o.day, f.path, o.pos
FROM facts
JOIN occurrences AS o ON o.seq = facts.seq
JOIN files AS f USING (file_id)
LEFT JOIN introductions AS t ON t.file_id = o.file_id AND t.role = 'title'
WHERE facts.seq IN (SELECT value FROM json_each(:seqs))
ORDER BY facts.seq, COALESCE(o.day, ''), f.path, o.pos
"""
LINKED = """
SELECT seq, entity_id, role, pos, recency
FROM mentions
WHERE seq IN (SELECT value FROM json_each(:seqs))
"""
COUNT = """
UPDATE entities
SET fact_count = fact_count + :more, idf_weight = idf(fact_count + :more)
WHERE id = :id
"""


class _Stated(NamedTuple):
    seq: int
    id: str
    content: str
    last_seen: str | None
    heads: tuple[str, ...]
    marks: tuple[str, ...]
    runs: tuple[str, ...]
    titles: tuple[str, ...]
    """Keys of the entity pages on which it stands."""


def leave_stale(connection: sqlite3.Connection, names: Iterable[str], facts: Iterable[int]) -> None:
    """Note what has to be linked anew, for the transaction that does."""
    connection.executemany("INSERT OR IGNORE INTO stale_names VALUES (?)", ((key,) for key in names))
    connection.executemany("INSERT OR IGNORE INTO stale_facts VALUES (?)", ((seq,) for seq in facts))


def link_stale(
    connection: sqlite3.Connection,
    names: Iterable[str],
    facts: Iterable[int],
    fresh: Mapping[int, tuple[str, Merged]] = MappingProxyType({}),
) -> int:
    """
    Link anew what was left stale, and more; return how many facts were looked at.

    Args:
        names, facts: keys and `seq` of what this transaction made stale.
        fresh: `seq` -> id and statement of facts that the caller knows; all others are read.
    """
    left = [row[0] for row in connection.execute("SELECT key FROM stale_names")]
    names = sorted({*names, *left})
    facts = {*facts, *(row[0] for row in connection.execute("SELECT seq FROM stale_facts"))}
    if not names and not facts:
        return 0
    linker = _Linker(connection, fresh)
    if names:
        linker.write_pages(names)
    (total,) = connection.execute("SELECT COUNT(*) FROM facts").fetchone()
    if len(names) > FEW_NAMES or len(facts) * 2 > total:
        seqs = [row[0] for row in connection.execute("SELECT seq FROM facts ORDER BY seq")]
    else:
        seqs = sorted(facts.union(Holders(connection).of(names)))
    for start in range(0, len(seqs), BATCH):
        linker.link(seqs[start : start + BATCH])
    linker.finish(names)
    connection.execute("DELETE FROM stale_names")
    connection.execute("DELETE FROM stale_facts")
    return len(seqs)


class _Linker:
    def __init__(self, connection: sqlite3.Connection, fresh: Mapping[int, tuple[str, Merged]]) -> None:
        self._db = connection
        self._fresh = fresh
        rows = connection.execute(ALL_NAMES).fetchall()
        self._names = Names(((row[0], row[1]) for row in rows), (row[0] for row in rows if row[2]))
        self._explicit = {row[0] for row in rows if row[3]}
        self._titles: dict[str, tuple[str, int]] = {}
        self._owners: dict[str, set[str]] = {}
        for role, key, name, file_id, title in connection.execute(INTRODUCED):
            if role == "title":
                self._titles.setdefault(key, (name, file_id))
            else:
                self._owners.setdefault(key, set()).add(title)
        self._ids: dict[str, int] = dict(connection.execute("SELECT key, id FROM entities"))
        self.is_first = connection.execute("SELECT 1 FROM mentions LIMIT 1").fetchone() is None
        """Nothing is linked yet."""
        self._more: dict[int, int] = {}

    def resolve(self, key: str) -> str:
        """Return the entity behind a name: a title is itself, an alias of exactly one page is that page's title."""
        if key in self._titles:
            return key
        owners = self._owners.get(key, ())
        return next(iter(owners)) if len(owners) == 1 else key

    def write_pages(self, names: Iterable[str]) -> None:
        """Make entities and aliases say what the pages say now."""
        for key in names:
            page = self._titles.get(key)
            if page is not None:
                self._db.execute(
                    "UPDATE entities SET name = ?, file_id = ?, inferred = 0 WHERE id = ?",
                    (*page, self._entity(key)),
                )
            elif key in self._ids:
                self._db.execute(
                    "UPDATE entities SET name = ?, file_id = NULL, inferred = ? WHERE id = ?",
                    (display_name(self._db, key), key not in self._explicit, self._ids[key]),
                )
        wanted = {(key, self._entity(owner)) for key, owners in self._owners.items() for owner in owners}
        present = set(self._db.execute("SELECT key, entity_id FROM aliases"))
        self._db.executemany("DELETE FROM aliases WHERE key = ? AND entity_id = ?", present - wanted)
        self._db.executemany("INSERT INTO aliases VALUES (?, ?)", wanted - present)

    def link(self, seqs: Sequence[int]) -> None:
        """Bring the mentions of these facts, and what entities count of them, up to date."""
        chosen = json.dumps(seqs)
        present: dict[int, dict[int, tuple[int, int, int]]] = {}
        if not self.is_first:
            for seq, entity, *rest in self._db.execute(LINKED, {"seqs": chosen}):
                present.setdefault(seq, {})[entity] = (rest[0], rest[1], rest[2])
        put: list[tuple[int, int, int, int, int]] = []
        drop: list[tuple[int, int]] = []
        for fact in self._stated(seqs):
            when = recency(day_of(fact.last_seen), fact.id)
            old = present.get(fact.seq, {})
            new: set[int] = set()
            for pos, (key, role) in enumerate(self._mentions(fact)):
                entity = self._entity(key)
                new.add(entity)
                if old.get(entity) != (role, pos, when):
                    put.append((fact.seq, entity, role, pos, when))
                if entity not in old:
                    self._more[entity] = self._more.get(entity, 0) + 1
            for entity in old.keys() - new:
                drop.append((fact.seq, entity))
                self._more[entity] = self._more.get(entity, 0) - 1
        self._db.executemany("DELETE FROM mentions WHERE seq = ? AND entity_id = ?", drop)
        self._db.executemany("INSERT OR REPLACE INTO mentions VALUES (?, ?, ?, ?, ?)", put)

    def finish(self, names: Iterable[str]) -> None:
        """Write the counts and drop entities that nothing mentions any more."""
        self._db.executemany(COUNT, ({"id": id, "more": more} for id, more in self._more.items() if more))
        touched = set(self._more) | {self._ids[key] for key in names if key in self._ids}
        self._db.executemany(
            "DELETE FROM entities WHERE id = ? AND fact_count = 0 AND file_id IS NULL"
            " AND NOT EXISTS (SELECT 1 FROM aliases WHERE entity_id = entities.id)",
            ((id,) for id in touched),
        )

    def _entity(self, key: str) -> int:
        found = self._ids.get(key)
        if found is None:
            name, file_id = self._titles.get(key) or (display_name(self._db, key), None)
            cursor = self._db.execute(
                "INSERT INTO entities (key, name, file_id, inferred) VALUES (?, ?, ?, ?)",
                (key, name, file_id, key not in self._explicit),
            )
            found = self._ids[key] = int(cursor.lastrowid or 0)
        return found

    def _stated(self, seqs: Sequence[int]) -> Iterator[_Stated]:
        unknown = []
        for seq in seqs:
            known = self._fresh.get(seq)
            if known is None:
                unknown.append(seq)
            else:
                id, fact = known
                titles = tuple(map(name_key, fact.titles))
                yield _Stated(seq, id, fact.content, fact.last_seen, fact.heads, fact.marks, fact.runs, titles)
        if unknown:
            yield from _read_back(self._db, json.dumps(unknown))

    def _mentions(self, fact: _Stated) -> list[tuple[str, int]]:
        """Return (entity key, role) of a fact, each entity once with its strongest role, strongest roles first."""
        roles: dict[str, int] = {}
        for head in fact.heads:
            key = name_key(head)
            if key:
                roles.setdefault(self.resolve(key), SUBJECT)
        for title in fact.titles:
            roles.setdefault(self.resolve(title), SUBJECT)
        found = self._names.find(fact.content)
        if found and not normal(fact.content)[: found[0].start].strip("\"'“”„«»‘’「『([@*_ "):
            roles.setdefault(self.resolve(found[0].key), SUBJECT)
        for mark in fact.marks:
            key = name_key(mark)
            if key:
                roles.setdefault(self.resolve(key), MARK)
        for run in fact.runs:
            of_run = self._names.of_run(run)
            if of_run is not None:
                roles.setdefault(self.resolve(of_run), MARK)
        for hit in found:
            roles.setdefault(self.resolve(hit.key), NAMED if hit.key in self._explicit else GUESSED)
        return sorted(roles.items(), key=lambda item: item[1])


def _read_back(connection: sqlite3.Connection, seqs: str) -> Iterator[_Stated]:
    """Yield facts with what all their places say about names, in order of `seq`."""
    rows_of_all = connection.execute(STATED, {"seqs": seqs})
    for (seq, id, content, last_seen), rows in itertools.groupby(rows_of_all, key=itemgetter(0, 1, 2, 3)):
        places = heard([(load(attributes), title) for _, _, _, _, attributes, title, *_ in rows], itemgetter(0))
        heads, marks, runs = (
            tuple(dict.fromkeys(value for said, _ in places for value in said.get(name, ())))
            for name in ("heads", "marks", "runs")
        )
        titles = tuple(dict.fromkeys(title for _, title in places if title))
        yield _Stated(seq, id, content, last_seen, heads, marks, runs, titles)
