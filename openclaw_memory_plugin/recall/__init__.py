"""
Answer a question from the index: cues, gather, rank, score, pack. Reads only.

`why` of a hit says what its score is made of. Summands of the match: `words` (in the fact itself), `context` (in its
neighbours and headings), `entities` (named by the question), `time` (asked for), `association` (reached from better
matches or named entities); and `vector` (alike in meaning), which is given with the factors on it. Factors on the
others, where they apply:
`subject` (about a named entity), `opinion`, `dated` (names a time, asked when), `changed` (and says that something
changed), `asking` (is a question), `current` (says what is so now), `over` and `later` (so before or after today, asked
for now), `task` (an open one, asked for what is left to do),
`noise`, `superseded`, `supersedes` (a statement that was better matched), `order` (asked for the first or last).
`corrects` is what a statement has beyond its own match because it was retained against a better matched one, or says
what has become of it. `base` is the match in [0, 1], `scored` the summands of the built-in scorer when it scored.
`superseded_by` is the id of a newer statement that takes its place and `superseded_at` where that stands; `from` and
`leads_to` are the fact to which association is owed, `via` the entities over which it came. `WHY` holds all keys.
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
        *("noise", "superseded", "supersedes", "corrects", "order"),
        *("base", "scored", "superseded_by", "superseded_at", "from", "leads_to", "via", "excerpt"),
        *("scored.match", "scored.salience", "scored.access", "scored.correction"),
        *("scored.keyword", "scored.time", "scored.tags"),
    }
)
"""Every key that `why` of a hit may have, and what `scored` may hold."""

__all__ = ["WHY", "answer", "recall"]


def recall(
    index: "Index",
    request: "RecallRequest",
    score: "Score",
    config: "Config",
    *,
    without: frozenset[str] = frozenset(),
    likeness: Mapping[int, float] = NOTHING,
) -> "Recalled":
    """Answer a request from the index as it is; see `answer`."""
    return answer(index, request, score, config, without=without, likeness=likeness)[0]


def answer(
    index: "Index",
    request: "RecallRequest",
    score: "Score",
    config: "Config",
    *,
    without: frozenset[str] = frozenset(),
    likeness: Mapping[int, float] = NOTHING,
) -> "tuple[Recalled, Ranked]":
    """
    Answer a request from the index as it is, and give what it was made of for `trace`.

    Args:
        score: n candidates -> n finite floats in the same order, and what went wrong with a plugin's scores.
        without: parts of the match that shall not count (`rank.PARTS`), for measuring what each is worth.
        likeness: fact -> cosine of its vector and the question's, for those most alike; empty without vectors.
    """
    from openclaw_memory_hookspecs import Recalled
    from openclaw_memory_plugin.recall.pack import pack, strengths_of

    request = completed(request, config)
    ranked = ranking(index, request, config, without=without, likeness=likeness)
    if not ranked.candidates or not request.k:
        nothing = Recalled(
            query=request.query, candidates=ranked.weighed, dropped=ranked.weighed, degraded=ranked.degraded
        )
        return nothing, ranked
    scores, troubles = score(request, list(ranked.candidates))
    packed = pack(
        request,
        ranked.candidates,
        scores,
        reasons(request, ranked, scores, config),
        cutoff=config.recall.cutoff,
        strengths=strengths_of(request, ranked.candidates, scores, config),
        query_terms=[word.text for word in ranked.cues.words],
    )
    recalled = Recalled(
        query=request.query,
        hits=packed.hits,
        candidates=ranked.weighed,
        dropped=ranked.weighed - len(packed.hits),
        tokens=packed.tokens,
        degraded=(*ranked.degraded, *troubles),
    )
    return recalled, ranked


def completed(request: "RecallRequest", config: "Config") -> "RecallRequest":
    """Return the request with what the configuration says where it says nothing itself."""
    import attrs

    depth, decay = request.associative_depth, request.activation_decay
    if depth is None:
        depth = config.recall.associative_depth
    if decay is None:
        decay = config.recall.activation_decay
    return attrs.evolve(request, associative_depth=depth, activation_decay=decay)


def ranking(
    index: "Index",
    request: "RecallRequest",
    config: "Config",
    *,
    without: frozenset[str] = frozenset(),
    likeness: Mapping[int, float] = NOTHING,
    always: frozenset[int] = frozenset(),
) -> "Ranked":
    """Rank; a damaged index is built anew first, and that is said."""
    import attrs

    from openclaw_memory_plugin.recall.rank import rank

    share = config.vectors.weight
    try:
        return rank(index, request, without=without, likeness=likeness, share=share, always=always)
    except sqlite3.DatabaseError as error:
        if not index.repair(error):
            raise
        index.sync(request.now)
        ranked = rank(index, request, without=without, likeness=NOTHING, share=share)
        return attrs.evolve(ranked, degraded=(*ranked.degraded, "the index was damaged and has been built anew"))


def reasons(
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
        return why(candidate, ours, facts.get(candidate.superseded_by or ""), ranked.origins.get(candidate.fact.id))

    return reason
