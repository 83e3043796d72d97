"""
Days and stretches of time named in text, in English, German, Spanish, Portuguese, French, Chinese and Japanese.

Used for the time a fact is about and for the time a question asks for. What is not certainly a date is none.
"""

import datetime as dt
import functools
import re

import attrs

from openclaw_memory_plugin.markdown.dates.months import MONTH, MONTHS, WIDE

_DIGITS = re.compile("[0-9]+")
_WORDS = re.compile(r"[^\W\d_]+")
_AS_WORDS = bytes(ord(chr(code).lower()) if chr(code).isascii() and chr(code).isalpha() else 32 for code in range(256))
"""For `bytes.translate`: leaves lower-case words of ASCII, in a third of the time."""
_SHORT = frozenset(("jan", "feb", "apr", "jun", "jul", "aug", "oct", "nov", "dec"))
_ALONE = _SHORT.union(name for name in MONTHS if len(name) > 3)
_ALONE_ASCII = frozenset(name.encode() for name in _ALONE if name.isascii())
_MONTH_END = re.compile(r"of (?:the|this) month|monatsende|month[- ]end")


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
    from openclaw_memory_plugin.markdown.dates.spans import spans_of

    return tuple(spans_of(text, near))


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


def _may_name_days(text: str) -> bool:
    """Tell cheaply whether a search is worth it: most statements name no day at all."""
    if not text.isascii() and ("月" in text or "年" in text):
        return True
    for match in _DIGITS.finditer(text):
        begin, end = match.span()
        if end - begin == 4 and text[begin : begin + 2] in ("19", "20"):
            return True
        if end - begin <= 2 and (_after_digits().match(text, end) or _word_before(text, begin) in MONTHS):
            return True
    if "May" in text:
        return True
    if text.isascii():
        months = not _ALONE_ASCII.isdisjoint(text.encode().translate(_AS_WORDS).split())
    else:
        months = not _ALONE.isdisjoint(_WORDS.findall(text.lower()))
    lower = text.lower()
    return months or (("month" in lower or "monats" in lower) and _MONTH_END.search(lower) is not None)


@functools.cache
def _after_digits() -> re.Pattern[str]:
    """Return what follows a number that is part of a day; takes long to compile, and few texts need it."""
    return re.compile(rf"(?:st|nd|rd|th|er|º|°|\.)?\s*(?:(?:of|de|d['’])\s*)?{MONTH}|[-/.]\s?\d", re.I)


def _word_before(text: str, position: int) -> str:
    words = text[max(0, position - 24) : position].lower().removesuffix(" ").removesuffix(" the").rsplit(None, 1)
    return words[-1].strip("(.,") if words else ""
