"""
The nouns that cross a hook: frozen records without behaviour beyond their own invariants.

They know no JSON, YAML or SQL. Sequences inside them are tuples, instants are aware UTC datetimes, days are plain
dates in the owner's zone. Importing this module costs attrs and nothing else.
"""

import datetime as dt
import enum
import math
from collections.abc import Mapping
from typing import Any

import attrs


class Kind(enum.Enum):
    """What sort of statement a fact is."""

    WORLD = "world"
    """`W`: something that holds about the world."""
    EXPERIENCE = "experience"
    """`B` (biographical): something that happened or was done."""
    OPINION = "opinion"
    """`O`: what somebody thinks or prefers; the only kind whose confidence reflection moves."""
    OBSERVATION = "observation"
    """`S` (summary): something noticed over several events."""
    NOTE = "note"
    """Untyped text: whatever people write without the convention."""

    @property
    def letter(self) -> str | None:
        """The letter of a typed bullet, None for a note."""
        return _LETTERS.get(self)


_LETTERS = {Kind.WORLD: "W", Kind.EXPERIENCE: "B", Kind.OPINION: "O", Kind.OBSERVATION: "S"}


class Provenance(enum.Enum):
    """Who stands behind a statement, from most to least trusted."""

    OWNER = "owner"
    AGENT = "agent"
    UNTRUSTED = "untrusted"
    """From the web, a tool or a stranger: never core memory, never evidence for an opinion."""


def _unit(instance: object, attribute: "attrs.Attribute[Any]", value: Any) -> None:
    if value is not None and not (math.isfinite(value) and 0.0 <= value <= 1.0):
        raise ValueError(f"{attribute.name} must be a number in [0, 1], got {value!r}")


def _positive_unit(instance: object, attribute: "attrs.Attribute[Any]", value: Any) -> None:
    if value is not None and not (math.isfinite(value) and 0.0 < value <= 1.0):
        raise ValueError(f"{attribute.name} must be a number in (0, 1], got {value!r}")


def _aware(instance: object, attribute: "attrs.Attribute[Any]", value: Any) -> None:
    if value is not None and value.tzinfo is None:
        raise ValueError(f"{attribute.name} must be an aware datetime, got {value!r}")


def _at_least(minimum: int) -> Any:
    def check(instance: object, attribute: "attrs.Attribute[int | None]", value: int | None) -> None:
        if value is not None and value < minimum:
            raise ValueError(f"{attribute.name} must be at least {minimum}, got {value!r}")

    return check


@attrs.frozen(kw_only=True)
class Citation:
    """Where a fact stands in the workspace; `str()` of it is `path#L12`."""

    path: str
    """Path relative to the workspace, POSIX separators, exact case."""
    line: int = attrs.field(validator=_at_least(1))
    """First line, 1-based, counting LF only."""
    end_line: int = attrs.field(validator=_at_least(1))
    """Last line, inclusive."""

    def __str__(self) -> str:
        return f"{self.path}#L{self.line}"


@attrs.frozen(kw_only=True)
class Fact:
    """One self-contained statement of the workspace, with every place that states it."""

    id: str
    """Short hash of kind, normalised text and head mentions; stable while those are."""
    kind: Kind
    content: str
    """The statement on one line, as data: never an instruction."""
    citations: tuple[Citation, ...]
    """All places that state it, oldest day first; the first one is *the* source. Never empty."""
    entities: tuple[str, ...] = ()
    """Display names, heads first, each once."""
    timestamp: dt.date | None = None
    """The first day it was recorded, in the owner's zone; None when no date could be told."""
    last_seen: dt.date | None = None
    """The last day it was recorded; what is current is decided by this one."""
    valid_from: dt.date | None = None
    """First day of the time the fact is *about*, when it names one."""
    valid_to: dt.date | None = None
    """Last day of that time, inclusive."""
    salience: float = attrs.field(default=0.5, validator=_unit)
    """Importance in [0, 1] given when retained."""
    confidence: float | None = attrs.field(default=None, validator=_unit)
    """Belief in [0, 1], which evidence moves for opinions and stays as stated for others; None when not given."""
    provenance: Provenance = Provenance.OWNER
    private: bool = False
    """Only for the owner's direct sessions."""
    pinned: bool = False
    task: str | None = None
    """`open` or `done` for a check box item, else None."""
    superseded: bool = False
    """Struck through, or replaced by a newer statement on the same subject."""
    supporting: tuple[str, ...] = ()
    """Of an opinion: ids of the facts that were counted for it, as `bank/opinions.md` has them."""
    contradicting: tuple[str, ...] = ()
    """Of an opinion: ids of the facts that were counted against it."""
    section: tuple[str, ...] = ()
    """Heading path above it, outermost first."""
    access_count: int = attrs.field(default=0, validator=_at_least(0))
    last_accessed_at: dt.datetime | None = attrs.field(default=None, validator=_aware)
    """UTC; None when never recalled."""

    @property
    def source(self) -> Citation:
        """The citation that stands for all of them."""
        return self.citations[0]


@attrs.frozen(kw_only=True)
class Draft:
    """A fact about to be written; `prepare_retain` may replace or veto it."""

    text: str
    """One self-contained narrative sentence; line breaks become blanks when written."""
    kind: Kind = Kind.WORLD
    entities: tuple[str, ...] = ()
    salience: float | None = attrs.field(default=None, validator=_unit)
    confidence: float | None = attrs.field(default=None, validator=_unit)
    """Belief in [0, 1]; kept as stated unless it is an opinion, whose confidence evidence moves."""
    provenance: Provenance = Provenance.OWNER
    private: bool = False
    pinned: bool = False
    supports: tuple[str, ...] = ()
    """Ids of facts that this one is evidence for."""
    contradicts: tuple[str, ...] = ()
    """Ids of facts that this one speaks against."""
    day: dt.date | None = None
    """Which daily log it goes to; None for today in the owner's zone."""


