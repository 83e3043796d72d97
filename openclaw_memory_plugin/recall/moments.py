"""
The days and stretches of days that a question names, one by one: calendar dates, and what counts from today.

Looks through tables of words over folded text; patterns are compiled when a question first holds a word that they need.
"""

import calendar
import datetime as dt
import functools
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from openclaw_memory_plugin.recall import timewords as tw
from openclaw_memory_plugin.recall.counted import counted, moved
from openclaw_memory_plugin.recall.phrases import Phrases, parted, spoken
from openclaw_memory_plugin.words import fold, language_of

RECENT_DAYS = 14
AHEAD_DAYS = 7
"""A day of the month so close ahead is meant, and not that of the month before."""

_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_AMOUNT = re.compile(r"[%€$£°]|[.,:/]\d")
_YEAR_CJK = r"(?<!\d)(?P<year>(?:19|20)\d\d)年(?!\s?[\d一二三四五六七八九十]{1,3}月)"
_WEEKDAY_CJK = (
    r"(?P<every>[每毎隔](?:[周週]の?)?)?(?:"
    r"(?P<lead>上上|下下|上|下|这|這|本)?个?(?:周|週|星期|礼拜|禮拜)(?P<zh>[一二三四五六日天])(?![月个個次])"
    r"|(?:(?P<week>先々週|再来週|先週|今週|来週)の?)?(?P<ja>[月火水木金土日])曜日?)"
)
_NUMERAL = r"[0-3]?\d|[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九]"
_MONTHDAY_CJK = (
    r"(?<![\d一二三四五六七八九十]月)(?<![\d一二三四五六七八九十])"
    rf"(?P<day>{_NUMERAL})[号號日](?![前后後間间本楼樓门門店線线車车房室机機位])"
)
_WEEKS_AWAY = {"上上": -2, "上": -1, "这": 0, "這": 0, "本": 0, "下": 1, "下下": 2}
_WEEKS_AWAY |= {"先々週": -2, "先週": -1, "今週": 0, "来週": 1, "再来週": 2}


class Token(NamedTuple):
    text: str
    begin: int
    end: int


class Moment(NamedTuple):
    """Days that a text names at `[begin:end]`."""

    begin: int
    end: int
    first: dt.date
    last: dt.date
    sort: str
    """What it is. Of the calendar: `date`, `month`, `range` of two ends, any other `stretch`. By its distance from
    today: `day`, `week`, `weekend`, `this month`, `this year`, `recent`, `count`. `weekday` and `monthday`. `none`
    hides what is in it."""
    bound: str = ""
    """`since` or `until` where the calendar knows of an open end."""
    weak: bool = False
    """Whether it names a time only together with others."""


def tokens_of(folded: str) -> list[Token]:
    """Return the words of a folded text with their places."""
    return [Token(match.group(), match.start(), match.end()) for match in _WORD.finditer(folded)]


def moments(text: str, folded: str, tokens: Sequence[Token], today: dt.date) -> list[Moment]:
    """
    Return what names a time, in order; of what overlaps the longest.

    Args:
        text: with its accents, as long as `folded`.
        today: dates without a year are near it.
    """
    words = [token.text for token in tokens]
    ahead = not tw.TO_COME.isdisjoint(words)
    found = [
        *_calendar(text, today),
        *_relative(folded, today),
        *_weekdays(folded, tokens, today, ahead=ahead),
        *_months(folded, tokens, today),
        *(Moment(*count, sort="count") for count in counted(folded, words, today)),
        *_years(folded, tokens),
        *_days_of_month(folded, tokens, today, ahead=ahead),
    ]
    kept: list[Moment] = []
    taken = bytearray(len(folded))
    for moment in sorted(found, key=lambda moment: (moment.begin - moment.end, moment.weak)):
        if not any(taken[moment.begin : moment.end]):
            kept.append(moment)
            taken[moment.begin : moment.end] = b"\1" * (moment.end - moment.begin)
    return sorted((moment for moment in kept if moment.sort != "none"), key=lambda moment: moment.begin)


@functools.cache
def bounds() -> Mapping[str, frozenset[str]]:
    """Return the words that bound a time, by what they make of it."""
    return {kind: frozenset(words.split()) for kind, words in tw.BOUNDS.items()}


def in_year(moment: Moment, year: int) -> Moment | None:
    """Return a date or month of the calendar in another year, None where it has no such day."""
    try:
        first = moment.first.replace(year=year)
    except ValueError:
        return None
    if moment.sort == "month":
        return moment._replace(first=first, last=_month_end(first))
    return moment._replace(first=first, last=first)


