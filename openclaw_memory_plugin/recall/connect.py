"""What association adds to one recall: facts reached from the best matches and from the entities that are asked for."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import attrs

from openclaw_memory_plugin.index.graph import Graph, Node
from openclaw_memory_plugin.recall.associate import Activations, spread
from openclaw_memory_plugin.recall.bridge import ABOUT, Bridge, Link, Match, bridge

DEPTH = 2
"""Hops when the request does not say."""

DENSE = 3.0
"""Neighbours that the seeds must have on average for activation to count, unless a depth is asked for."""

STIRRED = 0.5
"""What it is worth to be the only fact about a fully activated entity."""

HITS = 3
"""Best facts whose entities are the seeds when the query names none."""

ENTITIES = 12
"""Over so many entities a hop leads to facts: the rarest, or the most active."""

FACTS = 16
"""Of each of them so many facts, the most recent, are looked at."""


@attrs.frozen(kw_only=True)
class Connection:
    """How a fact is connected with the query."""

    worth: float
    """Of the best path, on the scale of `Match.score`."""
    path: tuple[str, ...]
    """Names of the entities on it, seed first."""


@attrs.frozen(kw_only=True)
class Connected:
    """What association found."""

    facts: Mapping[int, Connection] = attrs.field(factory=dict)
    activations: Activations = attrs.field(factory=Activations)
    """By key; nothing where the graph is too thin for them to count."""
    names: Mapping[str, str] = attrs.field(factory=dict)
    """Keys in `activations` -> names."""


def connect(
    graph: Graph,
    *,
    best: Sequence[int],
    weights: Sequence[float],
    matches: Callable[[Iterable[int]], Mapping[int, Match]],
    depth: int | None,
    decay: float,
) -> Connected:
    """
    Return the facts that are connected with a query.

    Args:
        graph: its `named` are the entities that the query asks for.
        best: the facts that match best, best first.
        weights: what each word of the query weighs.
        matches: facts -> what they match of the query; a fact that is left out is not to be found.
        depth: hops, 0 to 3; None is `DEPTH`, and activation then counts only where the graph is dense.
        decay: what a hop hands on, in [0, 1].
    """
    hops = DEPTH if depth is None else depth
    if not hops or not decay:
        return Connected()
    walk = _Walk(graph, best)
    bridges = bridge(best, weights, matches, walk.links, hops=hops)
    activations = walk.activate(hops, decay, least=DENSE if depth is None else 0.0)
    stirred = walk.stirred(activations)
    seen = matches(sorted(stirred.keys() - bridges.keys()))
    names = walk.names({key for path in bridges.values() for key in path.path} | activations.level.keys())
    found = {seq: Connection(worth=worth, path=path) for seq, (worth, path) in stirred.items() if seq in seen}
    for seq, path in bridges.items():
        if seq not in stirred or path.worth >= stirred[seq][0]:
            found[seq] = Connection(worth=path.worth, path=(*walk.asked(path), *path.path))
    facts = {
        seq: attrs.evolve(connection, path=tuple(names.get(key, key) for key in connection.path))
        for seq, connection in found.items()
    }
    return Connected(facts=facts, activations=activations, names=names)


class _Walk:
    """The two ways over one graph."""

    def __init__(self, graph: Graph, best: Sequence[int]) -> None:
        self.graph = graph
        self.best = best
        self.members: dict[int, list[Node]] = {}
        self.nodes: dict[str, Node] = {}

    def links(self, seqs: Iterable[int]) -> dict[int, list[Link]]:
        """Return the entities over which facts may lead on, with the facts that share them."""
        members = self._members(seqs)
        nodes = {node for entities in members.values() for node in entities if node.facts > 1}
        unnamed = [node for node in nodes if node.key not in self.graph.named]
        links = {}
        for node in sorted(unnamed, key=lambda node: (node.facts, node.key))[:ENTITIES]:
            facts = self.graph.newest(node.key, FACTS)
            links[node.key] = Link(key=node.key, rarity=node.rarity, count=node.facts, facts=facts)
        return {seq: [links[node.key] for node in entities if node.key in links] for seq, entities in members.items()}

    def activate(self, depth: int, decay: float, *, least: float) -> Activations:
        """Return how strongly entities are stirred; nothing when the seeds have too few neighbours."""
        seeds = self._seeds()
        edges = self.graph.neighbours(seeds)
        if not edges or sum(map(len, edges.values())) < least * len(edges):
            return Activations()

        def neighbours(keys: Sequence[str]) -> dict[str, dict[str, float]]:
            unread = [key for key in keys if key not in edges]
            if unread:
                edges.update(self.graph.neighbours(unread))
            return {key: edges[key] for key in keys if key in edges}

        return spread(dict.fromkeys(seeds, 1.0), neighbours, depth=depth, decay=decay)

    def stirred(self, activations: Activations) -> dict[int, tuple[float, tuple[str, ...]]]:
        """Return the facts of the most active entities, with what that is worth and the path there."""
        active = [key for key, path in activations.paths.items() if len(path) > 1]
        active.sort(key=lambda key: (-activations.level[key], key))
        found: dict[int, tuple[float, tuple[str, ...]]] = {}
        self.nodes |= self.graph.nodes(active[:ENTITIES])
        for key in active[:ENTITIES]:
            node = self.nodes[key]
            worth = STIRRED * activations.level[key] * node.rarity / max(1, node.facts - 1) ** 0.5
            for seq, about in self.graph.newest(key, FACTS).items():
                better = worth * ABOUT if about else worth
                if better > found.get(seq, (0.0, ()))[0]:
                    found[seq] = (better, activations.paths[key])
        return found

    def asked(self, path: Bridge) -> tuple[str, ...]:
        """Return the entity through which the query leads to the start of a bridge, if it names one."""
        named = [node for node in self.members.get(path.start, ()) if node.key in self.graph.named]
        return (max(named, key=lambda node: (node.rarity, node.key)).key,) if named else ()

    def names(self, keys: set[str]) -> dict[str, str]:
        """Return how entities are called."""
        unknown = keys - self.nodes.keys()
        if unknown:
            self.nodes |= self.graph.nodes(sorted(unknown))
        return {key: node.name for key, node in self.nodes.items()}

    def _seeds(self) -> list[str]:
        if self.graph.named:
            return sorted(self.graph.named)
        members = self._members(self.best[:HITS])
        return sorted({node.key for entities in members.values() for node in entities})

    def _members(self, seqs: Iterable[int]) -> dict[int, list[Node]]:
        wanted = list(seqs)
        unknown = [seq for seq in wanted if seq not in self.members]
        if unknown:
            self.members |= self.graph.members(unknown)
            self.nodes.update((node.key, node) for seq in unknown for node in self.members[seq])
        return {seq: self.members[seq] for seq in wanted}
