"""
What association adds to one recall: facts reached from the best matches and from the entities that are asked for.

Facts come in and go out as matches on one scale; what a connection is worth is a summand `association` of the match.
"""

from collections.abc import Iterable, Mapping, Sequence

import attrs

from openclaw_memory_plugin.index.graph import Graph, Node
from openclaw_memory_plugin.index.read import Reader, Scope
from openclaw_memory_plugin.recall.associate import Activations, spread
from openclaw_memory_plugin.recall.bridge import ABOUT, Bridge, Held, Link, bridge
from openclaw_memory_plugin.recall.match import Match, Matcher

DEPTH = 2
"""Hops when the request does not say."""

DENSE = 3.0
"""Neighbours that the seeds must have on average for activation to count, unless a depth is asked for."""

STIRRED = 0.5
"""What it is worth to be the only fact about a fully activated entity, against the best match."""

HITS = 3
"""Best facts whose entities are the seeds when the query names none."""

ENTITIES = 12
"""Over so many entities a hop leads to facts: the rarest, or the most active."""

FACTS = 16
"""Of each of them so many facts, the most recent, are looked at."""


@attrs.frozen(kw_only=True)
class Connected:
    """Matches with what association adds to them."""

    ranked: tuple[Match, ...]
    """In no particular order."""
    paths: Mapping[int, tuple[str, ...]] = attrs.field(factory=dict)
    """Fact that has a share of it -> names of the entities on the best path, seed first."""
    activations: Activations = attrs.field(factory=Activations)
    """By key; nothing where the graph is too thin for them to count."""
    names: Mapping[str, str] = attrs.field(factory=dict)
    """Keys in `activations` -> names."""


def connect(
    graph: Graph,
    reader: Reader,
    matcher: Matcher,
    ranked: Sequence[Match],
    *,
    scope: Scope,
    depth: int | None,
    decay: float,
) -> Connected:
    """
    Add what is connected with the best matches and with the entities that the query names.

    Args:
        graph: its `named` are those entities.
        ranked: best first.
        depth: hops, 0 to 3; None is `DEPTH`, and activation then counts only where the graph is dense.
        decay: what a hop hands on, in [0, 1].
    """
    hops = DEPTH if depth is None else depth
    if not hops or not decay:
        return Connected(ranked=tuple(ranked))
    walk = _Walk(graph, reader, matcher, ranked, scope)
    bridges = bridge(walk.best, matcher.weights, walk.held, walk.links, hops=hops)
    activations = walk.activate(hops, decay, least=DENSE if depth is None else 0.0)
    worth = {seq: path.worth for seq, path in bridges.items()}
    keys = {seq: (*walk.asked(path), *path.path) for seq, path in bridges.items()}
    stirred = walk.stirred(activations)
    seen = walk.held(stirred)
    for seq, (level, path) in stirred.items():
        if seq in seen and level > worth.get(seq, 0.0):
            worth[seq], keys[seq] = level, path
    names = walk.names({key for path in keys.values() for key in path} | activations.level.keys())
    return Connected(
        ranked=tuple(walk.match(seq, worth.get(seq, 0.0)) for seq in dict.fromkeys((*walk.best, *worth))),
        paths={seq: tuple(names.get(key, key) for key in path) for seq, path in keys.items()},
        activations=activations,
        names=names,
    )


