"""Read the graph of entities: who shares facts with whom, in rows whose number does not depend on the corpus."""

import datetime as dt
import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import attrs

FACTS_PER_ENTITY = 64
"""Of each entity at most so many facts, the most recent ones, are walked."""

FACTS_PER_HOP = 96
"""At most so many facts are walked in one hop, divided among the entities that hand on."""

NEIGHBOURS_PER_ENTITY = 24
"""Of each entity so many neighbours, the closest, are told."""

ENTITIES_PER_FACT = 32
"""A fact that names more is a list of everything and connects nothing."""

HUB_FACTS = 30
HUB_SHARE = 0.05
"""An entity in at least this share of all facts, and in at least `HUB_FACTS`, is a hub."""

INFERRED = 0.5
"""What a name that was only guessed counts, against one that somebody marked."""

ENTITIES = """
SELECT id, key, name, fact_count, idf_weight, inferred
FROM entities
WHERE key IN (SELECT value FROM json_each(:keys))
"""

NEIGHBOURS = """
SELECT e.id, e.key, shared.facts * e.idf_weight * (1 - e.inferred * :guessed) AS weight, e.fact_count
FROM (
  SELECT m.entity_id, COUNT(*) AS facts
  FROM (
    SELECT seq
    FROM mentions
    WHERE entity_id = :entity
    ORDER BY recency DESC, seq DESC
    LIMIT :facts
  ) AS newest
  CROSS JOIN facts AS f ON f.seq = newest.seq
  CROSS JOIN mentions AS m ON m.seq = newest.seq
  WHERE f.archived <= :archived
    AND f.private <= :private
    AND m.entity_id <> :entity
    AND NOT EXISTS (
      SELECT 1
      FROM mentions
      WHERE seq = newest.seq
      LIMIT 1 OFFSET :entities
    )
  GROUP BY m.entity_id
) AS shared
CROSS JOIN entities AS e ON e.id = shared.entity_id
ORDER BY weight DESC, e.key
LIMIT :neighbours
"""

NEWEST = """
SELECT newest.seq, newest.role = 0
FROM (
  SELECT seq, role, recency
  FROM mentions
  WHERE entity_id = :entity
  ORDER BY recency DESC, seq DESC
  LIMIT :facts
) AS newest
CROSS JOIN facts AS f ON f.seq = newest.seq
WHERE f.archived <= :archived
  AND f.private <= :private
  AND NOT EXISTS (
    SELECT 1
    FROM mentions
    WHERE seq = newest.seq
    LIMIT 1 OFFSET :entities
  )
ORDER BY newest.recency DESC, newest.seq DESC
"""

MEMBERS = """
SELECT m.seq, e.id, e.key, e.name, e.fact_count, e.idf_weight, e.inferred
FROM mentions AS m
CROSS JOIN entities AS e ON e.id = m.entity_id
WHERE m.seq IN (SELECT value FROM json_each(:seqs))
  AND NOT EXISTS (
    SELECT 1
    FROM mentions
    WHERE seq = m.seq
    LIMIT 1 OFFSET :entities
  )
  AND (e.fact_count < :hub OR e.key IN (SELECT value FROM json_each(:named)))
ORDER BY m.seq, e.key
"""


def recency(last_seen: dt.date | None, fact_id: str) -> int:
    """
    Return what orders the facts of one entity: later days are greater, within a day lower ids are greater.

    Stored with every mention, so that the newest facts of an entity are the end of an index range. Depends on the
    fact alone, never on the order in which files were read; undated facts come last.
    """
    day = last_seen.toordinal() if last_seen else 0
    return (day << 24) | (0xFFFFFF - int(fact_id[:6], 16))


class Node(NamedTuple):
    """An entity of the graph; a tuple because a walk meets hundreds of them."""

    id: int
    key: str
    name: str
    facts: int
    """In how many facts it is mentioned."""
    idf: float
    inferred: int

    @property
    def rarity(self) -> float:
        """Return its weight in (0, 1]: a hub's is low, and half when the name is only inferred."""
        return self.idf * INFERRED if self.inferred else self.idf


