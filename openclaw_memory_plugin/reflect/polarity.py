"""
Whether one statement speaks for or against another one on the same subject: words and clauses, no model.

The rule is to stay silent. A direction is given only when both statements take a stand on what is the same thing, and
the newer one says so itself: not in quotation marks, not as what somebody says, not as a question, not as a guess.
Everything else that touches the matter is `UNSURE`, for a person or an agent to decide.
"""

import enum
import functools
import re
from collections.abc import Iterable, Sequence

import attrs

from openclaw_memory_plugin.names import name_key
from openclaw_memory_plugin.reflect.lexicon import Lexicon, lexicons
from openclaw_memory_plugin.stopwords import CJK_STOPS, STOP_WORDS
from openclaw_memory_plugin.words import fold, language_of, terms

COVERED = 0.5
"""Share of the older statement's topic that the newer one must name before it says anything about it."""
SAME = 0.4
"""Share of both topics together that must be common before opposite attitudes contradict each other."""

FEW_WORDS = 8
"""In a statement so short every word may be the topic."""


class Stance(enum.Enum):
    """What the newer statement is to the older one."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    UNSURE = "unsure"
    """Same matter, but what it means is not for us to say."""
    UNRELATED = "unrelated"


@attrs.frozen(kw_only=True)
class Verdict:
    """A stance with its ground."""

    stance: Stance
    strong: bool = False
    """Whether it leaves no room: a correction, or a firm word on the very same topic."""
    why: str = ""
    """For people, a few words."""


@attrs.frozen(kw_only=True)
class Clause:
    """One clause of a statement."""

    topic: frozenset[str]
    """Stems of what it is about; attitude words, names of the subject and stop words are not in it."""
    attitude: int
    """1 in favour, -1 against, 0 none."""
    quoted: bool = False
    """The attitude stands in quotation marks only."""


@attrs.frozen(kw_only=True)
class Reading:
    """A statement taken apart once, compared many times."""

    clauses: tuple[Clause, ...]
    """Each with the attitude that it takes over from its neighbours when it has none of its own."""
    topic: frozenset[str]
    reported: bool
    doubtful: bool
    correction: bool
    firm: bool
    ends: frozenset[int]
    """Ends of scales that it names, the two of one scale being 2n and 2n + 1; not both of one."""

    def attitude_to(self, stem: str) -> int:
        """What the last clause that names it and takes a stand says."""
        return next(
            (clause.attitude for clause in reversed(self.clauses) if clause.attitude and stem in clause.topic), 0
        )

    def quotes(self, stems: frozenset[str]) -> bool:
        """Whether a stand on one of these is taken in quotation marks only."""
        return any(clause.quoted and clause.topic & stems for clause in self.clauses)


def read_statement(content: str, subjects: Iterable[str]) -> Reading:
    """Take a statement apart; `subjects` are the names of whom it is about, which are no topic."""
    text = fold(content)
    language = _language(text)
    names = frozenset(part for name in subjects for part in name_key(name).split())
    stops = STOP_WORDS.get(language, STOP_WORDS["en"])
    parts = _clauses(text, language)
    taken = [_clause(part, language, names | stops, sign) for part, sign in parts]
    if not any(clause.topic for clause in taken):
        # A topic may look like a function word once its accent is gone (té).
        taken = [_clause(part, language, names, sign) for part, sign in parts]
    clauses = _inherit(taken)
    kinds = frozenset().union(*(kinds for _, kinds in _marked(text, language)))
    return Reading(
        clauses=clauses,
        topic=frozenset().union(*(clause.topic for clause in clauses)),
        reported=_is_reported(text, language, names),
        doubtful="hedges" in kinds or bool(_QUESTION.search(text)),
        correction="corrections" in kinds,
        firm="firm" in kinds,
        ends=_ends(frozenset(_WORD.findall(text))),
    )


def compare(older: Reading, newer: Reading) -> Verdict:
    """
    Tell what `newer` is to `older`, given that both are about the same subject; pure, O(words).

    Not symmetric: the newer one must cover the older one's topic and must speak for itself.
    """
    common = older.topic & newer.topic
    turned = any(end ^ 1 in newer.ends for end in older.ends)
    whole = _covered(older.topic, common, turned)
    if max([whole, *(_covered(clause.topic, common, turned) for clause in older.clauses if clause.attitude)]) < COVERED:
        return Verdict(stance=Stance.UNRELATED)
    if newer.reported:
        return Verdict(stance=Stance.UNSURE, why="somebody else's words")
    if newer.quotes(common):
        return Verdict(stance=Stance.UNSURE, why="a quotation")
    if newer.doubtful:
        return Verdict(stance=Stance.UNSURE, why="a guess, a condition or a question")
    agreed = sum(older.attitude_to(stem) * newer.attitude_to(stem) for stem in common) * (-1 if turned else 1)
    if not agreed:
        if newer.correction:
            return Verdict(stance=Stance.UNSURE, why="a correction without a clear side")
        return Verdict(stance=Stance.UNRELATED)
    if older.doubtful and not newer.correction:
        return Verdict(stance=Stance.UNSURE, why="the opinion itself is conditional")
    overlap = max(_overlap(older.topic, clause.topic, turned) for clause in newer.clauses)
    strong = (newer.correction or newer.firm) and overlap >= SAME
    if agreed > 0 and whole < COVERED:
        return Verdict(stance=Stance.UNRELATED)
    if agreed > 0:
        return Verdict(stance=Stance.SUPPORTS, strong=strong, why="the same attitude to the same thing")
    if overlap < SAME and not newer.correction:
        return Verdict(stance=Stance.UNSURE, why="the opposite, but of something narrower")
    return Verdict(stance=Stance.CONTRADICTS, strong=strong, why="the opposite attitude to the same thing")


def touches(safety: Reading, newer: Reading) -> str:
    """
    Tell why a newer statement may weaken one that keeps somebody from harm; empty when it does not.

    One word in common is enough here: such a pair is only ever shown, never decided.
    """
    common = safety.topic & newer.topic
    if not common:
        return ""
    if newer.reported or newer.doubtful:
        return "a vague newer statement about the same"
    stands = [newer.attitude_to(stem) for stem in common]
    return "a newer statement that may say otherwise" if any(stand > 0 for stand in stands) or newer.correction else ""


def rough_words(content: str) -> frozenset[str]:
    """
    Return what two statements on one topic are bound to share something of: beginnings of words, pairs of characters.

    Much cheaper than reading a statement, for choosing which ones to read.
    """
    found: set[str] = set()
    words = _WORD.findall(fold(content))
    for word in words:
        if word.isascii():
            found.add(word[:4])
        else:
            found.update(word[at : at + 2] for at in range(max(1, len(word) - 1)))
    return frozenset(found if len(words) <= FEW_WORDS else found - _rough_stops())


@functools.cache
def _rough_stops() -> frozenset[str]:
    return frozenset(word[:4] for words in STOP_WORDS.values() for word in words if len(word) <= 4)


def is_safety(content: str) -> bool:
    """Whether a statement keeps somebody from harm: an allergy, a medicine, a condition."""
    return bool(_safety().search(fold(content)))


_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d[\d.:]*")
_QUESTION = re.compile(r"[?？]\s*$")
_QUOTED = re.compile(r"[\"“„«‹「『‘]([^\"“”„«»‹›「」『』]{2,200})[\"”“»›」』’]|(?<!\w)'([^']{2,200})'(?!\w)")
_BREAK = re.compile(r"[,;:.!?。、，；：！？()（）—–]+|\s-\s")
_PREFERRED_TO = re.compile(r"(?<!\w)(prefer\w*(?!\s+to(?!\w)).*?)\s(to|over)\s")
_CJK = ("zh", "ja")


def _language(text: str) -> str:
    """The language whose words of attitude the text uses most; a tie is for the guessed one, then for English."""
    guessed = language_of(text)
    if guessed in _CJK:
        return guessed
    latin = [name for name in lexicons().by_language if name not in _CJK]
    return max(latin, key=lambda name: (_stands(text, name), name == guessed, name == "en"))


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


def _clause(text: str, language: str, without: frozenset[str], sign: int) -> Clause:
    attitude = sign or _attitude(_QUOTED.sub(" ", text), language)
    quoted = 0 if attitude else _attitude(text, language)
    return Clause(topic=_topic(text, language, without), attitude=attitude or quoted, quoted=bool(quoted))


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
            clause if clause.attitude else attrs.evolve(clause, attitude=only.attitude, quoted=only.quoted)
            for clause in found
        ]
    return tuple(found)


def _attitude(text: str, language: str) -> int:
    likes = dislikes = 0
    negated = False
    for _, categories in _marked(text, language):
        likes += "likes" in categories
        dislikes += "dislikes" in categories
        negated |= "negators" in categories
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


def _covered(topic: frozenset[str], common: frozenset[str], turned: bool) -> float:
    """Share of a topic that both have in common; the end of a scale at which it stands is left out of it."""
    size = len(topic) - (1 if turned and len(topic) > 1 else 0)
    return len(topic & common) / size if size else 0.0


def _overlap(one: frozenset[str], other: frozenset[str], turned: bool) -> float:
    """Share that two topics have in common; the two ends of one scale are left out of it."""
    return len(one & other) / max(1, len(one | other) - (2 if turned else 0))


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
def _safety() -> re.Pattern[str]:
    latin = [entry for entry in lexicons().safety if entry.isascii()]
    other = [entry for entry in lexicons().safety if not entry.isascii()]
    return re.compile(f"{_compile(latin, 'en').pattern}|{_compile(other, 'zh').pattern}")


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
