"""
What of a finished turn is worth keeping, told without a language model.

Only what the user says outright, of himself and to the agent, is kept: explicit wishes, corrections, who somebody is,
goals, decisions and preferences, recognised by the patterns of `spoken/`. Texts to work on, parts to play, quotations
and what only means something in its moment stay out; everything left out is counted. All functions are pure.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import attrs

from openclaw_memory_hookspecs import Draft, Kind, Provenance, Turn
from openclaw_memory_plugin.guard import REDACTED, one_line, redact
from openclaw_memory_plugin.turns.german import main_clause
from openclaw_memory_plugin.turns.patterns import CATEGORIES, SPOKEN, Language, common, spoken
from openclaw_memory_plugin.turns.sentences import lines, sentences
from openclaw_memory_plugin.words import language_of

CAP = 3
"""Facts kept of one turn; the most salient first."""

LONGEST = 400
"""Characters of a sentence; a longer one is pasted text, not a statement to the agent."""

MOST_SENTENCES = 200
"""Looked at in one message."""

STATED_CONFIDENCE = 0.9
"""What somebody says about his own taste is nearly certain."""

_POLITE = re.compile(
    r"[,;]?\s+(?:please|pls|thanks|thank you|thx|ok|okay|bitte|danke|por favor|gracias|merci|obrigad[oa]"
    r"|s['’]il (?:te|vous) plaît)\s*[.!?]*$",
    re.I,
)
_MARKS = ' .!?。！？…"”’»)'
_SPEAKER = re.compile(r"\w[\w .'-]{0,30}: ")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_STRAIGHT = str.maketrans("’‘`", "'''")


@attrs.frozen(kw_only=True)
class Kept:
    """One statement worth keeping."""

    draft: Draft
    category: str
    """`wish`, `correction`, `identity`, `goal`, `decision` or `preference`."""


@attrs.frozen(kw_only=True)
class Captured:
    """What one turn gave."""

    kept: tuple[Kept, ...] = ()
    """At most `CAP`, in order of speaking."""
    dropped: Mapping[str, int] = attrs.field(factory=dict)
    """How many sentences, or whole turns, were left out, by reason."""


def capture(turn: Turn, *, cap: int = CAP) -> Captured:
    """
    Find what the user stated in a finished turn.

    The owner's own session gives facts of his own, marked private; anywhere else they are untrusted. Turns without a
    user give nothing. Linear in the text.
    """
    if turn.trigger != "user":
        return Captured(dropped={f"trigger_{turn.trigger or 'unknown'}": 1})
    said = [message.text for message in turn.messages if message.role == "user"]
    if not said:
        return Captured(dropped={"no_user_message": 1})
    dropped: Counter[str] = Counter()
    found: dict[str, Kept] = {}
    for text in said:
        for category, statement in _statements(text, dropped):
            draft = _draft(category, statement, private=turn.private)
            key = draft.text.casefold()
            if key in found:
                dropped["repeated"] += 1
            else:
                found[key] = Kept(draft=draft, category=category)
    ranked = sorted(found.values(), key=lambda kept: -(kept.draft.salience or 0.0))
    chosen = {id(kept) for kept in ranked[:cap]}
    if len(ranked) > cap:
        dropped["over_cap"] += len(ranked) - cap
    return Captured(kept=tuple(kept for kept in found.values() if id(kept) in chosen), dropped=dict(dropped))


def _statements(text: str, dropped: Counter[str]) -> list[tuple[str, str]]:
    """Give (category, statement) for each sentence that states something worth keeping; count the others."""
    languages = _languages(text)
    found: list[tuple[str, str]] = []
    previous = ""
    for sentence, reason in _own_sentences(text, languages):
        outcome, statement = (reason, "") if reason else _judge(sentence, languages, previous)
        previous = "" if reason or sentence.endswith(("?", "？")) else sentence
        if outcome == "judged":
            dropped["task"] += 1 + len(found)
            return []
        if outcome in CATEGORIES:
            outcome = _fault_of(statement) or outcome
        if outcome in CATEGORIES:
            found.append((outcome, statement))
        else:
            dropped[outcome] += 1
    return found


def _languages(text: str) -> list[Language]:
    """All languages, that of the text first."""
    own = language_of(text)
    return [spoken(name) for name in sorted(SPOKEN, key=lambda name: name != own)]


def _own_sentences(text: str, languages: Sequence[Language]) -> Iterator[tuple[str, str]]:
    """
    Give the sentences of a message, and for those that are not the user's own word to the agent the reason.

    After the beginning of a task on a text, or of somebody else's words, nothing more is the user's own.
    """
    number = 0
    for line, quoted in lines(text):
        if quoted:
            yield line, "quoted"
            continue
        if _holds("relayed", line[:LONGEST], languages):
            yield line, "relayed"
            return
        for place, sentence in enumerate(sentences(line)):
            number += 1
            if number > MOST_SENTENCES:
                yield "", "too_many_sentences"
                return
            head = sentence[:LONGEST]
            for reason in ("judged", "task"):
                if _holds(reason, head, languages):
                    yield sentence, reason
                    return
            if place == 0 and _SPEAKER.match(line) and _judge(sentence, languages, "")[0] not in CATEGORIES:
                yield line, "relayed"
                break
            yield sentence, ""


def _holds(what: str, sentence: str, languages: Sequence[Language]) -> bool:
    return any(getattr(language, what).fullmatch(_bare(sentence, language)[0]) for language in languages)


def _bare(sentence: str, language: Language) -> tuple[str, int]:
    """A sentence as patterns see it, and where in it they begin: without lead, thanks and its last mark."""
    plain = _POLITE.sub("", sentence.translate(_STRAIGHT)).rstrip(_MARKS)
    lead = language.lead.match(plain)
    begin = lead.end() if lead else 0
    return plain[begin:], begin


def _judge(sentence: str, languages: Sequence[Language], previous: str) -> tuple[str, str]:
    """Give the category and what is stated, or the reason why nothing is and an empty text."""
    if len(sentence) > LONGEST:
        return "too_long", ""
    asks = sentence.rstrip(' "”’»)').endswith(("?", "？"))
    for language in languages:
        plain, begin = _bare(sentence, language)
        if language.pointing.fullmatch(plain):
            return ("wish", previous) if previous else ("refers_to_nothing", "")
        if language.look_alike.fullmatch(plain):
            return "look_alike", ""
        said = sentence[begin : begin + len(plain)]
        for pattern in language.asked:
            if match := pattern.fullmatch(plain):
                return _wish(match, said, language)
        if asks or language.question.fullmatch(plain):
            continue
        for category in CATEGORIES:
            for pattern in language.kept[category]:
                if match := pattern.fullmatch(plain):
                    return _stated(category, match, said, language)
    return ("question" if asks else "ordinary"), ""


def _stated(category: str, match: re.Match[str], said: str, language: Language) -> tuple[str, str]:
    if category == "wish":
        return _wish(match, said, language)
    statement = _part(match, said, "what") or said
    if language.points.search(statement.translate(_STRAIGHT)):
        return "of_the_moment", ""
    if category == "correction" and not (language.value.search(match.group()) or _inner(statement, [language])):
        return "no_value", ""
    return category, statement


def _wish(match: re.Match[str], said: str, language: Language) -> tuple[str, str]:
    if todo := _part(match, said, "todo"):
        return "wish", f"To do: {todo}"
    if clause := _part(match, said, "clause"):
        return "wish", main_clause(clause) or f"dass {clause}"
    statement = _part(match, said, "what")
    return ("refers_to_nothing", "") if language.nothing.fullmatch(statement) else ("wish", statement)


def _part(match: re.Match[str], said: str, name: str) -> str:
    """A named part of a match as it was said, empty without one."""
    if match.groupdict().get(name) is None:
        return ""
    return said[match.start(name) : match.end(name)]


def _fault_of(statement: str) -> str:
    """Why a statement cannot be kept, empty when it can."""
    if REDACTED in redact(statement):
        return "secret"
    return "too_short" if _size(statement) < 2 else ""


def _draft(category: str, statement: str, *, private: bool) -> Draft:
    inner = category
    if category in ("wish", "correction"):
        inner = _inner(statement, _languages(statement)) or "wish"
    floors, kind = common().floors, common().kinds[inner]
    return Draft(
        text=_sentence_case(_POLITE.sub("", one_line(statement))),
        kind=kind,
        salience=max(floors[category], floors[inner]),
        confidence=STATED_CONFIDENCE if kind is Kind.OPINION else None,
        provenance=Provenance.OWNER if private else Provenance.UNTRUSTED,
        private=private,
    )


def _inner(statement: str, languages: Sequence[Language]) -> str:
    """What kind of statement stands inside a wish or a correction, empty for a plain one."""
    for language in languages:
        plain, _ = _bare(statement, language)
        for category in CATEGORIES[2:]:
            if any(pattern.fullmatch(plain) for pattern in language.kept[category]):
                return category
    return ""


def _sentence_case(text: str) -> str:
    text = text.strip(" ,;:—–-、，：")
    text = text[:1].upper() + text[1:]
    if text.endswith(("?", "？")):
        text = text[:-1].rstrip()
    if text and text[-1] not in '.!。！…"”’)':
        text += "。" if _CJK.search(text[-1]) else "."
    return text


def _size(text: str) -> float:
    """Words, and three characters of a script without blanks for two."""
    return len(_CJK.sub(" ", text).split()) + len(_CJK.findall(text)) / 1.5
