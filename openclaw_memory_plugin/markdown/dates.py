"""
Days and stretches of time named in text, in English, German, Spanish, Portuguese, French, Chinese and Japanese.

Used for the time a fact is about and for the time a question asks for. What is not certainly a date is none.
"""

import calendar
import datetime as dt
import re

import attrs

from openclaw_memory_plugin.markdown.months import (
    ARTICLE,
    CJK_DIGITS,
    CJK_NUMBER,
    CJK_PARTS,
    FROM,
    MONTH,
    MONTHS,
    PART,
    PARTS,
    RANGE_WORDS,
    UNTIL,
    WIDE,
    read_number,
    read_year,
)

_DIGITS = re.compile(r"\d+")
_WORDS = re.compile(r"[^\W\d_]+")
_AFTER_DIGITS = re.compile(rf"(?:st|nd|rd|th|er|º|°|\.)?\s*(?:(?:of|de|d['’])\s*)?{MONTH}|[-/.]\s?\d", re.I)
_ALONE = frozenset(name for name in MONTHS if len(name) > 3) | {"jan", "feb", "apr", "jun", "jul", "aug", "oct", "nov", "dec"}
_MONTH_END = re.compile(r"of (?:the|this) month|monatsende|month[- ]end", re.I)
_ISO = re.compile(r"(?<![\d.-])(?P<y>(?:19|20)\d\d)(?P<sep>[-/.])(?P<m>\d{1,2})(?P=sep)(?P<d>\d{1,2})(?![\d]|-\d)")
_YEAR_MONTH = re.compile(r"(?<![\d.-])(?P<y>(?:19|20)\d\d)-(?P<m>0[1-9]|1[0-2])(?![\d-])")
_DAY_MONTH = re.compile(
    rf"(?<![\d.,:])(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|º|°|\.)?\s*(?:(?:of|de|d['’])\s*)?(?P<name>{MONTH})"
    r"(?:,?\s*(?:del?\s+)?(?P<y>(?:19|20)\d\d)\b)?",
    re.I,
)
_MONTH_DAY = re.compile(
    rf"\b(?P<name>{MONTH})\s+(?:the\s+)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:%]|[.,]\d|\s*(?:am|pm)\b)"
    r"(?:,?\s*(?P<y>(?:19|20)\d\d)\b)?",
    re.I,
)
_DOTTED = re.compile(
    r"(?<![\d.])(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.(?:\s?(?P<y>(?:19|20)\d\d|\d\d(?!\d|[:.]\d)))?(?!\d)"
)
_SLASHED = re.compile(r"(?<![\d/])(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>(?:19|20)\d\d)(?![\d/])")
_CJK_SLASHED = re.compile(r"(?<![\d/A-Za-z])(?P<m>\d{1,2})/(?P<d>\d{1,2})(?![\d/A-Za-z])")
_CJK_DAY = re.compile(
    rf"(?:(?P<y>(?:19|20)\d\d|[{CJK_DIGITS}]{{4}})年\s?)?(?<![\d{CJK_DIGITS}])(?P<m>{CJK_NUMBER})月\s?"
    rf"(?P<d>{CJK_NUMBER})(?:日|号|號)"
)
_CJK_MONTH = re.compile(
    rf"(?:(?P<y>(?:19|20)\d\d|[{CJK_DIGITS}]{{4}})年\s?)?(?<![\d{CJK_DIGITS}个個ヶか])(?P<m>{CJK_NUMBER})月份?"
    rf"(?!\s?{CJK_NUMBER}[日号號])(?P<tail>上旬|中旬|下旬|上半月|下半月|初|底|末)?"
)
_MONTH_YEAR = re.compile(rf"\b(?P<name>{MONTH})\s+(?:del?\s+)?(?P<y>(?:19|20)\d\d)\b", re.I)
_MONTH_ALONE = re.compile(
    rf"(?:\b(?P<lead>in|im|en|em|this|last|next|until|till|through|since|from|by|bis|seit|ab|hasta|até|desde|depuis)\s+"
    rf"(?:the\s+)?)?(?:\b{PART})?\b(?P<name>{MONTH})(?!\s*\d)",
    re.I,
)
_YEAR_ALONE = re.compile(rf"\b(?:{UNTIL}|{FROM}|in|im Jahr|en|em)\s+(?P<y>(?:19|20)\d\d)\b(?![-/.]\d|\s*[年\w])", re.I)
_THIS_MONTH = re.compile(
    r"\b(?:the\s+)?end of (?:the|this) month\b|\bmonatsende\b|\bmonth[- ]end\b|本月底|月末(?!\w)|(?<![\d一二三四五六七八九十])月底",
    re.I,
)

