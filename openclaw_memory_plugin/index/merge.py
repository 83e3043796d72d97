"""
One fact out of all places that state it. Pure: what a place says beside kind and content goes into a small JSON object
and comes back from it; what copies say differently is settled here.
"""

import datetime as dt
import json
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from openclaw_memory_hookspecs import Provenance

if TYPE_CHECKING:
    from openclaw_memory_plugin.markdown.nouns import Statement

TRUST = {provenance.value: -step for step, provenance in enumerate(Provenance)}
"""How far each is trusted; greater is more."""
_OWNER, _UNTRUSTED = Provenance.OWNER.value, Provenance.UNTRUSTED.value

T = TypeVar("T")

_LISTS = ("heads", "marks", "runs", "tags", "supports", "contradicts", "extra")
_FLAGS = ("private", "pinned", "struck", "noise", "believed")
_VALUES = ("salience", "confidence", "task")
_DAYS = ("valid_from", "valid_to", "at")
_lists, _flags, _values, _days = (attrgetter(*names) for names in (_LISTS, _FLAGS, _VALUES, _DAYS))
_NO_VALUES, _NO_DAYS = (None,) * len(_VALUES), (None,) * len(_DAYS)


class Place(NamedTuple):
    """One occurrence of a fact, with what it says beside kind and content."""

    path: str
    pos: int
    day: str | None
    language: str
    content: str
    title: str | None
    """Of the entity page on which it stands."""
    said: dict[str, Any]
    """As `attributes_of` gives it."""


class Merged(NamedTuple):
    """A fact as all its places together state it; a tuple, because a bulk sync makes one for every statement."""

    content: str
    language: str
    timestamp: str | None
    last_seen: str | None
    valid_from: str | None
    valid_to: str | None
    salience: float
    confidence: float | None
    provenance: str
    private: bool
    pinned: bool
    task: str | None
    superseded: bool
    noise: bool
    heads: tuple[str, ...]
    marks: tuple[str, ...]
    runs: tuple[str, ...]
    tags: tuple[str, ...]
    titles: tuple[str, ...]


COLUMNS = 14
"""So many fields of `Merged`, the first ones, are columns of `facts`."""


def attributes_of(statement: "Statement") -> dict[str, Any]:
    """Return what a statement says beside kind, content, lines and day, without what is not given."""
    said: dict[str, Any] = {
        name: list(values) for name, values in zip(_LISTS, _lists(statement), strict=True) if values
    }
    flags = _flags(statement)
    if any(flags):
        said |= {name: 1 for name, flag in zip(_FLAGS, flags, strict=True) if flag}
    values = _values(statement)
    if values != _NO_VALUES:
        said |= {name: value for name, value in zip(_VALUES, values, strict=True) if value is not None}
    if statement.provenance is not Provenance.OWNER:
        said["by"] = statement.provenance.value
    days = _days(statement)
    if days != _NO_DAYS:
        said |= {name: day.isoformat() for name, day in zip(_DAYS, days, strict=True) if day is not None}
    return said


def dump(said: dict[str, Any]) -> str | None:
    """Return the JSON text of attributes, None for none."""
    return _encode(said) if said else None


def load(attributes: str | None) -> dict[str, Any]:
    """Return the attributes in a JSON text of ours."""
    said: dict[str, Any] = json.loads(attributes) if attributes else {}
    return said


def merged(places: Sequence[Place]) -> Merged:
    """
    Settle what a fact is, from all its places in any order.

    Beside somebody to be trusted an untrusted place is one more citation and says nothing. Of the others the first day
    is the timestamp, the last one last_seen, and the strictest privacy holds; where one value must win (confidence,
    salience, validity, task, struck through), the most trusted place that gives one does, the latest of these. A place
    that only says what is believed decides about the confidence, and about nothing else unless it stands alone.
    """
    if len(places) == 1:
        return _alone(places[0])
    ordered = sorted(heard(places, lambda p: p.said), key=lambda p: (p.day or "", p.path, p.pos))
    beliefs = [place for place in ordered if "believed" in place.said]
    if beliefs and len(beliefs) < len(ordered):
        ordered = [place for place in ordered if "believed" not in place.said]
    weighed = sorted(ordered, key=_trust)
    first, last = ordered[0], weighed[-1]
    dated = [place.day for place in ordered if place.day]
    validity: dict[str, Any] = next(
        (p.said for p in reversed(weighed) if "valid_from" in p.said or "valid_to" in p.said), {}
    )
    return Merged(
        content=first.content,
        language=first.language,
        timestamp=dated[0] if dated else None,
        last_seen=dated[-1] if dated else None,
        valid_from=validity.get("valid_from"),
        valid_to=validity.get("valid_to"),
        salience=_latest(weighed, "salience", 0.5),
        confidence=_latest(beliefs or weighed, "confidence", None),
        provenance=last.said.get("by", _OWNER),
        private=any("private" in p.said for p in ordered),
        pinned=any("pinned" in p.said for p in ordered),
        task=last.said.get("task"),
        superseded="struck" in last.said,
        noise=all("noise" in p.said for p in ordered),
        heads=_union(ordered, "heads"),
        marks=_union(ordered, "marks"),
        runs=_union(ordered, "runs"),
        tags=_union(ordered, "tags"),
        titles=tuple(dict.fromkeys(p.title for p in ordered if p.title)),
    )


def heard(places: Sequence[T], said: Callable[[T], Mapping[str, Any]]) -> Sequence[T]:
    """Return the places that say anything of a fact: those of somebody to be trusted, else all."""
    if len(places) == 1:
        return places
    return [place for place in places if said(place).get("by") != _UNTRUSTED] or places


def day_of(text: str | None) -> dt.date | None:
    """Return the day of an ISO text."""
    return dt.date.fromisoformat(text) if text else None


def _alone(place: Place) -> Merged:
    said = place.said
    return Merged(
        place.content,
        place.language,
        place.day,
        place.day,
        said.get("valid_from"),
        said.get("valid_to"),
        said.get("salience", 0.5),
        said.get("confidence"),
        said.get("by", _OWNER),
        "private" in said,
        "pinned" in said,
        said.get("task"),
        "struck" in said,
        "noise" in said,
        tuple(said.get("heads", ())),
        tuple(said.get("marks", ())),
        tuple(said.get("runs", ())),
        tuple(said.get("tags", ())),
        (place.title,) if place.title else (),
    )


def _trust(place: Place) -> int:
    return TRUST[place.said.get("by", _OWNER)]


def _latest(places: Sequence[Place], name: str, default: Any) -> Any:
    return next((place.said[name] for place in reversed(places) if name in place.said), default)


def _union(places: Sequence[Place], name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for place in places for value in place.said.get(name, ())))


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode
