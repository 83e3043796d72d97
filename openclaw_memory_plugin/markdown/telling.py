"""How a statement is told to whoever sees nothing else of its line: with its subject, an opinion as one. Pure."""

from collections.abc import Iterable

from openclaw_memory_hookspecs import Fact, Hit, Kind, Provenance
from openclaw_memory_plugin.names import name_key

_UNSPACED = "\u2e80"
"""Scripts from here on have no blanks between words."""


def told(fact: Fact, text: str | None = None) -> str:
    """
    Tell a fact in one line: `Peter: Prefers long replies. (opinion, c=0.15)`.

    Args:
        text: an excerpt to show instead of the whole content.
    """
    return tell(fact.content if text is None else text, about(fact), kind=fact.kind, confidence=fact.confidence)


def tell(text: str, names: Iterable[str], *, kind: Kind | None = None, confidence: float | None = None) -> str:
    """Tell a statement with those of its subjects that it does not name, and how sure an opinion is."""
    subjects = ", ".join(unnamed(names, text))
    said = f"{subjects}: {text}" if subjects else text
    if kind is not Kind.OPINION:
        return said
    return f"{said} (opinion)" if confidence is None else f"{said} (opinion, c={confidence:g})"


def reserve(hit: Hit) -> str:
    """Say with what reserve a hit is to be read: whom it comes from, what supersedes it; empty for none."""
    newer = hit.why.get("superseded_at")
    return ", ".join(
        word
        for word, holds in (
            ("untrusted", hit.fact.provenance is Provenance.UNTRUSTED),
            (f"superseded by {newer}" if newer else "superseded", hit.fact.superseded),
        )
        if holds
    )


def about(fact: Fact) -> tuple[str, ...]:
    """Return whom a fact is about; a note of an entity page has its subject in the title of the page."""
    return fact.entities if fact.kind.letter else fact.entities[: fact.source.path.startswith("bank/entities/")]


def unnamed(names: Iterable[str], text: str) -> list[str]:
    """Return the names that a text does not hold, as words of their own where words are, however they are spelt."""
    folded = name_key(text)
    return [name for name in names if not _holds(folded, name_key(name))]


def _holds(text: str, name: str) -> bool:
    at = text.find(name)
    while at >= 0:
        around = text[max(0, at - 1) : at] + text[at + len(name) : at + len(name) + 1]
        if name >= _UNSPACED or not any(map(str.isalnum, around)):
            return True
        at = text.find(name, at + 1)
    return False
