"""
Text to search terms, the same way when indexing and when asking.

A term is lower-case, without accents, stemmed in the text's language; identifiers (`DEC-0054`, `snake_case`, `C++`,
`a@b.c`) give a term as a whole and one per part; scripts written without blanks give overlapping pairs of characters.
Terms never contain blanks, quotes or control characters, so the FTS5 table needs no more than a tokenizer that
splits at blanks. In languages that write compounds in one word, a long word gives one more term, itself backwards
behind `<`, so that its last part is found by prefix.
"""

import functools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import attrs

from openclaw_memory_plugin.words.stopwords import CJK_STOPS, STOP_WORDS

STEMMERS = {
    "en": "english",
    "de": "german",
    "es": "spanish",
    "fr": "french",
    "pt": "portuguese",
    "it": "italian",
    "nl": "dutch",
    "ru": "russian",
}
"""Languages with a stemmer of their own; any other text, and Latin words inside CJK text, are stemmed as English."""

COMPOUNDING = frozenset({"de", "nl"})
"""Languages that write compounds in one word."""

COMPOUND_LENGTH = 8
"""From so many letters on a word of a compounding language may hide another one."""

MAX_TERM = 64
"""Longer runs are machine output: only their beginning is a term."""

MAX_QUERY_WORDS = 32
"""A pasted page is no question: what follows its first content words adds cost, not meaning."""

_CJK = (
    "\u3005-\u3007\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\u0e01-\u0e3a\u0e40-\u0e4e\U00020000-\U000323af"
)
# Patterns left as text take long to compile and are of no use to ASCII: `re` compiles them when one is first needed.
_CJK_CHAR = f"[{_CJK}]"
_KANA = "[\u3041-\u309f\u30a1-\u30fa]"
_INFLECTED = "[\u4e00-\u9fff][\u3041-\u309f]"
_HANGUL = "[\uac00-\ud7a3]"
_CYRILLIC = "[\u0400-\u04ff]"
_RUN = rf"[{_CJK}]+|[^{_CJK}\s]+"
_STOP_RUN = "|".join(sorted(map(re.escape, CJK_STOPS), key=len, reverse=True))
_TOKEN = re.compile(
    r"(?:(?<![\w.])\.(?=[A-Za-z]))?"  # .NET
    r"\w+(?:(?:[-./@_'+&]|(?<=\d)[:,](?=\d))\w+)*"
    r"(?:\+\+|\#(?!\w))?"  # C++, C#
)
_PARTS = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_ELISION = re.compile(r"(?:[cdjlmnst]|qu)'(?=\w{2})")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_WORDS = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_ASCII_WORDS = re.compile(r"[a-z]+(?:'[a-z]+)?")
"""The same for lower-case ASCII, in a third of the time."""
_VOTE = math.lcm(*range(1, len(STOP_WORDS) + 1))
_BEFORE, _AFTER = '("', '.,;:!?)"'
"""Punctuation that ends a word and is part of none."""


@attrs.frozen(kw_only=True)
class Word:
    """One word of a question."""

    text: str
    """As asked, folded."""
    alternatives: tuple[str, ...]
    """Terms that stand for it in the index, one or more."""
    prefix: bool = False
    """Whether a term that merely begins with an alternative stands for it too (a single CJK character)."""
    weight: float = 1.0
    """What it says about the subject beside a full word, in [0, 1]."""


