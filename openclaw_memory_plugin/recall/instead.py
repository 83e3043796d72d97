"""Put one statement in another one's place: raise the one, keep the other behind it, and bring in what is missing."""

import datetime as dt
import sqlite3
from collections.abc import Sequence

import attrs

from openclaw_memory_hookspecs import Candidate, Fact, RecallRequest
from openclaw_memory_plugin.names import name_key

OLDER = 0.85
"""What a superseded statement keeps of its score."""


def behind(candidate: Candidate, new: str, superseded: bool) -> Candidate:
    """Put a statement behind the one with the id `new`; whether it no longer holds is `superseded`."""
    fact = attrs.evolve(candidate.fact, superseded=candidate.fact.superseded or superseded)
    if candidate.superseded_by is not None:
        return attrs.evolve(candidate, fact=fact, superseded_by=new)
    parts = {**candidate.parts, "superseded": candidate.parts.get("superseded", 1.0) * OLDER}
    return attrs.evolve(candidate, fact=fact, superseded_by=new, base=candidate.base * OLDER, parts=parts)


def before(candidate: Candidate, old: Candidate) -> Candidate:
    """Raise a statement to what the one that it was retained against, or whose place it takes, had."""
    if candidate.base >= old.base:
        return candidate
    parts = {**candidate.parts, "corrects": old.base - candidate.base}
    return attrs.evolve(
        candidate,
        base=old.base,
        parts=parts,
        path=candidate.path or old.path,
        words_found=max(candidate.words_found, old.words_found),
    )


def fits(fact: Fact, request: RecallRequest) -> bool:
    """Whether a fact is what a request asks for at all."""
    names = {name_key(name) for name in fact.entities}
    return (
        (not request.kinds or fact.kind in request.kinds)
        and fact.salience >= (request.min_salience or 0.0)
        and (request.since is None or (fact.last_seen or dt.date.min) >= request.since)
        and (request.until is None or (fact.timestamp or dt.date.min) <= request.until)
        and all(name_key(name) in names for name in request.entities)
    )


def load(connection: sqlite3.Connection, seqs: Sequence[int]) -> dict[str, Fact]:
    """Return facts by their ids."""
    from openclaw_memory_plugin.index import facts

    return {fact.id: fact for fact in facts.load(connection, seqs)} if seqs else {}
