"""
Gather what may answer a question, and rank it: hits by words with their neighbours, facts of named entities and times.

One search in the word index and a handful of set-based reads; about a hundred facts are weighed, and the best become
candidates for the scorer.
"""

import datetime as dt
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from unicodedata import normalize

import attrs

from openclaw_memory_hookspecs import RecallRequest
from openclaw_memory_plugin.index.graph import HUB_FACTS, HUB_SHARE
from openclaw_memory_plugin.index.read import PER_WINDOW, Named, Reader, Scope
from openclaw_memory_plugin.names import name_key
from openclaw_memory_plugin.recall.alike import most_alike, with_likeness
from openclaw_memory_plugin.recall.called import EntityCue
from openclaw_memory_plugin.recall.cues import Cues
from openclaw_memory_plugin.recall.match import Match, Matcher
from openclaw_memory_plugin.words import COMPOUNDING, Word, fold, match_expression

POOL = 25
"""Hits by words that are weighed with their neighbours."""
EXTRA = 48
"""At most so many further facts are weighed because of an entity, a kind or a time that the question names."""
NAME_WORDS = 4
"""Longest name, in words, that is looked for in a question."""
NAME_CHARACTERS = 8
"""Longest name, in characters, in scripts without blanks."""

BEGUN_TERMS = 256
"""Of the terms that begin with a single character, so many are counted."""

COMPOUND = 5
"""
Letters that two words of a compounding language must share at their beginning or end to have a part in common; a whole
word of one less will do.
"""
NEARLY = 2
"""A word that no fact has stands for others with at most so many letters more than what they share."""
COMPOUND_TERMS = 24
COMPOUND_WORTH = 0.5

_CJK_RUN = "[\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]+"
"""As text: it takes long to compile, and few questions need it."""
_ATOM = re.compile(r"[^\s,;:!?()\[\]\"“”„«»、。，：；！？（）「」]+")


@attrs.frozen(kw_only=True)
class Gathered:
    """What may answer a question."""

    ranked: tuple[Match, ...] = ()
    """Best first."""
    entities: tuple[EntityCue, ...] = ()
    """Those that the question names."""
    bare: bool = False
    """Whether the question asks for a time, and the facts hold nothing else of it."""
    mentioned: Mapping[int, Mapping[int, int]] = attrs.field(factory=dict)
    """Fact -> entity -> role, for all that were weighed."""
    matcher: Matcher
    """Weighs further facts on the same scale."""


def gather(
    reader: Reader,
    request: RecallRequest,
    cues: Cues,
    *,
    scope: Scope,
    today: dt.date,
    without: frozenset[str],
    likeness: Mapping[int, float],
    share: float,
    always: frozenset[int] = frozenset(),
) -> Gathered:
    """
    Return all facts in `scope` that may answer, ranked by what they match; ties go by the newer day, then by id.

    When nothing in scope has a word, an entity or a time of the question, the newest facts in scope come back where it
    is narrow, else none.

    Args:
        always: facts that are weighed, and stay when they are in scope, whatever they match.
    """
    facts, length = reader.size()
    entities = name_cues(reader, request.query)
    counts = _counts(reader, cues.words)
    loose = _loose_terms(reader, cues.words, counts) if "compounds" not in without else {}
    hits = reader.hits(match_expression([*cues.words, *_as_words(loose)]), scope, POOL)
    within, inside = _within(reader, cues, scope, without)
    liked = most_alike(likeness)
    wanted = [*hits, *within, *_about(reader, entities, cues, facts, without), *liked]
    most = request.k if scope.task else max(POOL, request.k)
    newest = reader.newest(scope, most) if not wanted and scope.narrow else []
    seqs = list(dict.fromkeys(wanted))[: POOL + 2 * EXTRA + len(liked)] or newest
    seqs = [*always, *(seq for seq in seqs if seq not in always)]
    rows = reader.around(seqs)
    rows += reader.alone([seq for seq in seqs if seq not in {row.seq for row in rows}])
    allowed = {row.seq for row in rows if not row.archived and (not row.private or scope.private)}
    if scope.narrow or scope.archived:
        allowed = reader.fitting(sorted({row.seq for row in rows}), scope)
    matcher = Matcher(
        cues,
        facts=facts,
        length=length,
        counts=counts,
        loose=loose,
        entities=entities,
        within=inside,
        today=today,
        without=without,
        wanted=frozenset((*liked, *newest, *always)),
    )
    mentioned = reader.mentioned(sorted(allowed))
    headings = reader.headings({row.section_id for row in rows}) if "headings" not in without else {}
    visible = [row for row in rows if scope.private or not row.private]
    matches = with_likeness(matcher.match(visible, mentioned, headings), visible, likeness, share)
    ranked = in_order(
        match
        for seq, match in matches.items()
        if seq in allowed and (match.score > 0.0 or scope.narrow or seq in always)
    )
    asked = (word for word in cues.words if word.text not in cues.timed)
    known = any(counts.get(term) for word in asked for term in word.alternatives)
    bare = bool(cues.windows) and not (known or entities or loose)
    return Gathered(ranked=tuple(ranked), entities=entities, bare=bare, mentioned=mentioned, matcher=matcher)


