"""The grammar of days and stretches of time: single dates of a text joined, bounded and completed."""

import calendar
import datetime as dt
import re

import attrs

from openclaw_memory_plugin.markdown.dates import Span, make_day
from openclaw_memory_plugin.markdown.dates.months import (
    ARTICLE,
    CJK_DIGITS,
    CJK_NUMBER,
    FROM,
    MONTH,
    RANGE_WORDS,
    UNTIL,
    read_number,
)
from openclaw_memory_plugin.markdown.dates.points import Point, days_of, find_points

ENDS = r"(?:the|dem|den|el|le|los\s+días|o\s+dia|os\s+dias|dia)\s+"
"""Before either end of a stretch of days."""

_YEAR_ALONE = re.compile(rf"\b(?:{UNTIL}|{FROM}|in|im Jahr|en|em)\s+(?P<y>(?:19|20)\d\d)\b(?![-/.]\d|\s*[年\w])", re.I)
_THIS_MONTH = re.compile(
    r"\b(?:the\s+)?end of (?:the|this) month\b|\bmonatsende\b|\bmonth[- ]end\b"
    rf"|本月底|月末(?!\w)|(?<![\d{CJK_DIGITS}])月底",
    re.I,
)

_DAY_BEFORE = re.compile(
    rf"(?<![\d.,:])(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|\.)?(?:{RANGE_WORDS}|\s+(?:and|und|y|e|et)\s+(?:{ENDS})?)$", re.I
)
_DAY_AFTER = re.compile(
    rf"\s*(?:-|–|—|−|~|to\b|bis\b|至|到|から)\s*(?P<d>{CJK_NUMBER})(?P<unit>日|号|號|st|nd|rd|th)?"
    rf"(?![\d:./月]|[{CJK_DIGITS}]|\s*{MONTH})"
    r"(?:,?\s*(?P<y>(?:19|20)\d\d)\b)?",
    re.I,
)
_BETWEEN = re.compile(rf"(?:{RANGE_WORDS}|\s+(?:and|und|y|e|et)\s+)", re.I)
_AND = re.compile(r"\s+(?:and|und|y|e|et)\s+", re.I)
_BOTH = re.compile(rf"(?:between|zwischen|entre)\s+(?:{ENDS})?$", re.I)
_RETURNS = re.compile(
    r"[^.;。；!?]{0,40}\b(?:home|back|returns?|returning|zurück|regresa|vuelve|volta|rentre|revient)\b[^.;。；!?]{0,20}"
    r"|[^.;。；!?]{0,20}(?:回来|返回|回国|戻|帰)[^.;。；!?]{0,10}",
    re.I,
)
_MOVED = re.compile(
    r"(?:slip\w*|mov(?:ed|es|ing)|postpon\w+|shift\w*|chang\w+|push\w*|reschedul\w+|verschob\w+|verleg\w+|aplaz\w+|adiad\w+"
    r"|report[ée]\w*|推迟|改|延期|变更|変更)[^.;。；]{0,40}$",
    re.I,
)
_UNTIL_BEFORE = re.compile(rf"(?:\b|(?<=[^\x00-\x7f])){UNTIL}{ARTICLE}\s*$", re.I)
_FROM_BEFORE = re.compile(rf"(?:\b|(?<=[^\x00-\x7f])){FROM}{ARTICLE}\s*$", re.I)
_UNTIL_AFTER = re.compile(r"\s*(?:まで|为止|為止|止)")
_FROM_AFTER = re.compile(r"\s*(?:から|起|以降|以来|开始|開始)")
_DURATION = re.compile(
    r"\b(?:for|für)\s+(?P<n>\d{1,3}|a|one|two|three|four|five|six|seven|eight|nine|ten|eine?n?|zwei|drei|vier|fünf|sechs)\s+"
    r"(?P<unit>day|week|month|tag|woche|monat)\w*\s+(?:from|starting|ab|beginning)(?:\s+(?:the|dem|on))?\s*$",
    re.I,
)
_NUMBERS = {
    **dict.fromkeys(["a", "one", "ein", "eine", "einen"], 1),
    **dict.fromkeys(["two", "zwei"], 2),
    **dict.fromkeys(["three", "drei"], 3),
    **dict.fromkeys(["four", "vier"], 4),
    **dict.fromkeys(["five", "fünf"], 5),
    **dict.fromkeys(["six", "sechs"], 6),
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_LOOK_BACK = 48


def spans_of(text: str, near: dt.date | None) -> list[Span]:
    """Return what `dates.find_days` promises, of a text in half-width digits."""
    spans = _spans(text, find_points(text, near), near)
    if near is not None:
        spans += _month_ends(text, near, spans)
        spans += _years(text, spans)
        spans.sort(key=lambda span: (span.begin, span.end))
    return spans


def _spans(text: str, points: list[Point], near: dt.date | None) -> list[Span]:
    spans: list[Span] = []
    number = 0
    while number < len(points):
        point = points[number]
        following = points[number + 1] if number + 1 < len(points) else None
        span, used = None, 1
        if following is not None and _joined(text, point, following):
            span, used = _range(point, following, near), 2
        if span is None:
            span, used = _single(text, point, near), 1
        if span is not None:
            spans.append(span)
        number += used
    return spans


def _joined(text: str, one: Point, two: Point) -> bool:
    """Whether the words between two dates make them the ends of one range."""
    between = text[one.end : two.begin]
    before = text[max(0, one.begin - _LOOK_BACK) : one.begin]
    if len(between) > 80:
        return False
    if _AND.fullmatch(between):
        return _BOTH.search(before) is not None
    if _BETWEEN.fullmatch(between) or (_UNTIL_BEFORE.fullmatch(between.strip() + " ") and _FROM_BEFORE.search(before)):
        return _MOVED.search(before) is None
    return one.day is not None and two.day is not None and _RETURNS.fullmatch(between) is not None


def _range(one: Point, two: Point, near: dt.date | None) -> Span | None:
    last = days_of(two, near)
    if last is None:
        return None
    if one.year is None:
        first = days_of(attrs.evolve(one, year=last[1].year), near)
        if first is not None and first[0] > last[1]:
            first = days_of(attrs.evolve(one, year=last[1].year - 1), near)
    else:
        first = days_of(one, near)
        if two.year is None and first is not None:
            last = days_of(attrs.evolve(two, year=first[0].year), near) or last
            if last[1] < first[0]:
                last = days_of(attrs.evolve(two, year=first[0].year + 1), near) or last
    if first is None or first[0] > last[1]:
        return None
    return Span(first=first[0], last=last[1], begin=one.begin, end=two.end, grain="range")


def _single(text: str, point: Point, near: dt.date | None) -> Span | None:
    days = days_of(point, near)
    if days is None:
        return None
    first, last = days
    before = text[max(0, point.begin - _LOOK_BACK) : point.begin]
    if point.day is not None:
        stretch = _day_range(text, before, point, first)
        if stretch is not None:
            return stretch
        duration = _DURATION.search(before)
        if duration:
            return Span(first=first, last=_later(first, duration), begin=point.begin, end=point.end, grain="range")
    if _UNTIL_BEFORE.search(before) or _UNTIL_AFTER.match(text, point.end):
        end = last if point.day or point.part == 3 else first if not point.part else first + (last - first) // 2
        return Span(first=None, last=end, begin=point.begin, end=point.end, grain="range")
    if (_FROM_BEFORE.search(before) and not _MOVED.search(before)) or _FROM_AFTER.match(text, point.end):
        return Span(first=first, last=None, begin=point.begin, end=point.end, grain="range")
    grain = "day" if point.day is not None else "part" if point.part else "month"
    return Span(first=first, last=last, begin=point.begin, end=point.end, grain=grain)


def _day_range(text: str, before: str, point: Point, day: dt.date) -> Span | None:
    """A range of which one end is only a day of the month: `27 to 31 January`, `March 9-13`, `二月十二日到十五日`."""
    match = _DAY_BEFORE.search(before)
    if match and (not _AND.search(match[0]) or _BOTH.search(before[: match.start()])):
        first = make_day(day.year, day.month, int(match["d"]))
        if first is not None and first < day and not _MOVED.search(before[: match.start()]):
            begin = point.begin - (len(before) - match.start())
            return Span(first=first, last=day, begin=begin, end=point.end, grain="range")
    match = _DAY_AFTER.match(text, point.end)
    if (
        match
        and not _MOVED.search(before)
        and (text[point.end - 1] in "日号號") == (match["unit"] is not None and match["unit"] in "日号號")
    ):
        year = int(match["y"]) if match["y"] else day.year
        last = make_day(year, day.month, read_number(match["d"]))
        first = make_day(year, day.month, day.day)
        if last is not None and first is not None and last > first:
            return Span(first=first, last=last, begin=point.begin, end=match.end(), grain="range")
    return None


def _later(first: dt.date, duration: re.Match[str]) -> dt.date:
    count = _NUMBERS.get(duration["n"].lower()) or int(duration["n"])
    days = {"d": 1, "t": 1, "w": 7, "m": 30}[duration["unit"][0].lower()] * count
    return min(first + dt.timedelta(days=days - 1), dt.date.max) if days else first


def _month_ends(text: str, near: dt.date, spans: list[Span]) -> list[Span]:
    found = []
    taken = _taken(text, spans)
    for match in _THIS_MONTH.finditer(text):
        if any(taken[match.start() : match.end()]):
            continue
        last = near.replace(day=calendar.monthrange(near.year, near.month)[1])
        bounded = _UNTIL_BEFORE.search(text[max(0, match.start() - _LOOK_BACK) : match.start()]) is not None
        first = None if bounded else last
        found.append(
            Span(first=first, last=last, begin=match.start(), end=match.end(), grain="range" if bounded else "part")
        )
    return found


def _years(text: str, spans: list[Span]) -> list[Span]:
    found = []
    taken = _taken(text, spans)
    for match in _YEAR_ALONE.finditer(text):
        if any(taken[match.start() : match.end()]):
            continue
        year = int(match["y"])
        before = text[match.start() : match.start("y")]
        first: dt.date | None = dt.date(year, 1, 1)
        last: dt.date | None = dt.date(year, 12, 31)
        grain = "range"
        if _UNTIL_BEFORE.search(before):
            first, last = None, dt.date(year, 1, 1)
        elif _FROM_BEFORE.search(before):
            last = None
        else:
            grain = "year"
        found.append(Span(first=first, last=last, begin=match.start("y"), end=match.end("y"), grain=grain))
    return found


def _taken(text: str, spans: list[Span]) -> bytearray:
    """Return for each character whether it stands in one of these spans."""
    taken = bytearray(len(text))
    for span in spans:
        taken[span.begin : span.end] = b"\1" * (span.end - span.begin)
    return taken
