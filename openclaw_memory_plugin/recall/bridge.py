"""
Bridge from the best facts to facts that they lead to: over a rare entity which the query does not name.

"Who runs the Lisbon office, and what must she not eat?" finds the fact that Ines runs it; what it leaves open is
answered by another fact about Ines, which shares few words with the question or none. Pure; nouns are tuples, because
a recall makes hundreds of them.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

SEEDS = 5
"""From so many of the best facts a bridge may begin, in each hop."""

OWN = 2.0
"""What it is worth when the fact at the far end holds query words that the near end lacks."""

REACH = 1.5
"""What it is worth to be at the far end at all, for the share of the question that the near end leaves open."""

ABOUT = 1.5
"""A fact about the bridging entity against one that only mentions it."""

BACK = 0.5
"""Which part of what a far end adds by its words speaks for the near end too."""

LEAD = 1.05
"""By how much a fact stays ahead of what is reached from it."""


class Held(NamedTuple):
    """What one fact itself holds of a query."""

    id: str
    """The fact's, to decide ties."""
    score: float
    """Relative to the best fact, in [0, 1]."""
    words: Mapping[int, float]
    """Number of the query's word -> what it contributes, on the scale of `score`."""
    named: bool = False
    """An entity of it is named by the query, or only the asked time is met: it needs no bridge to be found."""


class Link(NamedTuple):
    """An entity of a fact, and the facts that share it."""

    key: str
    rarity: float
    """In (0, 1], higher for rarer entities."""
    facts: Mapping[int, bool]
    """Other facts that mention it -> whether they are about it."""
    sharing: int
    """In how many facts it is mentioned in all."""


class Bridge(NamedTuple):
    """How a fact was reached."""

    worth: float
    """Of the best path to it, on the scale of `Held.score`."""
    start: int
    """The fact where the path began."""
    path: tuple[str, ...]
    """Entities over which it leads."""
    by_words: float = 0.0
    """The part of `worth` that its own words bring."""
    back: bool = False
    """Whether it is the other end that leads on: what the near end of a path gains by its far end."""


def bridge(
    seeds: Sequence[int],
    weights: Sequence[float],
    held: Callable[[Iterable[int]], Mapping[int, Held]],
    links: Callable[[Iterable[int]], Mapping[int, Sequence[Link]]],
    *,
    hops: int,
    ceiling: float,
) -> dict[int, Bridge]:
    """
    Return the facts that the best ones lead to, and what the best ones gain by that.

    A path is worth what its near end is worth, times the entity's rarity, times what the far end holds of the words
    that the path has left open; and, for a far end that the query does not name, the share of the question left open,
    divided among the facts that share the entity. A path crosses no entity twice and never returns to its start. The
    best path to a fact counts, not the sum of several.

    Args:
        seeds: the best facts, best first; the first `SEEDS` are used.
        weights: what each word of the query weighs.
        held: facts -> what they hold of the query; those left out are not to be found.
        links: facts -> their entities that may bridge: not hubs, not named by the query.
        hops: how many bridges a path may cross.
        ceiling: what a far end without words of its own is worth at most, against its near end.
    """
    total = sum(weights)
    found: dict[int, Bridge] = {}
    if not total:
        return found
    near = held(seeds[:SEEDS])
    wave = {
        seq: _End(near[seq].score, frozenset(near[seq].words), Bridge(worth=0.0, start=seq, path=())) for seq in near
    }
    ids = {seq: one.id for seq, one in near.items()}
    started: set[int] = set()
    for _ in range(hops):
        shared = links(wave)
        known = held(sorted({far for seq in wave for link in shared.get(seq, ()) for far in link.facts}))
        ids.update((seq, one.id) for seq, one in known.items())
        reached: dict[int, _End] = {}
        for seq, end in wave.items():
            started.add(seq)
            for far, path in _from(seq, end, shared.get(seq, ()), weights, known, ceiling):
                if _better(path, reached[far].path if far in reached else found.get(far), ids):
                    reached[far] = _End(path.worth, end.covered | frozenset(known[far].words), path)
        found.update((seq, end.path) for seq, end in reached.items())
        onward = [seq for seq in reached if seq not in started]
        onward.sort(key=lambda seq: (-reached[seq].strength, reached[seq].path.path, known[seq].id))
        wave = {seq: reached[seq] for seq in onward[:SEEDS]}
    return found | _back(found, near, ids)


class _End(NamedTuple):
    """Where a path stands: what it is worth there, which words it has covered, how it came."""

    strength: float
    covered: frozenset[int]
    path: Bridge


def _from(
    seq: int, end: _End, links: Sequence[Link], weights: Sequence[float], known: Mapping[int, Held], ceiling: float
) -> Iterable[tuple[int, Bridge]]:
    """Yield the facts one bridge further, with the path there."""
    rarest = max((link.rarity for link in links), default=1.0)
    left_open = sum(weight for word, weight in enumerate(weights) if word not in end.covered) / sum(weights)
    for link in links:
        if link.key in end.path.path:
            continue
        by_reach = REACH * left_open * link.rarity / math.sqrt(max(1, link.sharing - 1))
        for far, about in link.facts.items():
            if far in (seq, end.path.start) or far not in known:
                continue
            missing = sum(worth for word, worth in known[far].words.items() if word not in end.covered)
            factor = ABOUT if about else 1.0
            by_words = end.strength * OWN * missing * link.rarity / rarest * factor
            worth = by_words
            if not known[far].named:
                worth += end.strength * min(ceiling, by_reach * factor)
            if worth > 0.0:
                path = (*end.path.path, link.key)
                yield far, Bridge(worth=worth, start=end.path.start, path=path, by_words=by_words)


def _back(found: Mapping[int, Bridge], near: Mapping[int, Held], ids: Mapping[int, str]) -> dict[int, Bridge]:
    """Return what starts gain: to have a complement speaks for a fact, and it stays ahead of what it leads to."""
    back: dict[int, Bridge] = {}
    for seq, path in found.items():
        gain = max(BACK * path.by_words, LEAD * path.worth - near[path.start].score)
        way_back = Bridge(worth=gain, start=seq, path=path.path[::-1], back=True)
        if gain > 0.0 and _better(way_back, back.get(path.start) or found.get(path.start), ids):
            back[path.start] = way_back
    return back


def _better(path: Bridge, old: Bridge | None, ids: Mapping[int, str]) -> bool:
    """Tell whether a path beats another one; equal ones go by length, names and start, never by order of reading."""
    if old is None or path.worth > old.worth:
        return True
    return path.worth == old.worth and _tie(path, ids) < _tie(old, ids)


def _tie(path: Bridge, ids: Mapping[int, str]) -> tuple[int, tuple[str, ...], str]:
    return len(path.path), path.path, ids[path.start]
