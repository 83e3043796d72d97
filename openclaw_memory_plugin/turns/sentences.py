"""From a message to its sentences: code is left out, quoted lines are marked, abbreviations do not end a sentence."""

import re
from collections.abc import Iterator

from openclaw_memory_plugin.guard import strip_injected
from openclaw_memory_plugin.turns.patterns import common
from openclaw_memory_plugin.words import language_of

LONGEST_MESSAGE = 100_000
"""Characters looked at; what is longer was not typed."""

_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_BULLET = re.compile(r"^[ \t]*(?:[-*+・•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_QUOTED = (">", "|")
_END = re.compile(r"(?:\.{2,}|…|[.!?]+)[\"”’»)]*(?=\s|$)|[。！？]+[\"”’」』)）]*")
_QUOTATION = re.compile(
    r"(?<![^\s(\[:：，、])(?:\"[^\"]{2,2000}\"|“[^”]{2,2000}”|„[^“”]{2,2000}[“”]|«[^»]{2,2000}»)|「[^」]{2,2000}」|『[^』]{2,2000}』"
)
_LAST_WORD = re.compile(r"(?:\w|(?<=\w)[.'-])+\Z")
_NEXT_WORD = re.compile(r"\s*([^\W_]+(?:'\w+)?)")
_LONGEST_WORD = 24
"""Characters looked at on either side of a dot."""


def lines(text: str) -> Iterator[tuple[str, bool]]:
    """Give the lines of a message that are not empty, and whether each one quotes somebody."""
    bare = _FENCE.sub("", strip_injected(text)[:LONGEST_MESSAGE].replace("\r", ""))
    bare = _QUOTATION.sub(_marked, bare)
    for line in bare.split("\n"):
        stripped = line.strip()
        if stripped:
            yield (stripped, True) if stripped.startswith(_QUOTED) else (_BULLET.sub("", stripped), False)


def _marked(quotation: re.Match[str]) -> str:
    """A quotation over several lines, each marked as quoted."""
    return quotation.group().replace("\n", "\n> ")


def sentences(line: str) -> Iterator[str]:
    """Give the sentences of one line, each with its last mark."""
    begin = 0
    quotations = [span.span() for span in _QUOTATION.finditer(line)]
    for mark in _END.finditer(line):
        if mark.group() == "." and not _is_end(line, mark.start()):
            continue
        if any(start < mark.start() and mark.end() < end for start, end in quotations):
            continue
        if sentence := line[begin : mark.end()].strip():
            yield sentence
        begin = mark.end()
    if sentence := line[begin:].strip():
        yield sentence


def _is_end(line: str, dot: int) -> bool:
    """Whether the dot there ends a sentence, and not an abbreviation, an initial or an ordinal."""
    before = _LAST_WORD.search(line[max(0, dot - _LONGEST_WORD) : dot])
    after = _NEXT_WORD.match(line[dot + 1 : dot + 1 + _LONGEST_WORD])
    if before is None or after is None:
        return True
    word, following = before.group().casefold(), after.group(1)
    if word in common().titles:
        return False
    if word.isdigit():
        return len(word) > 2 or _begins_after_number(line, following)
    if word in ("no", "nr"):
        return not following.isdigit()
    if len(word) == 1 or word in common().abbreviations:
        return following.casefold() in common().starters
    return not (following[0].islower() and "." in word)


def _begins_after_number(line: str, following: str) -> bool:
    """Whether a word after "12." begins a sentence: not a month, nor, where nouns are written so, any noun."""
    if following[0].islower() or following.casefold() in common().months:
        return False
    return following.casefold() in common().starters or language_of(line) != "de"
