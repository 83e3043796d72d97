"""Tell how a recall came to what it answers: every part of one fact's score, and the ways of association."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from openclaw_memory_plugin.errors import UsageError
from openclaw_memory_plugin.recall import NOTHING, completed, ranking, reasons
from openclaw_memory_plugin.recall.pack import pack, strengths_of
from openclaw_memory_plugin.recall.rank import Ranked

if TYPE_CHECKING:
    from openclaw_memory_hookspecs import RecallRequest
    from openclaw_memory_plugin.config import Config
    from openclaw_memory_plugin.index import Index
    from openclaw_memory_plugin.recall import Score
    from openclaw_memory_plugin.recall.associate import Activations
    from openclaw_memory_plugin.recall.connect import Connected

BRIDGES = 20
"""So many bridges, the best ones, are told."""


def explain(
    index: "Index",
    fact_id: str,
    request: "RecallRequest",
    score: "Score",
    config: "Config",
    *,
    likeness: Mapping[int, float] = NOTHING,
) -> Mapping[str, Any]:
    """
    Tell every part of a fact's score for a question.

    A fact that a recall would not look at is weighed all the same; `left_out` says then, and whenever a recall would
    not return it, why not. What matches nothing has neither score nor place.

    Returns:
        `score`, `place` among the scored, `candidates` that were weighed, `left_out`, and the keys of `why`.
    """
    request = completed(request, config)
    ranked = ranking(index, request, config, likeness=likeness)
    weighed, scored = ranked.weighed, len(ranked.candidates)
    is_candidate = _number(ranked, fact_id) is not None
    if not is_candidate:
        seq = _seq(index, fact_id)
        if seq is not None:
            ranked = ranking(index, request, config, likeness=likeness, always=frozenset((seq,)))
    number = _number(ranked, fact_id)
    if number is None or not (is_candidate or ranked.candidates[number].base):
        why_not = _why_unmatched(index, fact_id)
        return {"score": None, "place": None, "candidates": weighed, "left_out": why_not}
    scores, _ = score(request, list(ranked.candidates))
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    if is_candidate:
        left_out = _why_not_returned(request, ranked, scores, config, number)
    else:
        left_out = f"a recall scores the {scored} best matches, and this is not among them"
    return {
        "score": scores[number],
        "place": order.index(number) + 1,
        "candidates": weighed,
        "left_out": left_out,
        **reasons(request, ranked, scores, config)(number),
    }


def trace(ranked: Ranked) -> Mapping[str, Any]:
    """
    Tell how association went in a recall, by the steps that it took.

    Returns:
        `bridges`: from a fact over entities to another one, with what that is worth against the best match; `seeds`,
        `hops` and `activations` of spreading activation, and whether it `counted`: where it could not have added to
        the answer, a recall does not wait for it, and it is followed for this only. `facts` are the statements of
        those in `bridges`.
    """
    connected = ranked.connected
    if connected is None:
        return {"bridges": [], "facts": {}, "counted": False, "seeds": [], "hops": {}, "activations": {}}
    counted = bool(connected.activations.level)
    activations = connected.activations if counted else connected.spread()
    return {**_bridges(connected), "counted": counted, **_activation(connected, activations)}


def _bridges(connected: "Connected") -> dict[str, Any]:
    best = sorted(connected.bridges.items(), key=lambda item: (-item[1].worth, item[0]))[:BRIDGES]
    names = connected.names({key for _, path in best for key in path.path})
    told: list[dict[str, Any]] = []
    facts: dict[str, str] = {}
    for seq, path in best:
        here, there = connected.matched(path.start), connected.matched(seq)
        if here is not None and there is not None:
            facts |= {here.row.id: here.row.content, there.row.id: there.row.content}
            via = [names[key] for key in path.path]
            told.append(
                {"from": here.row.id, "via": via, "to": there.row.id, "worth": round(path.worth, 4), "back": path.back}
            )
    return {"bridges": told, "facts": facts}


def _activation(connected: "Connected", activations: "Activations") -> dict[str, Any]:
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


def _number(ranked: Ranked, fact_id: str) -> int | None:
    return next((i for i, candidate in enumerate(ranked.candidates) if candidate.fact.id == fact_id), None)


def _seq(index: "Index", fact_id: str) -> int | None:
    from openclaw_memory_plugin.index.facts import seq_of

    try:
        return seq_of(index.connection, fact_id)
    except UsageError:
        return None


def _why_unmatched(index: "Index", fact_id: str) -> str:
    from openclaw_memory_plugin.index.facts import is_archived

    if is_archived(index.connection, fact_id):
        return "it is archived; a recall looks at it with --include-archived"
    return "nothing of it matches the question, or the filters leave it out"


def _why_not_returned(
    request: "RecallRequest", ranked: Ranked, scores: Any, config: "Config", number: int
) -> str | None:
    """Say why a candidate is not among the hits; None when it is."""
    candidates = ranked.candidates
    cutoff = config.recall.cutoff
    strengths = strengths_of(request, candidates, scores, config)
    packed = pack(request, candidates, scores, lambda i: {}, cutoff=cutoff, strengths=strengths)
    chosen = candidates[number]
    if any(hit.fact.id == chosen.fact.id for hit in packed.hits):
        return None
    if request.cutoff and strengths[number] < cutoff * max(strengths):
        return f"its match is below {cutoff:g} of the best one; a recall gives it with --no-cutoff"
    if len(packed.hits) >= request.k:
        return f"{request.k} others score better; a recall gives it with a larger --k"
    return "another fact says the same and cites its place"
