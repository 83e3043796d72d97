"""
Answer a question from the index: cues, gather, rank, score, pack. Reads only.

`why` of a hit says what its score is made of. Summands of the match: `words` (in the fact itself), `context` (in its
neighbours and headings), `entities` (named by the question), `time` (asked for), `association` (reached from better
matches or named entities); and `vector` (alike in meaning), which is given with the factors on it. Factors on the
others, where they apply:
`subject` (about a named entity), `opinion`, `dated` (names a time, asked when), `changed` (and says that something
changed), `asking` (is a question), `current` (says what is so now), `over` and `later` (so before or after today, asked
for now), `task` (an open one, asked for what is left to do),
`noise`, `superseded`. `base` is the match in [0, 1], `scored` the summands of the built-in scorer when it scored.
`superseded_by` is the id of a newer statement that takes its place and `superseded_at` where that stands, `via` the
entities over which association came. `WHY` holds all keys.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openclaw_memory_hookspecs import Candidate, Recalled, RecallRequest
    from openclaw_memory_plugin.config import Config
    from openclaw_memory_plugin.index import Index
    from openclaw_memory_plugin.recall.rank import Ranked

    Score = Callable[[RecallRequest, list[Candidate]], tuple[Sequence[float], Sequence[str]]]

NOTHING: Mapping[int, float] = {}

WHY = frozenset(
    {
        *("words", "context", "entities", "time", "association", "vector"),
        *("subject", "opinion", "dated", "changed", "asking", "current", "over", "later", "task"),
        *("noise", "superseded"),
        *("base", "scored", "superseded_by", "superseded_at", "via", "excerpt"),
        *("scored.match", "scored.salience", "scored.access", "scored.correction"),
        *("scored.keyword", "scored.time", "scored.tags"),
    }
)
"""Every key that `why` of a hit may have, and what `scored` may hold."""

__all__ = ["WHY", "explain", "recall", "trace"]


def recall(
    index: "Index",
    request: "RecallRequest",
    score: "Score",
    config: "Config",
    *,
    without: frozenset[str] = frozenset(),
    likeness: Mapping[int, float] = NOTHING,
) -> "Recalled":
    """
    Answer a request from the index as it is.

    Args:
        score: n candidates -> n finite floats in the same order, and what went wrong with a plugin's scores.
        without: parts of the match that shall not count (`rank.PARTS`), for measuring what each is worth.
        likeness: fact -> cosine of its vector and the question's, for those most alike; empty without vectors.
    """
    from openclaw_memory_hookspecs import Recalled
    from openclaw_memory_plugin.recall.pack import pack

    request = _completed(request, config)
    ranked = _rank(index, request, config, without, likeness)
    if not ranked.candidates or not request.k:
        return Recalled(
            query=request.query, candidates=ranked.weighed, dropped=ranked.weighed, degraded=ranked.degraded
        )
    scores, troubles = score(request, list(ranked.candidates))
    packed = pack(
        request,
        ranked.candidates,
        scores,
        _reasons(request, ranked, scores, config),
        cutoff=config.recall.cutoff,
        query_terms=[word.text for word in ranked.cues.words],
    )
    return Recalled(
        query=request.query,
        hits=packed.hits,
        candidates=ranked.weighed,
        dropped=ranked.weighed - len(packed.hits),
        tokens=packed.tokens,
        degraded=(*ranked.degraded, *troubles),
    )


def explain(
    index: "Index",
    fact_id: str,
    request: "RecallRequest",
    score: "Score",
    config: "Config",
    *,
    likeness: Mapping[int, float] = NOTHING,
) -> Mapping[str, Any]:
    """Tell every part of a fact's score for a question, its place among the candidates and how many there are."""
    request = _completed(request, config)
    ranked = _rank(index, request, config, likeness=likeness)
    scores, _ = score(request, list(ranked.candidates)) if ranked.candidates else ((), ())
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    reason = _reasons(request, ranked, scores, config)
    for place, i in enumerate(order, 1):
        if ranked.candidates[i].fact.id == fact_id:
            return {
                "score": scores[i],
                "place": place,
                "candidates": ranked.weighed,
                **reason(i),
            }
    return {"score": 0.0, "place": None, "candidates": ranked.weighed}


def trace(index: "Index", request: "RecallRequest", config: "Config") -> Mapping[str, Any]:
    """Tell how activation went for a question: its seeds, what each hop handed on, and the final activations."""
    import attrs

    whole = attrs.evolve(_completed(request, config), k=0)
    connected = _rank(index, whole, config).connected
    if connected is None:
        return {}
    activations = connected.activations
    names = connected.names(activations.level)
    hops: dict[str, list[dict[str, Any]]] = {}
    for step in activations.steps:
        handed = {"from": names[step.source], "to": names[step.target], "amount": round(step.amount, 4)}
        hops.setdefault(str(step.hop), []).append(handed)
    levels = sorted(activations.level.items(), key=lambda item: (-item[1], item[0]))
    return {
        "seeds": [names[key] for key, path in activations.paths.items() if len(path) == 1],
        "hops": hops,
        "activations": {names[key]: round(level, 4) for key, level in levels},
    }


def _completed(request: "RecallRequest", config: "Config") -> "RecallRequest":
    """Return the request with what the configuration says where it says nothing itself."""
    import attrs

    depth, decay = request.associative_depth, request.activation_decay
    if depth is None:
        depth = config.recall.associative_depth
    if decay is None:
        decay = config.recall.activation_decay
    return attrs.evolve(request, associative_depth=depth, activation_decay=decay)


def _rank(
    index: "Index",
    request: "RecallRequest",
    config: "Config",
    without: frozenset[str] = frozenset(),
    likeness: Mapping[int, float] = NOTHING,
) -> "Ranked":
    """Rank; a damaged index is built anew first, and that is said."""
    import attrs

    from openclaw_memory_plugin.recall.rank import rank

    share = config.vectors.weight
    try:
        return rank(index, request, without=without, likeness=likeness, share=share)
    except sqlite3.DatabaseError as error:
        if not index.repair(error):
            raise
        index.sync(request.now)
        ranked = rank(index, request, without=without, likeness=NOTHING, share=share)
        return attrs.evolve(ranked, degraded=(*ranked.degraded, "the index was damaged and has been built anew"))


def _reasons(
    request: "RecallRequest", ranked: "Ranked", scores: Sequence[float], config: "Config"
) -> Callable[[int], dict[str, Any]]:
    """Return what gives the `why` of a candidate; the built-in scorer's summands only where they make up the score."""
    from openclaw_memory_plugin.recall.rank import why
    from openclaw_memory_plugin.recall.score import summands

    scored = summands(request, ranked.candidates, config)
    facts = {candidate.fact.id: candidate.fact for candidate in ranked.candidates}

    def reason(i: int) -> dict[str, Any]:
        candidate, parts = ranked.candidates[i], scored[i]
        ours = parts if abs(sum(parts.values()) - scores[i]) < 1e-9 else {}
        return why(candidate, ours, facts.get(candidate.superseded_by or ""))

    return reason
