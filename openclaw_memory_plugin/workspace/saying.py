"""When two statements are one, and under which keys a forgotten one is found again; pure."""

import re
import unicodedata
from collections.abc import Iterable

from openclaw_memory_plugin.names import name_key

_BETWEEN = re.compile(r"[\W_]+")
_WITHOUT = "\n"
"""Stands for the names that are missing, where a forgotten statement had some; no name holds a line break."""


def letters(text: str) -> str:
    """Text without case, blanks, punctuation and markup; text that is nothing else as it stands."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _BETWEEN.sub("", folded) or " ".join(folded.split())


def statement_key(content: str, heads: Iterable[str]) -> str:
    """What makes two statements one: letters and digits, and the names before the colon in any order."""
    return "\n".join((letters(content), *sorted({name_key(head) for head in heads})))


def forgotten_keys(content: str, heads: Iterable[str]) -> frozenset[str]:
    """The keys to keep of a statement that is forgotten: its words with each of its names, and without them."""
    said, names = letters(content), _names(heads)
    return frozenset(f"{said}\n{name}" for name in (*names, _WITHOUT)) if names else frozenset({said})


def asked_keys(content: str, heads: Iterable[str]) -> frozenset[str]:
    """
    The keys to look a statement up by; one of them is kept where the same was forgotten.

    The same are the same words about one of the same, or where either names nobody: a name left out or added does not
    make another statement of it, while somebody else's name does.
    """
    said, names = letters(content), _names(heads)
    named = {statement_key(content, names), *(f"{said}\n{name}" for name in names)}
    return frozenset({said, *named}) if names else worded_keys(content)


def worded_keys(content: str) -> frozenset[str]:
    """The keys to look words up by, whoever they are about."""
    said = letters(content)
    return frozenset({said, f"{said}\n{_WITHOUT}"})


def _names(heads: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name_key(head) for head in heads))
