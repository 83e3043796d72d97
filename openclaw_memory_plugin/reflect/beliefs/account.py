"""
What is believed, as an account: every piece of evidence once, with the small step in log-odds that it made; pure.

A belief starts where its opinion was stated; the steps are written down beside it, so that the confidence can be
explained and computed again from the page alone.
"""

import datetime as dt
import enum
import math
from collections.abc import Iterable, Iterator

import attrs

from openclaw_memory_hookspecs import Kind

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
"""Log-odds stay within ±LIMIT: evidence makes nothing certain (0.02 to 0.98)."""


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
    """Empty only between reading the page and looking up the fact that was edited since."""
    heads: tuple[str, ...]
    evidence: tuple[Evidence, ...] = ()
    attributes: tuple[str, ...] = ()
    """What somebody wrote beside the confidence, `s=0.9`; kept as it stands on the page."""
    written: str = ""
    """The bullet as somebody wrote it, when it cannot be read whole; it stays so until they correct it."""

    @property
    def confidence(self) -> float:
        """Confidence in [0, 1], two decimals: the account replayed."""
        first = self.evidence[0] if len(self.evidence) == 1 else None
        if first is not None and first.verb is Verb.STATED:
            return round(first.amount, 2)
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
    after = [confidence for _, confidence in steps(evidence)]
    return after[-1] if after else ASSUMED


def steps(evidence: Iterable[Evidence]) -> Iterator[tuple[Evidence, float]]:
    """Yield every entry of an account with the confidence after it; what was stated or set holds as it is."""
    confidence, odds = ASSUMED, logit(ASSUMED)
    for entry in evidence:
        if entry.verb in (Verb.STATED, Verb.SET):
            confidence, odds = entry.amount, logit(entry.amount)
        elif entry.verb in _MOVES:
            odds = max(-LIMIT, min(LIMIT, odds + entry.amount))
            confidence = 1 / (1 + math.exp(-odds))
        yield entry, confidence


def logit(confidence: float) -> float:
    """Log-odds of a confidence, clamped to ±LIMIT."""
    if confidence <= 0 or confidence >= 1:
        return -LIMIT if confidence <= 0 else LIMIT
    return max(-LIMIT, min(LIMIT, math.log(confidence / (1 - confidence))))


_MOVES = frozenset((Verb.STATED, Verb.RESTATED, Verb.SUPPORTS, Verb.CONTRADICTS, Verb.SET))
