"""Read whole facts, entities and figures for people; recall has its own, narrower reads."""

import datetime as dt
import functools
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from openclaw_memory_hookspecs import Citation, Fact, Kind, Provenance
from openclaw_memory_plugin.errors import UsageError

if TYPE_CHECKING:
    from openclaw_memory_plugin.index.naming import Called
    from openclaw_memory_plugin.markdown.nouns import Defect

FACTS = """
SELECT seq, id, kind, content, timestamp, last_seen, valid_from, valid_to, salience, confidence, provenance, private,
  pinned, task, superseded, access_count, last_accessed_at
FROM facts
WHERE seq IN (SELECT value FROM json_each(:seqs))
"""
CITATIONS = """
SELECT o.seq, f.path, o.line, o.end_line, s.heading
FROM occurrences AS o
JOIN files AS f USING (file_id)
JOIN sections AS s ON s.section_id = o.section_id
WHERE o.seq IN (SELECT value FROM json_each(:seqs))
ORDER BY o.seq, COALESCE(instr(o.attributes, '"by":"untrusted"'), 0) > 0, COALESCE(o.day, '9999'), f.path, o.pos
"""
NAMED = """
SELECT m.seq, e.name
FROM mentions AS m
JOIN entities AS e ON e.id = m.entity_id
WHERE m.seq IN (SELECT value FROM json_each(:seqs))
ORDER BY m.seq, m.role, m.pos, e.key
"""
IN_ORDER = """
SELECT o.seq
FROM occurrences AS o
JOIN files AS f USING (file_id)
JOIN facts ON facts.seq = o.seq
WHERE archived <= :archived
GROUP BY o.seq
ORDER BY MIN(f.path || char(0) || printf('%09d', o.pos)), o.seq
"""
BY_PREFIX = "SELECT id, seq FROM facts WHERE id >= :low AND id < :high ORDER BY id LIMIT 6"
NEW_ID = "SELECT new FROM renamed_ids WHERE old = :id"
ENTITY = """
SELECT e.key, e.name, f.path, e.inferred, e.fact_count, e.idf_weight
FROM entities AS e
LEFT JOIN files AS f USING (file_id)
WHERE e.id = :id
"""
ALIASES = """
SELECT MIN(i.name)
FROM aliases AS a
JOIN entities AS e ON e.id = a.entity_id
JOIN introductions AS i ON i.role = 'alias' AND i.key = a.key
JOIN introductions AS t ON t.role = 'title' AND t.file_id = i.file_id AND t.key = e.key
WHERE a.entity_id = :id
GROUP BY a.key
ORDER BY a.key
"""
ABOUT = """
SELECT m.seq
FROM mentions AS m
JOIN facts AS f USING (seq)
WHERE m.entity_id = :id AND f.archived <= :archived
ORDER BY m.recency DESC, m.seq DESC
"""
CLOSEST = """
SELECT e.name, COUNT(*) AS shared, COUNT(*) * e.idf_weight AS weight
FROM mentions AS a
JOIN mentions AS b ON b.seq = a.seq AND b.entity_id <> a.entity_id
JOIN entities AS e ON e.id = b.entity_id
WHERE a.entity_id = :id
GROUP BY e.id
ORDER BY weight DESC, e.key
LIMIT :limit
"""
DEFECTS = """
SELECT f.path, d.line, d.message, d.remedy
FROM defects AS d
JOIN files AS f USING (file_id)
ORDER BY f.path, d.line, d.message, d.rowid
"""
FREQUENT = "SELECT name, fact_count FROM entities WHERE fact_count >= :least ORDER BY fact_count DESC, key LIMIT :limit"
FIGURES = {
    "files": "SELECT COUNT(*) FROM files",
    "facts": "SELECT COUNT(*) FROM facts",
    "archived": "SELECT COUNT(*) FROM facts WHERE archived",
    "citations": "SELECT COUNT(*) FROM occurrences",
    "entities": "SELECT COUNT(*) FROM entities",
    "inferred_entities": "SELECT COUNT(*) FROM entities WHERE inferred",
    "links": "SELECT COUNT(*) FROM mentions",
    "accessed_facts": "SELECT COUNT(*) FROM facts WHERE access_count > 0",
    "accesses": "SELECT COALESCE(SUM(access_count), 0) FROM facts",
    "defects": "SELECT COUNT(*) FROM defects",
}

BATCH = 500


@attrs.frozen(kw_only=True)
class FileDefect:
    """What could not be taken as written, and where."""

    path: str
    defect: "Defect"


@attrs.frozen(kw_only=True)
class Entity:
    """Somebody or something that facts are about."""

    name: str
    key: str
    aliases: tuple[str, ...] = ()
    """Its other names, as its page writes them."""
    page: str | None = None
    """Path of its page in `bank/entities/`."""
    inferred: bool = False
    """Only guessed from capitals."""
    fact_count: int = 0
    idf_weight: float = 1.0
    facts: tuple[Fact, ...] = ()
    """Newest first."""
    closest: tuple[tuple[str, int], ...] = ()
    """Names of entities that share facts with it, and how many; closest first."""
    candidates: tuple[str, ...] = ()
    """Names of other entities that the name asked for may stand for."""
    summary: str | None = None
    """What is written about it as a whole."""

    @property
    def opinions(self) -> tuple[Fact, ...]:
        """What is thought of it or by it: the facts that are opinions, newest first."""
        return tuple(fact for fact in self.facts if fact.kind is Kind.OPINION)

    @property
    def timeline(self) -> tuple[tuple[dt.date, Fact], ...]:
        """Its dated facts by the day from which they hold, else were first recorded, oldest first."""
        dated = [(day, fact) for fact in self.facts if (day := fact.valid_from or fact.valid_to or fact.timestamp)]
        return tuple(sorted(dated, key=lambda item: (item[0], item[1].id)))