def _calendar(text: str, today: dt.date) -> Iterator[Moment]:
    if not _may_name_a_date(text):
        return
    from openclaw_memory_plugin.markdown.dates import find_days

    for span in find_days(text, near=today):
        first, last = span.first or span.last, span.last or span.first
        if first is None or last is None:
            continue
        sort = {"day": "date", "month": "month", "range": "range"}.get(span.grain, "stretch")
        bound = "since" if span.last is None else "until" if span.first is None else ""
        yield Moment(span.begin, span.end, first, last, "date" if bound else sort, bound)


def _may_name_a_date(text: str) -> bool:
    """Tell coarsely; a cold start need not load the patterns of dates for a question that can hold none."""
    lower = text.lower()
    if "mon" in lower or "月" in lower or "年" in lower or any(map(str.isdigit, lower)):
        return True
    from openclaw_memory_plugin.markdown.dates.months import MONTHS

    return not MONTHS.keys().isdisjoint(_WORD.findall(lower))


def _relative(folded: str, today: dt.date) -> Iterator[Moment]:
    for (unit, offset), phrases in _phrases().items():
        for begin, end in spoken(folded, phrases):
            if folded[begin:end] == "hier" and language_of(folded) == "de":
                continue
            first, last = _unit(unit, offset, today)
            sort = {"month": "this month", "year": "this year", "": "none"}.get(unit, unit)
            yield Moment(begin, end, first, last, sort)


def _unit(unit: str, offset: int, today: dt.date) -> tuple[dt.date, dt.date]:
    """Return first and last day of the day, week, month or year that lies `offset` of them away from today."""
    if unit == "recent":
        return moved(today, -RECENT_DAYS), today
    if unit in ("week", "weekend"):
        monday = moved(today, 7 * offset - today.weekday())
        return moved(monday, 5 if unit == "weekend" else 0), moved(monday, 6)
    if unit == "month":
        year, month = divmod(today.year * 12 + today.month - 1 + offset, 12)
        first = _month(year, month + 1)
        return first, _month_end(first)
    if unit == "year":
        return _month(today.year + offset, 1), _month_end(_month(today.year + offset, 12))
    return moved(today, offset), moved(today, offset)


def _weekdays(folded: str, tokens: Sequence[Token], today: dt.date, *, ahead: bool) -> Iterator[Moment]:
    for i, token in enumerate(tokens):
        number, short = _weekday_names().get(token.text.removesuffix("'s"), (-1, False))
        before = tokens[i - 1].text if i else ""
        if number < 0 or before in tw.EVERY:
            continue
        begin, end, turn = _turned(folded, tokens, i)
        if not turn:
            leads = before in tw.ON or any(before in words for words in bounds().values())
            if short and not (leads and _ends_a_phrase(folded, tokens, i)):
                continue
            turn = "next" if ahead else "recent"
        day = _weekday(number, turn, today)
        yield Moment(begin, end, day, day, "weekday")
    for match in () if folded.isascii() else re.finditer(_WEEKDAY_CJK, folded):
        if match["every"]:
            continue
        names = match["zh"] or match["ja"]
        number = next(number for number, known in enumerate(tw.WEEKDAYS_CJK) if names in known)
        week = match["lead"] or match["week"]
        if week is None:
            day = _weekday(number, "next" if ahead else "recent", today)
        else:
            day = moved(today, 7 * _WEEKS_AWAY[week] + number - today.weekday())
        yield Moment(match.start(), match.end(), day, day, "weekday")


def _weekday(number: int, turn: str, today: dt.date) -> dt.date:
    """Return the `last` one before today, the `next` after it, that of `this` week, or the `recent`: today counts."""
    away = (number - today.weekday()) % 7
    if turn == "this":
        return moved(today, number - today.weekday())
    if turn == "next":
        return moved(today, away or 7)
    if turn == "last":
        return moved(today, away - 7)
    return moved(today, away - 7 if away else 0)


def _months(folded: str, tokens: Sequence[Token], today: dt.date) -> Iterator[Moment]:
    """Find months that need no word before them, and `last November`."""
    for i, token in enumerate(tokens):
        month = _month_names().get(token.text)
        beside = [other.text for other in tokens[max(0, i - 1) : i + 2]]
        if month is None or any(map(str.isdecimal, beside)):
            continue
        begin, end, turn = _turned(folded, tokens, i)
        first = dt.date(today.year, month, 1)
        if turn in ("last", "next"):
            year = today.year + (turn == "next")
            this = dt.date(today.year, today.month, 1)
            if (turn == "last" and first >= this) or (turn == "next" and first > this):
                year -= 1
            first = _month(year, month)
        elif turn != "this":
            first = min((_month(today.year + away, month) for away in (0, 1, -1)), key=lambda day: abs(day - today))
        weak = not turn and token.text not in tw.MONTHS_ALONE
        yield Moment(begin, end, first, _month_end(first), "month", weak=weak)


