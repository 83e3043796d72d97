"""
The built-in scorers: `composite`, which lets what is important and much used rise, and `relevance`.

Pure: candidates in, finite floats out, higher is better. Both are linear in the match, so that among facts of equal
salience and use the order is that of the match itself. Neither salience nor use keeps a statement ahead of the one that
supersedes it.
"""

import datetime as dt
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from openclaw_memory_hookspecs import Candidate, Fact, RecallRequest
from openclaw_memory_plugin.config import Config, Scoring
from openclaw_memory_plugin.names import name_key

FRESH_DAYS = 7.0
"""`relevance`: so long a fact is as good as new, and an access counts as recent."""

LEAD = 1e-6
"""How far a statement stands above one that it supersedes, at least."""


def score(request: RecallRequest, candidates: Sequence[Candidate], config: Config) -> list[float]:
    """Score candidates with the configured scorer: n finite floats, same order, higher is better."""
    return [sum(parts.values()) for parts in summands(request, candidates, config)]


def summands(request: RecallRequest, candidates: Sequence[Candidate], config: Config) -> list[dict[str, float]]:
    """
    Return what makes up each candidate's score, by name, in the same order.

    `correction` is what lifts a statement above those that it supersedes.
    """
    found = [score_parts(request, candidate, config) for candidate in candidates]
    places = {candidate.fact.id: i for i, candidate in enumerate(candidates)}
    for parts, candidate in zip(found, candidates, strict=True):
        newer = found[places[candidate.superseded_by]] if candidate.superseded_by in places else parts
        behind = sum(parts.values()) - sum(newer.values())
        if newer is not parts and behind >= 0.0:
            newer["correction"] = newer.get("correction", 0.0) + behind + LEAD
    return found


def score_parts(request: RecallRequest, candidate: Candidate, config: Config) -> dict[str, float]:
    """Return the summands of a candidate's own score, by name."""
    if config.scorer == "relevance":
        return _relevance(candidate, request.now)
    fact = candidate.fact
    days = _days_since(fact.last_accessed_at, request.now)
    return _composite(candidate.base, fact.salience, days, fact.access_count, config.scoring)


def access_decay(days: float | None, scoring: Scoring) -> float:
    """
    Return what is left of an access after some days, in [floor, 1]; the floor when there was none.

    `half-life` halves with every `half_life_days`; `power` falls as 1 / (1 + days / half_life_days), which is a half
    at the same age and lasts longer after.
    """
    if days is None:
        return scoring.floor
    age = max(0.0, days) / scoring.half_life_days
    left = 1.0 / (1.0 + age) if scoring.curve == "power" else 0.5 ** min(age, 1000.0)
    return max(scoring.floor, left)


def access_boost(count: int, scoring: Scoring) -> float:
    """Return 1 + 0.1 · ln(1 + accesses): use counts, and ever less."""
    return 1.0 + scoring.boost * math.log1p(max(0, count))


def compute_retrieval_score(
    fact: Mapping[str, Any], query_entities: Iterable[str], now: dt.datetime | None = None
) -> float:
    """
    Score one fact by the composite formula, as the design documents' example does.

    Args:
        fact: `salience` (0.5), `last_accessed_at` (None; a datetime or ISO 8601 text), `access_count` (0) and
            `entities` (names), each with its default when missing. A naive datetime is local time.
        query_entities: names; the match is the share of them that the fact has, 0 without any.
        now: a naive datetime is local time; None is the present.

    Raises:
        ValueError: The salience is no number in [0, 1], or the count is below 0.

    Source: documents, phase 5: 0.40 · match + 0.35 · salience + 0.25 · decay · boost.
    """
    scoring = Scoring()
    wanted = {name_key(name) for name in query_entities}
    own = {name_key(str(name)) for name in fact.get("entities") or ()}
    match = len(wanted & own) / len(wanted) if wanted else 0.0
    accessed = fact.get("last_accessed_at", fact.get("last_accessed"))
    if isinstance(accessed, str):
        accessed = dt.datetime.fromisoformat(accessed)
    moment = now or dt.datetime.now(dt.UTC)
    days = _days_since(accessed.astimezone(dt.UTC) if accessed else None, moment.astimezone(dt.UTC))
    salience = fact.get("salience")
    importance = 0.5 if salience is None else float(salience)
    count = int(fact.get("access_count") or 0)
    for name, value in (("salience", importance), ("access_count", count)):
        field = attrs.fields_dict(Fact)[name]
        if field.validator is not None:
            field.validator(None, field, value)
    return sum(_composite(match, importance, days, count, scoring).values())


def _composite(base: float, salience: float, days: float | None, count: int, scoring: Scoring) -> dict[str, float]:
    """Source: documents, phase 5."""
    return {
        "match": scoring.base * base,
        "salience": scoring.salience * salience,
        "access": scoring.access * access_decay(days, scoring) * access_boost(count, scoring),
    }


def time_part(age_days: float | None) -> float:
    """1 for a week, then `1 - 0.02 · days` (0.84 on day 8), at least 0.1, which an undated fact has."""
    if age_days is None:
        return 0.1
    return 1.0 if age_days <= FRESH_DAYS else max(0.1, 1.0 - 0.02 * age_days)


def access_part(count: int, days: float | None) -> float:
    """`ln(count + 1) / 10`, half as much again when accessed within a week (`days` ago), at most 1."""
    recent = days is not None and days <= FRESH_DAYS
    return min(1.0, math.log1p(count) / 10.0 * (1.5 if recent else 1.0))


def _relevance(candidate: Candidate, now: dt.datetime) -> dict[str, float]:
    """Source: documents, memory-optimization; the words found are weighed by their rarity."""
    fact = candidate.fact
    age = None if fact.last_seen is None else float((now.date() - fact.last_seen).days)
    return {
        "keyword": 0.4 * candidate.words_found,
        "time": 0.2 * time_part(age),
        "access": 0.2 * access_part(fact.access_count, _days_since(fact.last_accessed_at, now)),
        "tags": 0.2 * candidate.tags_found,
    }


def _days_since(moment: dt.datetime | None, now: dt.datetime) -> float | None:
    return None if moment is None else max(0.0, (now - moment).total_seconds() / 86400.0)
