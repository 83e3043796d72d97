"""
What is believed: the arithmetic of evidence, each piece counted once ever; pure.

A belief starts where its opinion was stated. Every further piece of evidence moves its log-odds by a small step that
is written down beside it, so that the confidence can be explained and computed again from the page alone.
"""

import datetime as dt
import enum
import math
from collections.abc import Iterable, Mapping, Sequence

import attrs

from openclaw_memory_hookspecs import Kind, Provenance
from openclaw_memory_plugin.names import name_key
from openclaw_memory_plugin.reflect.polarity import (
    Reading,
    Stance,
    Verdict,
    compare,
    is_safety,
    read_statement,
    touches,
)

ASSUMED = 0.7
"""Confidence of an opinion that was stated without one."""
MARKED_SUPPORT, FOUND_SUPPORT, RESTATED = 0.6, 0.4, 0.15
"""Steps in log-odds: a fact retained with `supports`, one that was recognised, the same words on another day."""
MARKED_CONTRADICTION, FOUND_CONTRADICTION = -1.0, -0.6
REPEATED_CONTRADICTION = -1.8
"""A strong contradiction when another source has contradicted before: the only large step."""
RESTATED_AT_MOST = 3
"""Restatements that count."""
LIMIT = 4.0
"""Log-odds stay within ±LIMIT: nothing is ever certain (0.02 to 0.98)."""
SUBJECT_LIMIT = 300
"""Statements about one subject that a new piece is compared with, the latest ones."""


class Verb(enum.Enum):
    """What a line of evidence does."""

    STATED = "stated"
    RESTATED = "restated"
    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    UNSURE = "unsure"
    """Listed for review; moves nothing until somebody settles it."""
    UNRELATED = "unrelated"
    SET = "set"
    """Somebody wrote another confidence into the page."""


@attrs.frozen(kw_only=True)
class Evidence:
    """One line of the account behind a belief."""

    verb: Verb
    source: str
    """Id of the fact; the day for what the opinion's own repetitions and hands did."""
    amount: float = 0.0
    """The step in log-odds; the confidence itself for `stated` and `set`."""
    day: dt.date | None = None
    where: str = ""
    """`path#L12`; empty when done by hand."""
    why: str = ""


@attrs.frozen(kw_only=True)
class Belief:
    """An opinion with its account; a safety fact that something touches has one too, without a confidence."""

    id: str
    """Id of the fact that states it."""
    kind: Kind
    statement: str
    heads: tuple[str, ...]
    evidence: tuple[Evidence, ...] = ()

    @property
    def confidence(self) -> float:
        """Confidence in [0, 1], two decimals: the account replayed."""
        return round(confidence_of(self.evidence), 2)

    @property
    def updated(self) -> dt.date | None:
        """The last day on which something moved it."""
        return max((piece.day for piece in self.evidence if piece.day and piece.verb in _MOVES), default=None)

    @property
    def doubted(self) -> bool:
        """Whether the last word on it, from somebody to be trusted, was a contradiction."""
        last = [piece.verb for piece in self.evidence if piece.verb in _MOVES]
        return bool(last) and last[-1] is Verb.CONTRADICTS

    def sources(self) -> frozenset[str]:
        """What has been counted, or looked at and set aside."""
        return frozenset(piece.source for piece in self.evidence)


