"""
Which of several statements on one subject holds now: the newest valid one goes first, the older ones stay behind it.

Two facts speak of the same thing when they are about the same entity and match the same words of the question.
"""

import datetime as dt
from collections.abc import Mapping, Sequence

import attrs

from openclaw_memory_hookspecs import Provenance
from openclaw_memory_plugin.index.merge import TRUST
from openclaw_memory_plugin.recall.called import about_what_is_owned
from openclaw_memory_plugin.recall.instead import OLDER
from openclaw_memory_plugin.recall.match import Match
from openclaw_memory_plugin.words import terms
from openclaw_memory_plugin.words.stopwords import STOP_WORDS

CLOSE = 0.5
"""A newer statement must be worth this share of the older one to replace it."""
SAME_WORDS = 0.5
"""Share of the words' weight, of those that either matches, that both must match."""
SAME_WORDS_TOLD = 0.3
"""The same share where the newer one tells of a change, or the older one was said only after the asked time."""
LOOKED_AT = 20
"""So many of the best facts are compared."""
NEARLY = 0.8
"""Asked for the first or the last, facts that match so well beside the best one are put in order of time."""
ALIKE = 0.5
"""Share of the terms, of those that either holds, that two statements must share to say different things of one."""


@attrs.frozen(kw_only=True)
class Ordered:
    """Facts with the current statements first."""

    ranked: tuple[Match, ...]
    superseded: Mapping[int, int] = attrs.field(factory=dict)
    """Fact -> the newest fact that takes its place, or that is trusted where it is not."""
    corrected: frozenset[int] = frozenset()
    """Those of them that no longer hold; of the others it is only sure that they stand behind."""


def newest_first(
    ranked: Sequence[Match],
    mentioned: Mapping[int, Mapping[int, int]],
    *,
    named: frozenset[int],
    naming: frozenset[int],
    headed: bool,
    notes: bool,
    single: bool,
    names: frozenset[str],
    day: dt.date,
    holds_on: dt.date | None,
) -> Ordered:
    """
    Move each statement that holds before those that it replaces.

    What was said after `day`, or holds only before or after `holds_on`, does not. Nothing takes the place of what
    somebody said who is to be trusted more; what is untrusted stays behind that. Facts about nobody known replace
    nothing; undated ones are older than all others.

    Args:
        named: entities that the question names.
        naming: numbers of the words that only name them, which say nothing about what is asked of them.
        headed: whether only statements about a named entity take part, not those that merely mention it.
        notes: whether untyped text takes part; it tells of many things in the same words.
        single: whether the question has one answer at a time; where it may have several, an older statement no
            longer holds only when the newer one says nearly the same.
        names: terms that name the entities.
    """
    head, rest = list(ranked[:LOOKED_AT]), list(ranked[LOOKED_AT:])
    replaced: dict[int, int] = {}
    doubtful: set[int] = set()
    scores = {match.row.seq: match.score for match in head}
    for older in head:
        for newer in head:
            if (
                newer.row.seq not in replaced
                and _takes_over(newer, older, day, holds_on)
                and newer.score >= CLOSE * older.score
                and _same_subject(newer, older, mentioned, named, headed)
                and _same_words(newer, older, naming, least=_least(newer, older, day))
                and _same_sort(newer, older, notes)
            ):
                first, then = newer, older
                if _trust(newer) < _trust(older):
                    if not _is_doubtful(newer, older, holds_on):
                        continue
                    first, then = older, newer
                    doubtful.add(newer.row.seq)
                known = replaced.get(then.row.seq)
                if known is None or _key(first) > _key(next(m for m in head if m.row.seq == known)):
                    replaced[then.row.seq] = first.row.seq
    replaced = {old: _newest(new, replaced) for old, new in replaced.items()}
    for old, new in replaced.items():
        scores[new] = max(scores[new], scores[old] * 1.001)
    for old in replaced:
        scores[old] *= OLDER
    moved = [attrs.evolve(match, score=scores[match.row.seq]) for match in head]
    moved.sort(key=lambda match: -match.score)
    said = {} if single else {match.row.seq: _said(match, names) for match in head}
    outdated = replaced.keys() - doubtful
    corrected = (old for old in outdated if single or _nearly_the_same(said[old], said[replaced[old]]))
    return Ordered(ranked=(*moved, *rest), superseded=replaced, corrected=frozenset(corrected))


