"""
Whether one statement speaks for or against another one on the same subject.

The rule is to stay silent. A direction is given only when both statements take a stand on what is the same thing, and
the newer one says so itself: not in quotation marks, not as what somebody says, not as a question, not as a guess.
Everything else that touches the matter is `UNSURE`, for a person or an agent to decide.
"""

import enum

import attrs

from openclaw_memory_plugin.reflect.beliefs.stating import Reading

COVERED = 0.5
"""Share of the older statement's topic that the newer one must name before it says anything about it."""
SAME = 0.4
"""Share of both topics together that must be common before opposite attitudes contradict each other."""
COMPOUND = 4
"""Letters of a word from which on it is looked for inside a longer one (`Nüsse`, `Nussallergie`)."""


class Stance(enum.Enum):
    """What the newer statement is to the older one."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    UNSURE = "unsure"
    """Same matter, but what it means is not for us to say."""
    UNRELATED = "unrelated"


@attrs.frozen(kw_only=True)
class Verdict:
    """A stance with its ground."""

    stance: Stance
    strong: bool = False
    """Whether it leaves no room: a correction, or a firm word on the very same topic."""
    why: str = ""
    """For people, a few words."""


def compare(older: Reading, newer: Reading) -> Verdict:
    """
    Tell what `newer` is to `older`, given that both are about the same subject; pure, O(words).

    Not symmetric: the newer one must cover the older one's topic and must speak for itself.
    """
    common = older.topic & newer.topic
    turned = any(end ^ 1 in newer.ends for end in older.ends)
    whole = _covered(older.topic, common, turned)
    if max([whole, *(_covered(clause.topic, common, turned) for clause in older.clauses if clause.attitude)]) < COVERED:
        return Verdict(stance=Stance.UNRELATED)
    if not older.marks <= newer.words:
        return Verdict(stance=Stance.UNRELATED)
    if newer.reported:
        return Verdict(stance=Stance.UNSURE, why="somebody else's words")
    if newer.quotes(common):
        return Verdict(stance=Stance.UNSURE, why="a quotation")
    if newer.doubtful:
        return Verdict(stance=Stance.UNSURE, why="a guess, a condition or a question")
    if newer.ceased_from(common):
        return Verdict(stance=Stance.UNSURE, why="something of it was given up")
    if newer.foreign_to(common):
        return Verdict(stance=Stance.UNSURE, why="somebody else's attitude, as it seems")
    if newer.past_of(common):
        return Verdict(stance=Stance.UNSURE, why="of a time that is over")
    views = [older.attitude_to(stem) * newer.attitude_to(stem) * (-1 if turned else 1) for stem in common]
    agreed = min(views) if newer.correction else sum(views)
    if not agreed:
        if newer.correction:
            return Verdict(stance=Stance.UNSURE, why="a correction without a clear side")
        return Verdict(stance=Stance.UNRELATED)
    if older.doubtful and not newer.correction:
        return Verdict(stance=Stance.UNSURE, why="the opinion itself is conditional")
    overlap = max(_overlap(older.topic, clause.topic, turned) for clause in newer.clauses)
    strong = (newer.correction or newer.firm) and overlap >= SAME
    if agreed > 0 and whole < COVERED:
        return Verdict(stance=Stance.UNRELATED)
    if agreed > 0 and older.numbers and newer.numbers and not older.numbers & newer.numbers:
        return Verdict(stance=Stance.UNSURE, why="the same with another number")
    if agreed > 0:
        return Verdict(stance=Stance.SUPPORTS, strong=strong, why="the same attitude to the same thing")
    if (overlap < SAME or _is_narrower(older, newer)) and not newer.correction:
        return Verdict(stance=Stance.UNSURE, why="the opposite, but of something narrower")
    return Verdict(stance=Stance.CONTRADICTS, strong=strong, why="the opposite attitude to the same thing")


def across(older: Reading, newer: Reading) -> Verdict:
    """
    Tell what `newer` is to `older`, each read in its own language, where those differ; pure, O(words).

    What is called the same in both (a name, a loan word) says that they may be on one matter, and not that they are:
    opposite attitudes to it are only ever shown, never decided.
    """
    common = (stem for stem in older.topic & newer.topic if len(stem) >= COMPOUND)
    if newer.reported or not any(older.attitude_to(stem) * newer.attitude_to(stem) < 0 for stem in common):
        return Verdict(stance=Stance.UNRELATED)
    return Verdict(stance=Stance.UNSURE, why="the opposite in another language, as it seems")


def _is_narrower(older: Reading, newer: Reading) -> bool:
    """Whether all that the newer statement takes a stand on is something of the older one's topic, and not that."""
    about = [clause.topic - newer.numbers for clause in newer.clauses if clause.attitude and clause.topic & older.topic]
    return bool(about) and all(older.topic < topic for topic in about)


def touches(safety: Reading, newer: Reading) -> str:
    """
    Tell why a newer statement may weaken one that keeps somebody from harm; empty when it does not.

    One word in common is enough here: such a pair is only ever shown, never decided.
    """
    common = safety.topic & newer.topic
    common |= {stem for stem in newer.topic if len(stem) >= COMPOUND and any(stem in word for word in safety.topic)}
    if not common:
        return ""
    if newer.reported or newer.doubtful:
        return "a vague newer statement about the same"
    if any(clause.negated and clause.topic & common for clause in newer.clauses):
        return "a newer statement that denies something about the same"
    otherwise = newer.correction or newer.permits or any(newer.attitude_to(stem) > 0 for stem in common)
    return "a newer statement that may say otherwise" if otherwise else ""


def _covered(topic: frozenset[str], common: frozenset[str], turned: bool) -> float:
    """Share of a topic that both have in common; the end of a scale at which it stands is left out of it."""
    size = len(topic) - (1 if turned and len(topic) > 1 else 0)
    return len(topic & common) / size if size else 0.0


def _overlap(one: frozenset[str], other: frozenset[str], turned: bool) -> float:
    """Share that two topics have in common; the two ends of one scale are left out of it."""
    return len(one & other) / max(1, len(one | other) - (2 if turned else 0))