def load(connection: sqlite3.Connection, seqs: Sequence[int]) -> list[Fact]:
    """Return the facts `seqs`, in that order; those that do not exist are left out."""
    found: dict[int, Fact] = {}
    for start in range(0, len(seqs), BATCH):
        chosen = {"seqs": json.dumps(list(seqs[start : start + BATCH]))}
        cited: dict[int, list[tuple[Citation, str]]] = {}
        for seq, path, line, end_line, heading in connection.execute(CITATIONS, chosen):
            cited.setdefault(seq, []).append((Citation(path=path, line=line, end_line=end_line), heading))
        named: dict[int, list[str]] = {}
        for seq, name in connection.execute(NAMED, chosen):
            named.setdefault(seq, []).append(name)
        for row in connection.execute(FACTS, chosen):
            if row[0] in cited:
                found[row[0]] = _fact(row, cited[row[0]], named.get(row[0], ()))
    return [found[seq] for seq in seqs if seq in found]


def in_order(connection: sqlite3.Connection, *, include_archived: bool = False) -> list[int]:
    """Return all facts by the path and line of their first place."""
    return [row[0] for row in connection.execute(IN_ORDER, {"archived": int(include_archived)})]


def seq_of(connection: sqlite3.Connection, id_or_prefix: str) -> int:
    """
    Return the fact with this id, or whose id alone begins so; an id that an edit has replaced leads to the new one.

    Raises:
        UsageError: No fact or several have it.
    """
    low = id_or_prefix.strip().lower()
    rows = connection.execute(BY_PREFIX, {"low": low, "high": low + "g"}).fetchall() if low else []
    if len(rows) == 1 or (rows and rows[0][0] == low):
        return int(rows[0][1])
    if rows:
        raise UsageError(f"{id_or_prefix!r} is the beginning of several ids ({', '.join(row[0] for row in rows)}…)")
    renamed = connection.execute(NEW_ID, {"id": low}).fetchone()
    if renamed:
        row = connection.execute("SELECT seq FROM facts WHERE id = ?", renamed).fetchone()
        if row:
            return int(row[0])
    raise UsageError(f"no fact has the id {id_or_prefix!r}; `facts` lists them")


def is_archived(connection: sqlite3.Connection, fact_id: str) -> bool:
    """Tell whether there is a fact of this id, and it is archived."""
    row = connection.execute("SELECT archived FROM facts WHERE id = ?", (fact_id,)).fetchone()
    return row is not None and bool(row[0])


def entity(connection: sqlite3.Connection, called: "Called", *, closest: int = 10) -> Entity:
    """Return the entity that a name stands for; `called.id` is one."""
    key, name, page, inferred, count, weight = connection.execute(ENTITY, {"id": called.id}).fetchone()
    return Entity(
        name=name,
        key=key,
        aliases=tuple(row[0] for row in connection.execute(ALIASES, {"id": called.id})),
        page=page,
        inferred=bool(inferred),
        fact_count=count,
        idf_weight=weight,
        facts=tuple(load(connection, about(connection, called.id))),
        closest=tuple((row[0], row[1]) for row in connection.execute(CLOSEST, {"id": called.id, "limit": closest})),
        candidates=called.candidates,
    )


def about(connection: sqlite3.Connection, entity_id: int | None, *, include_archived: bool = False) -> list[int]:
    """Return the facts that mention an entity, newest first; nothing is about nobody."""
    return [row[0] for row in connection.execute(ABOUT, {"id": entity_id, "archived": int(include_archived)})]


def defects(connection: sqlite3.Connection) -> Iterator[FileDefect]:
    """Yield what could not be taken as written, by path and line."""
    from openclaw_memory_plugin.markdown.nouns import Defect

    for path, line, message, remedy in connection.execute(DEFECTS):
        yield FileDefect(path=path, defect=Defect(line=line, message=message, remedy=remedy))


def figures(connection: sqlite3.Connection) -> dict[str, Any]:
    """Return counts of everything, by kind of fact, the most frequent entities, the hubs and the size in bytes."""
    values: dict[str, Any] = {name: connection.execute(query).fetchone()[0] for name, query in FIGURES.items()}
    values["kinds"] = dict(connection.execute("SELECT kind, COUNT(*) FROM facts GROUP BY kind ORDER BY kind"))
    least = max(30, values["facts"] // 20)
    for title, bound in (("frequent_entities", 1), ("hubs", least)):
        found = connection.execute(FREQUENT, {"least": bound, "limit": 10})
        values[title] = [{"name": name, "facts": count} for name, count in found]
    pages, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    values["index_bytes"] = pages * size
    return values


def _fact(row: Sequence[Any], cited: Sequence[tuple[Citation, str]], names: Iterable[str]) -> Fact:
    accessed = row[16]
    return Fact(
        id=row[1],
        kind=Kind(row[2]),
        content=row[3],
        timestamp=_day(row[4]),
        last_seen=_day(row[5]),
        valid_from=_day(row[6]),
        valid_to=_day(row[7]),
        salience=row[8],
        confidence=row[9],
        provenance=Provenance(row[10]),
        private=bool(row[11]),
        pinned=bool(row[12]),
        task=row[13],
        superseded=bool(row[14]),
        access_count=row[15],
        last_accessed_at=dt.datetime.fromisoformat(accessed).replace(tzinfo=dt.UTC) if accessed else None,
        citations=tuple(citation for citation, _ in cited),
        section=_heading(cited[0][1]),
        entities=tuple(names),
    )


@functools.lru_cache(maxsize=1024)
def _heading(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))


@functools.lru_cache(maxsize=4096)
def _day(text: str | None) -> dt.date | None:
    return dt.date.fromisoformat(text) if text else None
