"""Dates written in a text, one by one: full ones, those without a year, months and parts of months."""

import calendar
import datetime as dt
import re

import attrs

from openclaw_memory_plugin.markdown.dates import make_day
from openclaw_memory_plugin.markdown.dates.months import (
    CJK_DIGITS,
    CJK_NUMBER,
    CJK_PARTS,
    MONTH,
    MONTHS,
    PART,
    PARTS,
    read_number,
    read_year,
)

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
# Patterns left as text take long to compile and are of no use to other scripts: `re` compiles them when first needed.
_NUMERIC = r"(?P<m>0?[1-9]|1[0-2])(?P<sep>[/.])(?P<d>0?[1-9]|[12]\d|3[01])"
_CJK_NUMERIC = rf"(?<![\d/.A-Za-z第])(?<!\d:){_NUMERIC}(?![\d/A-Za-z%]|\.\d)"
_RANGE_OF_POINTS = (
    r"(?<![\d.A-Za-z])(?:0?[1-9]|1[0-2])\.(?:0?[1-9]|[12]\d|3[01])\s?[-–—~至到]\s?(?:0?[1-9]|1[0-2])\.(?:0?[1-9]|[12]\d|3[01])"
    r"(?![\d%]|\.\d|\s?[A-Za-z元块円米度倍折万億亿])"
)
_CJK = "[\u3041-\u30ff\u3400-\u9fff]"
_DATE_AHEAD = (
    r"(?:截止|截至|到期|期限|时间|日時|日期|日程|定[在于到]?|改[到至在为成]?|推迟[到至]|提前[到至]|延[期后]?[到至]|变更[为到]?"
    r"|[于在从自至到]|计划|预[计定]|予定日?|締め?切り?|期日|開催日?|変更|から|まで|より|[~～])[日:：は、「（(\s]*$"
)
_DATE_BEHIND = (
    r"\s?(?:日|号|號|[（(]?(?:周|週|星期|礼拜)[一二三四五六日天]|[（(]\s?[月火水木金土日][）)・]|上午|下午|中午|凌晨|早上?|晚上?|傍晚"
    r"|午前|午後|朝|夜|夕方|那天|当天|當天|当日|[之以]?前(?!端)|[之以]?[后後](?!端)|起|开始|開始|截止|到期|まで|から|より|以降"
    r"|に|の(?!割|確率)|付け|[~～至到]\s?\d|谁|誰|有什么|发生|做了)"
)
_COUNTER = (
    r"\s?(?:[个個人条條项項件次回题題分杯页頁票元块塊円枚本台歳岁度倍米克吨折万億亿カヶ]"
    r"|以上|以下|左右|程度|版|多|的(?:人|时|概))"
)
_SHARE_AHEAD = r"(?:率|比例?|比分|得分|评分|進捗|进度|完成|通过|约|約|版本|バージョン|[Vv]er\.?)[了是为は:：\s]*$"
_CJK_DAY = re.compile(
    rf"(?:(?P<y>(?:19|20)\d\d|[{CJK_DIGITS}]{{4}})年\s?)?(?<![\d{CJK_DIGITS}])(?P<m>{CJK_NUMBER})月\s?"
    rf"(?P<d>{CJK_NUMBER})(?:日|号|號|(?=\s*(?:$|[,.;:，。、；：（()）「」~\-–]|上午|下午|中午|早|晚|午前|午後|まで|から|[之以]?前)))"
)
_CJK_MONTH = re.compile(
    rf"(?:(?P<y>(?:19|20)\d\d|[{CJK_DIGITS}]{{4}})年\s?)?(?<![\d{CJK_DIGITS}个個ヶか])(?P<m>{CJK_NUMBER})月份?"
    rf"(?!\s?{CJK_NUMBER}[日号號])(?P<tail>上旬|中旬|下旬|上半月|下半月|初|底|末)?"
)
_MONTH_YEAR = re.compile(rf"\b(?P<name>{MONTH})\s+(?:del?\s+)?(?P<y>(?:19|20)\d\d)\b", re.I)
_MONTH_ALONE = re.compile(
    rf"(?:\b(?P<lead>in|im|en|em|this|last|next|until|till|through|since|from|by|before|after|during|vor|nach|avant|après|bis|seit|ab|hasta|até|desde|depuis)\s+"
    rf"(?:the\s+)?)?(?:\b{PART})?\b(?P<name>{MONTH})(?!\s*\d)",
    re.I,
)
_LOOK_BACK = 48


