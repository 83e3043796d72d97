"""
Read what a statement says of something that has one value at a time: where somebody lives or works, the number, price
or name of a thing. Pure.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from openclaw_memory_plugin.recall import slotwords
from openclaw_memory_plugin.recall.slots import State
from openclaw_memory_plugin.words import fold

LONGEST = 300
"""Characters of a statement of one thing."""
THING = 8
"""Words that may name a thing before its value."""


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_AND = _set("and und y e et but aber pero mas mais & or oder")
_ENDS = (".", ",", ";", ":", "!", "(", ")", "?")
_STRIPPED = " \t\"'*_`.,;:!?()[]“”„«»"
_CJK = r"[\u3040-\u30ff\u3400-\u9fff]"
_CLAUSE = r"[。，,；;！!、（(\n]"
_DIGITS = r"[€$£¥]?v?\+?\d[\d.,:/-]*"
_YEAR = r"(?<!\d)(?:19|20)\d\d(?!\d)"
"""As text: they take long to compile, and few statements need them."""
_ARTICLES = _set("the o a la le")
"""Before the name of a place or firm."""
_FIRST = _set("i my ich mein meine yo mi eu meu minha je j'ai mon ma")
_FIRST_CJK = "我私"
_PARTING = r"[的のはが\s:：]+"

Phrase = tuple[str, ...]


def read_state(content: str, heads: Sequence[str] = ()) -> State | None:
    """Return what a statement says of something that has one value; None where it says nothing of the kind, or more."""
    text = content.strip()
    if not text or len(text) > LONGEST or text.endswith(("?", "？")):
        return None
    read = _read_joined if not text.isascii() and re.search(_CJK, text) else _read_words
    return read(text, frozenset(word for head in heads for word in _name_words(head)))


def _read_words(text: str, heads: frozenset[str]) -> State | None:
    """Read a statement in words with blanks between them."""
    words = [word.strip(_STRIPPED) for word in fold(text).split()]
    if "'" in text or "’" in text:
        words = [word.removesuffix("'s") for word in words]
    lexicon = _lexicon()
    if lexicon.phrases.keys().isdisjoint(words) or next(_places(words, lexicon.against), None) is not None:
        return None
    written = (text if text.isascii() else unicodedata.normalize("NFKC", text)).split()
    told = over = False
    for table in (lexicon.no_longer, lexicon.now):
        for begin, end in reversed(list(_places(words, table))):
            del words[begin:end], written[begin:end]
            told, over = True, over or table is lexicon.no_longer
    for at, word in enumerate(words):
        for kind, slot, phrase in lexicon.phrases.get(word, ()):
            found = _fits(words, at, phrase)
            if found is None:
                continue
            begin, end = found
            state = _made(kind, slot, words[:at], words[begin:end], written[begin:end], heads)
            if state is None:
                continue
            joins = any(one.endswith(_ENDS) for one in (*written[1:-1], written[-1].rstrip(".!")))
            rest = joins or not _AND.isdisjoint(words)
            return state._replace(
                told=told or state.told, over=over or state.over, whole=not rest, year=_year(text, state)
            )
    return None


def _made(
    kind: str, slot: str, who: Sequence[str], value: Sequence[str], written: Sequence[str], heads: frozenset[str]
) -> State | None:
    """Make what a phrase says of what is named before it."""
    lexicon = _lexicon()
    about = heads | (frozenset(who) - lexicon.nobody - lexicon.new - {""})
    if not about and slot in ("home", "work") and not _FIRST.isdisjoint(who):
        about = frozenset("i")
    if not about or len(who) > THING:
        return None
    told = kind == "changed" or not lexicon.new.isdisjoint(who)
    alone = not lexicon.alone.isdisjoint(about)
    said, beside = _value(kind, slot, value, written, alone)
    if not said:
        return None
    return State(
        slot="value" if kind == "is" or (kind == "changed" and not slot) else slot,
        about=about,
        value=said,
        beside=beside,
        told=told and (alone or kind == "changed"),
        over=kind == "ended",
        whole=True,
        alone=alone or slot in ("home", "work"),
        year=None,
    )


def _value(
    kind: str, slot: str, value: Sequence[str], written: Sequence[str], alone: bool
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of a value and those beside it; nothing where it is none of the kind."""
    ends = next(
        (n for n, word in enumerate(written) if word.rstrip("\"'").endswith((".", ",", ";", "!"))), len(written)
    )
    value, written = value[: ends + 1], written[: ends + 1]
    if slot in ("home", "work", "name") or kind == "ended":
        skip = int(value[0] in _ARTICLES)
        name: list[str] = []
        for word, as_written in zip(value[skip:], written[skip:], strict=True):
            if not as_written.strip(_STRIPPED)[:1].isupper() and not (slot == "name" and not name):
                break
            name.append(word)
        return frozenset(name), frozenset()
    if not alone and not _is_number(value[0]):
        return frozenset(), frozenset()
    numbers = [word for word in value if _is_number(word)]
    if numbers:
        return frozenset(numbers), frozenset(value) - frozenset(numbers) - _lexicon().nobody
    return frozenset(value) - _lexicon().nobody, frozenset()