@attrs.define(kw_only=True)
class Graph:
    """
    The graph as one recall sees it; remembers what it has read, so each recall uses a new one.

    Hubs take no part unless they are among `named`.
    """

    connection: sqlite3.Connection
    total: int
    """Facts in the index."""
    named: frozenset[str] = frozenset()
    """Keys of the entities that the query asks for."""
    archived: bool = False
    private: bool = True
    silent: set[str] = attrs.field(factory=set, init=False)
    """Keys of the hubs met that take no part."""
    _hub: float = attrs.field(init=False)
    _scope: dict[str, int | float | str] = attrs.field(init=False)
    _ids: dict[str, int | None] = attrs.field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        self._hub = max(HUB_FACTS, HUB_SHARE * self.total)
        self._scope = {
            "hub": self._hub,
            "named": json.dumps(sorted(self.named)),
            "archived": self.archived,
            "private": self.private,
            "entities": ENTITIES_PER_FACT,
            "neighbours": NEIGHBOURS_PER_ENTITY,
            "guessed": 1 - INFERRED,
        }

    def nodes(self, keys: Iterable[str]) -> dict[str, Node]:
        """Return the entities of these keys that exist and take part."""
        wanted = list(keys)
        found = {}
        for row in self.connection.execute(ENTITIES, {"keys": json.dumps(wanted)}):
            node = Node(*row)
            takes_part = node.facts < self._hub or node.key in self.named
            self._ids[node.key] = node.id if takes_part else None
            if takes_part:
                found[node.key] = node
        return found

    def neighbours(self, keys: Sequence[str]) -> dict[str, dict[str, float]]:
        """
        Return who shares facts with each entity: key -> neighbour's key -> common facts times the neighbour's rarity.

        The entity's own rarity would be the same factor for all its neighbours and is left out. Hubs are told, and
        added to `silent`. Reads at most `FACTS_PER_ENTITY` facts an entity and `FACTS_PER_HOP` in all.
        """
        known = self._known(keys)
        each = min(FACTS_PER_ENTITY, FACTS_PER_HOP // max(1, len(known)))
        found = {}
        for key, entity in known.items():
            rows = self.connection.execute(NEIGHBOURS, self._scope | {"entity": entity, "facts": each}).fetchall()
            found[key] = {other: weight for _, other, weight, _ in rows}
            for other_id, other, _, count in rows:
                takes_part = count < self._hub or other in self.named
                self._ids[other] = other_id if takes_part else None
                if not takes_part:
                    self.silent.add(other)
        return found

    def newest(self, key: str, limit: int = FACTS_PER_ENTITY) -> dict[int, bool]:
        """Return the most recent facts of an entity that may be seen, latest first -> whether they are about it."""
        return {
            seq: bool(about)
            for entity in self._known([key]).values()
            for seq, about in self.connection.execute(NEWEST, self._scope | {"entity": entity, "facts": limit})
        }

    def members(self, seqs: Iterable[int]) -> dict[int, list[Node]]:
        """Return the entities of facts, by key, without those that take no part; none of a fact that lists many."""
        wanted = list(seqs)
        found: dict[int, list[Node]] = {seq: [] for seq in wanted}
        for seq, *row in self.connection.execute(MEMBERS, self._scope | {"seqs": json.dumps(wanted)}):
            node = Node(*row)
            self._ids[node.key] = node.id
            found[seq].append(node)
        return found

    def _known(self, keys: Iterable[str]) -> dict[str, int]:
        wanted = list(dict.fromkeys(keys))
        unknown = [key for key in wanted if key not in self._ids]
        if unknown:
            self._ids.update(dict.fromkeys(unknown))
            self.nodes(unknown)
        return {key: entity for key in wanted if (entity := self._ids[key]) is not None}
