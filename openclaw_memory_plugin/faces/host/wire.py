"""The shapes of the bridge's requests, and how JSON becomes them: strictly, by one converter."""

import datetime as dt
import functools
import re
import time
from typing import Any, TypeVar

import attrs

from openclaw_memory_hookspecs import Draft, Kind, Provenance, RecallRequest
from openclaw_memory_plugin.errors import UsageError
from openclaw_memory_plugin.faces.host.scene import Scene

T = TypeVar("T")

DAY_MS = 86_400_000
"""The longest that anybody waits for an answer."""
GREATEST = 2**53 - 1
"""Numbers beyond it are not exact in JSON as the host knows it."""
MOST_TEXTS = 1_000
"""Entries of one list."""

_LASTING = attrs.validators.and_(attrs.validators.ge(0), attrs.validators.le(DAY_MS))
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@attrs.frozen(kw_only=True)
class Hello:
    """The host has started."""

    workspaces: tuple[str, ...] = ()
    timeout_ms: int = attrs.field(default=0, validator=_LASTING)


@attrs.frozen(kw_only=True)
class Said:
    """One message as the bridge sends it: role of the host, text only."""

    role: str
    text: str = ""


@attrs.frozen(kw_only=True)
class TurnStart:
    """The agent is about to be asked; `prompt` is what the user wrote."""

    scene: Scene
    prompt: str = ""
    timeout_ms: int = attrs.field(default=0, validator=_LASTING)


@attrs.frozen(kw_only=True)
class TurnEnd:
    """A turn is over: whether it went well, and its messages from the last one of the user on."""

    scene: Scene
    success: bool
    messages: tuple[Said, ...] = ()
    timeout_ms: int = attrs.field(default=0, validator=_LASTING)


@attrs.frozen(kw_only=True)
class Beat:
    """A heartbeat or a scheduled job; nobody waits."""

    scene: Scene
    reason: str = "heartbeat"
    timeout_ms: int = attrs.field(default=0, validator=_LASTING)
    received: float = attrs.field(init=False, factory=time.monotonic)

    @property
    def is_late(self) -> bool:
        """Whether the host has given up waiting for the answer."""
        return bool(self.timeout_ms) and time.monotonic() > self.received + self.timeout_ms / 1000


@attrs.frozen(kw_only=True)
class Sync:
    """The host wants the index up to date."""

    scene: Scene
    timeout_ms: int = attrs.field(default=0, validator=_LASTING)


@attrs.frozen(kw_only=True)
class ToolCall:
    """A tool of the agent; `arguments` are the model's words and become the tool's own shape."""

    scene: Scene
    arguments: dict[str, Any] = attrs.field(factory=dict)
    timeout_ms: int = attrs.field(default=0, validator=_LASTING)


@attrs.frozen(kw_only=True)
class RecallArguments:
    """What the model says to `memory_recall`."""

    query: str
    k: int = 10
    since: str | None = None
    until: str | None = None
    kinds: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    budget_tokens: int | None = None

    def request(self, *, agent_id: str, private: bool, now: dt.datetime, today: dt.date) -> RecallRequest:
        """Make the contract's request; days may be written as `30d`. Raises UsageError for a value that cannot be."""
        from openclaw_memory_plugin.faces.commands.options import parse_day, parse_kind

        try:
            return RecallRequest(
                query=self.query,
                k=self.k,
                budget_tokens=self.budget_tokens,
                since=parse_day(self.since, "since", now=now, today=today) if self.since else None,
                until=parse_day(self.until, "until", now=now, today=today) if self.until else None,
                kinds=tuple(map(parse_kind, self.kinds)),
                entities=self.entities,
                agent_id=agent_id,
                include_private=private,
                now=now,
            )
        except ValueError as error:
            raise UsageError(str(error)) from error


