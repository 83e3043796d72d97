"""How well a fact fits an asked time: by its own time, the days it was recorded, or what its text names. Pure."""

import datetime as dt
import math

from openclaw_memory_plugin.index.read import Row
from openclaw_memory_plugin.recall.times import Window

VALID = 1.5
"""A fact whose own time meets the asked one, against one that was recorded then or names a day in it."""
OPEN = 0.75
"""A fact that says only since or until when it holds."""
BEGINS_OR_ENDS = 0.35
"""Asked for a time alone, against a fact that was recorded then: one whose own time begins or ends then."""
HOLDS = 0.2
"""The same for one that merely holds then, too."""
DATED_LENGTH = 4000
"""So many characters of a statement are searched for the day that a question asks for."""

SETTLED_DAYS = 45.0
"""A statement recorded before the asked time may still hold then; its worth halves with so many days."""


def fit(row: Row, window: Window, worth_reading: bool) -> float:
    """Return how well a fact fits the asked time; the dates in its text are read only when it matches anything."""
    if row.valid_from or row.valid_to:
        first = dt.date.fromisoformat(row.valid_from) if row.valid_from else dt.date.min
        last = dt.date.fromisoformat(row.valid_to) if row.valid_to else dt.date.max
        if window.distance(first, last) == 0:
            return VALID if row.valid_from and row.valid_to else OPEN
    if row.timestamp is None:
        return 0.0
    first = dt.date.fromisoformat(row.timestamp)
    last = dt.date.fromisoformat(row.last_seen or row.timestamp)
    days = window.distance(first, last)
    if days == 0:
        return 1.0
    if worth_reading and _names_day_in(row.content, first, window):
        return 1.0
    if row.valid_to or first > window.last:
        return 0.0
    return math.exp2(-1.0 - days / SETTLED_DAYS)


def fit_alone(row: Row, window: Window) -> float:
    """Return how well a fact fits the asked time when nothing else is asked for, in [0, 1]."""
    first, last = window.first.isoformat(), window.last.isoformat()
    if any(first <= day <= last for day in (row.timestamp, row.last_seen) if day):
        return 1.0
    if any(first <= day <= last for day in (row.valid_from, row.valid_to) if day):
        return BEGINS_OR_ENDS
    if (row.valid_from or row.valid_to) and (row.valid_from or first) <= last and (row.valid_to or last) >= first:
        return HOLDS
    return 0.0


def _names_day_in(text: str, recorded: dt.date, window: Window) -> bool:
    """Tell whether a text names a day or stretch of days inside the asked time."""
    if not any(map(str.isdigit, text)):
        return False
    from openclaw_memory_plugin.markdown.dates import find_days

    return any(
        span.first is not None and span.last is not None and window.first <= span.first and span.last <= window.last
        for span in find_days(text[:DATED_LENGTH], near=recorded)
    )
