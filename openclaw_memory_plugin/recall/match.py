"""
What facts match of a question: its words in the fact and in its neighbours, its time, its entities, its kind.

Pure: rows come in, matches go out. The words count as in BM25F, where a neighbour's words count less than the fact's
own; a named time and a named entity count like one more word, as rare as the facts that have it.
Source: Robertson, Zaragoza and Taylor 2004 (BM25F).
"""

import datetime as dt
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs

from openclaw_memory_plugin.index.read import Row
from openclaw_memory_plugin.recall.called import EntityCue, about_what_is_owned, beside_names, name_words
from openclaw_memory_plugin.recall.cues import Cues
from openclaw_memory_plugin.recall.finder import Finder
from openclaw_memory_plugin.recall.fitting import fit, fit_alone
from openclaw_memory_plugin.recall.phrases import CUES, spoken
from openclaw_memory_plugin.words import fold

SATURATION = 1.2
"""k1 of BM25."""
LENGTH = 0.6
"""b of BM25."""
CONTEXT = {-2: 0.3, -1: 0.5, 1: 0.4, 2: 0.2}
"""What a word counts in the fact that stands so far before or after, against 1 in the fact itself."""
ANSWERED = 1.5
"""A question just before a fact says what the fact is about: its words count so much more."""
HEADING = 0.6
"""What a word counts in the heading path."""
TYPED = 0.25
"""A typed fact is a self-contained statement: its neighbours say so much less about it than those of a note."""

SUBJECT = 1.2
"""A fact about an entity that the question names."""
ASKING = 0.8
"""A fact that is itself a question holds no answer."""
DATED = 1.2
"""A fact that names a time, when the question asks for one."""
CHANGED = 1.2
"""One that names a time and says that something changed, against one that another may have changed since."""
OPINION = 1.3
"""An opinion, when the question asks for one."""
CURRENT = 1.2
"""A fact that says itself what is so now, or since when, when the question asks for that."""
TASK = 1.5
"""An unticked box, when the question asks for what is left to do."""
PASSING = 1.4
"""One that is so now for a time whose beginning and end it tells."""
OVER = 0.8
"""One whose time is over."""
LATER = 0.7
"""A fact dated after today, when the question asks for what is so now."""
NOISE = 0.4
SUPERSEDED = 0.5

BESIDE = 0.2
"""Two characters of which only one belongs to a name, in scripts without blanks."""

ENTITY = 0.5
GUESSED = 0.5
"""What a name that was only guessed counts, against one that somebody marked."""

TIME = 1.0
"""A fact that fits the time which is asked for."""

_CONTEXT = tuple(CONTEXT.items())
_NOTHING: Mapping[int, float] = {}
_NOBODY: Mapping[int, int] = {}
_QUESTION = ("?", "？")
_AFTER_QUESTION = " \t\"'*_)»”’」』）"
_TIME_TEXT = (
    r"(?i)\d{1,2}[:.]\d\d|\d{4}-\d\d|\b(?:19|20)\d\d\b|\d\s*(?:am|pm|uhr|th|st|nd|rd)\b|[\d一二三四五六七八九十]+\s*[月日号號天年週周時点點]"
    r"|\b(?:yesterday|today|tomorrow|tonight|last|next|ago|week|weekend|month|year|days?|morning|evening|january|february|march"
    r"|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday"
    r"|sunday|gestern|heute|morgen|woche|monat|jahr|ayer|hoy|semana|ontem|hoje|hier|demain|semaine)\b"
    r"|昨|今日|明日|上周|下周|先週|来週|周[一二三四五六日]|曜"
)
"""As text: it takes long to compile, and only questions of a time need it."""


@attrs.frozen(kw_only=True)
class Match:
    """What one fact matches."""

    row: Row
    score: float
    """Of everything, not bounded."""
    parts: Mapping[str, float]
    """`words`, `context`, `time`, `entities`: summands before the factors; the factors by their name."""
    words: Mapping[int, float]
    """Number of the question's word -> what the fact itself contributes by it."""
    found: float
    """Share of the question's words, by weight, that the fact itself holds."""