@attrs.frozen(kw_only=True)
class RetainArguments:
    """What the model says to `memory_retain`."""

    text: str
    kind: str = "world"
    entities: tuple[str, ...] = ()
    salience: float | None = None
    confidence: float | None = None
    by: str = "agent"
    private: bool = False
    supports: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    day: str | None = None

    def draft(self, *, owner_present: bool) -> Draft:
        """
        Make the contract's draft.

        Where the owner is not alone nobody speaks for him, the agent neither: what others could have put into its
        mouth is untrusted there, and evidence for or against nothing. A text that is a whole bullet says kind, heads,
        confidence, salience and privacy itself where the arguments do not; never by whom it is.
        """
        from openclaw_memory_plugin.faces.commands.options import parse_kind
        from openclaw_memory_plugin.markdown.spoken import read_spoken

        try:
            by = Provenance(self.by) if owner_present else Provenance.UNTRUSTED
            spoken = read_spoken(self.text)
            kind = parse_kind(self.kind)
            if spoken.kind and kind is Kind.WORLD:
                kind = spoken.kind
            confidence = spoken.attributes.confidence if self.confidence is None else self.confidence
            return Draft(
                text=spoken.text,
                kind=kind,
                entities=tuple(dict.fromkeys((*spoken.heads, *self.entities))),
                salience=spoken.attributes.salience if self.salience is None else self.salience,
                confidence=confidence if kind is Kind.OPINION else None,
                provenance=by,
                private=self.private or spoken.attributes.private,
                supports=self.supports if owner_present else (),
                contradicts=self.contradicts if owner_present else (),
                day=dt.date.fromisoformat(self.day) if self.day else None,
            )
        except ValueError as error:
            raise UsageError(str(error)) from error


@attrs.frozen(kw_only=True)
class ReflectArguments:
    """What the model says to `memory_reflect`."""

    since: str | None = None
    dry_run: bool = False
    unrelated: tuple[str, ...] = ()

    def pair(self) -> tuple[str, str] | None:
        """The opinion and the fact that have nothing to do with each other. Raises UsageError for another number."""
        if not self.unrelated:
            return None
        if len(self.unrelated) != 2:
            raise UsageError(f"unrelated names one opinion and one fact, got {len(self.unrelated)} ids")
        return self.unrelated[0], self.unrelated[1]


@attrs.frozen(kw_only=True)
class ForgetArguments:
    """What the model says to `memory_forget`."""

    id: str


@attrs.frozen(kw_only=True)
class SearchArguments:
    """What the model says to `memory_search`, as OpenClaw's own tool has it."""

    query: str
    max_results: int = 10
    min_score: float = 0.0
    corpus: str = "memory"


@attrs.frozen(kw_only=True)
class GetArguments:
    """What the model says to `memory_get`: lines of a file, as OpenClaw's own tool has it."""

    path: str
    start: int = 1
    lines: int | None = None
    corpus: str = "memory"


_RENAMED = {"maxResults": "max_results", "minScore": "min_score", "from": "start"}


def structured(shape: type[T], raw: Any) -> T:
    """
    Turn a JSON value into a shape.

    Raises:
        UsageError: It has another shape; the message names every field that is wrong.
    """
    from cattrs.errors import BaseValidationError
    from cattrs.v import transform_error

    if not isinstance(raw, dict):
        raise UsageError(f"parameters must be an object, got {type(raw).__name__}")
    try:
        made: T = _converter().structure({_RENAMED.get(key, key): value for key, value in raw.items()}, shape)
    except BaseValidationError as group:
        raise UsageError("; ".join(transform_error(group, path="params", format_exception=_reason))) from group
    except (TypeError, ValueError) as error:
        raise UsageError(str(error)) from error
    return made


def _reason(error: BaseException, kind: type | None) -> str:
    """What is wrong with a value: in the words of whoever refused it, where there are any."""
    from cattrs.v import format_exception

    return str(error) if type(error) is ValueError and str(error) else format_exception(error, kind)


@functools.cache
def _converter() -> Any:
    import cattrs

    converter = cattrs.Converter(forbid_extra_keys=True)
    for kind in (str, int, float, bool):
        converter.register_structure_hook(kind, _exactly(kind))
    converter.register_structure_hook_func(lambda kind: kind == tuple[str, ...], _texts)
    return converter


def _exactly(kind: type) -> Any:
    """Accept values of one JSON type only: a number is never made of a text; numbers are bounded, texts are Unicode."""

    def structure(value: Any, _: type) -> Any:
        if isinstance(value, int | float) and not -GREATEST <= value <= GREATEST:
            raise ValueError(f"must be from -{GREATEST} to {GREATEST}")
        if kind is str and isinstance(value, str):
            return _text(value)
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        if kind is int and isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
            return value
        raise ValueError(f"must be {kind.__name__}, got {type(value).__name__}")

    return structure


def _texts(value: Any, _: type) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"must be a list of texts, got {type(value).__name__}")
    if len(value) > MOST_TEXTS:
        raise ValueError(f"must be at most {MOST_TEXTS} texts, got {len(value)}")
    return tuple(dict.fromkeys(map(_text, value)))


def _text(value: str) -> str:
    """Return a text that can be written anywhere: half of a character, as JSON may hold it, is a replacement mark."""
    return _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)