@attrs.frozen(kw_only=True)
class Message:
    """One message of a conversation, reduced to text."""

    role: str
    """`user`, `assistant` or `tool`."""
    text: str


@attrs.frozen(kw_only=True)
class Turn:
    """One exchange with the agent, as the host saw it."""

    agent_id: str
    session_key: str
    run_id: str
    """Unique within the session: the same pair is the same turn, whoever reports it twice."""
    trigger: str = "user"
    """`user`, `heartbeat`, `cron`, `memory` (a flush before compaction) or `subagent`."""
    prompt: str = ""
    """The user's current message without the channel's envelope."""
    messages: tuple[Message, ...] = ()
    """From the last user message on; empty before the reply."""
    private: bool = False
    """True only in the owner's direct session: core memory and private facts may be shown."""
    core_shown: bool = False
    """True when the host itself already shows core memory in this turn."""
    budget_tokens: int | None = attrs.field(default=None, validator=_at_least(0))
    """For everything injected, wrapper included; None is the configured default, 0 nothing."""
    now: dt.datetime = attrs.field(validator=_aware)


@attrs.frozen(kw_only=True)
class Heartbeat:
    """A moment in which nobody waits: a heartbeat of the host or a scheduled job."""

    agent_id: str
    session_key: str = ""
    run_id: str = ""
    reason: str = "heartbeat"
    """`heartbeat` or `schedule`."""
    heard: bool = True
    """False when nobody will read the notes, or others than the owner would: they are dropped then."""
    now: dt.datetime = attrs.field(validator=_aware)


@attrs.frozen(kw_only=True)
class Note:
    """Text for the agent that comes back from a turn start or a heartbeat."""

    text: str
    """Rendered as quoted data with its provenance, stable bytes for stable input."""
    place: str = "message"
    """`system` (end of the system prompt) or `message` (beside the user's message)."""
    tokens: int = attrs.field(default=0, validator=_at_least(0))


@attrs.frozen(kw_only=True)
class RecallRequest:
    """A question to memory, with everything that narrows the answer."""

    query: str
    """The question as asked; always data, never search syntax."""
    k: int = attrs.field(default=10, validator=_at_least(0))
    """At most so many hits."""
    budget_tokens: int | None = attrs.field(default=None, validator=_at_least(0))
    """At most so many tokens over all contents; None is no limit, 0 is nothing."""
    min_salience: float = attrs.field(default=0.0, validator=_unit)
    since: dt.date | None = None
    """Only facts recorded, or holding, on this day or later."""
    until: dt.date | None = None
    """Only facts recorded, or holding, on this day or earlier."""
    around: dt.date | None = None
    """Prefer facts near this day."""
    kinds: tuple[Kind, ...] = ()
    """Only these kinds; empty is all."""
    entities: tuple[str, ...] = ()
    """Only facts about all of these, by name or alias."""
    associative_depth: int | None = None
    """Hops over co-occurring entities, 0 to 3; None lets the engine decide, a number always applies."""
    activation_decay: float | None = attrs.field(default=None, validator=_positive_unit)
    """What a hop hands on, in (0, 1]; None is the configured default (0.5)."""
    agent_id: str | None = None
    include_archived: bool = False
    include_private: bool = True
    """False where others listen: private facts then are neither found nor counted."""
    track: bool = True
    """Whether the returned facts count as accessed."""
    cutoff: bool = True
    """Leave out hits far below the best; False returns up to k."""
    now: dt.datetime = attrs.field(validator=_aware)

    def __attrs_post_init__(self) -> None:
        if self.associative_depth is not None and not 0 <= self.associative_depth <= 3:
            raise ValueError(f"associative_depth must be 0 to 3, got {self.associative_depth!r}")
        if self.since and self.until and self.since > self.until:
            raise ValueError(f"since {self.since} is after until {self.until}")


@attrs.frozen(kw_only=True)
class Candidate:
    """A fact that matched, with what the match is worth; what a scorer sees."""

    fact: Fact
    base: float
    """The match itself, in [0, 1]: 1 for the best of this recall; order of `base` is order of relevance."""
    parts: Mapping[str, float] = attrs.field(factory=dict)
    """What `base` is made of, by name: words, context, entities, time, opinion, association, vector."""
    path: tuple[str, ...] = ()
    """Entities over which association came here, seed first; empty for a direct match."""
    words_found: float = 0.0
    """Share of the query's words that the fact itself holds, in [0, 1]."""
    tags_found: float = 0.5
    """Share of the fact's entities and tags that the query names, in [0, 1]; 0.5 when it has none."""
    superseded_by: str | None = None
    """Id of the newer statement, among the same candidates, that takes its place in this answer."""


@attrs.frozen(kw_only=True)
class Hit:
    """One answer of a recall."""

    fact: Fact
    score: float
    """Finite, higher is better, comparable only within one recall."""
    why: Mapping[str, Any] = attrs.field(factory=dict)
    """The parts of the score by name, and `via` (list of entities) for an association."""
    excerpt: str | None = None
    """What to show instead of the content when that alone exceeds the budget."""


@attrs.frozen(kw_only=True)
class Recalled:
    """The answer of a recall, best first."""

    query: str
    hits: tuple[Hit, ...] = ()
    candidates: int = 0
    """How many facts were scored."""
    dropped: int = 0
    """How many of those were left out by k, budget or cut-off."""
    tokens: int = 0
    """Estimated tokens of all contents returned."""
    degraded: tuple[str, ...] = ()
    """What did not work and was answered without, one sentence each; empty when all is well."""
