"""
How people say, in each language, what should be remembered: the tables of `spoken/`, compiled.

Every pattern holds for a whole sentence (`fullmatch`) without its last mark, disregards case and sees straight
apostrophes.
"""

import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from openclaw_memory_hookspecs import Kind

CATEGORIES = ("wish", "correction", "identity", "goal", "decision", "preference")
"""In the order in which they are tried."""

SPOKEN = ("en", "de", "es", "fr", "pt", "zh", "ja")

_NAMED = re.compile(r"\{([a-z]+)\}")


@attrs.frozen(kw_only=True)
class Language:
    """What one language offers."""

    lead: re.Pattern[str]
    """Words before a statement that say nothing, any number of them."""
    task: re.Pattern[str]
    """A task on a text, or a part to play: what follows are not the user's own words."""
    judged: re.Pattern[str]
    """A task on the text that stands before it."""
    relayed: re.Pattern[str]
    """A line after which somebody else speaks."""
    pointing: re.Pattern[str]
    """A wish for what was said just before."""
    look_alike: re.Pattern[str]
    """Begins like a statement and is none."""
    question: re.Pattern[str]
    """Asks, also without a question mark."""
    nothing: re.Pattern[str]
    """Contents of a wish that name nothing."""
    points: re.Pattern[str]
    """Searched: words that mean something only where and when they are said."""
    value: re.Pattern[str]
    """Searched: what a correction must hold, a number, day, name, place or contrast."""
    asked: tuple[re.Pattern[str], ...]
    """Wishes that may end with a question mark."""
    kept: Mapping[str, tuple[re.Pattern[str], ...]]
    """Category -> patterns; the groups `what`, `todo` and `clause` are what is kept, without them all of it."""


@attrs.frozen(kw_only=True)
class Common:
    """What holds in all languages."""

    floors: Mapping[str, float]
    kinds: Mapping[str, Kind]
    titles: frozenset[str]
    abbreviations: frozenset[str]
    starters: frozenset[str]
    months: frozenset[str]


@functools.cache
def common() -> Common:
    """Read the floors, the kinds and the words with dots."""
    raw = _read("common")
    dots = {name: frozenset(words.split()) for name, words in raw["dots"].items()}
    return Common(
        floors=raw["floors"],
        kinds={category: Kind(kind) for category, kind in raw["kinds"].items()},
        titles=dots["titles"],
        abbreviations=dots["others"],
        starters=dots["starters"],
        months=dots["months"],
    )


@functools.cache
def spoken(name: str) -> Language:
    """Read one language of `SPOKEN`."""
    raw = _read(name)
    parts: dict[str, str] = {}
    for part, pattern in raw["parts"].items():
        parts[part] = _expand(pattern, parts)
    message, sentence, kept = raw["message"], raw["sentence"], raw["kept"]
    return Language(
        lead=_compile([f"(?:{raw['lead']})*"], parts),
        task=_compile(message["task"], parts),
        judged=_compile(message["judged"], parts),
        relayed=_compile(message["relayed"], parts),
        pointing=_compile([sentence["pointing"]], parts),
        look_alike=_compile(sentence["not"], parts),
        question=_compile([sentence["question"]], parts),
        nothing=_compile([sentence["nothing"]], parts),
        points=_compile([sentence["points"]], parts),
        value=_compile([sentence["value"]], parts),
        asked=tuple(_compile([pattern], parts) for pattern in kept["asked"]),
        kept={category: tuple(_compile([pattern], parts) for pattern in kept[category]) for category in CATEGORIES},
    )


def _compile(patterns: Sequence[str], parts: Mapping[str, str]) -> re.Pattern[str]:
    return re.compile("|".join(_expand(pattern, parts) for pattern in patterns), re.IGNORECASE)


def _expand(pattern: str, parts: Mapping[str, str]) -> str:
    return _NAMED.sub(lambda named: f"(?:{parts[named[1]]})", pattern)


def _read(name: str) -> dict[str, Any]:
    import tomllib
    from importlib.resources import files

    raw: dict[str, Any] = tomllib.loads(files(__package__).joinpath("spoken", f"{name}.toml").read_text("utf-8"))
    return raw
