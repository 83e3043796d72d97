"""
Days and stretches of time named in text, in English, German, Spanish, Portuguese, French, Chinese and Japanese.

Used for the time a fact is about and for the time a question asks for. What is not certainly a date is none.
"""

import datetime as dt
import re

import attrs

from openclaw_memory_plugin.markdown.dates.months import MONTH, MONTHS, WIDE
from openclaw_memory_plugin.words.pieces import Rule

_DIGITS = re.compile(r"\d+")
_WORDS = re.compile(r"[^\W\d_]+")
_ASCII_WORDS = re.compile(r"[a-z]+")
"""The same for lower-case ASCII, in a third of the time."""
_AFTER_DIGITS = re.compile(rf"(?:st|nd|rd|th|er|º|°|\.)?\s*(?:(?:of|de|d['’])\s*)?{MONTH}|[-/.]\s?\d", re.I)
_SHORT = frozenset(("jan", "feb", "apr", "jun", "jul", "aug", "oct", "nov", "dec"))
_ALONE = _SHORT.union(name for name in MONTHS if len(name) > 3)
_MONTH_END = re.compile(r"of (?:the|this) month|monatsende|month[- ]end", re.I)


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
    if _RULED.out(text) or not _may_name_days(text):
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
        if end - begin <= 2 and (_AFTER_DIGITS.match(text, end) or _word_before(text, begin) in MONTHS):
            return True
    if "May" in text:
        return True
    lower = text.lower()
    return not _ALONE.isdisjoint((_ASCII_WORDS if lower.isascii() else _WORDS).findall(lower)) or (
        "mon" in lower and _MONTH_END.search(lower) is not None
    )


def _may_belong(piece: str) -> bool:
    """Tell whether a piece of text may be part of a day's name: a number, or a word that names a month."""
    if any(map(str.isdigit, piece)) or "月" in piece or "年" in piece or "May" in piece:
        return True
    lower = piece.lower()
    return "mon" in lower or not _ALONE.isdisjoint(_WORDS.findall(lower))


def _word_before(text: str, position: int) -> str:
    words = text[max(0, position - 24) : position].lower().removesuffix(" ").removesuffix(" the").rsplit(None, 1)
    return words[-1].strip("(.,") if words else ""


_RULED = Rule(_may_belong)
