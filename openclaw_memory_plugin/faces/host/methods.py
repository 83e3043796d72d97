"""What each method of the bridge does: from the host's facts to the contract's nouns, to the memory, and back."""

import datetime as dt
import logging
from collections.abc import Callable, Mapping
from typing import Any

from openclaw_memory_hookspecs import Heartbeat, Note, Turn
from openclaw_memory_plugin.builtin import Memory
from openclaw_memory_plugin.errors import UsageError
from openclaw_memory_plugin.faces.host import stock, wire
from openclaw_memory_plugin.faces.host.rooms import HostedMemory, Room
from openclaw_memory_plugin.faces.host.scene import Scene, is_by_user, is_incognito, is_private, shows_core
from openclaw_memory_plugin.faces.host.shown import shows_whole
from openclaw_memory_plugin.faces.host.stock import UNAVAILABLE
from openclaw_memory_plugin.faces.host.transcript import is_silent, last_exchange, own_words
from openclaw_memory_plugin.memory.reflecting import QuietWork
from openclaw_memory_plugin.turns.before import CORE_PAGES

log = logging.getLogger(__name__)


def hello() -> dict[str, Any]:
    """Say who answers."""
    from openclaw_memory_plugin import __version__

    return {"version": __version__}


def nothing(method: str) -> dict[str, Any]:
    """What an agent gets that the host's configuration does not know."""
    return _said(UNAVAILABLE) if SHAPES[method] is wire.ToolCall else {}


def on_turn_coming(room: Room, call: wire.TurnStart) -> dict[str, Any]:
    """Do what `on_turn_start` will ask for while the host still prepares the turn; nothing is shown or counted."""
    turn = _starting(room, call, room.notice(call.scene.session_key, call.scene.run_id, _now()))
    if turn is not None:
        room.opened().foresee(turn)
    return {}


def on_turn_start(room: Room, call: wire.TurnStart) -> dict[str, Any]:
    """Give what the agent should have before it, for a person's message; nothing for any other turn."""
    turn = _starting(room, call, room.noticed(call.scene.session_key, call.scene.run_id) or _now())
    if turn is None:
        return {"notes": []}
    notes, failures = room.opened().turn_start(turn)
    return {"notes": _notes(notes, failures)}


def on_turn_end(room: Room, call: wire.TurnEnd) -> dict[str, Any]:
    """Report a person's finished turn once per (session, run)."""
    scene = call.scene
    if not is_by_user(scene) or is_incognito(scene) or not call.success:
        return {"reported": False}
    messages = last_exchange([(said.role, said.text) for said in call.messages])
    reply = "\n".join(message.text for message in messages if message.role == "assistant")
    if not messages or is_silent(reply) or room.is_repeated(scene.session_id or scene.session_key, scene.run_id):
        return {"reported": False}
    turn = Turn(
        agent_id=scene.agent_id or "",
        session_key=scene.session_key,
        run_id=scene.run_id,
        prompt=messages[0].text,
        messages=messages,
        private=is_private(scene),
        now=_now(),
    )
    _warn(room.opened().turn_end(turn))
    return {"reported": True}


def prepare_heartbeat(memory: Memory, call: wire.Beat) -> QuietWork:
    """Do what takes long of a heartbeat: reflection and upkeep."""
    return memory.quiet_work(scheduled=call.reason == "schedule", heard=_is_heard(call), now=_now())


def on_heartbeat(room: Room, call: wire.Beat, prepared: QuietWork | Exception) -> dict[str, Any]:
    """Tell all plugins of a quiet moment; give the brief, which quotes facts of all kinds, to the owner's session."""
    scene, heard = call.scene, _is_heard(call)
    beat = Heartbeat(
        agent_id=scene.agent_id or "",
        session_key=scene.session_key,
        run_id=scene.run_id,
        reason=call.reason,
        heard=heard,
        now=_now(),
    )
    notes, failures = room.opened().heartbeat_after(prepared, beat)
    return {"notes": _notes(notes if heard else [], failures)}


def _is_heard(call: wire.Beat) -> bool:
    """Whether the agent will read the notes: a scheduled job asks no model, others than the owner must not."""
    return call.reason != "schedule" and is_private(call.scene) and not call.is_late