def fold(text: str) -> str:
    """Return `text` in NFKC and lower case, Latin and Greek letters without accents (`Käthe` -> `kathe`)."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").replace("ʼ", "'")
    if text.isascii():
        return text
    return text.translate(_ACCENTS)


def language_of(text: str) -> str:
    """
    Guess the language of `text`: ISO 639-1, `en` when nothing speaks for another one.

    By script where that decides, else by stop words; looks at the first 4,000 characters.
    """
    sample = text[:4000]
    if not sample.isascii():
        cjk = len(re.findall(_CJK_CHAR, sample))
        letters = sum(map(str.isalpha, sample))
        if cjk * 3 > letters:
            if len(re.findall(_HANGUL, sample)) * 2 > cjk:
                return "ko"
            return "ja" if len(re.findall(_KANA, sample)) * 8 >= cjk else "zh"
        if len(re.findall(_CYRILLIC, sample)) * 2 > letters:
            return "ru"
    votes = dict.fromkeys(STOP_WORDS, 0)
    voters = _voters()
    folded = fold(sample)
    counts = Counter((_ASCII_WORDS if folded.isascii() else _WORDS).findall(folded))
    for word in counts.keys() & voters.keys():
        languages, vote = voters[word]
        for language in languages:
            votes[language] += vote * counts[word]
    best = max(votes, key=lambda language: votes[language])
    return best if votes[best] > votes["en"] else "en"


def terms(text: str, language: str) -> list[str]:
    """Return the index terms of `text` in order, repetitions kept."""
    return joined_terms(text, language).split()


def joined_terms(text: str, language: str) -> str:
    """
    Return the index terms of `text` in order, repetitions kept, joined by blanks.

    Memoised per blank-separated word, so that bulk indexing costs a dictionary look-up a word.
    """
    known = _chunks(language if language in STEMMERS else "en")
    if len(known) > 60_000:
        known.clear()
    return " ".join(filter(None, map(known.__getitem__, text.split())))


def content_words(text: str, languages: Iterable[str], *, fall_back: bool = True) -> tuple[Word, ...]:
    """
    Return what a question asks for: its words without stop words, each once, in order, at most `MAX_QUERY_WORDS`.

    Every word carries its terms under each of `languages` (those of the corpus). A question of nothing but stop
    words falls back to all of them, unless told not to. Empty when the text holds no word at all.
    """
    stemmed = tuple(dict.fromkeys(language if language in STEMMERS else "en" for language in languages)) or ("en",)
    asked_in = language_of(text)
    stops = STOP_WORDS["en"].union(*(STOP_WORDS[code] for code in {asked_in} if code in STOP_WORDS))
    words: dict[str, Word] = {}
    skipped: dict[str, Word] = {}
    for run in _runs(text):
        if len(words) >= MAX_QUERY_WORDS:
            break
        found = _pairs_of(run) if _is_cjk(run) else _latin_of(run, stemmed)
        for word in found:
            target = skipped if word.text in stops or word.weight == 0 else words
            target.setdefault(word.text, word)
    if not words and fall_back:
        words = {text: attrs.evolve(word, weight=1.0) for text, word in skipped.items()}
    return tuple(words.values())[:MAX_QUERY_WORDS]


def match_expression(words: Sequence[Word]) -> str:
    """Return the FTS5 MATCH text that finds any of `words`: quoted terms joined by OR, empty for no words."""
    parts = dict.fromkeys(
        f'"{term}"*' if word.prefix else f'"{term}"' for word in words for term in word.alternatives if '"' not in term
    )
    return " OR ".join(parts)


def count_tokens(text: str) -> int:
    """Estimate model tokens: a quarter of the non-CJK characters, rounded up, plus one per CJK character."""
    wide = 0 if text.isascii() else len(re.findall(_CJK_CHAR, text))
    return wide - (-(len(text) - wide) // 4)


def stem(word: str, language: str) -> str:
    """Return the stem of one folded word; a language without stemmer is treated as English."""
    return _stemmer(language if language in STEMMERS else "en")(word)


def terms_by_chunk(language: str) -> Mapping[str, tuple[str, ...]]:
    """Return the terms of any blank-separated piece of text, made when first asked for and remembered."""
    return _Divided(_chunks(language if language in STEMMERS else "en"))


class _Divided(dict[str, tuple[str, ...]]):
    """Terms by blank-separated word, one by one; the words asked about are few, so nothing is kept."""

    def __init__(self, joined: Mapping[str, str]) -> None:
        super().__init__()
        self._joined = joined

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        return tuple(self._joined[chunk].split())


class _Chunks(dict[str, str]):
    """Terms, joined by blanks, by blank-separated word, for one language."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self.compounding = language in COMPOUNDING
        self.stem = _stemmer(language)

    def __missing__(self, chunk: str) -> str:
        word = chunk if chunk.isalpha() else chunk.rstrip(_AFTER).lstrip(_BEFORE)
        if word.isascii() and word.isalpha() and (word.islower() or word[1:].islower()):
            found = " ".join(self._plain(word.lower()))
        else:
            found = " ".join(term for run in _runs(chunk) for term in self._run(run))
        if len(chunk) <= MAX_TERM:
            self[chunk] = found
        return found

    def _run(self, run: str) -> list[str]:
        if _is_cjk(run):
            return [run[i : i + 2] for i in range(len(run))]
        found: list[str] = []
        for token in _TOKEN.findall(run):
            whole, parts = _token(token)
            if parts == (whole,):
                found += self._plain(whole)
                continue
            found.append(whole)
            for part in parts:
                found += self._plain(part)
        return found

    def _plain(self, word: str) -> tuple[str, ...]:
        if len(word) > MAX_TERM:
            return (word[:MAX_TERM],)
        stemmed = self.stem(word)
        if self.compounding and len(word) >= COMPOUND_LENGTH and word.isalpha():
            return (stemmed, "<" + stemmed[::-1])
        return (stemmed,)


def _runs(text: str) -> list[str]:
    """Return the blank-separated pieces of a text in NFKC, those in scripts written without blanks apart."""
    return text.split() if text.isascii() else re.findall(_RUN, unicodedata.normalize("NFKC", text))


def _is_cjk(run: str) -> bool:
    return not run.isascii() and re.match(_CJK_CHAR, run) is not None


