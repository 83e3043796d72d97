"""
What recall reads: hits by words, facts with their neighbours, entities by name, facts of a stretch of time.

Set-based statements whose rows are bounded; nothing here is proportional to the corpus but the word search itself.
Rows come back as tuples, because a recall meets hundreds of them.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import attrs

from openclaw_memory_plugin.index import vocabulary

REACH = 2
"""How many facts before and after a note come along as its neighbours; of a typed fact half as many."""

PLACES = 3
"""A fact stated in more places than these has no neighbours that tell anything about it."""

PER_ENTITY = 64
PER_WINDOW = 64
"""At most so many facts of one entity, and of a stretch of time, are taken without matching a word."""

TIED = 1000
"""So many hits are looked through when more are alike than are asked for."""

HITS = """
SELECT rowid, bm25(words) AS rank
FROM words
WHERE words MATCH :match
ORDER BY bm25(words), rowid
LIMIT :limit
"""
_FITTING = """f.salience >= :salience
  AND f.archived <= :archived
  AND f.private <= :private
  AND (:task IS NULL OR f.task = :task AND NOT f.superseded)
  AND (:kinds IS NULL OR f.kind IN (SELECT value FROM json_each(:kinds)))
  AND (:since IS NULL OR f.last_seen >= :since OR f.valid_to >= :since)
  AND (:until IS NULL OR f.timestamp <= :until OR f.valid_from <= :until)
  AND (:about = 0 OR :about = (
    SELECT COUNT(*)
    FROM mentions
    WHERE seq = f.seq
      AND entity_id IN (SELECT value FROM json_each(:entities))
  ))
"""
HITS_FITTING = f"""
SELECT w.rowid, bm25(words) AS rank
FROM words AS w
CROSS JOIN facts AS f ON f.seq = w.rowid
WHERE words MATCH :match
  AND {_FITTING}
ORDER BY bm25(words), w.rowid
LIMIT :limit
"""
HITS_WITHIN = f"""
SELECT w.rowid, bm25(words) AS rank
FROM words AS w
CROSS JOIN facts AS f ON f.seq = w.rowid
WHERE words MATCH :match
  AND (f.timestamp <= :last AND f.last_seen >= :first OR f.valid_from <= :last AND f.valid_to >= :first)
  AND {_FITTING}
ORDER BY bm25(words), w.rowid
LIMIT :limit
"""
BY_ID = "SELECT seq FROM facts WHERE seq IN (SELECT value FROM json_each(:seqs)) ORDER BY id LIMIT :limit"
FITTING = f"SELECT f.seq FROM facts AS f WHERE f.seq IN (SELECT value FROM json_each(:seqs)) AND {_FITTING}"
ABOUT_ALL = f"""
SELECT f.seq
FROM mentions AS m
CROSS JOIN facts AS f ON f.seq = m.seq
WHERE m.entity_id = :entity
  AND {_FITTING}
ORDER BY m.recency DESC, m.seq DESC
LIMIT :limit
"""
_NEWEST = "ORDER BY f.timestamp DESC, f.id LIMIT :limit"
NEWEST_FITTING = f"SELECT f.seq FROM facts AS f WHERE {_FITTING} {_NEWEST}"
NEWEST_WITHIN = f"SELECT f.seq FROM facts AS f WHERE f.timestamp BETWEEN :first AND :last AND {_FITTING} {_NEWEST}"
WITHIN = """
SELECT seq
FROM (
  SELECT seq
  FROM facts
  WHERE timestamp BETWEEN :first AND :last
  ORDER BY timestamp, seq
  LIMIT :limit
)
UNION
SELECT seq
FROM (
  SELECT seq
  FROM facts
  WHERE valid_to IS NOT NULL
    AND valid_to >= :first
    AND valid_from <= :last
  ORDER BY valid_to, valid_from, seq
  LIMIT :limit
)
ORDER BY seq
LIMIT :limit
"""
OF_ENTITY = """
SELECT newest.seq
FROM (
  SELECT seq, recency
  FROM mentions
  WHERE entity_id = :entity
  ORDER BY recency DESC, seq DESC
  LIMIT :scanned
) AS newest
CROSS JOIN facts AS f ON f.seq = newest.seq
WHERE :kind IS NULL OR f.kind = :kind
ORDER BY newest.recency DESC, newest.seq DESC
LIMIT :limit
"""
PLACED = """
SELECT o.file_id, o.pos, f.kind = 'note'
FROM json_each(:seqs) AS s
CROSS JOIN facts AS f ON f.seq = s.value
CROSS JOIN occurrences AS o ON o.seq = s.value
WHERE :places >= (
  SELECT COUNT(*)
  FROM (
    SELECT 1
    FROM occurrences AS i
    WHERE i.seq = s.value
    LIMIT :places + 1
  )
)
"""
_ROW = """f.seq, f.id, f.kind, f.content, f.language, f.timestamp, f.last_seen, f.valid_from, f.valid_to, f.salience,
  f.private, f.archived, f.superseded, f.noise, f.task, f.provenance, o.file_id, o.pos, o.section_id,
  o.attributes"""
AROUND = f"""
SELECT {_ROW}
FROM json_each(:ranges) AS r
CROSS JOIN occurrences AS o
  ON o.file_id = json_extract(r.value, '$[0]')
  AND o.pos BETWEEN json_extract(r.value, '$[1]') AND json_extract(r.value, '$[2]')
