"""What tests of reflection tell a memory, and a fact as reflection reads it."""

import datetime as dt

import attrs

from openclaw_memory_hookspecs import Draft, Kind
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.index.reflection import Standing

NOW = dt.datetime(2026, 3, 25, 12, tzinfo=dt.UTC)


def tell(memory: Memory, text: str, *entities: str, day: int = 1, kind: Kind = Kind.WORLD, **given: object) -> str:
    """Retain a fact on a day of March and return its id."""
    draft = attrs.evolve(Draft(text=text, kind=kind, entities=entities, day=dt.date(2026, 3, day)), **given)
    return memory.retain(draft, now=NOW).id


def standing(number: int, **given: object) -> Standing:
    """Return a plain world fact of 1 March."""
    plain = Standing(
        seq=number,
        id=f"{number:012x}",
        kind="world",
        salience=0.5,
        confidence=None,
        timestamp="2026-03-01",
        last_seen="2026-03-01",
        valid_to=None,
        access_count=0,
        last_accessed_at=None,
        provenance="owner",
        private=0,
        pinned=0,
        task=None,
        superseded=0,
        noise=0,
    )
    return plain._replace(**given)  # type: ignore[arg-type]