_DAY_BEFORE = re.compile(
    rf"(?<![\d.,:])(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|\.)?(?:{RANGE_WORDS}|\s+(?:and|und|y|e|et)\s+)$", re.I
)
_DAY_AFTER = re.compile(
    rf"\s*(?:-|–|—|−|~|to\b|bis\b|至|到|から)\s*(?P<d>{CJK_NUMBER})(?P<unit>日|号|號|st|nd|rd|th)?(?![\d:./月]|[{CJK_DIGITS}]|\s*{MONTH})"
    r"(?:,?\s*(?P<y>(?:19|20)\d\d)\b)?",
    re.I,
)
_BETWEEN = re.compile(rf"(?:{RANGE_WORDS}|\s+(?:and|und|y|e|et)\s+)", re.I)
_AND = re.compile(r"\s+(?:and|und|y|e|et)\s+", re.I)
_BOTH = re.compile(r"(?:between|zwischen|entre)\s+(?:the\s+|dem\s+|el\s+|le\s+)?$", re.I)
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
_NUMBERS = {"a": 1, "one": 1, "ein": 1, "eine": 1, "einen": 1, "two": 2, "zwei": 2, "three": 3, "drei": 3, "four": 4,
            "vier": 4, "five": 5, "fünf": 5, "six": 6, "sechs": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}  # fmt: skip
_LOOK_BACK = 48


@attrs.frozen(kw_only=True)
class Span:
    """One day or stretch of time named in a text."""

    first: dt.date | None
    """First day; None when only an end is named."""
    last: dt.date | None
    """Last day, inclusive; None when only a beginning is named."""
    begin: int
    end: int
    """Where it stands in the text: `text[begin:end]`."""
    grain: str
    """`day`, `month`, `year` or a part of one (`part`); `range` when two ends, or one open end, are named."""


@attrs.frozen(kw_only=True)
class _Point:
    begin: int
    end: int
    year: int | None
    month: int
    day: int | None
    part: int = 0


def find_days(text: str, *, near: dt.date | None) -> tuple[Span, ...]:
    """
    Find the days, ranges, months and open ends that a text names, in order.

    Args:
        near: Dates without a year get the year that brings them closest to this day; None leaves them out.
    """
    if not text.isascii():
        text = text.translate(WIDE)
    if not _may_name_days(text):
        return ()
    spans = _spans(text, _points(text, near), near)
    if near is not None:
        spans += _month_ends(text, near, spans)
        spans += _years(text, spans)
        spans.sort(key=lambda span: (span.begin, span.end))
    return tuple(spans)


def _may_name_days(text: str) -> bool:
    """Tell cheaply whether a search is worth it: most statements name no day at all."""
    if not text.isascii() and ("月" in text or "年" in text):
        return True
    for match in _DIGITS.finditer(text):
        begin, end = match.span()
        if end - begin == 4 and text[begin : begin + 2] in ("19", "20"):
            return True
        if end - begin <= 2 and (_AFTER_DIGITS.match(text, end) or _word_before(text, begin) in MONTHS):
            return True
    if "May" in text:
        return True
    lower = text.lower()
    return not _ALONE.isdisjoint(_WORDS.findall(lower)) or ("mon" in lower and _MONTH_END.search(lower) is not None)


def _word_before(text: str, position: int) -> str:
    words = text[max(0, position - 24) : position].lower().removesuffix(" ").removesuffix(" the").rsplit(None, 1)
    return words[-1].strip("(.,") if words else ""


def validity(text: str, *, near: dt.date | None) -> tuple[dt.date | None, dt.date | None]:
    """Return the first range or open end that a text names as (first, last) days, (None, None) when it names none."""
    first: dt.date | None = None
    for span in find_days(text, near=near):
        if span.grain != "range":
            continue
        if span.first and span.last:
            return span.first, span.last
        if span.last:
            return (first if first and first <= span.last else None), span.last
        first = first or span.first
    return first, None


def make_day(year: int, month: int, day: int) -> dt.date | None:
    """Return the date, None when there is no such day."""
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None


def _points(text: str, near: dt.date | None) -> list[_Point]:
    """Every date in the text, full or partial, without overlaps, in order."""
    found: list[_Point] = []
    for match in _ISO.finditer(text):
        found.append(_numbers(match, int(match["m"]), int(match["d"])))
    for match in _SLASHED.finditer(text):
        a, b = int(match["a"]), int(match["b"])
        if a > 12 >= b or b > 12 >= a or a == b:
            found.append(_numbers(match, min(a, b), max(a, b)))
    for match in _DOTTED.finditer(text):
        if match["y"] or len(match["m"]) == 2 or _spoken(text, match.start()):
            found.append(_numbers(match, int(match["m"]), int(match["d"])))
    for pattern in (_DAY_MONTH, _MONTH_DAY):
        for match in pattern.finditer(text):
            found.append(_numbers(match, MONTHS[match["name"].rstrip(".").lower()], int(match["d"])))
    if not text.isascii():
        for match in _CJK_DAY.finditer(text):
            found.append(_numbers(match, read_number(match["m"]), read_number(match["d"])))
        for match in _CJK_SLASHED.finditer(text):
            found.append(_numbers(match, int(match["m"]), int(match["d"])))
        for match in _CJK_MONTH.finditer(text):
            found.append(_numbers(match, read_number(match["m"]), None, CJK_PARTS.get(match["tail"] or "", 0)))
    for match in _YEAR_MONTH.finditer(text):
        found.append(_numbers(match, int(match["m"]), None))
    for match in _MONTH_YEAR.finditer(text):
        found.append(_month(match, text))
    for match in _MONTH_ALONE.finditer(text):
        if match["lead"] or match["part"]:
            found.append(_month(match, text))
    kept: list[_Point] = []
    taken: list[tuple[int, int]] = []
    for point in found:
        year = point.year or (near.year if near else 2000)
        if point.year is None and near is None and point.day is None:
            continue
        valid = 1 <= point.month <= 12 and (point.day is None or make_day(_leap(year, point), point.month, point.day))
        if valid and not any(point.begin < end and begin < point.end for begin, end in taken):
            kept.append(point)
            taken.append((point.begin, point.end))
    kept.sort(key=lambda point: point.begin)
    return kept


