"""
Bridge from the best facts to facts that they lead to: over a rare entity which the query does not name.

"Who runs the Lisbon office, and what must she not eat?" finds the fact that Ines runs it; what it leaves open is
answered by another fact about Ines, which shares few words with the question or none. Pure.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import attrs

SEEDS = 5
"""From so many of the best facts a bridge may begin, in each hop."""

OWN = 2.0
"""What it is worth when the fact at the far end holds query words that the near end lacks."""

REACH = 1.0
"""What it is worth to be at the far end at all, for each share of the question that the near end leaves open."""

ABOUT = 1.5
"""A fact about the bridging entity against one that only mentions it."""

HOP = 0.7
"""What each further hop keeps."""

BACK = 0.5
"""What a fact gains from the best that it leads to: to have a complement speaks for it."""


@attrs.frozen(kw_only=True)
class Held:
    """What one fact itself holds of a query."""

    id: str
    """The fact's, to decide ties."""
    score: float
    """Relative to the best fact, in [0, 1]."""
    words: Mapping[int, float]
    """Number of the query's word -> what it contributes, on the scale of `score`."""


@attrs.frozen(kw_only=True)
class Link:
    """An entity of a fact, and the facts that share it."""

    key: str
    rarity: float
    """In (0, 1], higher for rarer entities."""
    facts: Mapping[int, bool]
    """Other facts that mention it -> whether they are about it."""
    count: int
    """In how many facts it is mentioned in all."""


@attrs.frozen(kw_only=True)
class Bridge:
    """How a fact was reached."""

    worth: float
    """Of the best path to it, on the scale of `Held.score`."""
    start: int
    """The fact where the path began."""
    path: tuple[str, ...]
    """Entities over which it leads."""


def bridge(
    seeds: Sequence[int],
    weights: Sequence[float],
    held: Callable[[Iterable[int]], Mapping[int, Held]],
    links: Callable[[Iterable[int]], Mapping[int, Sequence[Link]]],
    *,
    hops: int,
    own: float = OWN,
    reach: float = REACH,
) -> dict[int, Bridge]:
    """
    Return the facts that the best ones lead to, and what the best ones gain by that.

    A path is worth what its near end is worth, times the entity's rarity, times what the far end matches of the words
    that the path has left open; or, for a far end that matches nothing, times the share of the question left open,
    divided among the facts that share the entity. A path crosses no entity twice and never returns to its start. The
    best path to a fact counts, not the sum of several.

    Args:
        seeds: the best facts, best first; the first `SEEDS` are used.
        weights: what each word of the query weighs.
        held: facts -> what they hold of the query; those left out are not to be found.
        links: facts -> their entities that may bridge: not hubs, not named by the query.
        hops: how many bridges a path may cross.
    """
    total = sum(weights)
    found: dict[int, Bridge] = {}
    if not total:
        return found
    near = held(seeds[:SEEDS])
    wave = {seq: (near[seq].score, frozenset(near[seq].words), Bridge(worth=0.0, start=seq, path=())) for seq in near}
    started: set[int] = set()
    for _ in range(hops):
        entities = links(wave)
        far = {seq for seq in wave for link in entities.get(seq, ()) for seq in link.facts}
        known = held(sorted(far))
        reached: dict[int, tuple[Bridge, frozenset[int]]] = {}
        for seq, (strength, covered, origin) in wave.items():
            started.add(seq)
            rarest = max((link.rarity for link in entities.get(seq, ())), default=1.0)
            left_open = sum(weight for word, weight in enumerate(weights) if word not in covered) / total
            for link in entities.get(seq, ()):
                if link.key in origin.path:
                    continue
                by_reach = reach * left_open * link.rarity / max(1, link.count - 1) ** 0.5
                for other, about in link.facts.items():
                    if other in (seq, origin.start) or other not in known:
                        continue
                    words = known[other].words
                    matched = sum(worth for word, worth in words.items() if word not in covered)
                    by_words = own * matched * link.rarity / rarest
                    worth = strength * (by_words + by_reach) * (ABOUT if about else 1.0)
                    path = Bridge(worth=worth, start=origin.start, path=(*origin.path, link.key))
                    if worth > 0.0 and _better(path, reached[other][0] if other in reached else found.get(other)):
                        reached[other] = (path, covered | frozenset(words))
        found.update((seq, path) for seq, (path, _) in reached.items())
        onward = [seq for seq in reached if seq not in started]
        onward.sort(key=lambda seq: (-reached[seq][0].worth, reached[seq][0].path, known[seq].id))
        wave = {seq: (HOP * reached[seq][0].worth, reached[seq][1], reached[seq][0]) for seq in onward[:SEEDS]}
    back: dict[int, Bridge] = {}
    for seq, path in found.items():
        gain = Bridge(worth=BACK * path.worth, start=seq, path=path.path[::-1])
        if _better(gain, back.get(path.start) or found.get(path.start)):
            back[path.start] = gain
    return found | back


def _better(path: Bridge, old: Bridge | None) -> bool:
    """Tell whether a path beats another one; equal ones go by length and by names, never by order of reading."""
    if old is None or path.worth > old.worth:
        return True
    return path.worth == old.worth and (len(path.path), path.path) < (len(old.path), old.path)
