"""
What new facts make of what is believed; pure.

Explicit marks come first; a fact that nobody marked counts when it speaks for itself about the same subject. Each
piece counts once ever. When in doubt, nothing moves and the pair is listed for review.
"""

import datetime as dt
from collections.abc import Collection, Iterable, Mapping, Sequence

import attrs

from openclaw_memory_hookspecs import Kind, Provenance
from openclaw_memory_plugin.names import name_key
from openclaw_memory_plugin.reflect.beliefs.account import (
    ASSUMED,
    FOUND_CONTRADICTION,
    FOUND_SUPPORT,
    MARKED_CONTRADICTION,
    MARKED_SUPPORT,
    REPEATED_CONTRADICTION,
    RESTATED,
    RESTATED_AT_MOST,
    Belief,
    Evidence,
    Verb,
)
from openclaw_memory_plugin.reflect.beliefs.polarity import Stance, Verdict, across, compare, touches
from openclaw_memory_plugin.reflect.beliefs.stating import Reading, read_statement, rough_words
from openclaw_memory_plugin.words.safety import is_safety

BESIDE = "by hand, below the block"
"""Why a confidence is what it is that a line beside our block gives."""
SUBJECT_LIMIT = 300
"""Statements about one subject with one word in common that a new piece is compared with, the latest ones."""


@attrs.frozen(kw_only=True)
class Piece:
    """A fact as far as beliefs need it."""

    id: str
    kind: Kind
    content: str
    subjects: tuple[str, ...]
    """Names of whom it is about: heads, or the name a note begins with."""
    own: bool = False
    """The owner speaks, of himself where nobody is named."""
    day: dt.date | None
    where: str
    confidence: float | None = None
    provenance: Provenance = Provenance.OWNER
    on_page: bool = False
    """It stands on the page of opinions, as somebody wrote it there."""
    supports: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """Whom it is about, for comparing: the owner is nobody by name."""
        return tuple(dict.fromkeys(map(name_key, self.subjects))) or (("",) if self.own else ())

    @property
    def order(self) -> tuple[str, str, int]:
        """Later is greater: by day, then by place."""
        path, _, line = self.where.rpartition("#L")
        return (self.day.isoformat() if self.day else "", path, int(line or 0))


@attrs.frozen(kw_only=True)
class Review:
    """A pair that a person or the agent should settle."""

    belief: str
    source: str
    why: str
    safety: bool = False


@attrs.frozen(kw_only=True)
class Move:
    """A belief whose confidence changed, or that is new (`before` None)."""

    belief: Belief
    before: float | None


@attrs.frozen(kw_only=True)
class Revision:
    """What a reflection makes of the beliefs."""

    beliefs: tuple[Belief, ...]
    """All, in the order of their subjects and statements."""
    moves: tuple[Move, ...] = ()
    reviews: tuple[Review, ...] = ()
    """All that wait, old ones included."""
    corrected: Mapping[str, str] = attrs.field(factory=dict)
    """Facts that are no opinions -> the fact that was explicitly retained against them."""


