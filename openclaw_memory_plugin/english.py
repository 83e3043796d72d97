"""
Stem English words: the Snowball algorithm (Porter 2), as snowballstemmer has it, at a tenth of its cost.

Bulk indexing meets ten thousand different words; a generated stemmer that walks each letter by letter would cost more
than all the rest of it. Source: https://snowballstem.org/algorithms/english/stemmer.html, version 3.1.
"""

import re
from collections.abc import Iterable

_EXCEPTIONS = {
    "skis": "ski",
    "skies": "sky",
    "idly": "idl",
    "gently": "gentl",
    "ugly": "ugli",
    "early": "earli",
    "only": "onli",
    "singly": "singl",
} | dict(zip(*[("andes", "atlas", "bias", "cosmos", "howe", "news", "sky")] * 2, strict=True))

_REGION = re.compile("[^aeiouy]*[aeiouy]+[^aeiouy]", re.S)
_PREFIXES = re.compile("arsen|commun|emerg|gener|inter|later|organ|past|univers")
_CONSONANT_Y = re.compile("^y|([aeiouy])y")
_VOWEL = re.compile("[aeiouy]")
_SHORT = re.compile("[^aeiouy][aeiouy][^aeiouywxY]$|^[aeiouy][^aeiouy]$|past$", re.S)
_POSSESSIVE = re.compile("(?:'s'|'s|')$")
_KEEPS_ING = frozenset(("even", "cann", "inn", "earr", "herr", "out"))
_KEEPS_EED = frozenset(("succ", "proc", "exc"))
_BEFORE_LI = frozenset("cdeghkmnrt")
_DOUBLES = frozenset(("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"))
_TWO = {
    "anci": "ance", "enci": "ence", "ogi": "og", "li": "", "bli": "ble", "abli": "able", "alli": "al",
    "fulli": "ful", "lessli": "less", "ousli": "ous", "entli": "ent", "aliti": "al", "biliti": "ble",
    "iviti": "ive", "tional": "tion", "ational": "ate", "alism": "al", "ation": "ate", "ization": "ize",
    "izer": "ize", "ator": "ate", "iveness": "ive", "fulness": "ful", "ousness": "ous", "ogist": "og",
}  # fmt: skip
_THREE = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "tional": "tion", "ational": "ate",
    "ful": "", "ness": "",
}  # fmt: skip
_FOUR = (
    "ement", "ment", "ance", "ence", "able", "ible", "ate", "ive", "ize", "iti", "ism", "ion", "ous", "ant", "ent",
    "ic", "al", "er",
)  # fmt: skip


def _by_last_letter(suffixes: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return suffixes by their last letter, the longest first: most words end in one that rules all of them out."""
    found: dict[str, tuple[str, ...]] = {}
    for suffix in sorted(suffixes, key=len, reverse=True):
        found[suffix[-1]] = (*found.get(suffix[-1], ()), suffix)
    return found


_SECOND, _THIRD, _FOURTH = _by_last_letter(_TWO), _by_last_letter(_THREE), _by_last_letter(_FOUR)
_PAST = _by_last_letter(("eedly", "ingly", "edly", "eed", "ing", "ed"))


def stem(word: str) -> str:
    """Return the stem of one lower-case word."""
    if len(word) < 3:
        return word
    if word in _EXCEPTIONS:
        return _EXCEPTIONS[word]
    if word[0] == "'":
        word = word[1:]
    marked = "y" in word
    if marked:
        word = _CONSONANT_Y.sub(lambda match: (match[1] or "") + "Y", word)
    first, second = _regions(word)
    word = _first_step(word, first)
    if word[-1:] in ("y", "Y") and len(word) > 2 and word[-2] not in "aeiouy":
        word = word[:-1] + "i"
    word = _derived(word, first, second)
    if word.endswith("e"):
        end = len(word) - 1
        if end >= second or (end >= first and not _SHORT.search(word[:-1])):
            word = word[:-1]
    elif word.endswith("ll") and len(word) - 1 >= second:
        word = word[:-1]
    return word.replace("Y", "y") if marked else word


def _regions(word: str) -> tuple[int, int]:
    """Return where R1 and R2 begin: after the first consonant that follows a vowel, and after the next such one."""
    match = _PREFIXES.match(word) or _REGION.match(word)
    if match is None:
        return len(word), len(word)
    again = _REGION.match(word, match.end())
    return match.end(), again.end() if again else len(word)


def _first_step(word: str, first: int) -> str:
    """Take off plural, possessive, past tense and gerund."""
    if word[-1:] in ("'", "s"):
        word = _POSSESSIVE.sub("", word)
    if word.endswith("s"):
        if word.endswith("sses"):
            word = word[:-2]
        elif word.endswith("ies"):
            word = word[:-3] + ("i" if len(word) > 4 else "ie")
        elif not word.endswith(("us", "ss")) and _VOWEL.search(word, 0, len(word) - 2):
            word = word[:-1]
    elif word.endswith("ied"):
        return word[:-3] + ("i" if len(word) > 4 else "ie")
    suffix = _suffix(word, _PAST)
    if not suffix:
        return word
    base = word[: -len(suffix)]
    if suffix in ("eed", "eedly"):
        return base + "ee" if len(base) >= first and base not in _KEEPS_EED else word
    if suffix == "ing":
        if base in _KEEPS_ING:
            return word
        if len(base) == 2 and base[1] == "y" and base[0] not in "aeiouy":
            return base[0] + "ie"
    if not _VOWEL.search(base):
        return word
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if base[-2:] in _DOUBLES:
        return base if len(base) == 3 and base[0] in "aeo" else base[:-1]
    return base + "e" if len(base) == first and _SHORT.search(base) else base


def _derived(word: str, first: int, second: int) -> str:
    """Take off the suffixes that make one word of another."""
    suffix = _suffix(word, _SECOND)
    base = word[: len(word) - len(suffix)]
    if suffix and len(base) >= first:
        last = base[-1:]
        if last == "l" if suffix == "ogi" else last in _BEFORE_LI if suffix == "li" else True:
            word = base + _TWO[suffix]
    suffix = _suffix(word, _THIRD)
    base = word[: len(word) - len(suffix)]
    if suffix and len(base) >= (second if suffix == "ative" else first):
        word = base + _THREE[suffix]
    suffix = _suffix(word, _FOURTH)
    base = word[: len(word) - len(suffix)]
    if suffix and len(base) >= second and (suffix != "ion" or base[-1:] in ("s", "t")):
        word = base
    return word


def _suffix(word: str, suffixes: dict[str, tuple[str, ...]]) -> str:
    """Return the longest of the suffixes that `word` has, empty for none."""
    for suffix in suffixes.get(word[-1:], ()):
        if word.endswith(suffix):
            return suffix
    return ""
