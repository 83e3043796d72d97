"""
The brief: what only the agent can settle, with the ids and the tool call that settle it, under a token budget.

The agent is the language model: it consolidates through the retain tool. Nothing to do is nothing to read.
"""

import datetime as dt
import hashlib
from collections.abc import Collection, Iterable, Sequence

import attrs

from openclaw_memory_hookspecs import Kind
from openclaw_memory_plugin.guard import neutralise
from openclaw_memory_plugin.reflect.beliefs import Review
from openclaw_memory_plugin.reflect.beliefs.account import Belief
from openclaw_memory_plugin.words import count_tokens

BUDGET = 500
"""Tokens, wrapper apart."""
STALE_DAYS = 120
"""After so long without evidence a belief is worth a question."""
STALE_CONFIDENCE = 0.5
MANY_FACTS = 8
"""Facts from which on an entity deserves a summary."""
LOOK_BACK_DAYS = 14
"""Days in which notes without Retain bullets are asked about."""
FEW_NOTES = 3
"""Notes from which on a day is worth consolidating."""
EACH = 5
"""Items of one sort at most; the others come another time."""


@attrs.frozen(kw_only=True)
class Unsummarised:
    """An entity with many facts and no recent observation about it."""

    name: str
    facts: int


@attrs.frozen(kw_only=True)
class BareDay:
    """A day with notes and without Retain bullets."""

    day: dt.date
    notes: int
    path: str


@attrs.frozen(kw_only=True)
class Brief:
    """What to ask the agent, most urgent first; empty when there is nothing."""

    lines: tuple[str, ...] = ()
    tokens: int = 0
    left_out: int = 0
    """Items for which the budget had no room."""
    keys: tuple[str, ...] = ()
    """What each line after the first asks about, as a digest; the same key is the same question."""

    @property
    def text(self) -> str:
        """All lines, "" when there are none."""
        return "\n".join(self.lines)


def write_brief(
    *,
    reviews: Sequence[tuple[Review, str, str]],
    stale: Sequence[Belief],
    unsummarised: Sequence[Unsummarised],
    bare: Sequence[BareDay],
    worn_out: Collection[str] = (),
    budget: int = BUDGET,
) -> Brief:
    """
    Write the brief; same input, same bytes.

    Args:
        reviews: pairs to settle with both statements, those about safety first.
        worn_out: keys of items (`Brief.keys`) that were asked about often enough.
    """
    sorts: tuple[list[tuple[str, str]], ...] = (
        [(_key("pair", pair[0].belief, pair[0].source), _conflict(pair)) for pair in reviews],
        [(_key("day", day.path), _bare_day(day)) for day in bare],
        [(_key("stale", belief.id, belief.updated), _stale(belief)) for belief in stale],
        [(_key("about", entity.name, entity.facts // MANY_FACTS), _unsummarised(entity)) for entity in unsummarised],
    )
    fresh = [[item for item in items if item[0] not in worn_out] for items in sorts]
    total = sum(map(len, fresh))
    if not total:
        return Brief()
    head = "Memory asks for a decision on these; settle what you know, leave the rest."
    lines, keys, left = [head], [], budget - count_tokens(head)
    for key, item in (item for items in fresh for item in items[:EACH]):
        cost = count_tokens(item) + 1
        if cost <= left:
            lines.append(item)
            keys.append(key)
            left -= cost
    if not keys:
        return Brief(left_out=total)
    return Brief(lines=tuple(lines), tokens=budget - left, left_out=total - len(keys), keys=tuple(keys))


def _key(*parts: object) -> str:
    return hashlib.blake2b("\0".join(map(str, parts)).encode(), digest_size=8).hexdigest()


def stale_beliefs(beliefs: Iterable[Belief], *, today: dt.date) -> list[Belief]:
    """Return the opinions still held that nothing has touched for long, oldest first."""
    found = [
        belief
        for belief in beliefs
        if belief.kind is Kind.OPINION
        and belief.updated is not None
        and belief.confidence >= STALE_CONFIDENCE
        and (today - belief.updated).days > STALE_DAYS
    ]
    return sorted(found, key=lambda belief: (belief.updated or today, belief.id))


def _conflict(pair: tuple[Review, str, str]) -> str:
    review, older, newer = pair
    what = "Safety, keep it unless the owner says otherwise" if review.safety else "Conflict"
    return (
        f'- {what} ({review.why}): "{_short(older)}" [{review.belief}] and "{_short(newer)}" [{review.source}]. '
        f'Settle: memory_retain with "contradicts" or "supports": ["{review.belief}"], or when neither is so '
        f'memory_reflect with "unrelated": ["{review.belief}", "{review.source}"].'
    )


def _bare_day(day: BareDay) -> str:
    return (
        f"- {day.day.isoformat()} has {day.notes} notes and no Retain bullets ({neutralise(day.path)}). Read it and "
        f'keep the 2 to 5 things worth remembering: memory_retain, narrative, one sentence each, "day": '
        f'"{day.day.isoformat()}".'
    )


def _stale(belief: Belief) -> str:
    since = belief.updated.isoformat() if belief.updated else "long ago"
    about = ", ".join(map(neutralise, belief.heads)) or "nobody"
    return (
        f'- Still so? {about}: "{_short(belief.statement)}" (c={belief.confidence:.2f}, since {since}) [{belief.id}]. '
        f'When it comes up: memory_retain with "supports" or "contradicts": ["{belief.id}"].'
    )


def _unsummarised(entity: Unsummarised) -> str:
    name = neutralise(entity.name)
    return (
        f"- {name} has {entity.facts} facts and no recent summary. Recall them and keep one observation: "
        f'memory_retain, "kind": "observation", "entities": ["{name}"].'
    )


def _short(text: str, limit: int = 110) -> str:
    text = neutralise(text).replace('"', "'")
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