def _is_number(word: str) -> bool:
    return word.lstrip("€$£¥v+")[:1].isdecimal()


def _read_joined(text: str, heads: frozenset[str]) -> State | None:
    """Read a statement in a script without blanks."""
    lexicon = _lexicon()
    folded = fold(text).rstrip("。.!！ ")
    if any(word in folded for word in lexicon.joined_against):
        return None
    told = over = False
    for word in lexicon.joined_no_longer:
        if word in folded:
            folded, told, over = folded.replace(word, ""), True, True
    for word in lexicon.joined_now:
        if word in folded:
            folded, told = folded.replace(word, ""), True
    for kind, slot, before, behind in lexicon.joined:
        parts = _split(folded, before, behind)
        if parts is None:
            continue
        who, value, rest = parts
        names = heads | frozenset(_names(who))
        if not names and slot in ("home", "work") and any(me in who for me in _FIRST_CJK):
            names = frozenset("i")
        if not names or not value or len(who) > 4 * THING:
            continue
        alone = any(noun in name for noun in lexicon.joined_alone for name in names)
        numbers = re.findall(_DIGITS, value)
        if kind == "is" or not (slot or kind == "ended"):
            if not numbers and not alone:
                continue
            said = frozenset(numbers) or frozenset((value,))
            beside = frozenset((re.sub(_DIGITS, "", value).strip(),) if numbers else ()) - {"", "です", "だ", "た"}
        else:
            said, beside = frozenset((value,)), frozenset()
        is_new = any(word in who for word in lexicon.joined_new)
        state = State(
            slot="value" if kind == "is" or (kind == "changed" and not slot) else slot,
            about=names,
            value=said,
            beside=beside,
            told=told or kind == "changed" or (is_new and alone),
            over=over or kind == "ended",
            whole=not re.search(_CLAUSE, rest) and not re.search(_CLAUSE, who),
            alone=alone or slot in ("home", "work"),
            year=None,
        )
        return state._replace(year=_year(text, state))
    return None


def _split(text: str, before: str, behind: str) -> tuple[str, str, str] | None:
    """Part a text by a phrase: whom it is about, the value, and what follows."""
    if before:
        who, found, value = text.partition(before)
        if not found:
            return None
        if behind:
            value, found, rest = value.partition(behind)
            return (who, value, rest) if found else None
        end = re.search(_CLAUSE, value)
        value, rest = (value[: end.start()], value[end.start() :]) if end else (value, "")
        return who, value.removesuffix("了").strip(), rest
    told, found, rest = text.partition(behind)
    if not found:
        return None
    who, topic, value = told.rpartition("は")
    if not topic:
        who, topic, value = told.rpartition("が")
    return (who, value.strip("、 "), rest) if topic else ("", told, rest)


def _names(who: str) -> Iterator[str]:
    for part in re.split(_PARTING, who):
        for word in (*_lexicon().joined_new, *slotwords.NOBODY_CJK.split()):
            part = part.replace(word, "")
        if part:
            yield part


def _name_words(name: str) -> Iterator[str]:
    for word in re.split(r"[\s_-]+", fold(name)):
        word = word.strip(_STRIPPED + "@").removesuffix("'s")
        if word:
            yield word


def _year(text: str, state: State) -> int | None:
    """Return the earliest year that a statement names beside its value."""
    years = [int(year) for year in re.findall(_YEAR, text) if not any(year in word for word in state.value)]
    return min(years, default=None)