def revise(
    known: Iterable[Belief],
    stated: Sequence[Piece],
    pieces: Sequence[Piece],
    *,
    safety: Sequence[Piece] = (),
    marked_only: Collection[str] = (),
) -> Revision:
    """
    Weigh what is new.

    Args:
        known: the beliefs as the page has them.
        stated: every place that states an opinion, oldest first; the same id returns on other days.
        pieces: facts that may be evidence, each once, with their explicit marks.
        safety: facts of any kind that keep somebody from harm; only listed when something touches them.
        marked_only: ids of pieces of which only the marks count, because they were weighed before.

    Same input, same output; what was counted before is not counted again. Cost grows with pieces times the
    statements that share a subject.
    """
    before = {belief.id: belief for belief in known}
    beliefs = _with_stated(before, stated)
    shields = {piece.id: piece for piece in safety}
    corrected: dict[str, str] = {}
    ordered = sorted((piece for piece in pieces if piece.provenance is not Provenance.UNTRUSTED), key=_order)
    for piece in ordered:
        for verb, targets in ((Verb.SUPPORTS, piece.supports), (Verb.CONTRADICTS, piece.contradicts)):
            for target in targets:
                if _mark(beliefs, shields, piece, verb, target):
                    corrected[target] = piece.id
    fresh = [piece for piece in ordered if piece.id not in marked_only]
    if fresh:
        _compare_all(beliefs, _Targets(beliefs, stated, safety), shields, fresh, corrected)
    after = tuple(sorted(beliefs.values(), key=_place))
    return Revision(
        beliefs=after,
        moves=tuple(
            Move(belief=belief, before=before[belief.id].confidence if belief.id in before else None)
            for belief in after
            if belief is not before.get(belief.id)
            and belief.kind is Kind.OPINION
            and (belief.id not in before or before[belief.id].confidence != belief.confidence)
        ),
        reviews=tuple(review for belief in after for review in _reviews(belief)),
        corrected=corrected,
    )


def _order(piece: Piece) -> tuple[tuple[str, str, int], str]:
    return piece.order, piece.id


def _place(belief: Belief) -> tuple[str, str, str]:
    return (name_key(belief.heads[0]) if belief.heads else "", belief.statement.casefold(), belief.id)


def _with_stated(known: Mapping[str, Belief], stated: Sequence[Piece]) -> dict[str, Belief]:
    """Open an account for every opinion without one, and enter later statements of the same words."""
    beliefs = dict(known)
    logged = {piece.id for piece in stated if not piece.on_page}
    for piece in sorted(stated, key=lambda piece: piece.on_page):
        if piece.provenance is Provenance.UNTRUSTED:
            continue
        belief = beliefs.get(piece.id)
        if belief is not None and piece.on_page and piece.id in logged:
            beliefs[piece.id] = _set_by_hand(belief, piece)
        elif belief is None:
            first = Evidence(
                verb=Verb.STATED,
                source=_day_key(piece),
                amount=ASSUMED if piece.confidence is None else piece.confidence,
                day=piece.day,
                where=piece.where,
                why="no confidence given" if piece.confidence is None else "",
            )
            beliefs[piece.id] = Belief(
                id=piece.id, kind=Kind.OPINION, statement=piece.content, heads=piece.subjects, evidence=(first,)
            )
        elif _day_key(piece) not in belief.sources():
            beliefs[piece.id] = _stated_again(belief, piece)
        else:
            beliefs[piece.id] = _cited(belief, piece)
    return beliefs


def _cited(belief: Belief, piece: Piece) -> Belief:
    """Give a statement in an account its place again, where a hand has left none."""
    key, verbs = _day_key(piece), (Verb.STATED, Verb.RESTATED)
    bare = [entry for entry in belief.evidence if entry.source == key and entry.verb in verbs and not entry.where]
    if not bare:
        return belief
    cited = (attrs.evolve(entry, where=piece.where) if entry in bare else entry for entry in belief.evidence)
    return attrs.evolve(belief, evidence=tuple(cited))


def _set_by_hand(belief: Belief, piece: Piece) -> Belief:
    """Take the number of a line that somebody wrote on the page beside what the logs state, once."""
    told = [entry.amount for entry in belief.evidence if entry.why == BESIDE][-1:]
    told = told or [entry.amount for entry in belief.evidence if entry.verb is Verb.STATED]
    if piece.confidence is None or any(abs(amount - piece.confidence) <= 0.004 for amount in told):
        return belief
    return _add(belief, Evidence(verb=Verb.SET, source="hand undated", amount=piece.confidence, why=BESIDE))


