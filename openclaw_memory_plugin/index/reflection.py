"""
What reflection reads of the index: all standing facts in a narrow form, and the few that are written about whole.

Rows are named tuples and not attrs records: a reflection over 10,000 facts makes tens of thousands of them.
"""

import datetime as dt
import json
import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from openclaw_memory_plugin.words import Word, match_expression

STANDING = """
SELECT seq, id, kind, salience, confidence, timestamp, last_seen, valid_to, access_count, last_accessed_at,
  provenance, private, pinned, task, superseded, noise
FROM facts
WHERE archived = 0
ORDER BY seq
"""
CONTENTS = "SELECT seq, content FROM facts WHERE seq IN (SELECT value FROM json_each(:seqs))"
PLACES = """
SELECT o.seq, f.path, o.line, o.day, o.attributes
FROM occurrences AS o
JOIN files AS f USING (file_id)
WHERE o.seq IN (SELECT value FROM json_each(:seqs))
ORDER BY o.seq, COALESCE(instr(o.attributes, '"by":"untrusted"'), 0) > 0, COALESCE(o.day, '9999'), f.path, o.pos
"""
MARKED = """
SELECT DISTINCT o.seq
FROM occurrences AS o
JOIN facts USING (seq)
WHERE facts.archived = 0 AND (o.attributes LIKE '%"supports":%' OR o.attributes LIKE '%"contradicts":%')
ORDER BY o.seq
"""
TOUCHED = """
SELECT DISTINCT entity_id
FROM mentions
WHERE seq IN (SELECT value FROM json_each(:seqs))
"""
LINKS = """
SELECT entity_id, seq, role
FROM mentions
WHERE entity_id IN (SELECT value FROM json_each(:entities))
ORDER BY entity_id, seq
"""
SUBJECTS = """
SELECT m.seq, m.entity_id
FROM mentions AS m
WHERE m.role = 0 AND m.seq IN (SELECT value FROM json_each(:seqs))
ORDER BY m.seq, m.pos
"""
ALSO = """
SELECT seq, entity_id
FROM mentions
WHERE seq IN (SELECT value FROM json_each(:seqs))
"""
ENTITIES = """
SELECT e.id, e.key, e.name, f.path, e.inferred, e.fact_count, e.idf_weight
FROM entities AS e
LEFT JOIN files AS f USING (file_id)
"""
RENAMED = "SELECT old, new FROM renamed_ids"
LIKE = "SELECT seq FROM facts WHERE "
OBSERVED = """
SELECT DISTINCT m.entity_id
FROM facts
JOIN mentions AS m USING (seq)
WHERE facts.kind = 'observation' AND facts.last_seen >= :since AND m.role <= 1
"""
HOLDING = "SELECT rowid FROM words WHERE words MATCH :match"
DAYS = """
SELECT o.day, SUM(facts.kind = 'note' AND facts.noise = 0), SUM(facts.kind <> 'note'), MIN(f.path)
FROM occurrences AS o
JOIN facts USING (seq)
JOIN files AS f USING (file_id)
WHERE o.day >= :since AND o.day <= :until AND f.path LIKE 'memory/%'
GROUP BY o.day
ORDER BY o.day
"""
IDS = "SELECT id FROM facts"


class Standing(NamedTuple):
    """A fact that is not archived, without its text."""

    seq: int
    id: str
    kind: str
    salience: float
    confidence: float | None
    timestamp: str | None
    last_seen: str | None
    valid_to: str | None
    access_count: int
    last_accessed_at: str | None
    provenance: str
    private: int
    pinned: int
    task: str | None
    superseded: int
    noise: int


class Place(NamedTuple):
    """One place that states a fact."""

    seq: int
    path: str
    line: int
    day: str | None
    attributes: str | None
    """JSON, as `merge.load` reads it."""

    @property
    def where(self) -> str:
        """`path#L12`."""
        return f"{self.path}#L{self.line}"


class Known(NamedTuple):
    """An entity."""

    id: int
    key: str
    name: str
    page: str | None
    """Path of its page."""
    inferred: int
    fact_count: int
    idf_weight: float


def standing(connection: sqlite3.Connection) -> list[Standing]:
    """Return every fact that is not archived; O(facts), nothing but columns."""
    return list(map(Standing._make, connection.execute(STANDING)))