def in_order_of_time(ranked: Sequence[Match], *, newest: bool) -> tuple[Match, ...]:
    """Move the newest, or the oldest, of those that match nearly as well as the best one to the front."""
    if not ranked:
        return ()
    near = [match for match in ranked if match.score >= NEARLY * ranked[0].score and match.row.last_seen]
    near.sort(key=lambda match: (match.row.timestamp or "", match.row.id), reverse=newest)
    moved = {match.row.seq: ranked[0].score * (1.0 + 0.001 * (len(near) - i)) for i, match in enumerate(near)}
    again = [attrs.evolve(match, score=moved.get(match.row.seq, match.score)) for match in ranked]
    return tuple(sorted(again, key=lambda match: -match.score))


def _takes_over(newer: Match, older: Match, day: dt.date, holds_on: dt.date | None) -> bool:
    said, before = newer.row.last_seen, older.row.last_seen or ""
    if said is None or said > day.isoformat() or newer.row.superseded:
        return False
    if not _holds(newer, holds_on):
        return False
    return before < said or not _holds(older, holds_on) or (before > day.isoformat() and not older.row.valid_from)


def _trust(match: Match) -> int:
    return TRUST[match.row.provenance]


def _is_doubtful(newer: Match, older: Match, holds_on: dt.date | None) -> bool:
    """Tell whether a newer statement is untrusted and contends with one that stands."""
    is_untrusted = newer.row.provenance == Provenance.UNTRUSTED.value
    return is_untrusted and not older.row.superseded and _holds(older, holds_on)


def _holds(match: Match, day: dt.date | None) -> bool:
    """Tell whether a statement holds on a day as far as it says; always when no day is asked for."""
    if day is None:
        return True
    asked = day.isoformat()
    return (match.row.valid_from or asked) <= asked <= (match.row.valid_to or asked)


def _newest(fact: int, replaced: Mapping[int, int]) -> int:
    """Return what stands in the end for a fact whose place others have taken."""
    while fact in replaced:
        fact = replaced[fact]
    return fact


def _same_subject(
    one: Match, other: Match, mentioned: Mapping[int, Mapping[int, int]], named: frozenset[int], headed: bool
) -> bool:
    """Tell whether both are about one entity, or mention one that the question names; not what is only owned by it."""
    if about_what_is_owned(one.row.content) or about_what_is_owned(other.row.content):
        return False
    mine, others = mentioned.get(one.row.seq, {}), mentioned.get(other.row.seq, {})
    shared = mine.keys() & others.keys()
    if headed:
        return any(mine[entity] == others[entity] == 0 for entity in shared & named)
    return any(entity in named or (mine[entity] <= 1 and others[entity] <= 1) for entity in shared)


def _least(newer: Match, older: Match, day: dt.date) -> float:
    """Return how much of their words two statements must share, for one to take the other's place."""
    told = "changed" in newer.parts or (older.row.last_seen or "") > day.isoformat()
    return SAME_WORDS_TOLD if told else SAME_WORDS


def _same_words(one: Match, other: Match, naming: frozenset[int], *, least: float) -> bool:
    """Tell whether both answer the same words of the question."""
    mine = {number: worth for number, worth in one.words.items() if number not in naming}
    others = {number: worth for number, worth in other.words.items() if number not in naming}
    both = sum(max(mine[number], others[number]) for number in mine.keys() & others.keys())
    whole = sum(max(mine.get(number, 0.0), others.get(number, 0.0)) for number in mine.keys() | others.keys())
    return whole > 0.0 and both >= least * whole


def _said(match: Match, names: frozenset[str]) -> frozenset[str]:
    """Return the terms of a statement that say something."""
    language = match.row.language
    return frozenset(terms(match.row.content, language)) - names - STOP_WORDS.get(language, STOP_WORDS["en"])


def _nearly_the_same(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= ALIKE * len(one | other)


def _same_sort(one: Match, other: Match, notes: bool) -> bool:
    """Tell whether both are opinions, or neither; a note may be either."""
    if "note" in (one.row.kind, other.row.kind):
        return notes
    return (one.row.kind == "opinion") == (other.row.kind == "opinion")


def _key(match: Match) -> tuple[str, float, str]:
    return match.row.last_seen or "", match.score, match.row.id