class Matcher:
    """Matches facts against one question."""

    def __init__(
        self,
        cues: Cues,
        *,
        facts: int,
        length: float,
        counts: Mapping[str, int],
        loose: Mapping[str, Sequence[tuple[int, float]]],
        entities: Sequence[EntityCue],
        within: Sequence[int],
        today: dt.date,
        without: frozenset[str] = frozenset(),
        wanted: frozenset[int] = frozenset(),
    ) -> None:
        """
        Args:
            facts: how many there are.
            length: terms of an average fact.
            counts: term -> in how many facts it occurs.
            loose: terms that stand for a word less surely: term -> (number of the word, worth).
            within: how many facts lie in each of the asked times.
            without: parts that shall not count, for measuring what each is worth.
        """
        self._cues = cues
        self._loose = loose
        self._length = length
        self._without = without
        self._wanted = wanted
        self._finders: dict[str, Finder] = {}
        self._names = {cue.id: name_words(cues, cue) for cue in entities if cue.aliased and "entities" not in without}
        shared = {number: cue.facts for cue in entities for number in self._names.get(cue.id, ())}
        beside = beside_names(cues.folded, entities)
        self.weights = tuple(
            word.weight
            * (BESIDE if word.text in beside else 1.0)
            * _rarity(facts, max(shared.get(number, 0), sum(counts.get(term, 0) for term in word.alternatives)))
            for number, word in enumerate(cues.words)
        )
        """What each word of the question weighs."""
        self.timed = frozenset(number for number, word in enumerate(cues.words) if word.text in cues.timed)
        """Those that only name a time."""
        self.terms = frozenset(loose).union(term for word in cues.words for term in word.alternatives)
        """All that stands for a word of the question."""
        self._total = sum(self.weights) or 1.0
        self._times = tuple(
            (window, TIME * _rarity(facts, max(inside, facts // 50)))
            for window, inside in zip(cues.windows, within, strict=False)
        )
        self.time_weight = max((weight for _, weight in self._times), default=0.0)
        """What the asked time weighs, like one more word."""
        self._entity = {
            cue.id: ENTITY * (GUESSED if cue.guessed else 1.0) * _rarity(facts, cue.facts)
            for cue in entities
            if "entities" not in without
        }
        self._subject = frozenset(cue.id for cue in entities if "subject" not in without)
        self._looks_around = "context" not in without
        self._judges_questions = "asking" not in without
        self._when = cues.when and "dated" not in without
        self._changes = cues.future and cues.edge != "first"
        self._open = cues.open and "asking" not in without
        self._today = today.isoformat()
        self._current = cues.current and "latest" not in without
        self._where = cues.where and "latest" not in without
        self._opinion = cues.opinion and "opinion" not in without

    def match(
        self, rows: Iterable[Row], mentioned: Mapping[int, Mapping[int, int]], headings: Mapping[int, str]
    ) -> dict[int, Match]:
        """
        Return what each fact matches; of a fact at several places the place with the best neighbours counts.

        Rows of one file that stand side by side in the same section are each other's context.
        """
        places = {(row.file_id << 24) + row.pos: row for row in rows}
        held = {place: counted for place, row in places.items() if (counted := self._count(row))}
        titles = {section: counted for section, text in headings.items() if (counted := self._finder("en").count(text))}
        lengths = {place: _length(row.content) for place, row in places.items()}
        anything = bool(self._entity) or bool(self.time_weight)
        found: dict[int, Match] = {}
        for place, row in places.items():
            own = held.get(place, _NOTHING)
            if self._names and row.seq in mentioned:
                own = self._with_names(own, mentioned[row.seq])
            context, ratio = self._context(place, row, places, held, lengths, titles)
            if not (own or context or anything or row.seq in self._wanted):
                continue
            match = self._weigh(row, own, context, ratio, mentioned.get(row.seq, _NOBODY))
            if row.seq not in found or match.score > found[row.seq].score:
                found[row.seq] = match
        return found

    def _context(
        self,
        place: int,
        row: Row,
        places: Mapping[int, Row],
        held: Mapping[int, Mapping[int, float]],
        lengths: Mapping[int, int],
        titles: Mapping[int, Mapping[int, float]],
    ) -> tuple[dict[int, float], float]:
        """
        Return how often each word occurs around a fact, each time for what it counts there, and how long the fact is
        together with that beside an average one.
        """
        context: dict[int, float] = {}
        length, reach = float(lengths[place]), 1.0
        if not self._looks_around:
            return context, length / self._length
        depends = 1.0 if row.kind == "note" else TYPED
        for distance, share in _CONTEXT:
            other = place + distance
            if other not in places or places[other].section_id != row.section_id:
                continue
            share *= depends
            length += share * lengths[other]
            reach += share
            if other in held:
                worth = share * (ANSWERED if distance < 0 and _is_question(places[other].content) else 1.0)
                for number, times in held[other].items():
                    context[number] = context.get(number, 0.0) + worth * times
        for number, times in titles.get(row.section_id, _NOTHING).items():
            context[number] = context.get(number, 0.0) + HEADING * times
        return context, length / (self._length * reach)

    def _weigh(
        self,
        row: Row,
        own: Mapping[int, float],
        context: Mapping[int, float],
        ratio: float,
        mentioned: Mapping[int, int],
    ) -> Match:
        norm = SATURATION * (1.0 - LENGTH + LENGTH * ratio)
        words: dict[int, float] = {}
        alone = together = held = 0.0
        for number, times in own.items():
            weight = self.weights[number] * (SATURATION + 1.0)
            words[number] = worth = weight * times / (times + norm)
            alone += worth
            held += self.weights[number] * min(1.0, times)
            if number in context:
                times += context[number]
                worth = weight * times / (times + norm)
            together += worth
        for number, times in context.items():
            if number not in own:
                together += self.weights[number] * (SATURATION + 1.0) * times / (times + norm)
        parts = {"words": alone, "context": together - alone, "entities": 0.0, "time": 0.0}
        score = together
        once = (SATURATION + 1.0) / (1.0 + norm)
        if self._entity and mentioned:
            parts["entities"] = once * sum(weight for entity, weight in self._entity.items() if entity in mentioned)
            score += parts["entities"]
        if self.time_weight:
            if self._cues.words:
                parts["time"] = once * max(weight * fit(row, window, bool(own)) for window, weight in self._times)
            else:
                parts["time"] = max(weight * fit_alone(row, window) for window, weight in self._times)
            score += parts["time"]
        for name, factor in self._factors(row, mentioned):
            parts[name] = factor
            score *= factor
        return Match(row=row, score=score, parts=parts, words=words, found=held / self._total)

    def _factors(self, row: Row, mentioned: Mapping[int, int]) -> Iterator[tuple[str, float]]:
        for entity in self._subject if mentioned else ():
            if mentioned.get(entity) == 0 and not about_what_is_owned(row.content):
                yield "subject", SUBJECT
                break
        if self._judges_questions and _is_question(row.content):
            yield "asking", ASKING
        if self._when and (row.valid_to or re.search(_TIME_TEXT, row.content)):
            yield "dated", DATED
            if self._changes and self._subject & mentioned.keys() and _says(row, "changed"):
                yield "changed", CHANGED
        if self._opinion and row.kind == "opinion":
            yield "opinion", OPINION
        if self._current or (self._where and row.valid_to is not None):
            yield from self._now(row)
        if self._open and row.task == "open":
            yield "task", TASK
        if row.noise:
            yield "noise", NOISE
        if row.superseded:
            yield "superseded", SUPERSEDED

    def _now(self, row: Row) -> Iterator[tuple[str, float]]:
        """Yield what it is worth, asked for what is so now, when a fact holds."""
        if (row.last_seen or "") > self._today:
            yield "later", LATER
        elif row.valid_to is not None and row.valid_to < self._today:
            yield "over", OVER
        elif row.valid_from is not None and row.valid_from <= self._today:
            yield "current", CURRENT if row.valid_to is None else PASSING
        elif _says(row, "current", "changed"):
            yield "current", CURRENT

    def _count(self, row: Row) -> dict[int, float]:
        finder = self._finder(row.language)
        text = row.content
        if row.attributes is not None and ("\\u" in row.attributes or finder.may_hold(row.attributes)):
            said = json.loads(row.attributes)
            tags = [tag for tag in said.get("tags", ()) if tag not in text]
            text = " ".join((text, *said.get("heads", ()), *tags))
        return finder.count(text)

    def _with_names(self, own: Mapping[int, float], mentioned: Mapping[int, int]) -> Mapping[int, float]:
        """Add the words by which the question names an entity to what a fact holds that mentions it by another name."""
        missing = {
            n: 1.0 for entity in self._names.keys() & mentioned.keys() for n in self._names[entity] if n not in own
        }
        return {**own, **missing} if missing else own

    def _finder(self, language: str) -> Finder:
        if language not in self._finders:
            self._finders[language] = Finder(self._cues.words, language, self._loose)
        return self._finders[language]


def _says(row: Row, *cues: str) -> bool:
    folded = fold(row.content)
    return any(next(spoken(folded, CUES[cue]), None) is not None for cue in cues)


def _is_question(text: str) -> bool:
    return text.rstrip(_AFTER_QUESTION)[-1:] in _QUESTION


def _rarity(facts: int, count: int) -> float:
    """Return the weight of something that `count` of so many facts have; positive, higher for what is rarer."""
    return math.log(1.0 + (facts - min(count, facts) + 0.5) / (count + 0.5))


def _length(text: str) -> int:
    """Return about how many terms a text has."""
    blanks = text.count(" ") + 1
    return blanks if text.isascii() else blanks + (len(text.encode()) - len(text)) // 2
