"""
What a question asks for beside its words: a time, an opinion, what holds now, what comes, what was first or last.

Pure: a text goes in, cues come out. What is a cue in which language stands in `phrases`.
"""

import datetime as dt
from collections.abc import Iterable, Sequence

import attrs

from openclaw_memory_plugin.recall.phrases import CUES, spoken
from openclaw_memory_plugin.recall.times import Window, windows
from openclaw_memory_plugin.words import Word, content_words, fold


@attrs.frozen(kw_only=True)
class Cues:
    """A question, read."""

    words: tuple[Word, ...] = ()
    folded: str = ""
    """The whole question as `words.fold` returns it."""
    windows: tuple[Window, ...] = ()
    """Of one that reaches back without end the last day comes as one more."""
    anything: bool = False
    """No word of it tells what is asked for: whatever there is, whatever happened."""
    opinion: bool = False
    """It asks what somebody thinks, likes or wants."""
    current: bool = False
    """It asks what holds now."""
    where: bool = False
    """It asks where somebody or something is, and names no time."""
    open: bool = False
    """It asks for what is left to do."""
    single: bool = False
    """It asks, in the present, for what has one value at a time: where, who, what is."""
    future: bool = False
    """It asks for what is planned or due."""
    when: bool = False
    """It asks for a time."""
    timed: frozenset[str] = frozenset()
    """Texts of those words that only name a time."""
    edge: str = ""
    """`first` or `last` when it asks for the earliest or the latest."""


READ = 4000
"""So many characters of a question are read; what is pasted behind them is no question."""

MOST_WINDOWS = 8
"""So many times of a question count, the first ones; a pasted calendar asks for no day."""

TIME_WORD_WEIGHT = 0.4
"""What the words of a named date weigh beside others: the window already stands for them."""

MEASURE_WORD_WEIGHT = 0.5
"""What `kind` weighs in `what kind of`: it says what sort of answer is wanted, the answer itself rarely holds it."""


def read_question(query: str, *, languages: Iterable[str], today: dt.date) -> Cues:
    """
    Read a question.

    Args:
        languages: those of the corpus; every word is looked for under each.
        today: in the owner's zone; relative times count from it.
    """
    query = query[:READ]
    folded = fold(query)
    spans = windows(query, today=today)[:MOST_WINDOWS]
    current = list(spoken(folded, CUES["current"]))
    measures = list(spoken(folded, CUES["measure"]))
    known = [*((window.begin, window.end) for window in spans), *current]
    rest = _blanked(folded, [*known, *measures])
    codes = tuple(languages)
    asked = content_words(_as_written(query, folded, rest), codes, fall_back=not spans) if rest.strip() else ()
    words = {word.text: word for word in asked}
    when = _asks(folded, "when")
    timed = set()
    for window in spans:
        for word in content_words(folded[window.begin : window.end], codes):
            if word.text not in words:
                words[word.text] = attrs.evolve(word, weight=word.weight * TIME_WORD_WEIGHT)
                timed.add(word.text)
    for begin, end in measures:
        for word in content_words(folded[begin:end], codes):
            words.setdefault(word.text, attrs.evolve(word, weight=word.weight * MEASURE_WORD_WEIGHT))
    return Cues(
        words=tuple(words.values()) or content_words(query, codes),
        folded=folded,
        windows=(*spans, *(attrs.evolve(span, first=span.last) for span in spans if span.first == dt.date.min)),
        timed=frozenset(timed),
        anything=_tells_nothing(_blanked(folded, known), codes),
        opinion=_asks(folded, "opinion"),
        current=bool(current),
        where=not spans and _asks(folded, "where"),
        open=_asks(folded, "open"),
        single=_asks(folded, "single") and not _asks(folded, "past"),
        future=_asks(folded, "planned") or (when and _asks(folded, "ahead")),
        when=when,
        edge="first" if _asks(folded, "first") else "last" if _asks(folded, "last") else "",
    )


def _asks(folded: str, cue: str) -> bool:
    return next(spoken(folded, CUES[cue]), None) is not None


def _tells_nothing(rest: str, languages: Sequence[str]) -> bool:
    """Tell whether what a question asks beside its times is not more than what there is or what happened."""
    joined = " ".join(rest.split())
    left = _blanked(joined, spoken(joined, CUES["anything"]))
    return not left.strip() or not content_words(left, languages, fall_back=False)


def _blanked(text: str, stretches: Iterable[tuple[int, int]]) -> str:
    for begin, end in stretches:
        text = text[:begin] + " " * (end - begin) + text[end:]
    return text


def _as_written(query: str, folded: str, rest: str) -> str:
    """Return the rest of a question with its capitals where folding kept every character in place."""
    if len(query) != len(folded):
        return rest
    return "".join(new if new == " " else old for old, new in zip(query, rest, strict=True))
