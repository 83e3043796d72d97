"""
What likeness of meaning adds to matches, where vectors are made. Pure.

Likeness and words have nothing in common as scales: among the facts weighed, the least alike counts nothing and the
most alike as much as its share of the best match allows. What was said just before a note says what it is about.
"""

from collections.abc import Iterable, Mapping

import attrs

from openclaw_memory_plugin.index.read import Row
from openclaw_memory_plugin.recall.match import TYPED, Match

MOST_ALIKE = 25
"""So many facts are weighed because they are alike in meaning."""

BEFORE = 0.5
"""What the likeness of the fact just before counts, against 1 of the fact itself."""


def most_alike(likeness: Mapping[int, float]) -> list[int]:
    """Return the keys of the facts most alike, best first, at most `MOST_ALIKE`."""
    return sorted(likeness, key=lambda seq: (-likeness[seq], seq))[:MOST_ALIKE]


def with_likeness(
    matches: Mapping[int, Match], rows: Iterable[Row], likeness: Mapping[int, float], share: float
) -> dict[int, Match]:
    """
    Return the matches with a summand `vector`.

    Args:
        rows: the matched facts with their neighbours.
        likeness: fact -> cosine; a fact that is not in it is not alike.
        share: of a match that vectors make up, in [0, 1).
    """
    if not likeness or not matches:
        return dict(matches)
    at = {(row.file_id, row.pos, row.section_id): row.seq for row in rows}
    least = min(likeness.values())
    alike: dict[int, float] = {}
    for seq, match in matches.items():
        row = match.row
        before = at.get((row.file_id, row.pos - 1, row.section_id))
        counts = BEFORE if row.kind == "note" else BEFORE * TYPED
        own = likeness.get(seq, least)
        alike[seq] = own if before is None else (own + counts * likeness.get(before, least)) / (1.0 + counts)
    low, high = min(alike.values()), max(alike.values())
    best = max(match.score for match in matches.values()) or 1.0
    scale = share / (1.0 - share) * best / (high - low or 1.0)
    found = {}
    for seq, match in matches.items():
        added = scale * (alike[seq] - low)
        found[seq] = attrs.evolve(match, score=match.score + added, parts={**match.parts, "vector": added})
    return found