class _Walk:
    """The two ways over one graph, and the facts met there."""

    def __init__(self, graph: Graph, reader: Reader, matcher: Matcher, ranked: Sequence[Match], scope: Scope) -> None:
        self.best = [match.row.seq for match in ranked]
        self._graph = graph
        self._reader = reader
        self._matcher = matcher
        self._scope = scope
        self._top = max((match.score for match in ranked), default=0.0) or 1.0
        self._matches: dict[int, Match | None] = {match.row.seq: match for match in ranked}
        self._members: dict[int, list[Node]] = {}
        self._nodes: dict[str, Node] = {}

    def match(self, seq: int, worth: float) -> Match:
        """Return a fact's match with what its connection is worth."""
        match = self._matches[seq]
        assert match is not None
        if not worth:
            return match
        parts = {**match.parts, "association": worth * self._top}
        return attrs.evolve(match, score=match.score + worth * self._top, parts=parts)

    def held(self, seqs: Iterable[int]) -> dict[int, Held]:
        """Return what facts hold of the query; those out of scope are left out."""
        wanted = list(seqs)
        self._read([seq for seq in wanted if seq not in self._matches])
        found = {}
        for seq in wanted:
            match = self._matches[seq]
            if match:
                words = {word: worth / self._top for word, worth in match.words.items()}
                found[seq] = Held(id=match.row.id, score=match.score / self._top, words=words)
        return found

    def links(self, seqs: Iterable[int]) -> dict[int, list[Link]]:
        """Return the entities over which facts may lead on, with the facts that share them."""
        members = self._entities_of(seqs)
        nodes = {node for entities in members.values() for node in entities if node.facts > 1}
        unnamed = [node for node in nodes if node.key not in self._graph.named]
        links = {}
        for node in sorted(unnamed, key=lambda node: (node.facts, node.key))[:ENTITIES]:
            facts = self._graph.newest(node.key, FACTS)
            links[node.key] = Link(key=node.key, rarity=node.rarity, count=node.facts, facts=facts)
        return {seq: [links[node.key] for node in entities if node.key in links] for seq, entities in members.items()}

    def activate(self, depth: int, decay: float, *, least: float) -> Activations:
        """Return how strongly entities are stirred; nothing when the seeds have too few neighbours."""
        seeds = self._seeds()
        edges = self._graph.neighbours(seeds)
        if not edges or sum(map(len, edges.values())) < least * len(edges):
            return Activations()

        def neighbours(keys: Sequence[str]) -> dict[str, dict[str, float]]:
            unread = [key for key in keys if key not in edges]
            if unread:
                edges.update(self._graph.neighbours(unread))
            return {key: edges[key] for key in keys if key in edges}

        return spread(dict.fromkeys(edges, 1.0), neighbours, depth=depth, decay=decay)

    def stirred(self, activations: Activations) -> dict[int, tuple[float, tuple[str, ...]]]:
        """Return the facts of the most active entities, with what that is worth and the path there."""
        active = [key for key, path in activations.paths.items() if len(path) > 1]
        active.sort(key=lambda key: (-activations.level[key], key))
        found: dict[int, tuple[float, tuple[str, ...]]] = {}
        self._nodes |= self._graph.nodes(active[:ENTITIES])
        for key in active[:ENTITIES]:
            node = self._nodes[key]
            worth = STIRRED * activations.level[key] * node.rarity / max(1, node.facts - 1) ** 0.5
            for seq, about in self._graph.newest(key, FACTS).items():
                better = worth * ABOUT if about else worth
                if better > found.get(seq, (0.0, ()))[0]:
                    found[seq] = (better, activations.paths[key])
        return found

    def asked(self, path: Bridge) -> tuple[str, ...]:
        """Return the entity through which the query leads to the start of a bridge, if it names one."""
        named = [node for node in self._members.get(path.start, ()) if node.key in self._graph.named]
        return (max(named, key=lambda node: (node.rarity, node.key)).key,) if named else ()

    def names(self, keys: set[str]) -> dict[str, str]:
        """Return how entities are called."""
        unknown = keys - self._nodes.keys()
        if unknown:
            self._nodes |= self._graph.nodes(sorted(unknown))
        return {key: node.name for key, node in self._nodes.items()}

    def _seeds(self) -> list[str]:
        if self._graph.named:
            return sorted(self._graph.named)
        members = self._entities_of(self.best[:HITS])
        return sorted({node.key for entities in members.values() for node in entities})

    def _entities_of(self, seqs: Iterable[int]) -> dict[int, list[Node]]:
        wanted = list(seqs)
        unknown = [seq for seq in wanted if seq not in self._members]
        if unknown:
            self._members |= self._graph.members(unknown)
            self._nodes.update((node.key, node) for seq in unknown for node in self._members[seq])
        return {seq: self._members[seq] for seq in wanted}

    def _read(self, seqs: Sequence[int]) -> None:
        if not seqs:
            return
        self._matches.update(dict.fromkeys(seqs))
        allowed = self._reader.fitting(seqs, self._scope)
        rows = self._reader.alone(sorted(allowed))
        self._matches |= self._matcher.match(rows, self._reader.mentioned(sorted(allowed)), {})
