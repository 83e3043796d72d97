"""Words by which a statement shows its attitude, by language: the data of `polarity.py`, read from `lexicon.toml`."""

import functools
from importlib import resources
from typing import Any

import attrs


@attrs.frozen(kw_only=True)
class Lexicon:
    """What one language says attitudes with."""

    likes: tuple[str, ...]
    """In favour of what the clause is about."""
    dislikes: tuple[str, ...]
    """Against it."""
    negators: tuple[str, ...]
    """Turn the attitude of their clause round, `no longer` and `used to` included."""
    ceases: tuple[str, ...]
    """Tell that something was given up; they turn an attitude round, too."""
    past: tuple[str, ...]
    """Say that it was so at a time that is over."""
    reports: tuple[str, ...]
    """Hand on what somebody says; the subject's own words when nobody else stands before the verb."""
    hearsay: tuple[str, ...]
    """Hand on what others say, ask or make up, whoever stands before it."""
    hedges: tuple[str, ...]
    """Leave open whether it is so, or say that it was so once."""
    corrections: tuple[str, ...]
    """Announce that something recorded was wrong."""
    contrasts: tuple[str, ...]
    """Begin a clause that outweighs the one before."""
    comparisons: tuple[str, ...]
    """Begin what the thing before is preferred to."""
    firm: tuple[str, ...]
    """Leave no room: `never`, `definitely`."""
    inert: tuple[str, ...] = ()
    """Hold one of the entries above by accident, or say nothing about topic and attitude."""


@attrs.frozen(kw_only=True)
class Lexicons:
    """All of it."""

    by_language: dict[str, Lexicon]
    antonyms: tuple[tuple[frozenset[str], frozenset[str]], ...]
    """The two ends of one scale: liking one end speaks against liking the other."""
    myself: tuple[str, ...]
    """Words of whoever speaks for himself."""
    permits: tuple[str, ...]
    """Words that allow what a statement about safety may forbid."""


@functools.cache
def lexicons() -> Lexicons:
    """Return the table; read once, when first asked for."""
    import tomllib

    text = resources.files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8")
    table: dict[str, Any] = tomllib.loads(text)
    myself, permits, antonyms = (table.pop(name) for name in ("myself", "permits", "antonyms"))
    return Lexicons(
        by_language={
            language: Lexicon(**{name: _entries(words) for name, words in lists.items()})
            for language, lists in table.items()
        },
        antonyms=tuple((frozenset(_entries(one)), frozenset(_entries(other))) for one, other in antonyms),
        myself=_entries(myself),
        permits=_entries(permits),
    )


def _entries(text: str) -> tuple[str, ...]:
    return tuple(" ".join(entry.split()) for entry in text.split(",") if entry.strip())
