"""
Guess names from capitals in Latin scripts. Pure: one text in, what it speaks for and against comes out.

A word is a name when two facts write it with a capital in mid-sentence and none ever in lower case; a sequence of
such words when one does in mid-sentence and another one anywhere.
"""

import functools
import re
from collections.abc import Iterator

from openclaw_memory_plugin.index.linking import normal
from openclaw_memory_plugin.names import name_key
from openclaw_memory_plugin.words.stopwords import STOP_WORDS

NOUNS_CAPITALISED = frozenset({"de", "lb"})
"""Languages in which a capital says nothing."""

LONGEST = 4
"""Words in a guessed name; of longer sequences every part of that length counts."""

INSIDE, START = 1, 2

_UPPER = "".join(chr(c) for c in (*range(0x41, 0x250), *range(0x1E00, 0x1F00)) if chr(c).isupper())
_LOWER = "".join(chr(c) for c in (*range(0x61, 0x250), *range(0x1E00, 0x1F00)) if chr(c).islower())
_CODE = re.compile(r"`[^`]*`|\S+://\S+")
_OPENING = " \t\"'“”„«»‘’([{*_~"
_ENDING = frozenset(".!?:;|•·—–…>=→。！？：；-+/、\n")
_CALENDAR = (
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thurs fri sat sun "
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec "
    "today tomorrow yesterday spring summer autumn winter christmas easter "
)
_ADDRESS = "mr mrs ms dr prof sir madam hi hey hello thanks thank wow yeah yep nope oh ok okay yes no well sure dear "
_LABELS = "todo fixme note notes wip tbd done status update decision blocked next step steps day week month room "
_NEVER = frozenset((_CALENDAR + _ADDRESS + _LABELS).split()).union(*STOP_WORDS.values())


def prose(content: str) -> str:
    """Return `content` in the form in which words are looked at, without code and addresses."""
    text = normal(content)
    return _CODE.sub(" ", text) if "`" in text or "://" in text else text


def lower_words(text: str) -> list[str]:
    """Return the Latin words that prose writes in lower case, repetitions kept; a blank ends what decides about one."""
    return _lower(text.isascii()).findall(text)


def capitals(text: str, language: str) -> dict[tuple[str, str], int]:
    """
    Return `(key, form) -> INSIDE or START` for what prose writes with a capital and may be a name.

    Nothing in languages that capitalise nouns.
    """
    found: dict[tuple[str, str], int] = {}
    if language in NOUNS_CAPITALISED or text[1:].islower():
        return found
    for match in _sequence(text.isascii()).finditer(text):
        if text[match.end() : match.end() + 1] in (":", "："):
            continue
        begins = _begins_sentence(text, match.start())
        for form, first in _parts(match.group()):
            place = START if begins and first else INSIDE
            key = _key(form)
            if not key or (place == START and " " not in key):
                continue
            if found.get((key, form)) != INSIDE:
                found[key, form] = place
    return found


def may_be_name(key: str, inside: int, start: int) -> bool:
    """
    Tell whether enough facts write `key` with a capital: `inside` in mid-sentence, `start` only where one begins.

    A single word is a name only if, besides, no fact writes it in lower case.
    """
    if " " in key:
        return inside >= 1 and inside + start >= 2
    return inside >= 2


@functools.cache
def _sequence(ascii: bool) -> re.Pattern[str]:
    """Return what finds capitalised words; few texts need the letters beyond ASCII, which take long to compile."""
    upper, lower = ("A-Z", "a-z") if ascii else (_UPPER, _LOWER)
    word = rf"[{upper}][{upper}{lower}\d]*(?:['’][{upper}][{lower}]+)?(?:-[{upper}][{upper}{lower}\d]*)*"
    return re.compile(rf"(?<![\w@/.:\\\-_'’]){word}(?: {word})*(?![\w@/\\_]|-\w|\.\w|['’](?![sS]\b)\w)")


@functools.cache
def _lower(ascii: bool) -> re.Pattern[str]:
    letters = "a-z" if ascii else _LOWER
    return re.compile(rf"(?<![\w@/.\\'’])[{letters}]{{2,}}(?![\w@/\\])")


def _begins_sentence(text: str, start: int) -> bool:
    i = start - 1
    while i >= 0 and text[i] in _OPENING:
        if text[i] in '"“„«([':
            return True
        i -= 1
    return i < 0 or text[i] in _ENDING


def _parts(sequence: str) -> Iterator[tuple[str, bool]]:
    """Return every run of up to `LONGEST` words of a capitalised sequence, and whether it holds its first word."""
    words = sequence.split(" ")
    for i in range(len(words)):
        for j in range(i + 1, min(len(words), i + LONGEST) + 1):
            yield " ".join(words[i:j]), i == 0


@functools.lru_cache(maxsize=65536)
def _key(form: str) -> str:
    """Return the key of a form that may be a name, empty for one that may not."""
    words = form.split(" ")
    for word in (words[0], words[-1]):
        if word.casefold().replace("’", "'") in _NEVER or len(word) < 2:
            return ""
    if all(word.isupper() for word in words):
        return ""
    return name_key(form)
