"""A fact handed over as text, which may be the bullet that a log would have: `- O(c=0.9) @Peter: Hates mornings.`"""

import re

import attrs

from openclaw_memory_hookspecs import Kind
from openclaw_memory_plugin.errors import UsageError
from openclaw_memory_plugin.markdown.attributes import NONE, Attributes
from openclaw_memory_plugin.markdown.bullets import read_bullet, unknown_letter

_MARKER = re.compile(r"\s{0,20}[-*+•]\s+(?=\S)")


@attrs.frozen(kw_only=True)
class Spoken:
    """What the text says of itself; the rest is for whoever hands it over."""

    text: str
    kind: Kind | None = None
    """None where no letter says it."""
    heads: tuple[str, ...] = ()
    attributes: Attributes = NONE


def read_spoken(text: str) -> Spoken:
    """
    Read a text as the bullet that it may be: list marker, letter, attributes and heads are taken off.

    Raises:
        UsageError: It is several bullets, has a letter that is no kind, or an attribute that cannot be taken.
    """
    lines = text.split("\n")
    bullets = sum(map(bool, map(_MARKER.match, lines)))
    if bullets > 1:
        raise UsageError(f"{bullets} bullets are {bullets} facts; retain them one by one")
    marker = _MARKER.match(text)
    bare = text[marker.end() :] if marker else text.strip()
    if letter := unknown_letter(bare):
        raise UsageError(f"unknown kind {letter!r} before the @; the letters are {', '.join(_LETTERS)}")
    bullet = read_bullet(bare, lone_letter=True)
    headed = read_bullet(f"W {bare}", lone_letter=False) if bullet is None and bare[:1] in ("@", "＠") else None
    if headed is not None:
        return Spoken(text=headed.text, heads=headed.heads)
    if bullet is None or (bullet.attributes.extra and not bullet.heads and not bullet.attributes.is_known):
        return Spoken(text=bare)
    wrong = (*bullet.attributes.problems, *(f"{extra} is no attribute" for extra in bullet.attributes.extra))
    if wrong:
        raise UsageError(f"not retained: {'; '.join(wrong)}")
    said = f"{bullet.time} {bullet.text}" if bullet.time else bullet.text
    return Spoken(text=said, kind=bullet.kind, heads=bullet.heads, attributes=bullet.attributes)


_LETTERS = [f"{kind.letter} {kind.value}" for kind in Kind if kind.letter]