def contents(connection: sqlite3.Connection, seqs: Iterable[int]) -> dict[int, str]:
    """Return the statements of these facts."""
    return dict(connection.execute(CONTENTS, {"seqs": _list(seqs)}).fetchall())


def places(connection: sqlite3.Connection, seqs: Iterable[int]) -> dict[int, list[Place]]:
    """Return all places of these facts, the source first."""
    found: dict[int, list[Place]] = {}
    for row in connection.execute(PLACES, {"seqs": _list(seqs)}):
        place = Place._make(row)
        if place.seq in found:
            found[place.seq].append(place)
        else:
            found[place.seq] = [place]
    return found


def marked(connection: sqlite3.Connection) -> list[int]:
    """Return the facts that name others they support or contradict."""
    return [row[0] for row in connection.execute(MARKED)]


def touched(connection: sqlite3.Connection, seqs: Iterable[int]) -> set[int]:
    """Return the entities that these facts mention."""
    return {row[0] for row in connection.execute(TOUCHED, {"seqs": _list(seqs)})}


def links(connection: sqlite3.Connection, entities: Iterable[int]) -> dict[int, list[tuple[int, int]]]:
    """Return for each of these entities the facts that mention it, each with the role of the mention."""
    found: dict[int, list[tuple[int, int]]] = {}
    for entity, seq, role in connection.execute(LINKS, {"entities": _list(entities)}):
        found.setdefault(entity, []).append((seq, role))
    return found


def subjects(connection: sqlite3.Connection, seqs: Iterable[int]) -> dict[int, list[int]]:
    """Return the entities that these facts are about, in order."""
    found: dict[int, list[int]] = {}
    for seq, entity in connection.execute(SUBJECTS, {"seqs": _list(seqs)}):
        found.setdefault(seq, []).append(entity)
    return found


def mentioned(connection: sqlite3.Connection, seqs: Iterable[int]) -> dict[int, list[int]]:
    """Return all entities of these facts."""
    found: dict[int, list[int]] = {}
    for seq, entity in connection.execute(ALSO, {"seqs": _list(seqs)}):
        found.setdefault(seq, []).append(entity)
    return found


def entities(connection: sqlite3.Connection) -> dict[int, Known]:
    """Return all entities by id."""
    return {row[0]: Known._make(row) for row in connection.execute(ENTITIES)}


def renamed(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the present id for every id that an edit has replaced, chains followed."""
    step = dict(connection.execute(RENAMED).fetchall())
    found = {}
    for old in step:
        new, seen = step[old], {old}
        while new in step and new not in seen:
            seen.add(new)
            new = step[new]
        found[old] = new
    return found


def holding(connection: sqlite3.Connection, wanted: Iterable[str]) -> set[int]:
    """Return the facts with one of these terms, or with one that begins so where a * ends it."""
    plain = ((text.removesuffix("*"), text.endswith("*")) for text in wanted)
    words = tuple(Word(text=text, alternatives=(text,), prefix=prefix) for text, prefix in plain)
    return {row[0] for row in connection.execute(HOLDING, {"match": match_expression(words)})} if words else set()


def containing(connection: sqlite3.Connection, patterns: Iterable[str]) -> set[int]:
    """Return the facts of which the statement is like one of these patterns; looks at all statements."""
    wanted = list(patterns)
    like = " OR ".join(["content LIKE ?"] * len(wanted))
    return {row[0] for row in connection.execute(LIKE + like, wanted)} if wanted else set()


def observed(connection: sqlite3.Connection, since: str) -> set[int]:
    """Return the entities of which an observation was recorded since this day, archived or not."""
    return {row[0] for row in connection.execute(OBSERVED, {"since": since})}


def days(connection: sqlite3.Connection, since: dt.date, until: dt.date) -> list[tuple[str, int, int, str]]:
    """Return the days with daily logs: notes, typed facts, one of the files."""
    return [tuple(row) for row in connection.execute(DAYS, {"since": since.isoformat(), "until": until.isoformat()})]


def all_ids(connection: sqlite3.Connection) -> set[str]:
    """Return the ids of all facts, archived ones included."""
    return {row[0] for row in connection.execute(IDS)}


def _list(numbers: Iterable[int]) -> str:
    return json.dumps(sorted(numbers))
