"""
Follow what is connected: spreading activation over entities that share facts, and bridges from fact to fact.

Pure: the graph comes in as a callable, numbers and paths go out. Entities go by their keys and sums are exact, so that
the order in which facts and files were read cannot show.
"""

import math
from collections.abc import Callable, Container, Mapping, Sequence
from typing import NamedTuple

import attrs

FAN = 10
"""To how many neighbours, the strongest, an entity hands on."""

FLOOR = 0.05
"""What receives less than this share of the strongest in its hop hands nothing on."""

FRONTIER = 24
"""At most so many entities, the strongest, hand on in one hop; bounds the rows that a walk reads."""

Neighbours = Callable[[Sequence[str]], Mapping[str, Mapping[str, float]]]
"""Entities -> for each its neighbours with positive weights."""


class Step(NamedTuple):
    """What one entity handed to another; a tuple because a walk makes hundreds of them."""

    hop: int
    source: str
    target: str
    amount: float


@attrs.frozen(kw_only=True)
class Activations:
    """How strongly each entity is stirred by a query, and how that came about."""

    level: Mapping[str, float] = attrs.field(factory=dict)
    """Entity -> activation in (0, 1]; seeds included."""
    paths: Mapping[str, tuple[str, ...]] = attrs.field(factory=dict)
    """Entity -> the strongest single path to it, seed first, itself last; a seed's is itself alone."""
    steps: tuple[Step, ...] = ()
    """The traversal: by hop, then the largest amounts first."""


def spread(
    seeds: Mapping[str, float],
    neighbours: Neighbours,
    *,
    depth: int,
    decay: float,
    silent: Container[str] = frozenset(),
) -> Activations:
    """
    Let activation flow from seeds over the graph.

    In each hop an entity hands on `decay` times what it received in the hop before, split over its ten strongest
    neighbours in proportion to their weights, never back to where that came from. What several hand to one adds up,
    no activation exceeds 1, and what exceeds it is not handed on. Equal weights are cut by key.

    Args:
        seeds: entity -> activation in (0, 1] to start with.
        depth: hops; 0 returns the seeds.
        decay: in [0, 1].
        silent: entities that take no part: they receive nothing, and their share is lost, so that a few others do not
            get what belongs to a hub. It may grow while neighbours are told.
    Source: Collins and Loftus 1975, with fan-out normalised per node.
    """
    level = dict(seeds)
    paths: dict[str, tuple[str, ...]] = {seed: (seed,) for seed in seeds}
    strength = dict(seeds)
    steps: list[Step] = []
    wave = dict(seeds)
    origins: dict[str, set[str]] = {seed: set() for seed in seeds}
    for hop in range(1, depth + 1):
        sources = _strong_enough(wave)
        edges = neighbours(sources) if sources else {}
        walked = [
            Step(hop, source, target, amount)
            for source in sources
            for target, share in _split(edges.get(source, {}), origins[source])
            if target not in silent and (amount := wave[source] * decay * share) > 0.0
        ]
        found: dict[str, tuple[float, tuple[str, ...]]] = {}
        given: dict[str, list[float]] = {}
        origins = {}
        for _, source, target, amount in walked:
            given.setdefault(target, []).append(amount)
            origins.setdefault(target, set()).add(source)
            path = (*paths[source], target)
            worth = strength[source] * amount / wave[source]
            old_worth, old_path = found.get(target) or (strength.get(target, 0.0), paths.get(target, ()))
            if _better(worth, path, old_worth, old_path):
                found[target] = (worth, path)
        for target, (worth, path) in found.items():
            strength[target], paths[target] = worth, path
        wave = {}
        for target, amounts in given.items():
            before = level.get(target, 0.0)
            level[target] = min(1.0, before + math.fsum(amounts))
            if level[target] > before:
                wave[target] = level[target] - before
        steps.extend(sorted(walked, key=lambda step: (-step.amount, step.source, step.target)))
    return Activations(level=level, paths=paths, steps=tuple(steps))


def _strong_enough(wave: Mapping[str, float]) -> list[str]:
    """Return who hands on, strongest first."""
    least = FLOOR * max(wave.values(), default=0.0)
    return sorted((key for key, amount in wave.items() if amount >= least), key=lambda key: (-wave[key], key))[
        :FRONTIER
    ]


def _split(weights: Mapping[str, float], excluded: set[str]) -> list[tuple[str, float]]:
    """Return the strongest neighbours with their shares, which sum to 1; weights are positive."""
    strongest = sorted((-weight, key) for key, weight in weights.items() if key not in excluded)[:FAN]
    total = -math.fsum(weight for weight, _ in strongest)
    return [(key, -weight / total) for weight, key in strongest] if total > 0.0 else []


def _better(worth: float, path: tuple[str, ...], old_worth: float, old_path: tuple[str, ...]) -> bool:
    """Tell whether a path is stronger, or as strong and shorter, or as short and alphabetically first."""
    if not old_path or worth > old_worth:
        return True
    return worth == old_worth and (len(path), path) < (len(old_path), old_path)
