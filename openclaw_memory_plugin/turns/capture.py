"""
What of a finished turn is worth keeping, told without a language model, and which recalled facts its reply used.

Only what the user says outright is kept: explicit wishes, corrections, who somebody is, goals, decisions and
preferences, recognised at the beginning of a sentence by the patterns of `capture.toml`. Everything else stays out and
is counted. All functions are pure.
"""

import functools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from openclaw_memory_hookspecs import Draft, Fact, Kind, Provenance, Turn
from openclaw_memory_plugin.guard import REDACTED, one_line, redact, strip_injected
from openclaw_memory_plugin.words import content_words, language_of

CAP = 3
"""Facts kept of one turn; the most salient first."""

LONGEST = 400
"""Characters of a sentence; a longer one is pasted text, not a statement to the agent."""

MOST_SENTENCES = 200
"""Looked at in one message."""

USED_SHARE = 0.6
"""Share of a fact's words, beyond those of the question, that a reply must hold to count as having used it."""

STATED_CONFIDENCE = 0.9
"""What somebody says about his own taste is nearly certain."""

_CATEGORIES = ("wish", "correction", "identity", "goal", "decision", "preference")
_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?](?=\w)[^.!?。！？\n]+)*[.!?。！？]*[\"”’)]*")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_BULLET = re.compile(r"^[ \t]*(?:[-*+・•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_POLITE = re.compile(
    r"[,;]?\s+(?:please|pls|thanks|thank you|thx|ok|okay|bitte|danke|por favor|gracias|merci|obrigad[oa])\s*[.!?]*$",
    re.I,
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LATIN_WORD = re.compile(r"[^\W\d_]{2,}|\d+")


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


def used_facts(reply: str, prompt: str, facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """
    Tell which of the facts put before the agent its reply made use of.

    A fact is used when the reply names its id or citation, or holds most of its content words that the question did
    not already have.
    """
    languages = frozenset({language_of(reply), "en"})
    held = _terms(reply, languages)
    asked = _terms(prompt, languages)
    return tuple(fact for fact in facts if _is_used(fact, reply, held, asked, languages))


def _is_used(fact: Fact, reply: str, held: frozenset[str], asked: frozenset[str], languages: frozenset[str]) -> bool:
    if fact.id in reply or any(str(citation) in reply for citation in fact.citations):
        return True
    new = _terms(fact.content, languages) - asked
    return bool(new) and len(new & held) >= max(1, USED_SHARE * len(new))


def _terms(text: str, languages: frozenset[str]) -> frozenset[str]:
    return frozenset(term for word in content_words(text, languages) for term in word.alternatives)


@attrs.frozen(kw_only=True)
class _Patterns:
    lead: re.Pattern[str]
    look_alikes: tuple[re.Pattern[str], ...]
    pointing: tuple[re.Pattern[str], ...]
    by_category: Mapping[str, tuple[re.Pattern[str], ...]]


@functools.cache
def _table() -> tuple[Mapping[str, float], Mapping[str, Kind], Mapping[str, _Patterns]]:
    """Read the patterns: floors and kinds by category, patterns by language."""
    import tomllib
    from importlib.resources import files

    raw: dict[str, Any] = tomllib.loads(files(__package__).joinpath("capture.toml").read_text("utf-8"))
    floors, kinds = raw.pop("floors"), raw.pop("kinds")
    languages = {
        language: _Patterns(
            lead=re.compile(entry["lead"], re.IGNORECASE),
            look_alikes=_compiled(entry["not"]),
            pointing=_compiled(entry["pointing"]),
            by_category={category: _compiled(entry[category]) for category in _CATEGORIES},
        )
        for language, entry in raw.items()
    }
    return floors, {category: Kind(kind) for category, kind in kinds.items()}, languages


def _compiled(patterns: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE | re.DOTALL) for pattern in patterns)


def _statements(text: str, dropped: Counter[str]) -> Iterator[tuple[str, str]]:
    """Give (category, statement) for each sentence that states something worth keeping; count the others."""
    _, _, languages = _table()
    own = language_of(text)
    order = sorted(languages, key=lambda language: (language != own, language != "en"))
    previous = ""
    for number, (sentence, quoted) in enumerate(_sentences(text)):
        if number >= MOST_SENTENCES:
            dropped["too_many_sentences"] += 1
            return
        if quoted:
            dropped["quoted"] += 1
            continue
        outcome, statement = _judge(sentence, [languages[name] for name in order], previous)
        previous = sentence
        if outcome not in _CATEGORIES:
            dropped[outcome] += 1
        elif REDACTED in redact(statement):
            dropped["secret"] += 1
        elif len(statement) > LONGEST:
            dropped["too_long"] += 1
        elif _size(statement) < 2:
            dropped["too_short"] += 1
        else:
            yield outcome, statement


def _judge(sentence: str, languages: Sequence[_Patterns], previous: str) -> tuple[str, str]:
    """Give the category and what is stated, or the reason why nothing is and an empty text."""
    head = sentence[: LONGEST + 100]
    for patterns in languages:
        lead = patterns.lead.match(head)
        bare = head[lead.end() :] if lead else head
        if any(pattern.fullmatch(bare) for pattern in patterns.pointing):
            return ("wish", previous) if previous else ("refers_to_nothing", "")
        if any(pattern.match(bare) for pattern in patterns.look_alikes):
            return "look_alike", ""
        for category in _CATEGORIES:
            for pattern in patterns.by_category[category]:
                if (match := pattern.match(bare)) is None:
                    continue
                if category != "wish" and sentence.rstrip(' "”’)').endswith(("?", "？")):
                    return "question", ""
                named = match.groupdict()
                return category, f"To do: {named['todo']}" if named.get("todo") else named.get("what") or bare
    return "ordinary", ""


def _sentences(text: str) -> Iterator[tuple[str, bool]]:
    """Give the sentences of a message and whether each one quotes somebody else; code is left out."""
    bare = _FENCE.sub("", strip_injected(text).replace("\r", ""))
    for line in bare.split("\n"):
        if line.lstrip().startswith((">", "|")):
            yield line, True
            continue
        for match in _SENTENCE.finditer(_BULLET.sub("", line)):
            sentence = match.group().strip()
            if sentence:
                yield sentence, False


def _draft(category: str, statement: str, *, private: bool) -> Draft:
    floors, kinds, languages = _table()
    inner = _inner(statement, languages.values()) if category in ("wish", "correction") else category
    kind = kinds[inner]
    text = _sentence_case(_POLITE.sub("", one_line(statement)))
    return Draft(
        text=text,
        kind=kind,
        salience=max(floors[category], floors[inner]),
        confidence=STATED_CONFIDENCE if kind is Kind.OPINION else None,
        provenance=Provenance.OWNER if private else Provenance.UNTRUSTED,
        private=private,
    )


def _inner(statement: str, languages: Iterable[_Patterns]) -> str:
    """What kind of statement stands inside a wish or a correction; a plain one counts as a wish."""
    for patterns in languages:
        for category in _CATEGORIES[2:]:
            if any(pattern.match(statement) for pattern in patterns.by_category[category]):
                return category
    return "wish"


def _sentence_case(text: str) -> str:
    text = text.strip(" ,;:—–-")
    text = text[:1].upper() + text[1:]
    if text.endswith(("?", "？")):
        text = text[:-1].rstrip()
    if text and text[-1] not in '.!。！…"”’)':
        text += "。" if _CJK.search(text[-1]) else "."
    return text


def _size(text: str) -> float:
    """Words that say something: Latin ones of two letters, and two characters of a script without blanks for one."""
    return len(_LATIN_WORD.findall(_CJK.sub(" ", text))) + len(_CJK.findall(text)) / 2