def _counts(reader: Reader, words: Iterable[Word]) -> dict[str, int]:
    """Return in how many facts the terms of a question occur, a beginning of terms as often as all of them."""
    counts = reader.counts({term for word in words for term in word.alternatives if not word.prefix})
    for word in words:
        if word.prefix:
            for term in word.alternatives:
                counts[term] = sum(count for _, count in reader.beginning(term, BEGUN_TERMS))
    return counts


def name_cues(reader: Reader, query: str) -> tuple[EntityCue, ...]:
    """Return the entities that a question names; of overlapping names the longest."""
    spans = _possible_names(normalize("NFKC", query).casefold())
    if not spans:
        return ()
    found: dict[str, list[Named]] = {}
    for named in reader.named(spans):
        found.setdefault(named.written, []).append(named)
    taken: list[tuple[int, int]] = []
    cues: dict[int, EntityCue] = {}
    for key in sorted(found, key=lambda key: (-len(key), key)):
        free = [s for s in spans[key] if not any(s[0] < end and begin < s[1] for begin, end in taken)]
        if free:
            taken += free
            for named in found[key]:
                cues[named.id] = EntityCue(
                    id=named.id,
                    key=named.key,
                    facts=named.facts,
                    guessed=bool(named.inferred),
                    written=fold(named.written),
                    aliased=bool(named.aliased),
                )
    return tuple(sorted(cues.values(), key=lambda cue: cue.key))


def _possible_names(query: str) -> dict[str, list[tuple[int, int]]]:
    """Return every stretch of a question, lower-case with its accents, that may be a name: key -> where it stands."""
    spans: dict[str, list[tuple[int, int]]] = {}
    atoms = [match.span() for match in _ATOM.finditer(query[:2000])]
    for i in range(len(atoms)):
        for j in range(i, min(i + NAME_WORDS, len(atoms))):
            begin, end = atoms[i][0], atoms[j][1]
            spans.setdefault(name_key(query[begin:end].rstrip(".")), []).append((begin, end))
    for run in () if query.isascii() else re.finditer(_CJK_RUN, query[:400]):
        for begin in range(run.start(), run.end()):
            for end in range(begin + 1, min(begin + NAME_CHARACTERS, run.end()) + 1):
                spans.setdefault(query[begin:end], []).append((begin, end))
    spans.pop("", None)
    return spans


