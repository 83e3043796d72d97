"""
What a question asks for beside its words: a time, an opinion, what holds now, what comes, what was first or last.

Pure: a text goes in, cues come out. What is a cue in which language stands in `phrases`.
"""

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence

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
    tasks: bool = False
    """And for nothing else: all of it."""
    single: bool = False
    """It asks, in the present, for what has one value at a time: where, who, what is."""
    past: bool = False
    """It asks in the past tense, or for what was before."""
    future: bool = False
    """It asks for what is planned or due."""
    when: bool = False
    """It asks for a time, or says when what it asks for was."""
    wants_time: bool = False
    """It names a time, or it is a time that it asks for."""
    timed: frozenset[str] = frozenset()
    """Texts of those words that only name a time."""
    comparing: bool = False
    """It sets names side by side, and so names all that it asks about."""
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


NAME_AFTER = 3
"""Behind the word that joins two names so many others may come before the second (`or the birth of Robert`)."""

_CLAUSES = ("when", "quand", "cuando", "quando")
_OTHERS = frozenset(
    {
        *("who", "whom", "whose", "what", "which", "where", "why", "how"),
        *("qui", "que", "quoi", "quel", "quelle", "comment", "quien", "donde", "como", "quem", "onde"),
    }
)
_JOINING = ("and", "or", "und", "oder", "y", "o", "u", "e", "et", "ou")
_JOINED = ("和", "与", "與", "跟", "还是", "還是", "と", "か")


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
    anything = _tells_nothing(_blanked(folded, known), codes)
    when = list(spoken(folded, CUES["when"]))
    past = _asks(folded, "past")
    timed = set()
    for window in spans:
        for word in (word for begin, end in window.named for word in content_words(folded[begin:end], codes)):
            if word.text not in words:
                words[word.text] = attrs.evolve(word, weight=word.weight * TIME_WORD_WEIGHT)
                timed.add(word.text)
    for begin, end in measures:
        for word in content_words(folded[begin:end], codes):
            words.setdefault(word.text, attrs.evolve(word, weight=word.weight * MEASURE_WORD_WEIGHT))
    return Cues(
        words=tuple(words.values()) or content_words(query, codes),
        folded=folded,
        windows=spans if anything else (*spans, *_edges(spans)),
        timed=frozenset(timed),
        anything=anything,
        opinion=_asks(folded, "opinion"),
        current=bool(current),
        where=not spans and _asks(folded, "where"),
        open=_asks(folded, "open"),
        tasks=_asks_for_tasks(folded, known, codes),
        single=_asks(folded, "single") and not past,
        past=past,
        future=_asks(folded, "planned") or (bool(when) and _asks(folded, "ahead")),
        when=bool(when),
        wants_time=bool(spans) or any(not _is_aside(folded, *place) for place in when),
        comparing=_asks(folded, "comparing") and _side_by_side(query),
        edge="first" if _asks(folded, "first") else "last" if _asks(folded, "last") else "",
    )


def _asks(folded: str, cue: str) -> bool:
    return next(spoken(folded, CUES[cue]), None) is not None


def _edges(spans: Iterable[Window]) -> Iterator[Window]:
    """Yield the days that are named as an end: what is due by then names them."""
    for span in spans:
        if span.edge is not None:
            yield Window(first=span.edge, last=span.edge)


def _asks_for_tasks(folded: str, known: Iterable[tuple[int, int]], languages: Sequence[str]) -> bool:
    """Tell whether a question asks, beside its times, for nothing but what is left to do."""
    told = [place for cue in ("open", "task") for place in spoken(folded, CUES[cue])]
    if not told:
        return False
    left = _blanked(folded, [*known, *told, *spoken(folded, CUES["listing"])])
    return not left.strip() or not content_words(left, languages, fall_back=False)


def _tells_nothing(rest: str, languages: Sequence[str]) -> bool:
    """Tell whether what a question asks beside its times is not more than what there is or what happened."""
    joined = " ".join(rest.split())
    left = _blanked(joined, spoken(joined, CUES["anything"]))
    return not left.strip() or not content_words(left, languages, fall_back=False)


def _blanked(text: str, stretches: Iterable[tuple[int, int]]) -> str:
    for begin, end in stretches:
        text = text[:begin] + " " * (end - begin) + text[end:]
    return text


def _is_aside(folded: str, begin: int, end: int) -> bool:
    """Tell whether `when` only begins a clause of a question for something else (`how many people were there when`)."""
    return folded[begin:end] in _CLAUSES and folded.split(maxsplit=1)[0] in _OTHERS and end < len(folded.rstrip(" ?"))


def _side_by_side(query: str) -> bool:
    """Tell whether two names are joined; where nothing has capitals, two of anything."""
    if not query.isascii() and any(
        query[at - 1].isalpha() and query[at + len(join) : at + len(join) + 1].isalpha()
        for join in _JOINED
        if (at := query.find(join, 1)) > 0
    ):
        return True
    words = [word.lstrip("\"'(“„«") for word in query.split()]
    return any(
        word in _JOINING
        and words[at - 1][:1].isupper()
        and any(other[:1].isupper() for other in words[at + 1 : at + 2 + NAME_AFTER])
        for at, word in enumerate(words)
        if at
    )


def _as_written(query: str, folded: str, rest: str) -> str:
    """Return the rest of a question with its capitals where folding kept every character in place."""
    if len(query) != len(folded):
        return rest
    return "".join(new if new == " " else old for old, new in zip(query, rest, strict=True))
