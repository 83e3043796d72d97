"""
When two statements are one, and under which keys a forgotten one is found again; pure.

What is erased for good, or kept from coming back, must say the very same: `1.5` is not `15`, `-5` not `5`, `C++` not
`C`. What is merely alike (`letters`) may be shown to the owner, and nothing more.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable

from openclaw_memory_plugin.names import name_key

Form = Callable[[str], str]
"""How a text is written for comparison."""

_WITHOUT = "\n"
"""Stands for the names that are missing, where a forgotten statement had some; no name holds a line break."""
_EXACT = "=\t"
"""Begins the keys of the exact form, which thereby are none of the form without anything between letters."""

_UNPARTED = "\u2e80"
"""From here on scripts put no blanks between words."""
_BETWEEN = re.compile(r"[\W_]+")
_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_RAISED = re.compile(r"([ªº²³¹¼-¾⁰-₟⅐-⅟↉]+)")
"""What compatible forms would run together with the digits before it: `10²`, `1½`."""
_PARTING = re.compile(
    r"""
    [-!"'()*,./:;?@\[\\\]_`{|}~^\#]
    (?!
        (?<=[^\W_][-._/\#])(?=[^\W_])              # 1.5, 1-10, a/b, snake_case
      | (?<=[a-z0-9][:,;^*@?!])(?=[a-z0-9])        # 11:15, a@b, 2*3
      | (?<=\d[:,])(?=[^\W_])
      | (?<=[^\W_][:,])(?=\d)
      | (?<=\d['"])(?![^\W_])                      # 5' and 5"
      | (?<=[-.~\#])(?<![^\W_].)(?=[.$£€¥]?\d)     # -5, .5, #5
      | (?<=\S\ -)(?=\ [.$£€¥]?\d)                 # - 5, where it is no bullet
      | (?<=[^\W_]\#) | (?<=[a-z0-9]\#\#)          # C#
      | (?:(?<=\b[a-z]-)|(?<=\b[a-z]{2}-))(?!\S)   # A-, AB-
    )
    """,
    re.VERBOSE,
)
"""The punctuation that parts words, in lower case; what is named on the right says something where it stands."""
_BEFORE_TEXT = re.compile(r"^[ \t]*(?:(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s))[ \t]*)+", re.MULTILINE)


def letters(text: str) -> str:
    """Text without case, blanks, punctuation and markup; text that is nothing else as it stands."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _BETWEEN.sub("", folded) or " ".join(folded.split())


def exact(text: str) -> str:
    """
    Text without case and markup, one blank for whatever parts words; what makes another number or name of it stays.

    Text that is nothing else as it stands. Some 6 µs for a sentence.
    """
    written = text
    if not text.isascii():
        pieces = _RAISED.split(text)
        pieces[::2] = [unicodedata.normalize("NFKC", piece) for piece in pieces[::2]]
        text = "".join(pieces).translate(_SYMBOLS)
    parted = _PARTING.sub(" ", _ESCAPE.sub("", text).casefold())
    return " ".join(parted.split()) or " ".join(unicodedata.normalize("NFKC", written).casefold().split())


def holds(text: str, wanted: str) -> bool:
    """Tell whether a text of one or more lines holds something in the exact form, in a row and as whole words."""
    before = " " if wanted[:1] < _UNPARTED else ""
    after = " " if wanted[-1:] < _UNPARTED else ""
    return f"{before}{wanted}{after}" in f" {exact(_BEFORE_TEXT.sub('', text))} "


def statement_key(content: str, heads: Iterable[str], form: Form = exact) -> str:
    """What makes two statements one: their words, and the names before the colon in any order."""
    return "\n".join((_said(content, form), *sorted({name_key(head) for head in heads})))


def forgotten_keys(content: str, heads: Iterable[str]) -> frozenset[str]:
    """The keys to keep of a statement that is forgotten: its words with each of its names, and without them."""
    said, names = _said(content, exact), _names(heads)
    return frozenset(f"{said}\n{name}" for name in (*names, _WITHOUT)) if names else frozenset({said})


def asked_keys(content: str, heads: Iterable[str], form: Form = exact) -> frozenset[str]:
    """
    The keys to look a statement up by; one of them is kept where the same was forgotten.

    The same are the same words about one of the same, or where either names nobody: a name left out or added does not
    make another statement of it, while somebody else's name does.
    """
    said, names = _said(content, form), _names(heads)
    named = {statement_key(content, names, form), *(f"{said}\n{name}" for name in names)}
    return frozenset({said, *named}) if names else worded_keys(content, form)


def worded_keys(content: str, form: Form = exact) -> frozenset[str]:
    """The keys to look words up by, whoever they are about."""
    said = _said(content, form)
    return frozenset({said, f"{said}\n{_WITHOUT}"})


def _said(content: str, form: Form) -> str:
    return f"{_EXACT}{exact(content)}" if form is exact else form(content)


def _names(heads: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name_key(head) for head in heads))


class _Symbols(dict[int, str | None]):
    """For `str.translate`: what is beyond ASCII and no letter stays if it says something, dashes are hyphens."""

    def __missing__(self, code: int) -> str | None:
        char = chr(code)
        category = unicodedata.category(char)
        if code < 128 or char.isalnum() or category[0] in "MS" or char in "٫٬′″‰§":
            kept: str | None = char
        elif category == "Pd":
            kept = "-"
        else:
            kept = None if category == "Cf" else " "
        self[code] = kept
        return kept


_SYMBOLS = _Symbols({0x2212: "-", **dict.fromkeys(range(0xFE00, 0xFE10))})
