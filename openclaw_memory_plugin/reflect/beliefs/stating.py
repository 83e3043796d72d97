"""
A statement taken apart: clauses, what each is about, and the stand it takes. Words and clauses, no model.
"""

import datetime as dt
import functools
import re
from collections.abc import Iterable, Iterator, Sequence

import attrs

from openclaw_memory_plugin.names import name_key
from openclaw_memory_plugin.reflect.beliefs.holders import of_another, years_of
from openclaw_memory_plugin.reflect.beliefs.lexicon import Lexicon, lexicons
from openclaw_memory_plugin.words import fold, language_of, terms
from openclaw_memory_plugin.words.stopwords import CJK_STOPS, STOP_WORDS

LONGEST = 2000
"""Characters that are read of a statement: what takes no stand in so many takes none."""
FEW_WORDS = 8
"""In a statement so short every word may be the topic."""


@attrs.frozen(kw_only=True)
class Clause:
    """One clause of a statement."""

    topic: frozenset[str]
    """Stems of what it is about; attitude words, names of the subject and stop words are not in it."""
    attitude: int
    """1 in favour, -1 against, 0 none."""
    negated: bool = False
    """Holds a negation and no attitude of its own: `spaces, not tabs`."""
    quoted: bool = False
    """The attitude stands in quotation marks only."""
    foreign: bool = False
    """It seems to be somebody else's."""
    past: bool = False
    """It is told of a time that is over."""
    ceased: bool = False
    """Something of it was given up, and no attitude is told."""


@attrs.frozen(kw_only=True)
class Reading:
    """A statement taken apart once, compared many times."""

    language: str
    stands: int
    """Words of attitude that were found."""
    clauses: tuple[Clause, ...]
    """Each with the attitude that it takes over from its neighbours when it has none of its own."""
    topic: frozenset[str]
    reported: bool
    doubtful: bool
    correction: bool
    firm: bool
    permits: bool
    """Allows something, without a negation."""
    words: frozenset[str]
    """All folded words."""
    marks: frozenset[str]
    """Words of the names marked in it: what it is about in particular."""
    numbers: frozenset[str]
    ends: frozenset[int]
    """Ends of scales that it names, the two of one scale being 2n and 2n + 1; not both of one."""

    def attitude_to(self, stem: str) -> int:
        """What the last clause that names it and takes a stand says."""
        return next((clause.attitude for clause in self._on(stem)), 0)

    def foreign_to(self, stems: Iterable[str]) -> bool:
        """Whether a stand on one of these seems to be somebody else's."""
        return any(next((clause.foreign for clause in self._on(stem)), False) for stem in stems)

    def past_of(self, stems: Iterable[str]) -> bool:
        """Whether a stand on one of these was taken at a time that is over."""
        return any(next((clause.past for clause in self._on(stem)), False) for stem in stems)

    def ceased_from(self, stems: frozenset[str]) -> bool:
        """Whether something of these was given up."""
        return any(clause.ceased and clause.topic & stems for clause in self.clauses)

    def _on(self, stem: str) -> Iterator[Clause]:
        return (clause for clause in reversed(self.clauses) if clause.attitude and stem in clause.topic)

    def quotes(self, stems: frozenset[str]) -> bool:
        """Whether a stand on one of these is taken in quotation marks only."""
        return any(clause.quoted and clause.topic & stems for clause in self.clauses)


def read_statement(
    content: str, subjects: Iterable[str], language: str | None = None, *, day: dt.date | None = None
) -> Reading:
    """
    Take a statement apart; `subjects` are the names of whom it is about, which are no topic.

    Args:
        language: read it as of this one; None for the one it seems to be in.
        day: when it was said: earlier years are over by then.
    """
    text = fold(content[:LONGEST])
    language = language or _language(text)
    names = frozenset(part for name in subjects for part in name_key(name).split())
    stops = STOP_WORDS.get(language, STOP_WORDS["en"])
    parts = _clauses(text, language)
    taken = [_clause(part, language, names, stops, sign) for part, sign in parts]
    if not any(clause.topic for clause in taken):
        # A topic may look like a function word once its accent is gone (té).
        taken = [_clause(part, language, names, frozenset(), sign) for part, sign in parts]
    clauses = _inherit(_dated([part for part, _ in parts], taken, language, day))
    words = frozenset(_WORD.findall(text))
    kinds = frozenset().union(*(kinds for _, kinds in _marked(text, language)))
    return Reading(
        language=language,
        stands=_stands(text, language),
        clauses=clauses,
        topic=frozenset().union(*(clause.topic for clause in clauses)),
        reported=_is_reported(text, language, names),
        doubtful="hedges" in kinds or bool(_QUESTION.search(text)),
        correction="corrections" in kinds,
        firm="firm" in kinds,
        permits="negators" not in kinds and bool(_permits().search(text)),
        words=words,
        marks=frozenset(part for name in _MARK.findall(text) for part in _WORD.findall(name)) - names,
        numbers=frozenset(word for word in words if word[0].isdigit()),
        ends=_ends(words),
    )