CROSS JOIN facts AS f ON f.seq = o.seq
"""
ALONE = f"""
SELECT {_ROW}
FROM json_each(:seqs) AS s
CROSS JOIN facts AS f ON f.seq = s.value
CROSS JOIN occurrences AS o
  ON (o.file_id, o.pos) = (
    SELECT file_id, pos
    FROM occurrences
    WHERE seq = f.seq
    ORDER BY file_id, pos
    LIMIT 1
  )
"""
HEADINGS = "SELECT section_id, heading FROM sections WHERE section_id IN (SELECT value FROM json_each(:sections))"
MENTIONED = """
SELECT m.seq, m.entity_id, m.role
FROM mentions AS m
WHERE m.seq IN (SELECT value FROM json_each(:seqs))
"""
NAMED = """
SELECT id, key, key, fact_count, inferred, EXISTS (SELECT 1 FROM aliases WHERE entity_id = entities.id)
FROM entities
WHERE key IN (SELECT value FROM json_each(:keys))
UNION
SELECT e.id, a.key, e.key, e.fact_count, e.inferred, 1
FROM aliases AS a
JOIN entities AS e ON e.id = a.entity_id
WHERE a.key IN (SELECT value FROM json_each(:keys))
"""
LANGUAGES = "SELECT DISTINCT language FROM files ORDER BY language"


class Row(NamedTuple):
    """A fact at one of its places."""

    seq: int
    id: str
    kind: str
    content: str
    language: str
    timestamp: str | None
    last_seen: str | None
    valid_from: str | None
    valid_to: str | None
    salience: float
    private: int
    archived: int
    superseded: int
    noise: int
    task: str | None
    provenance: str
    file_id: int
    pos: int
    section_id: int
    attributes: str | None


class Named(NamedTuple):
    """An entity that a name stands for."""

    id: int
    written: str
    """The key under which it was found: its own or an alias."""
    key: str
    facts: int
    inferred: int
    aliased: int
    """Whether it has other names."""


@attrs.frozen(kw_only=True)
class Scope:
    """Which facts may be an answer at all."""

    salience: float = 0.0
    archived: bool = False
    private: bool = True
    task: str | None = None
    """State of a task; one that was struck out has none."""
    kinds: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    entities: tuple[int, ...] = ()
    """Ids; a fact must mention all of them."""

    @property
    def narrow(self) -> bool:
        """Tell whether it leaves out more than what is archived or private."""
        return bool(self.salience or self.task or self.kinds or self.since or self.until or self.entities)

    def parameters(self) -> dict[str, object]:
        """Return the values of the statements' parameters."""
        return {
            "salience": self.salience,
            "archived": int(self.archived),
            "private": int(self.private),
            "task": self.task,
            "kinds": json.dumps(self.kinds) if self.kinds else None,
            "since": self.since,
            "until": self.until,
            "about": len(self.entities),
            "entities": json.dumps(self.entities),
        }


