"""
Days that a question counts from today: `three weeks ago`, `in den letzten 10 Tagen`, `三天前`. Pure.

Patterns are compiled when a question first holds a unit of time.
"""

import datetime as dt
import functools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from openclaw_memory_plugin.recall import timewords as tw

FEW = (2, 7)
"""How many `a few` are, at least and at most."""

Make = Callable[[tuple[int, int], int, dt.date], tuple[dt.date, dt.date]]
"""How many of how many days, from today -> first and last day."""


def counted(folded: str, words: Iterable[str], today: dt.date) -> Iterator[tuple[int, int, dt.date, dt.date]]:
    """
    Yield begin and end of what counts days in a folded text, with the first and the last day it means.

    Args:
        words: those of the text.
    """
    if not _units().keys().isdisjoint(words):
        for make, unsaid, pattern in _counts():
            for match in pattern.finditer(folded):
                said = match.groupdict().get("n")
                first, last = make(_count(said) if said else unsaid, _units()[match["unit"]], today)
                yield match.start(), match.end(), first, last
    if folded.isascii():
        return
    for match in re.finditer(_counted_cjk(), folded):
        make = _ago if match["ago"] else _ahead if match["hence"] or match["ahead"] else _past
        if match["past"] or match["ago"] or match["hence"] or match["ahead"]:
            days = next(days for days, names in tw.UNITS_CJK.items() if match["unit"] in names.split())
            first, last = make(_count(match["n"]) if match["n"] else FEW, days, today)
            yield match.start(), match.end(), first, last


def _count(text: str) -> tuple[int, int]:
    """Return how many a number is, at least and at most."""
    from openclaw_memory_plugin.markdown.dates.months import read_number

    known = next((number for number, names in enumerate(tw.NUMBERS, 1) if text in names.split()), 0)
    known = known or (int(text) if text.isdecimal() else 2 if text in "两兩" else read_number(text))
    return known, known


def _ago(count: tuple[int, int], days: int, today: dt.date) -> tuple[dt.date, dt.date]:
    """Return the days around that point: two weeks ago may be three days off, two years a month."""
    slack = min(31, days // 2)
    return moved(today, -count[1] * days - slack), moved(today, -count[0] * days + slack)


def _past(count: tuple[int, int], days: int, today: dt.date) -> tuple[dt.date, dt.date]:
    return moved(today, -count[1] * days), today


def _ahead(count: tuple[int, int], days: int, today: dt.date) -> tuple[dt.date, dt.date]:
    return today, moved(today, count[1] * days)


def moved(day: dt.date, days: int) -> dt.date:
    """Return a day so many days away; the first or last there is when it lies beyond, an open end stays open."""
    if day in (dt.date.min, dt.date.max):
        return day
    return dt.date.fromordinal(min(max(day.toordinal() + days, 1), dt.date.max.toordinal()))


@functools.cache
def _units() -> Mapping[str, int]:
    return {name: days for days, names in tw.UNITS.items() for name in names.split()}


def _any(words: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


def _listed(text: str) -> Collection[str]:
    return [phrase.strip() for phrase in text.split(",")] if "," in text else text.split()


@functools.cache
def _counts() -> tuple[tuple[Make, tuple[int, int], re.Pattern[str]], ...]:
    """Return what makes days of a count, how many are meant when none is said, and the pattern, in Latin letters."""
    number = rf"(?P<n>\d{{1,3}}|{_any(name for line in tw.NUMBERS for name in line.split())})"
    few = rf"(?:(?:an?|the|ein|un|um|une)\s+)?(?:{_any(tw.FEW.split())})"
    n = rf"(?:{number}|{few})(?:\s+(?:of|de)|\s+d')?"
    unit = rf"(?P<unit>{_any(_units())})"
    many = rf"(?P<unit>{_any(tw.MANY_UNITS.split())})"
    before, after, past, past_after, ahead, ahead_after, so_long = (
        _any(_listed(words))
        for words in (tw.AGO_BEFORE, tw.AGO_AFTER, tw.PAST, tw.PAST_AFTER, tw.AHEAD, tw.AHEAD_AFTER, tw.FOR)
    )
    return tuple(
        (make, unsaid, re.compile(rf"\b(?:{pattern})\b"))
        for make, unsaid, pattern in (
            (_ago, FEW, rf"(?:{before})\s+(?:etwa\s+)?{n}\s+{unit}"),
            (_ago, FEW, rf"{n}\s+{unit}\s+(?:{after})"),
            (_past, FEW, rf"(?:{past}|{so_long})\s+{n}\s+{unit}"),
            (_past, FEW, rf"{n}\s+(?:{past})\s+{many}"),
            (_past, FEW, rf"{n}\s+{many}\s+(?:{past_after})"),
            (_past, FEW, rf"(?:{past})\s+{many}"),
            (_past, (1, 1), r"past\s+(?P<unit>week|month|year)"),
            (_ahead, FEW, rf"(?:{ahead})\s+{n}\s+{unit}"),
            (_ahead, FEW, rf"{n}\s+(?:{ahead_after})\s+{many}"),
        )
    )


@functools.cache
def _counted_cjk() -> str:
    units = _any(name for names in tw.UNITS_CJK.values() for name in names.split())
    return (
        r"(?P<past>最近|过去|過去|近|この|ここ|这|這|前)?(?P<ahead>未来|接下来|接下來|今後|これから)?的?の?"
        rf"(?:(?P<n>\d{{1,3}}|[一二两兩三四五六七八九]?十[一二三四五六七八九]?|[一二两兩三四五六七八九])|[几幾数數])(?P<unit>{units})"
        r"(?:(?P<ago>之前|以前|前)|(?P<hence>之后|之後|以后|后|後))?"
    )
