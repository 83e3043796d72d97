"""
Where an earlier statement on something that has one value at a time is found, the latest one stands before it.

It need not match the question at all: who asks where somebody lives is told that they moved.
"""

import datetime as dt
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence

from openclaw_memory_hookspecs import Candidate, RecallRequest
from openclaw_memory_plugin.index.merge import TRUST
from openclaw_memory_plugin.index.read import Reader, Row, Scope
from openclaw_memory_plugin.recall.instead import before, behind, fits, load
from openclaw_memory_plugin.recall.match import Match
from openclaw_memory_plugin.recall.slots import Said, may_replace, replaced

READ = 40
"""So many of the best matches are read."""
ASKED = 10
"""For so many of the best ones, what else is known of their subjects is read, too."""
SUBJECTS = 4
"""So many subjects are looked up."""


def successors(
    reader: Reader,
    matches: Sequence[Match],
    mentioned: Mapping[int, Mapping[int, int]],
    *,
    scope: Scope,
    day: dt.date,
) -> dict[str, Row]:
    """
    Return the ids of matches that no longer hold -> what stands in their place.

    What keeps somebody from harm holds until somebody says explicitly that it does not.

    Args:
        mentioned: fact -> entity -> role.
        day: what was said later, or was over by then, takes nothing's place.
    """
    rows = [match.row for match in matches[:READ]]
    said = dict(_said(rows, day))
    if not said:
        return {}
    asked = [row.seq for row in rows[:ASKED] if row.id in said]
    about = {entity: None for seq in asked for entity, role in mentioned.get(seq, {}).items() if role <= 1}
    more = {seq for entity in list(about)[:SUBJECTS] for seq in reader.of_entity(entity)}
    more = reader.fitting(sorted(more - {row.seq for row in rows}), scope) if more else set()
    others = reader.alone(sorted(more)) if more else []
    things = {one.state.about for one in said.values()}
    found = replaced([*said.items(), *((id, one) for id, one in _said(others, day) if one.state.about in things)])
    if not found:
        return {}
    from openclaw_memory_plugin.words.safety import is_safety

    known = {row.id: row for row in (*rows, *others)}
    return {row.id: known[found[row.id]] for row in rows if row.id in found and not is_safety(row.content)}


def with_successors(
    connection: sqlite3.Connection, request: RecallRequest, candidates: Sequence[Candidate], found: Mapping[str, Row]
) -> tuple[Candidate, ...]:
    """
    Mark the candidates that no longer hold, and raise what stands in their place to what they had.

    Args:
        found: as `successors` gives it; what is not among the candidates is added.
    """
    if not found:
        return tuple(candidates)
    known = {candidate.fact.id: candidate for candidate in candidates}
    missing = load(connection, [row.seq for row in found.values() if row.id not in known])
    moved = dict(known)
    for old, row in found.items():
        new = row.id
        if old in known and new in missing and new not in moved and fits(missing[new], request):
            moved[new] = Candidate(fact=missing[new], base=0.0)
        if old in known and new in moved:
            moved[old] = behind(moved[old], new, True)
            moved[new] = before(moved[new], known[old])
    return tuple(sorted(moved.values(), key=lambda candidate: -candidate.base))


def _said(rows: Iterable[Row], day: dt.date) -> Iterator[tuple[str, Said]]:
    """Yield the ids of rows that say something of what has one value at a time, and what they say."""
    from openclaw_memory_plugin.recall.stating import read_state

    today = day.isoformat()
    for row in rows:
        state = read_state(row.content, _heads(row.attributes)) if may_replace(row, today) else None
        if state is not None:
            yield row.id, Said(state, row.last_seen or "", TRUST[row.provenance])


def _heads(attributes: str | None) -> Sequence[str]:
    if attributes is None or '"heads"' not in attributes:
        return ()
    said: Mapping[str, Sequence[str]] = json.loads(attributes)
    return said.get("heads", ())