def _stated_again(belief: Belief, piece: Piece) -> Belief:
    statements = [entry for entry in belief.evidence if entry.verb in (Verb.STATED, Verb.SET)]
    last = statements[-1] if statements else None
    if last is not None and last.day is not None and (piece.day is None or piece.day < last.day):
        return belief
    if piece.confidence is not None and (last is None or abs(last.amount - piece.confidence) > 0.004):
        entry = Evidence(
            verb=Verb.STATED, source=_day_key(piece), amount=piece.confidence, day=piece.day, where=piece.where
        )
        return _add(belief, entry)
    counted = sum(entry.verb is Verb.RESTATED for entry in belief.evidence)
    if piece.provenance is not Provenance.OWNER or counted >= RESTATED_AT_MOST:
        return belief
    entry = Evidence(verb=Verb.RESTATED, source=_day_key(piece), amount=RESTATED, day=piece.day, where=piece.where)
    return _add(belief, entry)


def _day_key(piece: Piece) -> str:
    return piece.day.isoformat() if piece.day else "undated"


def _mark(beliefs: dict[str, Belief], shields: Mapping[str, Piece], piece: Piece, verb: Verb, target: str) -> bool:
    """Enter an explicit mark; whether it corrects a fact that is no opinion."""
    belief = beliefs.get(target)
    if target == piece.id:
        return False
    guarded = target in shields or (belief is not None and is_safety(belief.statement))
    if guarded and verb is Verb.CONTRADICTS and piece.provenance is not Provenance.OWNER:
        beliefs[target] = _noted(belief or _shield(beliefs, shields[target]), piece, "the agent contradicts it")
        return False
    if belief is not None:
        beliefs[target] = _marked(belief, piece, verb)
    return verb is Verb.CONTRADICTS and (belief is None or belief.kind is not Kind.OPINION)


def _marked(belief: Belief, piece: Piece, verb: Verb) -> Belief:
    """Count a marked piece once, and take it as the answer to everything that waited for one until then."""
    listed = next((entry for entry in belief.evidence if entry.source == piece.id), None)
    if listed is not None and listed.verb is not Verb.UNSURE:
        return belief
    against = _contradiction(belief, MARKED_CONTRADICTION, strong=True)
    amount = MARKED_SUPPORT if verb is Verb.SUPPORTS else against
    kept = tuple(_answered(entry, piece) for entry in belief.evidence if entry is not listed)
    entry = _entry(verb, piece, amount if belief.kind is Kind.OPINION else 0.0, "marked")
    return attrs.evolve(belief, evidence=(*kept, entry))


def _answered(entry: Evidence, piece: Piece) -> Evidence:
    if entry.verb is not Verb.UNSURE or (entry.day and piece.day and entry.day > piece.day):
        return entry
    return attrs.evolve(entry, verb=Verb.UNRELATED, why=f"answered by {piece.id}")


def _compare_all(
    beliefs: dict[str, Belief],
    targets: "_Targets",
    shields: Mapping[str, Piece],
    pieces: Sequence[Piece],
    corrected: Mapping[str, str],
) -> None:
    readings: dict[tuple[str, str | None], Reading] = {}

    def reading(piece: Piece, language: str | None = None) -> Reading:
        key = piece.id, language
        if key not in readings:
            readings[key] = read_statement(piece.content, piece.subjects, language, day=piece.day)
        return readings[key]

    def pair(target: Piece, piece: Piece) -> tuple[Reading, Reading]:
        """Both read in one language, the one that finds more in them: a short statement may be of several."""
        older, newer = reading(target), reading(piece)
        if older.language == newer.language:
            return older, newer
        either = (
            (older, reading(piece, older.language)),
            (reading(target, newer.language), newer),
        )
        return max(either, key=lambda both: both[0].stands + both[1].stands)

    for piece in pieces:
        if piece.day is None:
            continue
        for target in targets.near(piece):
            belief = beliefs.get(target.id)
            if (belief is not None and piece.id in belief.sources()) or corrected.get(target.id) == piece.id:
                continue
            if target.id in shields and (belief is None or belief.kind is not Kind.OPINION):
                why = touches(*pair(target, piece))
                if why:
                    beliefs[target.id] = _noted(_shield(beliefs, target), piece, why)
            elif belief is not None:
                verdict = compare(*pair(target, piece))
                if verdict.stance is Stance.UNRELATED and reading(target).language != reading(piece).language:
                    verdict = across(reading(target), reading(piece))
                beliefs[target.id] = _found(belief, piece, verdict)