def rough_words(content: str) -> frozenset[str]:
    """
    Return what two statements on one topic are bound to share something of: beginnings of words, pairs of characters.

    Much cheaper than reading a statement, for choosing which ones to read.
    """
    found: set[str] = set()
    words = _WORD.findall(fold(content[:LONGEST]))
    for word in words:
        if word.isascii():
            found.add(_beginning(word))
        else:
            found.update(word[at : at + 2] for at in range(max(1, len(word) - 1)))
    return frozenset(found if len(words) <= FEW_WORDS else found - _rough_stops())


@functools.cache
def _rough_stops() -> frozenset[str]:
    return frozenset(_beginning(word) for words in STOP_WORDS.values() for word in words if len(word) <= 4)


def _beginning(word: str) -> str:
    """What is left of a word whatever its ending."""
    return word[:3] if len(word) <= 4 else word[:4]


def speaks_of_oneself(content: str) -> bool:
    """Whether whoever says it speaks of himself: `I`, `my`."""
    text = fold(content[:LONGEST])
    return bool(_in_any_language(lexicons().myself).search(text))


_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d[\d.:]*")
_MARK = re.compile(r"@([\w][\w-]*)")
_QUESTION = re.compile(r"[?？]\s*$")
_QUOTED = re.compile(r"[\"“„«‹「『‘]([^\"“”„«»‹›「」『』]{2,200})[\"”“»›」』’]|(?<!\w)'([^']{2,200})'(?!\w)")
_BREAK = re.compile(r"[,;:.!?。、，；：！？()（）—–]+|\s-\s")
_PREFERRED_TO = re.compile(r"(?<!\w)(prefer\w*(?!\s+to(?!\w)).*?)\s(to|over)\s")
_CJK = ("zh", "ja")
_ATTITUDES = frozenset(("likes", "dislikes"))


def _language(text: str) -> str:
    """The language that has most to say about the text: its words of attitude, then any words it knows."""
    guessed = language_of(text)
    if guessed in _CJK:
        return guessed
    words = set(_WORD.findall(text))

    def known(language: str) -> tuple[int, int, bool, bool]:
        stops = len(words & STOP_WORDS.get(language, frozenset()))
        return (
            _stands(text, language),
            len(_marked(text, language)) + stops,
            language == guessed,
            language == "en",
        )

    return max((name for name in lexicons().by_language if name not in _CJK), key=known)


def _stands(text: str, language: str) -> int:
    return sum("likes" in kinds or "dislikes" in kinds for _, kinds in _marked(text, language))


def _clauses(text: str, language: str) -> list[tuple[str, int]]:
    """Cut a folded text into clauses, each with the sign by which its attitude follows the one before (0: its own)."""
    found: list[tuple[str, int]] = []
    for piece in _BREAK.split(_contrast(language).sub(" . ", text)):
        if not piece.strip():
            continue
        if language == "en":
            piece = _PREFERRED_TO.sub(r"\1 than ", piece)
        halves = _comparison(language).split(piece, maxsplit=1)
        if len(halves) == 2 and _attitude(halves[0], language):
            found += [(halves[0], 0), (halves[1], -_attitude(halves[0], language))]
        else:
            found.append((piece, 0))
    return found


def _clause(text: str, language: str, names: frozenset[str], stops: frozenset[str], sign: int) -> Clause:
    attitude = sign or _attitude(_QUOTED.sub(" ", text), language)
    quoted = 0 if attitude else _attitude(text, language)
    kinds = frozenset().union(*(kinds for _, kinds in _marked(text, language)))
    silent = not attitude and not quoted
    return Clause(
        topic=_topic(text, language, names | stops),
        attitude=attitude or quoted,
        negated=silent and bool(kinds & {"negators", "ceases"}),
        quoted=bool(quoted),
        foreign=not silent and not sign and _is_foreign(text, language, names, stops),
        ceased=silent and "ceases" in kinds,
    )


def _is_foreign(text: str, language: str, names: frozenset[str], stops: frozenset[str]) -> bool:
    """Whether the first attitude of a clause seems to be somebody else's."""
    taken = (match for match in _pattern(language).finditer(text) if _kinds(match[0], language) & _ATTITUDES)
    first = next(taken, None)
    if first is None:
        return False
    cjk = language in _CJK
    before = text[: first.start()] if cjk else _pattern(language).sub(" ", text[: first.start()])
    before = _pattern(language).sub("", before) if cjk else before
    return of_another(before, first[0], text[first.end() :], own=names, stops=stops, cjk=cjk)


def _dated(texts: Sequence[str], clauses: Sequence[Clause], language: str, day: dt.date | None) -> list[Clause]:
    """Mark the clauses that tell of a time that is over; one without a stand speaks of the one after it."""
    found: list[Clause] = []
    before = False
    for text, clause in zip(texts, clauses, strict=True):
        years = years_of(text)
        over = bool(day and years and max(years) < day.year)
        over = over or any("past" in kinds for _, kinds in _marked(text, language))
        found.append(attrs.evolve(clause, past=True) if over or before else clause)
        before = over and not clause.attitude
    return found