def _token(token: str) -> tuple[str, tuple[str, ...]]:
    """Return a token folded, and its parts folded; a plain word is its own only part."""
    camel = _CAMEL.sub(" ", token) if not token.islower() and len(token) <= MAX_TERM else token
    whole = fold(token)
    if len(whole) > MAX_TERM:
        return whole[:MAX_TERM], ()
    if "'" in whole:
        whole = _ELISION.sub("", whole.removesuffix("'s")) or whole
        if "'" in whole:
            return whole, (whole.replace("'", ""),)
    if " " not in camel and (whole.isalpha() or whole.isdecimal()):
        return whole, (whole,)
    if _THOUSANDS.fullmatch(whole):
        return whole, (re.sub(r"\D", "", whole),)
    if whole.endswith(("++", "#")):
        return whole, ()
    parts = [part for piece in camel.split() for part in _PARTS.findall(fold(piece))]
    if len(parts) == 2 and len(parts[0]) == 1 and parts[0].isalpha() and whole[1] == "-":
        parts = ["".join(parts), parts[1]]  # e-mail is written email too
    if whole.isalnum():  # v4, 4o, ki7: what is left of it alone means nothing
        parts = [part for part in parts if len(part) > 1]
    return whole, tuple(dict.fromkeys(parts))


def _latin_of(run: str, languages: tuple[str, ...]) -> list[Word]:
    found = []
    for token in _TOKEN.findall(run):
        whole, parts = _token(token)
        if parts == (whole,):
            weight = 0.4 if whole.isdecimal() and len(whole) <= 2 else 1.0
            spellings = _spellings(token, whole) if "de" in languages else (whole,)
            found.append(Word(text=whole, alternatives=_alternatives(spellings, languages), weight=weight))
        elif "'" in whole:
            found.append(Word(text=whole, alternatives=(whole, *_alternatives(parts, languages))))
        else:
            found.append(Word(text=whole, alternatives=(whole,)))
            for part in parts:
                weight = 0.2 if part.isdecimal() and len(part) <= 2 else 0.5
                found.append(Word(text=part, alternatives=_alternatives((part,), languages), weight=weight))
    return found


def _alternatives(spellings: Iterable[str], languages: tuple[str, ...]) -> tuple[str, ...]:
    """Return the terms of folded words under each language."""
    found: dict[str, None] = {}
    for word in spellings:
        if len(word) > MAX_TERM or not word.isalpha():
            found[word[:MAX_TERM]] = None
        else:
            found.update(dict.fromkeys(_chunks(language).stem(word) for language in languages))
    return tuple(found)


def _spellings(token: str, whole: str) -> tuple[str, ...]:
    """Return a German word without its umlauts, and as it is written where keyboards have none."""
    found = {whole: None, re.sub("([aou])e", r"\1", whole): None}
    if not token.isascii():
        found[fold(token.casefold().removesuffix("'s").translate(_UMLAUTS))] = None
    return tuple(found)


def _pairs_of(run: str) -> list[Word]:
    """
    Return the pairs of a CJK run; those that touch a function word weigh less, those inside one nothing.

    A character alone between function words is a word, and so is one whose Japanese ending changes (`飲む`, `飲まず`).
    """
    functional = bytearray(len(run))
    for match in re.finditer(_STOP_RUN, run):
        functional[match.start() : match.end()] = b"\x01" * len(match.group())
    found: list[Word] = []
    for i, char in enumerate(run):
        pair = run[i : i + 2]
        if len(pair) == 2:
            weight = (1.0, 0.3, 0.0)[sum(functional[i : i + 2])]
            found.append(Word(text=pair, alternatives=(pair,), weight=weight))
        alone = not functional[i] and (i == 0 or functional[i - 1]) and (i + 1 == len(run) or functional[i + 1])
        inflected = len(pair) == 2 and not any(functional[i : i + 2]) and re.match(_INFLECTED, pair)
        if alone or inflected:
            found.append(Word(text=char, alternatives=(char,), prefix=True, weight=0.5))
    return found


def _bare(code: int) -> str:
    """Return a Latin or Greek letter without its accent."""
    bare = unicodedata.normalize("NFKD", chr(code))[0]
    return {"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"}.get(bare, bare)


class _Accents(dict[int, str | None]):
    """For `str.translate`: letters that lose their accent, found when first met."""

    def __missing__(self, code: int) -> str | None:
        accented = 0xC0 <= code < 0x400 or 0x1E00 <= code < 0x2000
        mark = 0x300 <= code < 0x370
        self[code] = None if mark else _bare(code) if accented else chr(code)
        return self[code]


_ACCENTS = _Accents()


@functools.cache
def _stemmer(language: str) -> Callable[[str], str]:
    import Stemmer

    stem_word: Callable[[str], str] = Stemmer.Stemmer(STEMMERS[language], 0).stemWord
    return stem_word


@functools.cache
def _chunks(language: str) -> _Chunks:
    return _Chunks(language)


@functools.cache
def _voters() -> dict[str, tuple[list[str], int]]:
    """Return for each stop word the languages it speaks for, and the vote that they divide among them."""
    voters: dict[str, list[str]] = {}
    for language, stops in STOP_WORDS.items():
        for word in stops:
            voters.setdefault(word, []).append(language)
    return {word: (spoken, _VOTE // len(spoken)) for word, spoken in voters.items() if len(word) > 1}