def _found(belief: Belief, piece: Piece, verdict: Verdict) -> Belief:
    if verdict.stance is Stance.UNRELATED:
        return belief
    if verdict.stance is Stance.SUPPORTS:
        return _add(belief, _entry(Verb.SUPPORTS, piece, FOUND_SUPPORT, verdict.why))
    if verdict.stance is Stance.CONTRADICTS and not is_safety(belief.statement):
        amount = _contradiction(belief, FOUND_CONTRADICTION, strong=verdict.strong)
        return _add(belief, _entry(Verb.CONTRADICTS, piece, amount, verdict.why))
    return _noted(belief, piece, verdict.why)


def _contradiction(belief: Belief, ordinary: float, *, strong: bool) -> float:
    repeated = any(entry.verb is Verb.CONTRADICTS for entry in belief.evidence)
    return REPEATED_CONTRADICTION if strong and repeated else ordinary


def _noted(belief: Belief, piece: Piece, why: str) -> Belief:
    if piece.id in belief.sources():
        return belief
    return _add(belief, _entry(Verb.UNSURE, piece, 0.0, why))


def _entry(verb: Verb, piece: Piece, amount: float, why: str) -> Evidence:
    if piece.provenance is Provenance.AGENT:
        amount /= 2
    return Evidence(verb=verb, source=piece.id, amount=round(amount, 2), day=piece.day, where=piece.where, why=why)


def _add(belief: Belief, entry: Evidence) -> Belief:
    return attrs.evolve(belief, evidence=(*belief.evidence, entry))


def _shield(beliefs: Mapping[str, Belief], piece: Piece) -> Belief:
    """The account of a safety fact, opened when the first thing touches it."""
    return beliefs.get(piece.id) or Belief(id=piece.id, kind=piece.kind, statement=piece.content, heads=piece.subjects)


class _Targets:
    """What a piece may speak for or against, found by subject and rough words."""

    def __init__(self, beliefs: Mapping[str, Belief], stated: Sequence[Piece], safety: Sequence[Piece]) -> None:
        first: dict[str, Piece] = {}
        for piece in (*stated, *safety):
            if piece.id not in first and (piece.id in beliefs or piece.kind is not Kind.OPINION):
                first[piece.id] = piece
        self._size: dict[str, int] = {}
        self._found: dict[tuple[str, str], list[Piece]] = {}
        self._safety = frozenset(piece.id for piece in safety)
        for piece in sorted(first.values(), key=_order, reverse=True):
            words = rough_words(piece.content)
            self._size[piece.id] = len(words)
            for subject in piece.keys:
                for word in words:
                    same = self._found.setdefault((subject, word), [])
                    if len(same) < SUBJECT_LIMIT:
                        same.append(piece)

    def near(self, piece: Piece) -> list[Piece]:
        """Earlier statements on a subject of `piece` that share words with it, in order."""
        words = rough_words(piece.content)
        shared: dict[str, int] = {}
        found: dict[str, Piece] = {}
        for subject in piece.keys:
            for word in words:
                for target in self._found.get((subject, word), ()):
                    shared[target.id] = shared.get(target.id, 0) + 1
                    found[target.id] = target
        return sorted(
            (
                target
                for target in found.values()
                if target.id != piece.id and shared[target.id] >= self._least(target.id) and target.order < piece.order
            ),
            key=_order,
        )

    def _least(self, fact_id: str) -> int:
        """Rough words that must be shared: one for a short statement, more for a long one."""
        return 1 if fact_id in self._safety else 1 + self._size[fact_id] // 8


def _reviews(belief: Belief) -> list[Review]:
    safety = is_safety(belief.statement)
    return [
        Review(belief=belief.id, source=entry.source, why=entry.why, safety=safety)
        for entry in belief.evidence
        if entry.verb is Verb.UNSURE
    ]