def _inherit(clauses: Sequence[Clause]) -> tuple[Clause, ...]:
    """
    Let a clause that only takes a stand speak of the topic before it, and one without a stand share its neighbour's.

    "Used to like voice notes, but finds them annoying" is against voice notes.
    """
    found: list[Clause] = []
    for clause in clauses:
        if clause.attitude and not clause.topic and found:
            clause = attrs.evolve(clause, topic=found[-1].topic)
        found.append(clause)
    stands = [clause for clause in found if clause.attitude]
    if len(stands) == 1:
        only = stands[0]
        found = [
            clause
            if clause.attitude
            else attrs.evolve(clause, attitude=-only.attitude if clause.negated else only.attitude, quoted=only.quoted)
            for clause in found
        ]
    return tuple(found)


def _attitude(text: str, language: str) -> int:
    likes = dislikes = 0
    negated = False
    for _, categories in _marked(text, language):
        likes += "likes" in categories
        dislikes += "dislikes" in categories
        negated |= bool({"negators", "ceases"} & categories)
    if likes == dislikes:
        return 0
    attitude = 1 if likes > dislikes else -1
    return -attitude if negated else attitude


def _topic(text: str, language: str, without: frozenset[str]) -> frozenset[str]:
    rest = _pattern(language).sub(" ", text)
    if language in _CJK:
        rest = _cjk_stops().sub(" ", rest)
    found: set[str] = set()
    for word in _WORD.findall(rest):
        if word in without or word.removesuffix("'s") in without:
            continue
        if len(word) > 1 or word.isdigit() or not word.isascii():
            found.update(_stems(word, language))
    return frozenset(found)


def _ends(words: frozenset[str]) -> frozenset[int]:
    known = _scale_ends()
    found = {known[word] for word in words if word in known}
    return frozenset(end for end in found if end ^ 1 not in found)


@functools.cache
def _scale_ends() -> dict[str, int]:
    pairs = lexicons().antonyms
    return {word: 2 * scale + side for scale, pair in enumerate(pairs) for side in (0, 1) for word in pair[side]}


def _is_reported(text: str, language: str, names: frozenset[str]) -> bool:
    """Whether somebody else says it; a statement in which the subject alone stands before the verb is its own."""
    for at, kinds in _marked(text, language):
        if "hearsay" in kinds:
            return True
        if "reports" in kinds:
            before = {word.removesuffix("'s") for word in _WORD.findall(text[:at])}
            if not before <= names or language in _CJK:
                return True
    return False


@functools.lru_cache(maxsize=4096)
def _marked(text: str, language: str) -> tuple[tuple[int, frozenset[str]], ...]:
    """Where a text holds words of the lexicon, and what kinds of words these are."""
    pattern = _pattern(language)
    return tuple((match.start(), _kinds(match[0], language)) for match in pattern.finditer(text))


@functools.lru_cache(maxsize=8192)
def _kinds(word: str, language: str) -> frozenset[str]:
    kinds = _by_kind(language)
    if kinds["inert"].fullmatch(word):
        return frozenset()
    return frozenset(kind for kind, pattern in kinds.items() if pattern.fullmatch(word))


def _lexicon(language: str) -> Lexicon:
    known = lexicons().by_language
    return known.get(language, known["en"])


@functools.cache
def _by_kind(language: str) -> dict[str, re.Pattern[str]]:
    lexicon = _lexicon(language)
    return {field.name: _compile(getattr(lexicon, field.name), language) for field in attrs.fields(Lexicon)}


@functools.cache
def _pattern(language: str) -> re.Pattern[str]:
    lexicon = _lexicon(language)
    return _compile([entry for field in attrs.fields(Lexicon) for entry in getattr(lexicon, field.name)], language)


@functools.cache
def _contrast(language: str) -> re.Pattern[str]:
    return _compile(_lexicon(language).contrasts, language)


@functools.cache
def _comparison(language: str) -> re.Pattern[str]:
    return _compile(_lexicon(language).comparisons, language)


@functools.cache
def _permits() -> re.Pattern[str]:
    return _in_any_language(lexicons().permits)


def _in_any_language(entries: Sequence[str]) -> re.Pattern[str]:
    latin = _compile([entry for entry in entries if entry.isascii()], "en")
    other = _compile([entry for entry in entries if not entry.isascii()], "zh")
    return re.compile(f"{latin.pattern}|{other.pattern}")


@functools.cache
def _cjk_stops() -> re.Pattern[str]:
    return _compile(sorted(CJK_STOPS), "zh")


@functools.lru_cache(maxsize=8192)
def _stems(word: str, language: str) -> tuple[str, ...]:
    return tuple(terms(word, language))


def _compile(entries: Sequence[str], language: str) -> re.Pattern[str]:
    """One pattern for all entries, the longest first; it never matches when there are none."""
    if not entries:
        return re.compile(r"(?!)")
    ordered = sorted(set(entries), key=lambda entry: (-len(entry), entry))
    alternatives = "|".join(re.escape(entry).replace(r"\*", r"\w*").replace(r"\ ", r"\s+") for entry in ordered)
    return re.compile(f"(?:{alternatives})" if language in _CJK else rf"(?<!\w)(?:{alternatives})(?!\w)")
