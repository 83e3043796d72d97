"""
What association adds to one recall: facts reached from the best matches and from the entities that are asked for.

Facts come in and go out as matches on one scale; what a connection is worth is a summand `association` of the match.
"""

import functools
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import attrs

from openclaw_memory_plugin.index.graph import Graph, Node
from openclaw_memory_plugin.index.read import Reader, Scope
from openclaw_memory_plugin.recall import wordlinks
from openclaw_memory_plugin.recall.associate import Activations, spread
from openclaw_memory_plugin.recall.bridge import ABOUT, Bridge, Held, Link, bridge
from openclaw_memory_plugin.recall.cues import Cues
from openclaw_memory_plugin.recall.gather import Gathered, in_order
from openclaw_memory_plugin.recall.match import NOISE, SUPERSEDED, Match

DEPTH = 2
"""Hops when the request does not say."""

FEW = 5
DENSE = 3.0
"""Unless a depth is asked for, activation counts only where fewer facts than `FEW` match by themselves, and where the
seeds have this many neighbours on average."""

STIRRED = 0.5
"""What it is worth to be the only fact about a fully activated entity, against the best match."""

STIRRED_ENTITIES = 6
STIRRED_FACTS = 4
"""So many of the most active entities lead to so many facts each, the most recent ones."""

CEILING = 0.75
TIMED_CEILING = 0.65
ASKED_CEILING = 1.25
"""What a fact without words of its own is worth at most against the one that leads there: by default nearer is better,
and too little for a short answer where the question names a time or asks for one, which the near end then tells; where
a depth is asked for the end of a path may come before its middle."""

HITS = 3
"""Best facts whose entities are the seeds when the query names none."""

RARE = 8
"""Only entities in at most so many facts lead to facts that match nothing."""

ENTITIES = 8
"""The rarest so many entities of a hop lead to facts that are not weighed yet."""

FACTS = 24
"""At most so many facts are read in a hop that no word, time or name led to."""

_NOTHING = {"words": 0.0, "context": 0.0, "entities": 0.0, "time": 0.0}


class Origin(NamedTuple):
    """The fact to which another owes its association."""

    id: str
    back: bool
    """Whether that one is led to; else it is the one that leads here."""


@attrs.frozen(kw_only=True)
class Connected:
    """Gathered matches with what association adds to them."""

    gathered: Gathered
    paths: Mapping[int, tuple[str, ...]] = attrs.field(factory=dict)
    """Fact that is no direct match -> names of the entities on the best path to it, seed first."""
    activations: Activations = attrs.field(factory=Activations)
    """By key; nothing where they do not count."""
    bridges: Mapping[int, Bridge] = attrs.field(factory=dict)
    """Fact -> the bridge that counts for it, in keys of entities."""
    origins: Mapping[int, Origin] = attrs.field(factory=dict)
    """Fact -> what it owes its association to, where that is a fact and not the question itself."""
    matched: Callable[[int], Match | None] = lambda seq: None
    """Any fact met on the way -> its match."""
    spread: Callable[[], Activations] = Activations
    """Activates everything, also what could not count, for whoever wants to see it."""
    names: Callable[[Iterable[str]], Mapping[str, str]] = lambda keys: {}
    """Keys of entities -> their names."""


