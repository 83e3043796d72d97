"""
How a question calls entities: which of its words are names, and what stands beside them or belongs to them. Pure.
"""

import re
from collections.abc import Iterable

import attrs

from openclaw_memory_plugin.recall.cues import Cues

_PART = re.compile(r"[^\W_]+")
_OWNED = re.compile(r"[^\s:'’]{1,40}['’]s?\s[^:]{1,60}:\s")


@attrs.frozen(kw_only=True)
class EntityCue:
    """An entity that the question names."""

    id: int
    key: str
    facts: int
    """In how many facts it is mentioned."""
    guessed: bool
    written: str = ""
    """The name or alias by which the question names it, folded."""
    aliased: bool = False
    """Whether facts may call it by another name than the question does."""


def naming(cues: Cues, entities: Iterable[EntityCue]) -> frozenset[int]:
    """Return the numbers of words that only name an entity or a time and ask nothing of it, and of half words."""
    named = {number for cue in entities for number in name_words(cues, cue)}
    return frozenset(
        number
        for number, word in enumerate(cues.words)
        if word.weight < 1.0 or word.text in cues.timed or number in named
    )


def name_words(cues: Cues, entity: EntityCue) -> tuple[int, ...]:
    """Return the numbers of those words of a question that are, or are part of, the name it calls an entity by."""
    parts = _PART.findall(entity.written)
    return tuple(
        number
        for number, word in enumerate(cues.words)
        if word.text in parts or (not word.text.isascii() and word.text in entity.written)
    )


def beside_names(folded: str, entities: Iterable[EntityCue]) -> frozenset[str]:
    """Return the pairs of characters of a question that hold the end of a name and what stands beside it: chance."""
    found = set()
    for name in (cue.written for cue in entities if not cue.written.isascii() and not cue.guessed):
        at = folded.find(name)
        while at >= 0:
            end = at + len(name)
            found |= {folded[max(0, at - 1) : at + 1], folded[end - 1 : end + 1]}
            at = folded.find(name, end)
    return frozenset(found)


def about_what_is_owned(text: str) -> bool:
    """Tell whether a statement is not about its head but about somebody or something of it: `Peter's mother: …`."""
    return ("'" in text[:42] or "’" in text[:42]) and _OWNED.match(text) is not None