def sync(memory: Memory, call: wire.Sync) -> dict[str, Any]:
    """Read what the agent or the host wrote into the files."""
    memory.sync(now=_now())
    return {}


def on_recall_request(room: Room, call: wire.ToolCall) -> dict[str, Any]:
    """Answer the agent's question: text for the model, the facts as data for other programs."""
    from openclaw_memory_plugin.faces.answers import hit_json
    from openclaw_memory_plugin.guard import quote
    from openclaw_memory_plugin.markdown.telling import reserve, told

    memory = room.opened()
    hits, degraded = _recalled(memory, call.scene, wire.structured(wire.RecallArguments, call.arguments))
    lines = [
        quote(told(hit.fact, hit.excerpt), source=str(hit.fact.source), day=_day(hit.fact.last_seen), note=reserve(hit))
        + f" id={hit.fact.id}"
        for hit in hits
    ]
    found = f"Found {len(hits)} memories:" if hits else "No memories found."
    details = {"memories": [hit_json(hit) for hit in hits], "degraded": list(degraded)}
    return {"text": "\n".join([found, *lines, *(f"({sentence})" for sentence in degraded)]), "details": details}


def on_retain(room: Room, call: wire.ToolCall) -> dict[str, Any]:
    """
    Write the agent's fact into today's log; as untrusted where the owner is not alone with it.

    There nothing is told but what was said: whether memory knew it already is no business of who is present.
    """
    from openclaw_memory_plugin.faces.answers import fact_json
    from openclaw_memory_plugin.markdown.telling import told
    from openclaw_memory_plugin.markdown.write import clean_text

    arguments = wire.structured(wire.RetainArguments, call.arguments)
    private = is_private(call.scene)
    draft = arguments.draft(owner_present=private)
    fact = room.opened().retain(draft, now=_now())
    if private:
        return {"text": f"Retained: {told(fact)} [{fact.source}] id={fact.id}", "details": fact_json(fact)}
    content = clean_text(draft.text)
    details = {"id": fact.id, "kind": draft.kind.value, "content": content, "provenance": draft.provenance.value}
    return {
        "text": f"Retained as untrusted, because the owner is not alone here: {content} id={fact.id}",
        "details": details,
    }


def reflect(memory: Memory, call: wire.ToolCall) -> dict[str, Any]:
    """Revise pages, opinions and core memory now; give what was done and the brief. Only for the owner himself."""
    from openclaw_memory_plugin.faces.commands.options import parse_day
    from openclaw_memory_plugin.faces.commands.reflection import reflection_json

    _require_owner(call.scene, "memory is only reflected upon in the owner's own session; it happens by itself too")
    arguments = wire.structured(wire.ReflectArguments, call.arguments)
    pair, now = arguments.pair(), _now()
    if pair is not None:
        memory.settle_opinion(*pair, "unrelated", now=now)
    since = parse_day(arguments.since, "since", now=now, today=memory.today(now)) if arguments.since else None
    return _said(reflection_json(memory.reflect(since=since, dry_run=arguments.dry_run, now=now)))


def forget(room: Room, call: wire.ToolCall) -> dict[str, Any]:
    """Erase one fact for good; only the owner himself may ask for it."""
    from openclaw_memory_plugin.faces.answers import plain

    _require_owner(call.scene, "facts are only forgotten in the owner's own session; tell the owner to ask there")
    forgotten = room.opened().forget(wire.structured(wire.ForgetArguments, call.arguments).id, now=_now())
    return _said(plain(forgotten))


def search(room: Room, call: wire.ToolCall) -> dict[str, Any]:
    """Answer as the host's own search tool does."""
    arguments = wire.structured(wire.SearchArguments, call.arguments)
    corpus = stock.one_of(arguments.corpus, ("memory", "wiki", "all", "sessions"))
    _require_positive(maxResults=arguments.max_results)
    if corpus == "sessions":
        return _said(stock.no_sessions())
    if corpus == "wiki":
        return _said(stock.search_results((), (), corpus=corpus))
    asked = wire.RecallArguments(query=arguments.query, k=arguments.max_results)
    hits, degraded = _recalled(room.opened(), call.scene, asked)
    return _said(stock.search_results(hits, degraded, min_score=arguments.min_score, corpus=corpus))


