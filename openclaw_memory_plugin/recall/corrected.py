"""
What was explicitly retained against a statement stands before it and takes its place, whatever it matches.

The owner's word holds against everything. The agent's does, too, but not against what keeps somebody from harm, and an
opinion is only marked when it is no longer held; what speaks against a statement is always returned with it.
"""

import datetime as dt
import sqlite3
from collections.abc import Mapping, Sequence

from openclaw_memory_hookspecs import Candidate, Fact, Kind, Provenance, RecallRequest
from openclaw_memory_plugin.index.corrections import Corrector, correctors
from openclaw_memory_plugin.recall.instead import before, behind, fits, load

ROUNDS = 4
"""Corrections of corrections that are followed."""
HELD = 0.5
"""Confidence from which on an opinion is held."""


def with_corrections(
    connection: sqlite3.Connection, request: RecallRequest, candidates: Sequence[Candidate], *, day: dt.date
) -> tuple[Candidate, ...]:
    """
    Mark the candidates that were retained against, and add what was where it is not among them.

    Args:
        day: what was said later does not count yet.
    """
    known = {candidate.fact.id: candidate for candidate in candidates}
    against = _against(connection, request, known, day)
    if not against:
        return tuple(candidates)
    facts = load(connection, [corrector.seq for corrector in against.values() if corrector.id not in known])
    found = dict(known)
    for old in known:
        new = _last(old, against)
        if new is None or (new not in known and new not in facts):
            continue
        found[old] = behind(found[old], new, _takes_place(found[old].fact, against))
        if new in found:
            found[new] = before(found[new], known[old])
        elif fits(facts[new], request):
            found[new] = before(Candidate(fact=facts[new], base=0.0), known[old])
    return tuple(sorted(found.values(), key=lambda candidate: -candidate.base))


def _against(
    connection: sqlite3.Connection, request: RecallRequest, known: Mapping[str, Candidate], day: dt.date
) -> dict[str, Corrector]:
    """Statement -> the latest one that was retained against it, those of the correctors themselves included."""
    found: dict[str, Corrector] = {}
    seen = ((id, candidate.fact.last_seen) for id, candidate in known.items())
    said = {id: last.isoformat() if last else "" for id, last in seen}
    asked = list(known)
    for _ in range(ROUNDS):
        told = correctors(connection, asked, archived=request.include_archived, private=request.include_private)
        for old, listed in told.items():
            last = said[old]
            holding = [one for one in listed if last <= (one.last_seen or day.isoformat()) <= day.isoformat()]
            if holding:
                found[old] = max(holding, key=lambda one: one.order)
        asked = [one.id for one in found.values() if one.id not in said]
        if not asked:
            break
        said |= {one.id: one.last_seen or "" for one in found.values()}
    return found


def _last(old: str, against: Mapping[str, Corrector]) -> str | None:
    """What stands in the end for a statement; None where two were retained against each other."""
    seen = [old]
    while seen[-1] in against:
        new = against[seen[-1]].id
        if new in seen:
            return None
        seen.append(new)
    return seen[-1] if len(seen) > 1 else None


def _takes_place(fact: Fact, against: Mapping[str, Corrector]) -> bool:
    """Whether a statement no longer holds, and is not only spoken against."""
    from openclaw_memory_plugin.words.safety import is_safety

    if fact.kind is Kind.OPINION:
        return fact.confidence is not None and fact.confidence < HELD
    return against[fact.id].provenance == Provenance.OWNER.value or not is_safety(fact.content)