def _leap(year: int, point: _Point) -> int:
    """A year in which 29 February exists, when the year is open."""
    return 2000 if point.year is None else year


def _numbers(match: re.Match[str], month: int, day: int | None, part: int = 0) -> _Point:
    written = match["y"] if "y" in match.re.groupindex else None
    year = None if not written else 2000 + int(written) if len(written) == 2 else read_year(written)
    return _Point(begin=match.start(), end=match.end(), year=year, month=month, day=day, part=part)


def _month(match: re.Match[str], text: str) -> _Point:
    begin = match.start("name")
    part = match["part"] if "part" in match.re.groupindex else None
    if part is None:
        lead = re.search(rf"\b{PART}$", text[max(0, begin - _LOOK_BACK) : begin], re.I)
        part = lead["part"] if lead else None
        begin -= len(lead[0]) if lead else 0
    else:
        begin = match.start("part")
    year = int(match["y"]) if "y" in match.re.groupindex else None
    number = MONTHS[match["name"].rstrip(".").lower()]
    return _Point(
        begin=begin, end=match.end(), year=year, month=number, day=None, part=PARTS[part.lower()] if part else 0
    )


def _spoken(text: str, begin: int) -> bool:
    return (
        re.search(r"\b(?:am|vom|bis|ab|der|den|dem|zum|seit|und)\s*$", text[max(0, begin - 8) : begin], re.I)
        is not None
    )


def _spans(text: str, points: list[_Point], near: dt.date | None) -> list[Span]:
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


def _joined(text: str, one: _Point, two: _Point) -> bool:
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


def _range(one: _Point, two: _Point, near: dt.date | None) -> Span | None:
    last = _days(two, near)
    if last is None:
        return None
    if one.year is None:
        first = _days(attrs.evolve(one, year=last[1].year), near)
        if first is not None and first[0] > last[1]:
            first = _days(attrs.evolve(one, year=last[1].year - 1), near)
    else:
        first = _days(one, near)
        if two.year is None and first is not None:
            last = _days(attrs.evolve(two, year=first[0].year), near) or last
            if last[1] < first[0]:
                last = _days(attrs.evolve(two, year=first[0].year + 1), near) or last
    if first is None or first[0] > last[1]:
        return None
    return Span(first=first[0], last=last[1], begin=one.begin, end=two.end, grain="range")


def _single(text: str, point: _Point, near: dt.date | None) -> Span | None:
    days = _days(point, near)
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


def _day_range(text: str, before: str, point: _Point, day: dt.date) -> Span | None:
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


def _days(point: _Point, near: dt.date | None) -> tuple[dt.date, dt.date] | None:
    """First and last day of a point, in its own year or in the one closest to `near`."""
    if point.year is not None:
        return _days_in(point, point.year)
    if near is None:
        return None
    options = [days for year in (near.year, near.year + 1, near.year - 1) if (days := _days_in(point, year))]
    if not options:
        return None
    return min(options, key=lambda days: abs((days[0] - near).days))


def _days_in(point: _Point, year: int) -> tuple[dt.date, dt.date] | None:
    if not 1 <= year <= 9999:
        return None
    if point.day is not None:
        day = make_day(year, point.month, point.day)
        return (day, day) if day else None
    length = calendar.monthrange(year, point.month)[1]
    bounds = {0: (1, length), 1: (1, 10), 2: (11, 20), 3: (21, length), 4: (1, 15), 5: (15, length)}[point.part]
    return dt.date(year, point.month, bounds[0]), dt.date(year, point.month, bounds[1])


def _later(first: dt.date, duration: re.Match[str]) -> dt.date:
    count = _NUMBERS.get(duration["n"].lower()) or int(duration["n"])
    days = {"d": 1, "t": 1, "w": 7, "m": 30}[duration["unit"][0].lower()] * count
    return min(first + dt.timedelta(days=days - 1), dt.date.max) if days else first


def _month_ends(text: str, near: dt.date, spans: list[Span]) -> list[Span]:
    found = []
    for match in _THIS_MONTH.finditer(text):
        if _overlaps(spans, match):
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
    for match in _YEAR_ALONE.finditer(text):
        if _overlaps(spans, match):
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


def _overlaps(spans: list[Span], match: re.Match[str]) -> bool:
    return any(span.begin < match.end() and match.start() < span.end for span in spans)
