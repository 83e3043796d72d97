"""
The stretches of time that a question asks for, in English, German, Spanish, Portuguese, French, Chinese and Japanese.

`moments` finds what names a time; here what belongs together is put together: a day and its week, a month and its
year, two ends of one stretch, a time and the word that bounds it. Weeks begin on Monday.
"""

import bisect
import datetime as dt
import functools
import itertools
import unicodedata
from collections.abc import Mapping, Sequence

import attrs

from openclaw_memory_plugin.recall import timewords as tw
from openclaw_memory_plugin.recall.counted import moved
from openclaw_memory_plugin.recall.moments import Moment, Token, bounds, in_year, moments, tokens_of
from openclaw_memory_plugin.words import fold

NEAR_DAYS = 3
"""How far on either side `around` reaches."""

_LOOK_BACK = 40


@attrs.frozen(kw_only=True)
class Window:
    """Days that a question asks for."""

    first: dt.date
    last: dt.date
    begin: int = 0
    """Where the question names them, with the words that bound them: `text[begin:end]` of the folded text."""
    end: int = 0
    named: tuple[tuple[int, int], ...] = ()
    """The parts of that which name a time."""
    edge: dt.date | None = None
    """The day that is named as its end where its beginning is open; not in it when all is before that day."""

    def distance(self, first: dt.date, last: dt.date) -> int:
        """Return how many days lie between the window and the days from `first` to `last`; 0 when they meet."""
        return max(0, (self.first - last).days, (first - self.last).days)


def windows(text: str, *, today: dt.date) -> tuple[Window, ...]:
    """
    Return the stretches of time that a question names, in order; dates without a year are near `today`.

    `since` a time reaches to today, or to the last day there is when it begins later; `after` it likewise, from the
    day after it; `until` it from the first day there is, `before` it likewise, to the day before; `around` it
    `NEAR_DAYS` further on either side. A day of the week or month alone is the last one, unless the question asks for
    what is ahead.
    """
    folded = fold(text)
    plain = unicodedata.normalize("NFKC", text)
    tokens = tokens_of(folded)
    found = moments(plain if len(plain) == len(folded) else folded, folded, tokens, today)
    kept = [moment for moment in reversed(_together(folded, found)) if not moment.weak]
    result = []
    while kept:
        one = kept.pop()
        joined = _joined(folded, tokens, one, kept[-1]) if kept else None
        if joined:
            kept.pop()
        result.append(joined or _bounded(folded, tokens, one, today))
    return tuple(result)


def _together(folded: str, found: Sequence[Moment]) -> list[Moment]:
    """Put a day and its week, a month and its year, into one."""
    kept: list[Moment] = []
    for moment in found:
        one = _of_both(folded, kept[-1], moment) if kept else None
        if one is None:
            kept.append(moment)
        else:
            kept[-1] = one._replace(begin=kept[-1].begin, end=moment.end, weak=False)
    return kept


def _of_both(folded: str, one: Moment, two: Moment) -> Moment | None:
    gap = folded[one.end : two.begin]
    if one.sort == "monthday":
        gap = gap.removeprefix(".")
    if any(mark in gap for mark in ".;!?") or any(token.text not in tw.BELONGS for token in tokens_of(gap)):
        return None
    for day, other in ((one, two), (two, one)):
        if day.sort == "weekday" and other.sort in ("date", "monthday", "day"):
            return other
        if day.sort == "weekday" and other.sort == "week":
            that = moved(other.first, day.first.weekday())
            return day._replace(first=that, last=that)
        if day.sort in ("date", "month") and other.sort == "this year" and not (day.weak and day is two):
            return in_year(day, other.first.year)
        if day.sort == "monthday" and other.sort in ("month", "this month"):
            return _in_month(day, other.first)
    return None


def _in_month(day: Moment, month: dt.date) -> Moment | None:
    try:
        that = month.replace(day=day.first.day)
    except ValueError:
        return None
    return day._replace(first=that, last=that)


def _joined(folded: str, tokens: Sequence[Token], one: Moment, two: Moment) -> Window | None:
    """Return the stretch of which two moments are the ends, None when they are not."""
    between = folded[one.end : two.begin].strip()
    words = [token.text for token in tokens_of(between)] or [between]
    while len(words) > 1 and words[-1] in tw.ARTICLES:
        words.pop()
    before = _words_before(folded, tokens, one.begin)
    lead = before[-1] if before else Token("", one.begin, one.begin)
    begin, end = _from_to(folded, tokens, one.begin, two.end)
    both = lead.text in tw.BETWEEN or folded[two.end : end] in tw.BETWEEN_BEHIND
    if len(words) != 1 or not (words[0] in tw.THROUGH or (both and words[0] in tw.AND)):
        return None
    if one.sort == "monthday" and two.sort in ("date", "monthday"):
        one = _in_month(one, two.first) or one
    first, last = one.first, two.last
    while one.sort == "weekday" and first > last:
        first = moved(first, -7)
    if first > last:
        return None
    named = ((one.begin, one.end), (two.begin, two.end))
    return Window(first=first, last=last, begin=begin, end=end, named=named)