def connect(
    connection: sqlite3.Connection,
    reader: Reader,
    gathered: Gathered,
    *,
    cues: Cues,
    scope: Scope,
    depth: int | None,
    decay: float,
    wanted: int,
) -> Connected:
    """
    Add what is connected with the best matches and with the entities that the question names.

    Args:
        depth: hops, 0 to 3; None is `DEPTH`, and activation then counts only where little matches and the graph is
            dense.
        decay: what a hop hands on, in [0, 1].
        wanted: how many facts the answer holds; what activation leads to is looked for only where it could be among
            them. 0 is for those who want to see the activations.
    """
    hops = DEPTH if depth is None else depth
    if not hops or not decay or not (gathered.ranked or gathered.entities):
        return Connected(gathered=gathered)
    graph = Graph(
        connection=connection,
        total=reader.size()[0],
        named=frozenset(cue.key for cue in gathered.entities),
        archived=scope.archived,
        private=scope.private,
    )
    by_default = depth is None
    walk = _Walk(graph, reader, gathered, scope, cues, by_default=by_default)
    ceiling = (TIMED_CEILING if cues.wants_time else CEILING) if by_default else ASKED_CEILING
    bridges = bridge(walk.best, walk.weights, walk.held, walk.links, hops=hops, ceiling=ceiling)
    worth = {seq: path.worth for seq, path in bridges.items()}
    paths = {seq: (*walk.asked(path), *path.path) for seq, path in bridges.items() if not walk.is_direct(seq)}
    origins: dict[int, tuple[int | None, bool]] = {seq: (path.start, path.back) for seq, path in bridges.items()}
    activations = Activations()
    if depth is not None or len(walk.best) < FEW:
        least = walk.least(wanted)
        activations = walk.activate(hops, decay, dense=DENSE if depth is None else 0.0, least=least)
        stirred = walk.stirred(activations, least)
        for seq, held in walk.held(stirred).items():
            if not held.named and stirred[seq][0] > worth.get(seq, 0.0):
                worth[seq] = stirred[seq][0]
                bridges.pop(seq, None)
                origins[seq] = (walk.source(stirred[seq][1][0]), False)
                if not walk.is_direct(seq):
                    paths[seq] = stirred[seq][1]
    names = walk.names({key for path in paths.values() for key in path})
    return Connected(
        gathered=walk.gathered(worth),
        paths={seq: tuple(names[key] for key in path) for seq, path in paths.items()},
        activations=activations,
        names=walk.names,
        bridges=bridges,
        origins={
            seq: Origin(match.row.id, back)
            for seq, (start, back) in origins.items()
            if start is not None and (match := walk.matched(start))
        },
        matched=walk.matched,
        spread=functools.partial(walk.activate, hops, decay, dense=0.0, least=0.0),
    )