def _places(words: Sequence[str], table: Mapping[str, Sequence[Phrase]]) -> Iterator[tuple[int, int]]:
    """Yield where phrases of a table stand, the longest one at each place."""
    if table.keys().isdisjoint(words):
        return
    for at, word in enumerate(words):
        for phrase in table.get(word, ()):
            if tuple(words[at : at + len(phrase)]) == phrase:
                yield at, at + len(phrase)
                break


def _fits(words: Sequence[str], at: int, phrase: Sequence[str]) -> tuple[int, int] | None:
    """Match a phrase at a place: where its value begins and ends."""
    begin = end = 0
    for number, part in enumerate(phrase):
        if part not in ("_", "*"):
            if at >= len(words) or words[at] != part:
                return None
            at += 1
            continue
        follows = phrase[number + 1] if number + 1 < len(phrase) else None
        stop = len(words) if follows is None else next((n for n in range(at, len(words)) if words[n] == follows), -1)
        if stop <= at:
            return None
        if part == "_":
            begin, end = at, stop
        at = stop
    return begin, end


class _Lexicon(NamedTuple):
    """The tables, made ready."""

    phrases: dict[str, list[tuple[str, str, Phrase]]]
    """First word -> kind, slot and words, the longest first."""
    against: dict[str, list[Phrase]]
    now: dict[str, list[Phrase]]
    no_longer: dict[str, list[Phrase]]
    new: frozenset[str]
    nobody: frozenset[str]
    alone: frozenset[str]
    joined: list[tuple[str, str, str, str]]
    """Kind, slot, and what stands before and behind the value."""
    joined_against: list[str]
    joined_now: list[str]
    joined_no_longer: list[str]
    joined_new: list[str]
    joined_alone: list[str]


@cache
def _lexicon() -> _Lexicon:
    told = [("is so", slot, text) for slot, text in slotwords.STATES.items()]
    told += [("changed", slot, text) for slot, text in slotwords.CHANGES.items()]
    told += [("ended", "", slotwords.ENDS), ("is", "value", slotwords.IS), ("is so", "name", slotwords.CALLED)]
    phrases: dict[str, list[tuple[str, str, Phrase]]] = {}
    joined: list[tuple[str, str, str, str]] = [("is", "value", mark, "") for mark in slotwords.IS_CJK.split()]
    for kind, slot, text in told:
        spaced, close = _parted(text)
        for phrase in spaced:
            whole = phrase if "_" in phrase else (*phrase, "_")
            phrases.setdefault(whole[0], []).append((kind, slot, whole))
        for one in close:
            before, _, behind = one.partition("_")
            joined.append((kind, slot, before, behind))
    for listed in phrases.values():
        listed.sort(key=lambda item: -len(item[2]))
    joined.sort(key=lambda item: (item[0] == "is", -len(item[2] + item[3])))
    against = [_parted(text) for text in (slotwords.TOO, slotwords.LONG_AGO)]
    now, no_longer, new, alone = map(_parted, (slotwords.NOW, slotwords.NO_LONGER, slotwords.NEW, slotwords.ALONE))
    return _Lexicon(
        phrases=phrases,
        against=_by_first(phrase for spaced, _ in against for phrase in spaced),
        now=_by_first(now[0]),
        no_longer=_by_first(no_longer[0]),
        new=frozenset(word for phrase in new[0] for word in phrase),
        nobody=frozenset(slotwords.NOBODY.split()),
        alone=frozenset(word for phrase in alone[0] for word in phrase),
        joined=joined,
        joined_against=[word for _, close in against for word in close],
        joined_now=now[1],
        joined_no_longer=no_longer[1],
        joined_new=new[1],
        joined_alone=slotwords.ALONE_CJK.split(),
    )


def _by_first(phrases: Iterable[Phrase]) -> dict[str, list[Phrase]]:
    found: dict[str, list[Phrase]] = {}
    for phrase in phrases:
        found.setdefault(phrase[0], []).append(phrase)
    return found


def _parted(text: str) -> tuple[list[Phrase], list[str]]:
    """Part a table: phrases of words, and those of scripts without blanks."""
    spaced: list[Phrase] = []
    close: list[str] = []
    for phrase in map(str.strip, text.split(",")):
        if not phrase.isascii():
            close.append(phrase)
        elif phrase:
            spaced.append(tuple(phrase.split()))
    return sorted(spaced, key=len, reverse=True), sorted(close, key=len, reverse=True)
