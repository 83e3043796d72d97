"""
What likeness of meaning adds to matches, where vectors are made. Pure.

Likeness and words have nothing in common as scales: what is not alike counts nothing, and a fact that says the same as
the question would count as much as its share of the best match allows; where nothing is much alike, words decide. What
takes from the words of a fact or adds to them, that it is superseded, say, does the same to its likeness. What was said
just before a note says what it is about.
"""

import math
from collections.abc import Iterable, Mapping

import attrs

from openclaw_memory_plugin.index.read import Row
from openclaw_memory_plugin.recall.match import TYPED, Match

MOST_ALIKE = 25
"""So many facts are weighed because they are alike in meaning."""

ALIKE = 0.25
"""A fact that matches nothing else is weighed only from this cosine on: anything is a little like anything."""

SUMMANDS = frozenset({"words", "context", "entities", "time"})
"""Parts of a match that are added up; all others multiply them."""

BEFORE = 0.5
"""What the likeness of the fact just before counts, against 1 of the fact itself."""


def most_alike(likeness: Mapping[int, float]) -> list[int]:
    """Return the keys of the facts most alike, best first, at most `MOST_ALIKE` and none that is hardly alike."""
    alike = [seq for seq, cosine in likeness.items() if cosine >= ALIKE]
    return sorted(alike, key=lambda seq: (-likeness[seq], seq))[:MOST_ALIKE]


def with_likeness(
    matches: Mapping[int, Match], rows: Iterable[Row], likeness: Mapping[int, float], share: float
) -> dict[int, Match]:
    """
    Return the matches with a summand `vector`, which is given with the factors of the match on it.

    Args:
        rows: the matched facts with their neighbours.
        likeness: fact -> cosine; a fact that is not in it is not alike.
        share: of a match that vectors make up at most, in [0, 1).
    """
    if not likeness or not matches:
        return dict(matches)
    alike = _with_what_stands_before(matches, rows, likeness)
    factors = {seq: _factor(match) for seq, match in matches.items()}
    low = min(0.0, *alike.values())
    best = max(match.score / factors[seq] for seq, match in matches.items()) or 1.0
    scale = share / (1.0 - share) * best / (1.0 - low)
    found = {}
    for seq, match in matches.items():
        added = scale * (alike[seq] - low) * factors[seq]
        found[seq] = attrs.evolve(match, score=match.score + added, parts={**match.parts, "vector": added})
    return found


def _with_what_stands_before(
    matches: Mapping[int, Match], rows: Iterable[Row], likeness: Mapping[int, float]
) -> dict[int, float]:
    """Return the likeness of each fact together with that of the fact just before it in its section."""
    at = {(row.file_id, row.pos, row.section_id): row.seq for row in rows}
    least = min(likeness.values())
    alike = {}
    for seq, match in matches.items():
        row = match.row
        before = at.get((row.file_id, row.pos - 1, row.section_id))
        counts = BEFORE if row.kind == "note" else BEFORE * TYPED
        own = likeness.get(seq, least)
        alike[seq] = own if before is None else (own + counts * likeness.get(before, least)) / (1.0 + counts)
    return alike


def _factor(match: Match) -> float:
    """Return by what the summands of a match are multiplied."""
    return math.prod(value for name, value in match.parts.items() if name not in SUMMANDS)