@attrs.frozen(kw_only=True)
class Point:
    """One date in a text, as far as it is said."""

    begin: int
    """Offset of its first character."""
    end: int
    """Offset just behind it."""
    year: int | None
    """None when it is left to be understood."""
    month: int
    day: int | None
    """None for a whole month."""
    part: int = 0
    """Of the month: 1 early, 2 middle, 3 late, 4 and 5 its halves; 0 for all of it."""


def find_points(text: str, near: dt.date | None) -> list[Point]:
    """Every date in the text, full or partial, without overlaps, in order."""
    found: list[Point] = []
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
        numeric = ("/" in text or "." in text) and re.search(_CJK, text)
        for match in re.finditer(_CJK_NUMERIC, text) if numeric else ():
            if _is_day(text, match):
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
    kept: list[Point] = []
    taken = bytearray(len(text))
    for point in found:
        year = point.year or (near.year if near else 2000)
        if point.year is None and near is None and point.day is None:
            continue
        valid = 1 <= point.month <= 12 and (point.day is None or make_day(_leap(year, point), point.month, point.day))
        if valid and not any(taken[point.begin : point.end]):
            kept.append(point)
            taken[point.begin : point.end] = b"\1" * (point.end - point.begin)
    kept.sort(key=lambda point: point.begin)
    return kept


def _is_day(text: str, match: re.Match[str]) -> bool:
    """
    Tell whether `3/18` or `3.18` in a text of Chinese or Japanese is a day: neither a share nor a version or an amount.

    A slash is one unless something speaks against it; a point, and a slash in what may be a fraction, needs a word of
    time beside it, or to be one end of a range.
    """
    before = text[max(0, match.start() - 8) : match.start()]
    if re.search(_DATE_AHEAD, before) or re.match(_DATE_BEHIND, text[match.end() : match.end() + 12]):
        return re.match(_COUNTER, text[match.end() : match.end() + 12]) is None
    if (
        match["sep"] == "."
        or re.search(_SHARE_AHEAD, before)
        or re.match(_COUNTER, text[match.end() : match.end() + 12])
    ):
        return re.compile(_RANGE_OF_POINTS).match(text, match.start()) is not None or _is_second_of_points(text, match)
    return len(match["m"]) == 2 or int(match["m"]) >= int(match["d"]) or int(match["d"]) > 10


def _is_second_of_points(text: str, match: re.Match[str]) -> bool:
    """Tell whether a match is the end of `3.18-3.20`."""
    begin = max(0, match.start() - 8)
    return any(found.end() == match.end() for found in re.compile(_RANGE_OF_POINTS).finditer(text, begin))


def _leap(year: int, point: Point) -> int:
    """A year in which 29 February exists, when the year is open."""
    return 2000 if point.year is None else year


def _numbers(match: re.Match[str], month: int, day: int | None, part: int = 0) -> Point:
    written = match["y"] if "y" in match.re.groupindex else None
    year = None if not written else 2000 + int(written) if len(written) == 2 else read_year(written)
    return Point(begin=match.start(), end=match.end(), year=year, month=month, day=day, part=part)


def _month(match: re.Match[str], text: str) -> Point:
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
    return Point(
        begin=begin, end=match.end(), year=year, month=number, day=None, part=PARTS[part.lower()] if part else 0
    )


def _spoken(text: str, begin: int) -> bool:
    return (
        re.search(r"\b(?:am|vom|bis|ab|der|den|dem|zum|seit|und)\s*$", text[max(0, begin - 8) : begin], re.I)
        is not None
    )


def days_of(point: Point, near: dt.date | None) -> tuple[dt.date, dt.date] | None:
    """First and last day of a point, in its own year or in the one closest to `near`."""
    if point.year is not None:
        return _days_in(point, point.year)
    if near is None:
        return None
    options = [days for year in (near.year, near.year + 1, near.year - 1) if (days := _days_in(point, year))]
    if not options:
        return None
    return min(options, key=lambda days: abs((days[0] - near).days))


def _days_in(point: Point, year: int) -> tuple[dt.date, dt.date] | None:
    if not 1 <= year <= 9999:
        return None
    if point.day is not None:
        day = make_day(year, point.month, point.day)
        return (day, day) if day else None
    length = calendar.monthrange(year, point.month)[1]
    bounds = {0: (1, length), 1: (1, 10), 2: (11, 20), 3: (21, length), 4: (1, 15), 5: (15, length)}[point.part]
    return dt.date(year, point.month, bounds[0]), dt.date(year, point.month, bounds[1])