class _Walk:
    """The two ways over one graph, and the facts met there."""

    def __init__(
        self, graph: Graph, reader: Reader, gathered: Gathered, scope: Scope, cues: Cues, *, by_default: bool
    ) -> None:
        matcher = gathered.matcher
        self.best = [match.row.seq for match in gathered.ranked if not match.words.keys() <= matcher.timed]
        self.weights = (*matcher.weights, matcher.time_weight)
        self._time = len(matcher.weights)
        self._timed = matcher.timed if by_default else ()
        self._timely = by_default and bool(cues.windows)
        self._graph = graph
        self._reader = reader
        self._before = gathered
        self._scope = scope
        self._top = max((_without_likeness(match) for match in gathered.ranked), default=0.0) or 1.0
        self._matches: dict[int, Match | None] = {match.row.seq: match for match in gathered.ranked}
        self._mentioned: dict[int, Mapping[int, int]] = dict(gathered.mentioned)
        self._members: dict[int, list[Node]] = {}
        self._nodes: dict[str, Node] = {}
        self._by_word = {} if by_default else self._linked_by_words(matcher.terms)

    def gathered(self, worth: Mapping[int, float]) -> Gathered:
        """Return all matches, with what their connections are worth."""
        before = self._before.ranked
        new = {seq: _raised(match, added * self._top) for seq, added in worth.items() if (match := self._matches[seq])}
        matches = (*(match for match in before if match.row.seq not in new), *new.values())
        ranked = in_order(match for match in matches if match.score > 0.0 or self._scope.narrow)
        return attrs.evolve(self._before, ranked=tuple(ranked), mentioned=self._mentioned)

    def held(self, seqs: Iterable[int]) -> dict[int, Held]:
        """Return what facts hold of the query; those out of scope are left out."""
        wanted = list(seqs)
        self._read([seq for seq in wanted if seq not in self._matches])
        found = {}
        for seq in wanted:
            match = self._matches[seq]
            if match:
                words = {word: worth / self._top for word, worth in match.words.items()}
                if match.parts["time"]:
                    words[self._time] = 0.0
                    words.update((number, 0.0) for number in self._timed if number not in words)
                score = _without_likeness(match) * _direct(match) / self._top
                found[seq] = Held(id=match.row.id, score=score, words=words, named=self._is_named(match))
        return found

    def matched(self, seq: int) -> Match | None:
        """Return the match of a fact met on the way; None for one that may not be seen."""
        return self._matches.get(seq)

    def source(self, seed: str) -> int | None:
        """Return the best fact that made an entity a seed; None for one that the query names."""
        if seed in self._graph.named:
            return None
        members = self._entities_of(self.best[:HITS])
        return next((seq for seq, nodes in members.items() if any(node.key == seed for node in nodes)), None)

    def _is_named(self, match: Match) -> bool:
        """Tell whether a fact needs no bridge: it is about what the query names, or the asked time is all it meets."""
        by_time = self._timely and match.parts["time"] > 0.0 and not match.parts["words"]
        return match.parts["entities"] > 0.0 or by_time

    def is_direct(self, seq: int) -> bool:
        """Tell whether a fact matches by itself."""
        match = self._matches[seq]
        return match is not None and match.parts["words"] > 0.0

    def links(self, seqs: Iterable[int]) -> dict[int, list[Link]]:
        """Return the entities over which facts may lead on, with the facts that share them."""
        members = self._entities_of(seqs)
        nodes = {node for entities in members.values() for node in entities if node.facts > 1}
        unnamed = sorted(nodes, key=lambda node: (node.facts, node.key))
        unnamed = [node for node in unnamed if node.key not in self._graph.named]
        sharing = self._sharing({node.id for node in unnamed})
        room = FACTS
        links = {}
        for place, node in enumerate(unnamed):
            facts = sharing.get(node.id, {})
            if node.facts <= RARE and room and place < ENTITIES:
                for seq, about in self._graph.newest(node.key, RARE).items():
                    if seq in self._matches:
                        facts[seq] = about
                    elif room:
                        facts[seq] = about
                        room -= 1
            links[node.key] = Link(key=node.key, rarity=node.rarity, sharing=node.facts, facts=facts)
        found = {seq: [links[node.key] for node in entities if node.key in links] for seq, entities in members.items()}
        return {
            seq: [*linked, *self._by_word.get(seq, ())] if not linked or self._is_note(seq) else linked
            for seq, linked in found.items()
        }

    def _is_note(self, seq: int) -> bool:
        match = self._matches[seq]
        return match is not None and match.row.kind == "note"

    def least(self, wanted: int) -> float:
        """Return what the last of the facts wanted is worth, on the scale of `Held.score`."""
        ranked = self._before.ranked
        return ranked[wanted - 1].score / self._top if 0 < wanted <= len(ranked) else 0.0

    def activate(self, depth: int, decay: float, *, dense: float, least: float) -> Activations:
        """
        Return how strongly entities are stirred.

        Nothing when the seeds have fewer neighbours than `dense` on average. Stops where nothing that is stirred could
        be worth as much as `least`.
        """
        seeds = self._seeds()
        further = [len(seeds) * decay**hop for hop in range(1, depth + 1)]
        if STIRRED * ABOUT * min(1.0, sum(further)) < least:
            return Activations()
        edges = self._graph.neighbours(seeds)
        known = [other for weights in edges.values() for other in weights if other not in self._graph.silent]
        if not edges or len(known) < dense * len(edges):
            return Activations()

        def neighbours(keys: Sequence[str]) -> dict[str, dict[str, float]]:
            unread = [key for key in keys if key not in edges]
            if unread:
                edges.update(self._graph.neighbours(unread))
            return {key: edges[key] for key in keys if key in edges}

        start = dict.fromkeys(edges, 1.0)
        walk = functools.partial(spread, start, neighbours, decay=decay, silent=self._graph.silent)
        near = walk(depth=1)
        most = max((level for key, level in near.level.items() if key not in start), default=0.0)
        if depth == 1 or STIRRED * ABOUT * min(1.0, most + sum(further[1:])) < least:
            return near
        return walk(depth=depth)

    def stirred(self, activations: Activations, least: float) -> dict[int, tuple[float, tuple[str, ...]]]:
        """Return the facts of the most active entities, with what that is worth and the path there."""
        active = [key for key, path in activations.paths.items() if len(path) > 1]
        active = sorted(active, key=lambda key: (-activations.level[key], key))[:STIRRED_ENTITIES]
        self._nodes |= self._graph.nodes(active)
        found: dict[int, tuple[float, tuple[str, ...]]] = {}
        for key in active:
            node = self._nodes[key]
            worth = STIRRED * activations.level[key] * node.rarity / max(1, node.facts - 1) ** 0.5
            if worth * ABOUT < least:
                continue
            for seq, about in self._graph.newest(key, STIRRED_FACTS).items():
                better = worth * ABOUT if about else worth
                if better > found.get(seq, (0.0, ()))[0]:
                    found[seq] = (better, activations.paths[key])
        return found

    def asked(self, path: Bridge) -> tuple[str, ...]:
        """Return the entity through which the query leads to the start of a bridge, if it names one."""
        named = [node for node in self._members.get(path.start, ()) if node.key in self._graph.named]
        return (max(named, key=lambda node: (node.rarity, node.key)).key,) if named else ()

    def names(self, keys: Iterable[str]) -> dict[str, str]:
        """Return how entities are called."""
        words = {key: key for key in keys if key.startswith(wordlinks.MARK)}
        wanted = set(keys) - words.keys()
        unknown = wanted - self._nodes.keys()
        if unknown:
            self._nodes |= self._graph.nodes(sorted(unknown))
        return words | {key: self._nodes[key].name for key in wanted}

    def _linked_by_words(self, asked: Collection[str]) -> dict[int, list[Link]]:
        """Return the words by which the best fact may lead on, and of the next ones those that name nobody."""
        leading = [match.row for match in self._before.ranked if match.parts["words"]][: wordlinks.SEEDS]
        named = self._entities_of([row.seq for row in leading])
        chosen = [*leading[:1], *(row for row in leading[1:] if not named[row.seq])]
        return wordlinks.word_links(self._reader, chosen, asked, self._scope)

    def _seeds(self) -> list[str]:
        if self._graph.named:
            return sorted(self._graph.named)
        members = self._entities_of(self.best[:HITS])
        return sorted({node.key for entities in members.values() for node in entities})

    def _sharing(self, entities: set[int]) -> dict[int, dict[int, bool]]:
        """Return which of the facts weighed so far mention each entity, and whether they are about it."""
        found: dict[int, dict[int, bool]] = {}
        for seq in self._matches:
            mentioned = self._mentioned.get(seq, {})
            for entity in entities & mentioned.keys():
                found.setdefault(entity, {})[seq] = mentioned[entity] == 0
        return found

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
        allowed = self._reader.fitting(seqs, self._scope) if self._scope.narrow else seqs
        rows = self._reader.alone(sorted(allowed))
        rows = [row for row in rows if row.archived <= self._scope.archived and row.private <= self._scope.private]
        mentioned = self._reader.mentioned([row.seq for row in rows])
        self._mentioned |= mentioned
        self._matches |= {row.seq: Match(row=row, score=0.0, parts=_NOTHING, words={}, found=0.0) for row in rows}
        headings = self._reader.headings({row.section_id for row in rows})
        self._matches |= self._before.matcher.match(rows, mentioned, headings)


def _raised(match: Match, worth: float) -> Match:
    """Return a match with what its connection is worth; that takes the place of what only its neighbours hold."""
    if not worth:
        return match
    worth *= (NOISE if match.row.noise else 1.0) * (SUPERSEDED if match.row.superseded else 1.0)
    if not match.parts["words"]:
        worth -= match.parts["context"]
    if worth <= 0.0:
        return match
    parts = {**match.parts, "association": worth}
    return Match(row=match.row, score=match.score + worth, parts=parts, words=match.words, found=match.found)


def _direct(match: Match) -> float:
    """Return which share of a match is the fact's own: none when only its context matches."""
    parts = match.parts
    own = parts["words"] + parts["entities"] + parts["time"]
    return own / (own + parts["context"]) if parts["words"] else 0.0


def _without_likeness(match: Match) -> float:
    """Return what a match is worth without its likeness of meaning, which finds facts but leads nowhere."""
    return match.score - match.parts.get("vector", 0.0)