def _from_to(folded: str, tokens: Sequence[Token], begin: int, end: int) -> tuple[int, int]:
    """Return from where to where a stretch reaches with the words before its first end and behind its last."""
    before = _words_before(folded, tokens, begin)
    if before and before[-1].text in tw.FROM:
        begin = before[-1].begin
    begin -= next((len(word) for word in tw.BOUNDS_CJK["since"].split() if folded.endswith(word, 0, begin)), 0)
    behind = (*tw.BETWEEN_BEHIND, *tw.BOUNDS_BEHIND["until"].split())
    return begin, next((end + len(word) for word in behind if folded.startswith(word, end)), end)


def _bounded(folded: str, tokens: Sequence[Token], moment: Moment, today: dt.date) -> Window:
    """Open or widen a moment as the words beside it say."""
    bound, begin, end = _bound(folded, tokens, moment)
    first, last, edge = moment.first, moment.last, None
    if moment.sort == "range":
        begin, end = _from_to(folded, tokens, moment.begin, moment.end)
    elif bound == "since":
        last = _until_today(first, today)
    elif bound == "after":
        first = moved(last, 1)
        last = _until_today(first, today)
    elif bound == "until":
        first, edge = dt.date.min, last
    elif bound == "before":
        first, last, edge = dt.date.min, moved(first, -1), first
    elif bound == "around":
        first, last = moved(first, -NEAR_DAYS), moved(last, NEAR_DAYS)
    return Window(first=first, last=last, begin=begin, end=end, named=((moment.begin, moment.end),), edge=edge)


def _until_today(first: dt.date, today: dt.date) -> dt.date:
    return today if first <= today else dt.date.max


def _bound(folded: str, tokens: Sequence[Token], moment: Moment) -> tuple[str, int, int]:
    """Return what the word beside a moment makes of it, and from where to where both reach."""
    begin, end = moment.begin, moment.end
    behind = end
    while folded[behind : behind + 1].isspace():
        behind += 1
    for particle, kind in _behind():
        if folded.startswith(particle, behind):
            return kind, begin, behind + len(particle)
    if moment.sort in ("date", "monthday", "weekday", "month") and folded[end : end + 1] == "前":
        return "before", begin, end + 1
    ahead = begin
    while folded[max(0, ahead - 1) : ahead].isspace():
        ahead -= 1
    for particle, kind in () if folded[max(0, ahead - 1) : ahead].isascii() else _ahead_cjk():
        if folded.endswith(particle, 0, ahead):
            return kind, ahead - len(particle), end
    before = _words_before(folded, tokens, begin)
    for kind, words in bounds().items():
        if before and before[-1].text in words:
            lead = before[-2] if len(before) > 1 and before[-2].text in tw.LEADS else before[-1]
            return kind, lead.begin, end
    return moment.bound, begin, end


def _words_before(folded: str, tokens: Sequence[Token], begin: int) -> list[Token]:
    """Return the words just before a place, without articles at their end and without those of another sentence."""
    last = bisect.bisect_right(tokens, begin, key=lambda token: token.end)
    first = bisect.bisect_right(tokens, begin - _LOOK_BACK, hi=last, key=lambda token: token.end)
    before = list(tokens[first:last])
    while before and (before[-1].text in tw.ARTICLES):
        before.pop()
    if before and any(mark in folded[before[-1].end : begin] for mark in ".;!?"):
        return []
    return before


@functools.cache
def _behind() -> Sequence[tuple[str, str]]:
    return _longest_first(tw.BOUNDS_BEHIND)


@functools.cache
def _ahead_cjk() -> Sequence[tuple[str, str]]:
    return _longest_first(tw.BOUNDS_CJK)


def _longest_first(bounds: Mapping[str, str]) -> Sequence[tuple[str, str]]:
    pairs = itertools.chain.from_iterable(((word, kind) for word in words.split()) for kind, words in bounds.items())
    return sorted(pairs, key=lambda pair: -len(pair[0]))
