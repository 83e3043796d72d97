"""
Pack scored candidates into an answer: order, duplicates, cut-off, number and token budget. Pure.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from openclaw_memory_hookspecs import Candidate, Fact, Hit, RecallRequest
from openclaw_memory_plugin.config import Config
from openclaw_memory_plugin.names import name_key
from openclaw_memory_plugin.recall.score import score
from openclaw_memory_plugin.words import count_tokens, fold

CONNECTED = 0.5
"""Which part of the cut-off holds for connections asked for: the end of a path shares little with a question."""

FAINT = 0.15
"""Connections weaker than this, beside the best hit, are in no short answer."""

ELLIPSIS = "…"
_PLAIN = re.compile(r"[\W_]+")


@attrs.frozen(kw_only=True)
class Packed:
    """What goes out, best first."""

    hits: tuple[Hit, ...] = ()
    tokens: int = 0
    """Estimated, over all contents or excerpts."""


def pack(
    request: RecallRequest,
    candidates: Sequence[Candidate],
    scores: Sequence[float],
    why: Callable[[int], Mapping[str, Any]],
    *,
    cutoff: float,
    strengths: Sequence[float] | None = None,
    query_terms: Sequence[str] = (),
) -> Packed:
    """
    Return the answer.

    Equal scores keep the order of the match, then newer first, then by id. A hit whose strength is below `cutoff`
    times the best one's is left out unless the request asks for all. Where it asks for connections, half of that will
    do for one, and when none has it, the best of each length stays, unless faint. Of facts that say the same of the
    same, only the first stays and cites the places of all. What does not fit into the budget is skipped; when nothing
    fits, the best hit goes out as an excerpt.

    Args:
        cutoff: in [0, 1].
        strengths: n floats, none negative, as `strengths_of` gives them; None is the matches'.
        why: number of a candidate -> what its score is made of; asked only of those that go out.
        query_terms: words of the question, folded; an excerpt begins near the first of them.
    """
    order = sorted(range(len(candidates)), key=lambda i: (-scores[i], -candidates[i].base, *_age(candidates[i])))
    if strengths is None:
        strengths = [candidate.base for candidate in candidates]
    near = _near(request, candidates, strengths, cutoff) if request.cutoff else range(len(candidates))
    hits: list[Hit] = []
    too_long: int | None = None
    places: dict[tuple[str, frozenset[str]], int] = {}
    spent = 0
    for i in order:
        if len(hits) >= request.k:
            break
        fact = candidates[i].fact
        if i not in near:
            continue
        key = _said(fact)
        if key in places:
            hits[places[key]] = _citing_both(hits[places[key]], fact)
            continue
        tokens = count_tokens(fact.content)
        if request.budget_tokens is None or spent + tokens <= request.budget_tokens:
            places[key] = len(hits)
            hits.append(Hit(fact=fact, score=scores[i], why=why(i)))
            spent += tokens
        elif too_long is None:
            too_long = i
    if not hits and too_long is not None and request.budget_tokens:
        fact = candidates[too_long].fact
        text = excerpt(fact.content, request.budget_tokens, query_terms)
        if text:
            hit = Hit(fact=fact, score=scores[too_long], why=why(too_long), excerpt=text)
            return Packed(hits=(hit,), tokens=count_tokens(text))
    return Packed(hits=tuple(hits), tokens=spent)


def strengths_of(
    request: RecallRequest, candidates: Sequence[Candidate], scores: Sequence[float], config: Config
) -> list[float]:
    """
    Return what the cut-off is taken on: the matches, or the scores of a plugin that decides.

    Scores below zero do not say how far apart things are: then all are equally strong.
    """
    ours = score(request, candidates, config)
    if all(abs(a - b) < 1e-9 for a, b in zip(ours, scores, strict=True)):
        return [candidate.base for candidate in candidates]
    return list(scores) if min(scores) >= 0.0 else [1.0] * len(scores)


def _near(
    request: RecallRequest, candidates: Sequence[Candidate], strengths: Sequence[float], cutoff: float
) -> set[int]:
    """Return the numbers of the candidates that the cut-off leaves."""
    least = cutoff * max(strengths, default=0.0)
    near = {i for i, strength in enumerate(strengths) if strength >= least}
    if not request.associative_depth:
        return near
    ways = [i for i, candidate in enumerate(candidates) if candidate.path]
    good = {i for i in ways if strengths[i] >= CONNECTED * least}
    ways.sort(key=lambda i: (-strengths[i], *_age(candidates[i])))
    first = {len(candidates[i].path): i for i in reversed(ways)}
    return near | (good or {i for i in first.values() if strengths[i] >= FAINT * max(strengths)})


def excerpt(text: str, tokens: int, terms: Sequence[str] = ()) -> str:
    """
    Return the part of `text` around the first of `terms`, marked with `…` where it was cut, in at most `tokens`.

    Empty when not even a word fits.
    """
    if count_tokens(text) <= tokens:
        return text
    folded = fold(text)
    places = [at for term in terms if term and (at := folded.find(term)) >= 0] if len(folded) == len(text) else []
    begin = max(0, min(places, default=0) - 20)
    begin = text.rfind(" ", 0, begin) + 1 if begin else 0
    low, high = 0, len(text) - begin
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(_cut(text, begin, begin + middle)) <= tokens:
            low = middle
        else:
            high = middle - 1
    end = begin + low
    if end < len(text) and " " in text[begin:end]:
        end = text.rfind(" ", begin, end)
    return _cut(text, begin, end) if end > begin else ""


def _cut(text: str, begin: int, end: int) -> str:
    return (ELLIPSIS if begin else "") + text[begin:end] + (ELLIPSIS if end < len(text) else "")


def _age(candidate: Candidate) -> tuple[int, str]:
    day = candidate.fact.last_seen
    return (-day.toordinal() if day else 0, candidate.fact.id)


def _said(fact: Fact) -> tuple[str, frozenset[str]]:
    """Return what facts that say the same have in common: words, and whom they are about."""
    return _PLAIN.sub("", fold(fact.content)) or fact.content, frozenset(map(name_key, fact.entities))


def _citing_both(hit: Hit, other: Fact) -> Hit:
    cited = dict.fromkeys((*hit.fact.citations, *other.citations))
    return attrs.evolve(hit, fact=attrs.evolve(hit.fact, citations=tuple(cited)))