def get(room: Room, call: wire.ToolCall) -> dict[str, Any]:
    """Answer as the host's own reading tool does; where others listen without what is private."""
    arguments = wire.structured(wire.GetArguments, call.arguments)
    corpus = stock.one_of(arguments.corpus, ("memory", "wiki", "all"))
    _require_positive(**{"from": arguments.start}, lines=arguments.lines)
    if corpus == "wiki":
        return _said({"path": arguments.path, "text": "", **stock.covered(corpus)})
    private = is_private(call.scene)
    read = stock.excerpt(room.opened(), arguments.path, arguments.start, arguments.lines, private=private)
    return _said({**read, **stock.covered(corpus)})


METHODS: Mapping[str, Callable[[Room, Any], dict[str, Any]]] = {
    "on_turn_coming": on_turn_coming,
    "on_turn_start": on_turn_start,
    "on_turn_end": on_turn_end,
    "on_recall_request": on_recall_request,
    "on_retain": on_retain,
    "forget": forget,
    "search": search,
    "get": get,
}
"""What the room's own thread answers."""

QUIET: Mapping[str, Callable[[Memory, Any], dict[str, Any]]] = {"reflect": reflect, "sync": sync}
"""What takes long, answered beside the room; a heartbeat is prepared there."""

SHAPES: Mapping[str, type] = {
    "hello": wire.Hello,
    "on_turn_coming": wire.TurnStart,
    "on_turn_start": wire.TurnStart,
    "on_turn_end": wire.TurnEnd,
    "on_heartbeat": wire.Beat,
    "on_recall_request": wire.ToolCall,
    "on_retain": wire.ToolCall,
    "reflect": wire.ToolCall,
    "forget": wire.ToolCall,
    "search": wire.ToolCall,
    "get": wire.ToolCall,
    "sync": wire.Sync,
}

EXPIRING = frozenset({"on_turn_coming", "on_turn_start", "on_recall_request", "search", "get"})
"""Methods that only answer: too late, they are not begun. What keeps or erases something is done however late."""


def _starting(room: Room, call: wire.TurnStart, now: dt.datetime) -> Turn | None:
    """The turn that a person's message begins, None for any other."""
    scene = call.scene
    prompt = own_words(call.prompt)
    if not is_by_user(scene) or not prompt:
        return None
    return Turn(
        agent_id=scene.agent_id or "",
        session_key=scene.session_key,
        run_id=scene.run_id,
        prompt=prompt,
        private=is_private(scene),
        core_shown=_core_shown(room.opened(), scene),
        now=now,
    )


def _require_owner(scene: Scene, otherwise: str) -> None:
    if not is_private(scene):
        raise UsageError(otherwise)


def _require_positive(**counts: int | None) -> None:
    for name, count in counts.items():
        if count is not None and count < 1:
            raise UsageError(f"{name} must be a positive integer, got {count}")


def _recalled(memory: HostedMemory, scene: Scene, arguments: wire.RecallArguments) -> tuple[list[Any], tuple[str, ...]]:
    """Recall what this session may see; core memory is not for others to hear."""
    now = _now()
    private = is_private(scene)
    request = arguments.request(
        agent_id=scene.agent_id or "", private=private, now=now, today=memory.workspace.today(now)
    )
    answer = memory.recall(request)
    hits = [
        hit for hit in answer.hits if private or any(citation.path not in CORE_PAGES for citation in hit.fact.citations)
    ]
    return hits, answer.degraded


def _core_shown(memory: HostedMemory, scene: Scene) -> bool:
    limits = {"file_chars": scene.shown_chars, "total_chars": scene.shown_total_chars}
    return shows_core(scene) and shows_whole(memory.workspace.root, **limits)


def _notes(notes: list[Note], failures: list[str]) -> list[dict[str, Any]]:
    _warn(failures)
    return [{"text": note.text, "place": note.place, "tokens": note.tokens} for note in notes]


def _warn(failures: list[str]) -> None:
    for failure in failures:
        log.warning("%s", failure)


def _said(details: Mapping[str, Any]) -> dict[str, Any]:
    import json

    return {"text": json.dumps(details, indent=2, ensure_ascii=False), "details": dict(details)}


def _day(day: dt.date | None) -> str:
    return day.isoformat() if day else ""


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)
