"""
What a fact is worth keeping for when nobody asks: the retention score, what is protected, what a run may put away.

Pure: facts and days in, a plan out. Source: `0.4 · salience + 0.2 · time + 0.2 · access + 0.2 · tags` with the parts
of the `relevance` scorer; without a query the tags part is 0.5.
"""

import datetime as dt
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import attrs

from openclaw_memory_hookspecs import Fact, Kind
from openclaw_memory_plugin.config import Upkeep
from openclaw_memory_plugin.markdown.dates import find_days
from openclaw_memory_plugin.recall.score import access_part, time_part
from openclaw_memory_plugin.words.safety import is_safety

SURE = 0.8
"""Opinions this sure and facts this salient are never put away."""
TAGS = 0.5
READ = 4000
"""So many characters of a statement are searched for days to come."""


@attrs.frozen(kw_only=True)
class Scored:
    """A fact with what it is worth."""

    fact: Fact
    score: float
    """Retention score in [0, 1]; an ordinary new fact has 0.50."""


@attrs.frozen(kw_only=True)
class Plan:
    """What one run of upkeep would put away, least worth first."""

    total: int
    """Facts outside the archive before the run."""
    prune: tuple[Scored, ...] = ()
    """Below the threshold."""
    overflow: tuple[Scored, ...] = ()
    """Beyond the window, above the threshold."""
    deferred: int = 0
    """Would go too, but for the most that one run may take."""
    protected: Mapping[str, int] = attrs.field(factory=dict)
    """Reason -> facts below the threshold or beyond the window that stay for it."""
    threshold: float = 0.0
    window: int | None = None

    @property
    def chosen(self) -> tuple[Scored, ...]:
        """All that would be put away."""
        return self.prune + self.overflow


def retention_score(fact: Fact, *, today: dt.date, now: dt.datetime) -> float:
    """What a fact is worth keeping for, in [0, 1], higher is better."""
    seen = fact.last_seen or fact.timestamp
    accessed = fact.last_accessed_at
    since_access = (now - accessed).total_seconds() / 86400 if accessed else None
    time = time_part((today - seen).days if seen else None)
    access = access_part(fact.access_count, since_access)
    return 0.4 * fact.salience + 0.2 * time + 0.2 * access + 0.2 * TAGS


def protection(fact: Fact, *, today: dt.date, upkeep: Upkeep) -> str | None:
    """
    Say why a fact is never put away; None when it may be.

    Beside what the owner marked: what is young, what is still ahead, open tasks, what keeps somebody from harm, and
    everything outside the daily logs, because core memory, pages and references are kept by hand.
    """
    seen = fact.last_seen or fact.timestamp
    if fact.pinned:
        return "pinned"
    if fact.salience >= SURE:
        return "salient"
    if fact.kind is Kind.OPINION and (fact.confidence or 0.0) >= SURE:
        return "sure opinion"
    if not all(citation.path.startswith("memory/") for citation in fact.citations):
        return "outside memory/"
    if seen is None:
        return "undated"
    if (today - seen).days < upkeep.min_age_days:
        return "young"
    if _is_ahead(fact, seen, today):
        return "still ahead"
    if fact.task == "open":
        return "open task"
    if is_safety(fact.content):
        return "safety"
    return None


def _is_ahead(fact: Fact, recorded: dt.date, today: dt.date) -> bool:
    """Tell whether a fact holds or names a day from today on; a year that has begun is no such day."""
    if fact.valid_to is not None and fact.valid_to >= today:
        return True
    for span in find_days(fact.content[:READ], near=recorded):
        day = span.first if span.grain == "year" else span.last or span.first
        if day is not None and day >= today:
            return True
    return False


def score_all(facts: Iterable[Fact], *, today: dt.date, now: dt.datetime) -> list[Scored]:
    """Score facts, in the order given."""
    return [Scored(fact=fact, score=retention_score(fact, today=today, now=now)) for fact in facts]


def plan(scored: Sequence[Scored], upkeep: Upkeep, *, today: dt.date) -> Plan:
    """
    Choose what one run puts away: first what is below the threshold, then what is beyond the window.

    At most `max_share` of all facts, least worth first, older first among equals, then by id.
    """
    total = len(scored)
    staying: Counter[str] = Counter()

    def may_go(one: Scored) -> bool:
        why = protection(one.fact, today=today, upkeep=upkeep)
        if why is not None:
            staying[why] += 1
        return why is None

    prune = list(filter(may_go, _ranked(one for one in scored if one.score < upkeep.threshold)))
    excess = 0 if upkeep.window is None else max(0, total - len(prune) - upkeep.window)
    rest = _ranked(one for one in scored if one.score >= upkeep.threshold) if excess else []
    overflow = list(filter(may_go, rest))[:excess]
    room = math.floor(upkeep.max_share * total + 1e-9)
    chosen = (prune + overflow)[:room]
    return Plan(
        total=total,
        prune=tuple(chosen[: len(prune)]),
        overflow=tuple(chosen[len(prune) :]),
        deferred=len(prune) + len(overflow) - len(chosen),
        protected=dict(sorted(staying.items())),
        threshold=upkeep.threshold,
        window=upkeep.window,
    )


def _ranked(scored: Iterable[Scored]) -> list[Scored]:
    return sorted(scored, key=lambda one: (one.score, one.fact.last_seen or dt.date.min, one.fact.id))