def _turned(folded: str, tokens: Sequence[Token], i: int) -> tuple[int, int, str]:
    """Return from where to where a day or month reaches with the word that says which one: `last`, `this`, `next`."""
    begin, end = tokens[i].begin, tokens[i].end
    before = tokens[i - 1] if i else Token("", 0, 0)
    for turn, words in (("last", tw.LAST_ONE), ("this", tw.THIS_ONE), ("next", tw.NEXT_ONE)):
        if before.text in words and not folded[before.end : begin].strip():
            return before.begin, end, turn
    after = tokens[i + 1] if i + 1 < len(tokens) else Token("", end, end)
    for turn, words in (("last", tw.LAST_AFTER), ("next", tw.NEXT_AFTER)):
        if after.text in words:
            return begin, after.end, turn
    for phrase in tw.NEXT_PHRASES:
        if folded.startswith(f" {phrase}", end):
            return begin, end + len(phrase) + 1, "next"
    return begin, end, ""


def _years(folded: str, tokens: Sequence[Token]) -> Iterator[Moment]:
    """Find a year behind a word that bounds it; a number alone may be anything."""
    for before, token in itertools.pairwise(tokens):
        text = token.text
        bounded = any(before.text in words for words in bounds().values())
        if bounded and len(text) == 4 and text.isdecimal() and text[:2] in ("19", "20"):
            yield _year(token.begin, token.end, int(text))
    for match in () if "年" not in folded else re.finditer(_YEAR_CJK, folded):
        yield _year(match.start(), match.end(), int(match["year"]))


def _year(begin: int, end: int, year: int) -> Moment:
    return Moment(begin, end, dt.date(year, 1, 1), dt.date(year, 12, 31), "stretch")


def _days_of_month(folded: str, tokens: Sequence[Token], today: dt.date, *, ahead: bool) -> Iterator[Moment]:
    """Find `the 10th`, `dem 10.`, `le 27`, `10号`: a day of the month that is about now."""
    for at, (before, token) in enumerate(itertools.pairwise(tokens), 1):
        text = token.text.removesuffix("st").removesuffix("nd").removesuffix("rd").removesuffix("th")
        if text.isdecimal() and len(text) <= 2 and before.text in tw.ARTICLES | tw.ON:
            if (text == token.text and before.text not in tw.DAY_ARTICLES) or _AMOUNT.match(folded, token.end):
                continue
            weak = not _ends_a_phrase(folded, tokens, at)
            yield from _monthday(int(text), token.begin, token.end, today, ahead, weak=weak)
    if folded.isascii():
        return
    from openclaw_memory_plugin.markdown.dates.months import read_number

    for match in re.finditer(_MONTHDAY_CJK, folded):
        yield from _monthday(read_number(match["day"]), match.start(), match.end(), today, ahead, weak=False)


def _monthday(number: int, begin: int, end: int, today: dt.date, ahead: bool, *, weak: bool) -> Iterator[Moment]:
    months = [_unit("month", away, today)[0] for away in ((0, 1, 2) if ahead else (0, -1, -2))]
    for first in months:
        if 1 <= number <= _month_end(first).day:
            day = first.replace(day=number)
            if day >= today if ahead else day <= moved(today, AHEAD_DAYS):
                yield Moment(begin, end, day, day, "monthday", weak=weak)
                return


def _ends_a_phrase(folded: str, tokens: Sequence[Token], i: int) -> bool:
    """Tell whether no noun can follow: the text ends, something parts it, or a word follows that joins."""
    if i + 1 == len(tokens):
        return True
    gap = folded[tokens[i].end : tokens[i + 1].begin]
    following = tokens[i + 1].text
    joins = following in tw.THROUGH or following in tw.AND or following in tw.BELONGS or following in tw.LAST_AFTER
    return joins or any(mark in gap for mark in ",;:!?()")


def _month(year: int, month: int) -> dt.date:
    """Return the first day of a month, in the first or last year there is when the year lies beyond."""
    return dt.date(min(max(year, dt.MINYEAR), dt.MAXYEAR), month, 1)


def _month_end(first: dt.date) -> dt.date:
    return first.replace(day=calendar.monthrange(first.year, first.month)[1])


@functools.cache
def _phrases() -> Mapping[tuple[str, int], Phrases]:
    return {key: parted(text) for key, text in tw.TIMES.items()}


@functools.cache
def _weekday_names() -> Mapping[str, tuple[int, bool]]:
    """Word -> number of the day, whether it needs a word before it."""
    names = {name: (number, False) for number, line in enumerate(tw.WEEKDAYS) for name in line.split()}
    return names | {name: (number, True) for number, line in enumerate(tw.WEEKDAYS_SHORT) for name in line.split()}


@functools.cache
def _month_names() -> Mapping[str, int]:
    from openclaw_memory_plugin.markdown.dates.months import MONTHS

    return {fold(name): number for name, number in MONTHS.items() if len(name) > 2}