@attrs.frozen(kw_only=True)
class Piece:
    """A fact as far as beliefs need it."""

    id: str
    kind: Kind
    content: str
    subjects: tuple[str, ...]
    """Names of whom it is about: heads, or the name a note begins with."""
    day: dt.date | None
    where: str
    confidence: float | None = None
    provenance: Provenance = Provenance.OWNER
    supports: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()

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
    known: Iterable[Belief], stated: Sequence[Piece], pieces: Sequence[Piece], *, safety: Sequence[Piece] = ()
) -> Revision:
    """
    Weigh what is new.

    Args:
        known: the beliefs as the page has them.
        stated: every place that states an opinion, oldest first; the same id returns on other days.
        pieces: facts that may be evidence, each once, with their explicit marks.
        safety: facts of any kind that keep somebody from harm; only listed when something touches them.

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
                if target in beliefs and beliefs[target].kind is Kind.OPINION:
                    beliefs[target] = _marked(beliefs[target], piece, verb)
                elif verb is Verb.CONTRADICTS and target != piece.id:
                    if target in shields and piece.provenance is not Provenance.OWNER:
                        beliefs[target] = _noted(_shield(beliefs, shields[target]), piece, "the agent contradicts it")
                    else:
                        corrected[target] = piece.id
    _compare_all(beliefs, _targets(beliefs, stated, safety), shields, ordered, corrected)
    after = tuple(sorted(beliefs.values(), key=_place))
    return Revision(
        beliefs=after,
        moves=tuple(
            Move(belief=belief, before=before[belief.id].confidence if belief.id in before else None)
            for belief in after
            if belief.kind is Kind.OPINION
            and (belief.id not in before or before[belief.id].confidence != belief.confidence)
        ),
        reviews=tuple(review for belief in after for review in _reviews(belief)),
        corrected=corrected,
    )


def settle(belief: Belief, source: str, verb: Verb, *, day: dt.date) -> Belief:
    """
    Decide what a piece listed for review is; the step is that of an explicit mark.

    Raises:
        ValueError: the belief lists no such piece as unsure.
    """
    if not any(piece.source == source and piece.verb is Verb.UNSURE for piece in belief.evidence):
        raise ValueError(f"{source} is not listed for review with {belief.id}; `opinion review` lists the pairs")
    amount = {Verb.SUPPORTS: MARKED_SUPPORT, Verb.CONTRADICTS: MARKED_CONTRADICTION}.get(verb, 0.0)
    if belief.kind is not Kind.OPINION:
        amount = 0.0
    return attrs.evolve(
        belief,
        evidence=tuple(
            attrs.evolve(piece, verb=verb, amount=amount, day=day, why="settled")
            if piece.source == source and piece.verb is Verb.UNSURE
            else piece
            for piece in belief.evidence
        ),
    )


def confidence_of(evidence: Iterable[Evidence]) -> float:
    """Replay an account. Source: log-odds, `logit(c) + sum of steps`, clamped to ±LIMIT after each step."""
    odds = logit(ASSUMED)
    for piece in evidence:
        if piece.verb in (Verb.STATED, Verb.SET):
            odds = logit(piece.amount)
        elif piece.verb in _MOVES:
            odds += piece.amount
        odds = max(-LIMIT, min(LIMIT, odds))
    return 1 / (1 + math.exp(-odds))


def logit(confidence: float) -> float:
    """Log-odds of a confidence, clamped to ±LIMIT."""
    if confidence <= 0 or confidence >= 1:
        return -LIMIT if confidence <= 0 else LIMIT
    return max(-LIMIT, min(LIMIT, math.log(confidence / (1 - confidence))))


_MOVES = frozenset((Verb.STATED, Verb.RESTATED, Verb.SUPPORTS, Verb.CONTRADICTS, Verb.SET))


def _order(piece: Piece) -> tuple[tuple[str, str, int], str]:
    return piece.order, piece.id


def _place(belief: Belief) -> tuple[str, str, str]:
    return (name_key(belief.heads[0]) if belief.heads else "", belief.statement.casefold(), belief.id)


def _with_stated(known: Mapping[str, Belief], stated: Sequence[Piece]) -> dict[str, Belief]:
    """Open an account for every opinion without one, and enter later statements of the same words."""
    beliefs = dict(known)
    for piece in stated:
        if piece.provenance is Provenance.UNTRUSTED:
            continue
        belief = beliefs.get(piece.id)
        if belief is None:
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
    return beliefs


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


def _marked(belief: Belief, piece: Piece, verb: Verb) -> Belief:
    listed = next((entry for entry in belief.evidence if entry.source == piece.id), None)
    if piece.id == belief.id or (listed is not None and listed.verb is not Verb.UNSURE):
        return belief
    if is_safety(belief.statement) and verb is Verb.CONTRADICTS and piece.provenance is not Provenance.OWNER:
        return _noted(belief, piece, "the agent contradicts it")
    against = _contradiction(belief, MARKED_CONTRADICTION, strong=True)
    entry = _entry(verb, piece, MARKED_SUPPORT if verb is Verb.SUPPORTS else against, "marked")
    if listed is None:
        return _add(belief, entry)
    return attrs.evolve(belief, evidence=tuple(entry if old is listed else old for old in belief.evidence))


def _compare_all(
    beliefs: dict[str, Belief],
    targets: Mapping[str, Sequence[Piece]],
    shields: Mapping[str, Piece],
    pieces: Sequence[Piece],
    corrected: Mapping[str, str],
) -> None:
    readings: dict[str, Reading] = {}

    def reading(piece: Piece) -> Reading:
        if piece.id not in readings:
            readings[piece.id] = read_statement(piece.content, piece.subjects)
        return readings[piece.id]

    for piece in pieces:
        if piece.day is None:
            continue
        seen: set[str] = set()
        for subject in piece.subjects:
            for target in targets.get(name_key(subject), ()):
                if target.id in seen or target.id == piece.id or target.order >= piece.order:
                    continue
                seen.add(target.id)
                belief = beliefs.get(target.id)
                if (belief is not None and piece.id in belief.sources()) or corrected.get(target.id) == piece.id:
                    continue
                if target.id in shields and (belief is None or belief.kind is not Kind.OPINION):
                    why = touches(reading(target), reading(piece))
                    if why:
                        beliefs[target.id] = _noted(_shield(beliefs, target), piece, why)
                elif belief is not None:
                    beliefs[target.id] = _found(belief, piece, compare(reading(target), reading(piece)))


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


def _targets(beliefs: Mapping[str, Belief], stated: Sequence[Piece], safety: Sequence[Piece]) -> dict[str, list[Piece]]:
    """What a piece is compared with, by the key of the subject: each statement where it was first made."""
    first: dict[str, Piece] = {}
    for piece in (*stated, *safety):
        if piece.id not in first and (piece.id in beliefs or piece.kind is not Kind.OPINION):
            first[piece.id] = piece
    found: dict[str, list[Piece]] = {}
    for piece in sorted(first.values(), key=_order, reverse=True):
        for subject in piece.subjects:
            same = found.setdefault(name_key(subject), [])
            if len(same) < SUBJECT_LIMIT:
                same.append(piece)
    return found


def _reviews(belief: Belief) -> list[Review]:
    safety = is_safety(belief.statement)
    return [
        Review(belief=belief.id, source=entry.source, why=entry.why, safety=safety)
        for entry in belief.evidence
        if entry.verb is Verb.UNSURE
    ]