def _about(reader: Reader, entities: Iterable[EntityCue], cues: Cues, facts: int, without: frozenset[str]) -> list[int]:
    """
    Return facts of the named entities that words may not find: those of another name, and opinions when asked for.

    A name itself is a word, and the word index knows it.
    """
    found: list[int] = []
    if "entities" in without:
        return found
    for cue in entities:
        if cues.opinion:
            found += reader.of_entity(cue.id, "opinion")[:16]
        if cue.aliased and cue.facts < max(HUB_FACTS, HUB_SHARE * facts):
            found += reader.of_entity(cue.id)
    return list(dict.fromkeys(found))[:EXTRA]


def _within(reader: Reader, cues: Cues, scope: Scope, without: frozenset[str]) -> tuple[list[int], list[int]]:
    """Return facts of the asked times, and about how many lie in each."""
    found: list[int] = []
    inside: list[int] = []
    if "time" in without:
        return found, inside
    for window in cues.windows:
        first, last = window.first.isoformat(), window.last.isoformat()
        seqs = reader.within(first, last)
        inside.append(len(seqs))
        if len(seqs) > PER_WINDOW and cues.words:
            seqs = reader.hits_within(match_expression(cues.words), scope, first, last, POOL)
        elif len(seqs) > PER_WINDOW:
            seqs = reader.newest_within(scope, first, last, EXTRA)
        found += seqs
    return list(dict.fromkeys(found))[:EXTRA], inside


def _loose_terms(
    reader: Reader, words: Sequence[Word], counts: Mapping[str, int]
) -> dict[str, list[tuple[int, float]]]:
    """
    Return terms that share a part with a long word of the question, or have one in their middle that is found nowhere
    else, where words are written together; and those that
    are nearly a word that no fact has (`allergy`, `allergic`).
    """
    found: dict[str, list[tuple[int, float]]] = {}
    compounding = bool(COMPOUNDING.intersection(reader.languages()))
    for number, word in enumerate(words):
        unknown = not any(counts.get(term) for term in word.alternatives)
        if not (word.text.isalpha() and word.text.isascii()) or not (compounding or unknown):
            continue
        for term in word.alternatives:
            if len(term) < (COMPOUND - 1 if compounding else COMPOUND):
                continue
            for mark, letters in (("", term), ("<", term[::-1])) if compounding else (("", term),):
                for other, _ in reader.beginning(mark + letters[:COMPOUND], COMPOUND_TERMS):
                    shared = _shared(letters, other[len(mark) :])
                    if other in word.alternatives or "-" in other or shared < min(COMPOUND, len(term)):
                        continue
                    if (compounding and shared * 2 >= len(term)) or shared >= max(len(term), len(other)) - NEARLY:
                        found.setdefault(other, []).append((number, COMPOUND_WORTH * shared / len(term)))
        if compounding and unknown and not any(number == n for finds in found.values() for n, _ in finds):
            for other in _around(reader, word):
                found.setdefault(other, []).append((number, COMPOUND_WORTH))
    return found


def _around(reader: Reader, word: Word) -> list[str]:
    """Return terms of long words with a word in their middle; only for one found nowhere else, as all are looked at."""
    written = (term for term in (word.text, *word.alternatives) if len(term) >= COMPOUND - 1)
    parts = sorted((term for term in written if word.text.startswith(term)), key=len)
    return reader.within_long(parts[0], COMPOUND_TERMS) if parts else []


def _as_words(loose: Iterable[str]) -> list[Word]:
    return [Word(text=term, alternatives=(term,)) for term in loose]


def _shared(one: str, other: str) -> int:
    """Return how many letters two words share at their beginning."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def in_order(matches: Iterable[Match]) -> list[Match]:
    """Return matches best first; equal ones by the newer day, then by id."""
    ordered = sorted(matches, key=lambda match: -match.score)
    if any(one.score == other.score for one, other in itertools.pairwise(ordered)):
        ordered.sort(key=lambda match: match.row.id)
        ordered.sort(key=lambda match: match.row.last_seen or "", reverse=True)
        ordered.sort(key=lambda match: -match.score)
    return ordered