class Reader:
    """Reads of one recall over one connection; writes nothing."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def size(self) -> tuple[int, float]:
        """Return how many facts there are and how many terms one has on average, as the word index knows it."""
        return vocabulary.size(self._db)

    def languages(self) -> tuple[str, ...]:
        """Return the languages of the files."""
        return tuple(row[0] for row in self._db.execute(LANGUAGES)) or ("en",)

    def counts(self, terms: Iterable[str]) -> dict[str, int]:
        """Return in how many facts each term occurs; terms that do not occur are left out."""
        return vocabulary.counts(self._db, terms)

    def beginning(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        """Return terms that begin with `prefix`, with their counts, in alphabetical order."""
        return vocabulary.beginning(self._db, prefix, limit)

    def within_long(self, part: str, limit: int) -> list[str]:
        """Return terms of long words, backwards as they stand there, that hold `part`; O(long words), bounded."""
        return vocabulary.within_long(self._db, part, limit)

    def hits(self, match: str, scope: Scope, limit: int) -> list[int]:
        """
        Return the facts in `scope` that match best, best first.

        Asks the word index alone first; only when that leaves too few are the facts' own columns asked too, so an
        exact match is found however many others stand before it.
        """
        if not match:
            return []
        if not scope.narrow:
            rows, whole = self._ranked(HITS, {"match": match}, limit)
            kept = self.fitting([row[0] for row in rows], scope)
            fitting = [row for row in rows if row[0] in kept]
            if whole or len(fitting) >= limit:
                return self._cut(fitting, limit)
        rows, _ = self._ranked(HITS_FITTING, scope.parameters() | {"match": match}, limit)
        return self._cut(rows, limit)

    def _ranked(self, statement: str, values: dict[str, object], limit: int) -> tuple[list[tuple[int, float]], bool]:
        """Return twice as many hits as asked for, or more when those are all alike, and whether that is all."""
        size = 2 * limit
        rows = self._db.execute(statement, values | {"limit": size}).fetchall()
        if len(rows) == size and rows[-1][1] == rows[limit - 1][1]:
            size = TIED
            rows = self._db.execute(statement, values | {"limit": size}).fetchall()
        return rows, len(rows) < size

    def _cut(self, rows: Sequence[tuple[int, float]], limit: int) -> list[int]:
        """Return the first hits; of equals at the cut those with lower ids, whatever the order of reading."""
        if len(rows) <= limit or rows[limit][1] > rows[limit - 1][1]:
            return [row[0] for row in rows[:limit]]
        edge = rows[limit - 1][1]
        sure = [row[0] for row in rows if row[1] < edge]
        tied = json.dumps([row[0] for row in rows if row[1] == edge])
        return sure + [row[0] for row in self._db.execute(BY_ID, {"seqs": tied, "limit": limit - len(sure)})]

    def hits_within(self, match: str, scope: Scope, first: str, last: str, limit: int) -> list[int]:
        """Return the best matches recorded or holding between two days."""
        if not match:
            return []
        values = scope.parameters() | {"match": match, "first": first, "last": last, "limit": limit}
        return [row[0] for row in self._db.execute(HITS_WITHIN, values)]

    def fitting(self, seqs: Sequence[int], scope: Scope) -> set[int]:
        """Return those of `seqs` that may be an answer."""
        return {row[0] for row in self._db.execute(FITTING, scope.parameters() | {"seqs": json.dumps(seqs)})}

    def newest(self, scope: Scope, limit: int) -> list[int]:
        """Return the newest facts in scope, whatever they say."""
        values = scope.parameters() | {"limit": limit}
        if scope.entities:
            return [row[0] for row in self._db.execute(ABOUT_ALL, values | {"entity": scope.entities[0]})]
        return [row[0] for row in self._db.execute(NEWEST_FITTING, values)]

    def within(self, first: str, last: str) -> list[int]:
        """Return facts recorded or holding between two days, and one more than `PER_WINDOW` when there are more."""
        return [row[0] for row in self._db.execute(WITHIN, {"first": first, "last": last, "limit": PER_WINDOW + 1})]

    def newest_within(self, scope: Scope, first: str, last: str, limit: int) -> list[int]:
        """Return the newest facts recorded between two days, whatever they say."""
        values = scope.parameters() | {"first": first, "last": last, "limit": limit}
        return [row[0] for row in self._db.execute(NEWEST_WITHIN, values)]

    def of_entity(self, entity: int, kind: str | None = None) -> list[int]:
        """Return the newest facts that mention an entity, all or of one kind."""
        values = {"entity": entity, "kind": kind, "scanned": PER_ENTITY * (8 if kind else 1), "limit": PER_ENTITY}
        return [row[0] for row in self._db.execute(OF_ENTITY, values)]

    def around(self, seqs: Sequence[int]) -> list[Row]:
        """Return the facts `seqs` at each of their places, with up to `REACH` facts before and after."""
        ranges = []
        for file_id, pos, untyped in self._db.execute(PLACED, {"seqs": json.dumps(seqs), "places": PLACES}):
            reach = REACH if untyped else REACH // 2
            ranges.append((file_id, max(0, pos - reach), pos + reach))
        rows = map(Row._make, self._db.execute(AROUND, {"ranges": json.dumps(_merged(ranges))}))
        return list(rows)

    def alone(self, seqs: Sequence[int]) -> list[Row]:
        """Return the facts `seqs`, each at one of its places."""
        return list(map(Row._make, self._db.execute(ALONE, {"seqs": json.dumps(seqs)})))

    def headings(self, sections: Iterable[int]) -> dict[int, str]:
        """Return the heading paths of sections as text."""
        rows = self._db.execute(HEADINGS, {"sections": json.dumps(list(sections))})
        return {row[0]: " ".join(json.loads(row[1])) for row in rows}

    def mentioned(self, seqs: Sequence[int]) -> dict[int, dict[int, int]]:
        """Return whom facts mention: seq -> entity id -> role."""
        found: dict[int, dict[int, int]] = {}
        for seq, entity, role in self._db.execute(MENTIONED, {"seqs": json.dumps(seqs)}):
            found.setdefault(seq, {})[entity] = role
        return found

    def named(self, keys: Iterable[str]) -> list[Named]:
        """Return the entities that have one of these keys as name or alias, by key."""
        rows = self._db.execute(NAMED, {"keys": json.dumps(list(keys))})
        return sorted(map(Named._make, rows), key=lambda named: (named.written, named.key))


def _merged(ranges: Iterable[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Return ranges of places without overlaps."""
    merged: list[tuple[int, int, int]] = []
    for file_id, low, high in sorted(ranges):
        if merged and merged[-1][0] == file_id and low <= merged[-1][2] + 1:
            merged[-1] = (file_id, merged[-1][1], max(high, merged[-1][2]))
        else:
            merged.append((file_id, low, high))
    return merged
