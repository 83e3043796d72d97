"""Which statements were retained against others: read by recall, for the few facts of an answer."""

import json
import sqlite3
from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple

ANY = "SELECT 1 FROM corrections LIMIT 1"
AGAINST = """
SELECT c.target, f.seq, f.id, f.last_seen, COALESCE(json_extract(o.attributes, '$.by'), 'owner'),
  MAX(p.path || char(0) || printf('%09d', o.pos))
FROM corrections AS c
JOIN facts AS f USING (seq)
JOIN files AS p USING (file_id)
JOIN occurrences AS o ON o.file_id = c.file_id AND o.seq = c.seq
WHERE c.target IN (SELECT value FROM json_each(:targets))
  AND json_extract(o.attributes, '$.contradicts') IS NOT NULL
  AND COALESCE(json_extract(o.attributes, '$.by'), 'owner') <> 'untrusted'
  AND f.archived <= :archived
  AND f.private <= :private
  AND f.superseded = 0
  AND f.noise = 0
  AND f.task IS NULL
GROUP BY c.target, f.seq
ORDER BY c.target, f.id
"""
RENAMED = "SELECT old, new FROM renamed_ids"
SHORTEST = 4
"""Characters of an id that name a fact, where they are those of one alone."""


class Corrector(NamedTuple):
    """A statement that was retained against another one."""

    seq: int
    id: str
    last_seen: str | None
    provenance: str
    """Who retained it against the other."""
    place: str
    """Greater further down, in a later file."""

    @property
    def order(self) -> tuple[str, str]:
        """Later is greater: by day, then by place."""
        return self.last_seen or "", self.place


def correctors(
    connection: sqlite3.Connection, ids: Iterable[str], *, archived: bool, private: bool
) -> Mapping[str, list[Corrector]]:
    """
    Return for each of these facts what was retained against it, by somebody to be trusted; facts without are left out.

    One look at the index where nothing ever was, else O(ids).

    Args:
        archived: whether archived statements count.
        private: whether private ones do.
    """
    if connection.execute(ANY).fetchone() is None:
        return {}
    present = {id: id for id in ids}
    named: dict[str, set[str]] = {}
    for written, id in (*present.items(), *_earlier(connection, present)):
        for length in range(SHORTEST, len(written) + 1):
            named.setdefault(written[:length], set()).add(id)
    found: dict[str, list[Corrector]] = {}
    asked = {"targets": json.dumps(list(named)), "archived": int(archived), "private": int(private)}
    for target, *row in connection.execute(AGAINST, asked):
        corrector = Corrector(*row)
        for id in named[target]:
            if len(named[target]) == 1 and corrector.id != id:
                found.setdefault(id, []).append(corrector)
    return found


def _earlier(connection: sqlite3.Connection, ids: Container[str]) -> list[tuple[str, str]]:
    """Return ids that edits have replaced by one of these, with the present one."""
    step = dict(connection.execute(RENAMED).fetchall())
    found = []
    for old in step:
        new, seen = step[old], {old}
        while new not in ids and new in step and new not in seen:
            seen.add(new)
            new = step[new]
        if new in ids:
            found.append((old, new))
    return found
