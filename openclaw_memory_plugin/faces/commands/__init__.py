"""What each command of the command line asks of a memory, and what it has to say."""

import argparse
import datetime as dt
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from openclaw_memory_plugin.errors import UsageError
from openclaw_memory_plugin.faces.commands import options

if TYPE_CHECKING:
    from openclaw_memory_hookspecs import Recalled
    from openclaw_memory_plugin.faces.commands.render import Pen
    from openclaw_memory_plugin.memory import Memory


class Answer(NamedTuple):
    """What a command has to say, for programs and for people."""

    payload: dict[str, Any]
    lines: "Callable[[Pen], Sequence[str]]"
    """Made only when a person reads it."""
    code: int = 0


def init(root: Path, opened: "Callable[[], Memory]", instant: "Callable[[Memory], dt.datetime]") -> Answer:
    """Make a folder a workspace and read what is there."""
    from openclaw_memory_plugin.memory import create_workspace

    created = create_workspace(root)
    with opened() as memory:
        report = _synced(memory, instant(memory))
        found = len(memory.facts())
    payload = {"workspace": str(root), "created": created, "facts": found, **report}
    program = f"{options.PROGRAM} --workspace {root}"

    def lines(pen: "Pen") -> list[str]:
        return [
            f"{pen('good', '✓')} {root} is a workspace; {found} facts are known",
            f'  next: {program} retain "Peter prefers concise replies." --type O --entity Peter',
        ]

    return Answer(payload, lines)


def _sync(memory: "Memory", args: argparse.Namespace, now: dt.datetime) -> Answer:
    from openclaw_memory_plugin.faces.commands import render

    payload = _synced(memory, now, rebuild=args.rebuild)
    return Answer(payload, lambda pen: [f"{pen('good', '✓')} Index is up to date", *render.table(payload, pen, "  ")])


def _recall(memory: "Memory", args: argparse.Namespace, now: dt.datetime) -> Answer:
    from openclaw_memory_plugin.faces.answers import recalled_json

    _spare_loading(memory, args)
    request = _request(memory, args, now, " ".join(args.query))
    answer = memory.recall(request)
    payload = recalled_json(answer)
    if args.debug:
        payload["debug"] = memory.trace(request)

    def lines(pen: "Pen") -> list[str]:
        from openclaw_memory_plugin.faces.commands import render

        k = request.k if request.cutoff and request.budget_tokens is None else None
        found = render.recalled(_for_people(answer), pen, debug=args.debug, k=k)
        if args.debug:
            found += ["", pen("strong", "Traversal"), *render.traversal(payload["debug"], pen)]
        return found

    return Answer(payload, lines)


def _explain(memory: "Memory", args: argparse.Namespace, now: dt.datetime) -> Answer:
    from openclaw_memory_plugin.faces.answers import fact_json, plain

    _spare_loading(memory, args)
    memory.sync(now=now)
    fact = memory.fact(args.id.strip())
    payload = fact_json(fact)
    if args.query is not None:
        from openclaw_memory_hookspecs import RecallRequest

        request = _made(
            RecallRequest,
            query=args.query,
            k=memory.config.recall.k,
            associative_depth=args.associative_depth,
            track=False,
            now=now,
        )
        payload["why"] = plain(memory.explain(fact.id, request))

    def lines(pen: "Pen") -> list[str]:
        from openclaw_memory_plugin.faces.commands import reasons, render

        found = render.fact_lines(fact, pen)
        if "why" in payload:
            found += ["", pen("strong", f"Score for “{render.safe(args.query)}”"), *reasons.lines(payload["why"], pen)]
        return found

    return Answer(payload, lines)


def _facts(memory: "Memory", args: argparse.Namespace, now: dt.datetime) -> Answer:
    from openclaw_memory_plugin.faces.answers import facts_json

    memory.sync(now=now)
    today = memory.today(now)
    found = memory.facts(
        kinds=tuple(map(options.parse_kind, args.kind)),
        entities=tuple(args.entity),
        since=options.parse_day(args.since, "--since", now=now, today=today) if args.since else None,
        until=options.parse_day(args.until, "--until", now=now, today=today) if args.until else None,
        task=args.task,
        include_archived=args.include_archived,
    )
    unclear = memory.unclear(args.entity)

    def lines(pen: "Pen") -> list[str]:
        from openclaw_memory_plugin.faces.commands import render

        return [*render.facts(found, pen), *(pen("bad", f"! {render.safe(sentence)}") for sentence in unclear)]

    return Answer({**facts_json(found), "degraded": unclear}, lines)


def _entity(memory: "Memory", args: argparse.Namespace, now: dt.datetime) -> Answer:
    from openclaw_memory_plugin.faces.answers import entity_json

    if args.name[0] == "merge" and len(args.name) > 1:
        if len(args.name) != 3:
            raise UsageError(
                f"entity merge takes two names, the one that stays first; got {len(args.name) - 1}; "
                "put a name of several words in quotes"
            )
        return _merge(memory, args.name[1], args.name[2], now)
    memory.sync(now=now)
    name = " ".join(args.name).strip()
    found = memory.entity(name)

    def lines(pen: "Pen") -> list[str]:
        from openclaw_memory_plugin.faces.commands import render

        return render.entity(found, pen)

    return Answer(entity_json(found), lines)


def _merge(memory: "Memory", keep: str, other: str, now: dt.datetime) -> Answer:
    merged = memory.merge(keep, other, now=now)
    payload = {"name": merged.name, "aliases": list(merged.aliases), "page": merged.page}

    def lines(pen: "Pen") -> list[str]:
        from openclaw_memory_plugin.faces.commands import render

        if not merged.aliases:
            return [f"{render.safe(keep)} and {render.safe(other)} are one entity already: @{render.safe(merged.name)}"]
        names = ", ".join(map(render.safe, merged.aliases))
        done = f"{pen('good', '✓')} Merged: @{render.safe(merged.name)} is also called {names}"
        return [done, f"  {pen('quiet', render.safe(merged.page or ''))}; `undo` takes it back"]

    return Answer(payload, lines)


def _doctor(memory: "Memory", args: argparse.Namespace, now: dt.datetime) -> Answer:
    from openclaw_memory_plugin.faces.answers import plain, plugin_json
    from openclaw_memory_plugin.faces.commands import render

    findings = memory.doctor(now=now)
    states = memory.plugins.states
    payload = {
        "workspace": str(memory.workspace.root),
        "findings": plain(findings),
        "plugins": [plugin_json(state) for state in states],
    }

    def lines(pen: "Pen") -> list[str]:
        found = [] if findings else [f"{pen('good', '✓')} Nothing is wrong"]
        for finding in findings:
            place = f"{finding.path}#L{finding.line}" if finding.line else finding.path
            found.append(f"{pen('bad', '!')} {pen('strong', render.safe(place))}: {render.safe(finding.message)}")
            found.append(f"  {render.safe(finding.remedy)}")
        readers = [f"{state.name} ({', '.join(state.reads)})" for state in states if state.reads]
        return [*found, f"  plugins that read memory: {render.safe(', '.join(readers)) or 'none'}"]

    return Answer(payload, lines, 1 if findings else 0)


def _plugins(memory: "Memory", args: argparse.Namespace, now: dt.datetime) -> Answer:
    from openclaw_memory_plugin.faces.answers import plugin_json
    from openclaw_memory_plugin.faces.commands import render

    states = memory.plugins.states
    payload = {"plugins": [plugin_json(state) for state in states]}
    return Answer(payload, lambda pen: render.plugin_lines(states, pen))


def _of(room: str, name: str) -> "Callable[[Memory, argparse.Namespace, dt.datetime], Answer]":
    """Return a command of another module here, imported when it runs."""

    def run(memory: "Memory", args: argparse.Namespace, now: dt.datetime) -> Answer:
        import importlib

        module = importlib.import_module(f"openclaw_memory_plugin.faces.commands.{room}")
        return Answer(*getattr(module, name)(memory, args, now))

    return run


def _request(memory: "Memory", args: argparse.Namespace, now: dt.datetime, query: str) -> Any:
    """Make the request of a recall from its options; unset ones take the configured defaults."""
    from openclaw_memory_hookspecs import RecallRequest

    today = memory.today(now)
    days = {
        name: options.parse_day(text, f"--{name}", now=now, today=today)
        for name in ("since", "until", "around")
        if (text := getattr(args, name)) is not None
    }
    defaults = memory.config.recall
    return _made(
        RecallRequest,
        query=query,
        k=defaults.k if args.k is None else args.k,
        budget_tokens=defaults.budget_tokens if args.budget_tokens is None else args.budget_tokens,
        min_salience=options.unit(args.min_salience, "min_salience") or 0.0,
        kinds=tuple(map(options.parse_kind, args.kind)),
        entities=tuple(args.entity),
        associative_depth=args.associative_depth,
        activation_decay=options.unit(args.activation_decay, "activation_decay"),
        agent_id=args.agent_id,
        include_archived=args.include_archived,
        track=not args.no_track,
        cutoff=not args.no_cutoff,
        now=now,
        **days,
    )


_LOADING = "answered by words: the sentence encoder takes a second to load; --vectors waits for it"


def _spare_loading(memory: "Memory", args: argparse.Namespace) -> None:
    """Let a command that answers not wait for the packaged encoder, which takes longer to load than everything else."""
    from openclaw_memory_plugin.memory.meaning import MISSING, UNIVERSAL

    memory.wanted = args.vectors or memory.config.vectors.wait
    if not memory.wanted and memory.embedder == UNIVERSAL:
        from openclaw_memory_plugin.embedders import is_installed

        memory.patient = False
        memory.unasked = _LOADING if is_installed() else f"answered by words: {MISSING}"


def _for_people(answer: "Recalled") -> "Recalled":
    """Leave out what a person who got an answer need not read each time: that words were enough."""
    import attrs

    said = tuple(sentence for sentence in answer.degraded if not (answer.hits and sentence == _LOADING))
    return attrs.evolve(answer, degraded=said)


def _made(noun: Callable[..., Any], **fields: Any) -> Any:
    """Make a noun of the contract; what it refuses was a caller's mistake."""
    try:
        return noun(**fields)
    except (ValueError, TypeError) as error:
        raise UsageError(str(error)) from error


def _synced(memory: "Memory", now: dt.datetime, *, rebuild: bool = False) -> dict[str, Any]:
    """Sync, showing a person how far it has come, and give the report."""
    from openclaw_memory_plugin.faces.answers import plain
    from openclaw_memory_plugin.faces.commands.progress import shown

    with shown("Reading") as progress:
        report = memory.rebuild(progress=progress) if rebuild else memory.sync(now=now, progress=progress)
    with shown("Comparing meanings") as progress:
        vectors = memory.fill_vectors(progress=progress)
    made: dict[str, Any] = {**plain(report), "vectors": vectors}
    return made


_UPKEEP = ("archive", "restore", "forget", "history", "undo", "maintain", "feedback", "stats")
_REFLECTION = ("reflect", "opinion", "core", "pin", "unpin")

COMMANDS: "dict[str, Callable[[Memory, argparse.Namespace, dt.datetime], Answer]]" = {
    "sync": _sync,
    "retain": _of("retaining", "retain"),
    "recall": _recall,
    "explain": _explain,
    "facts": _facts,
    "entity": _entity,
    "doctor": _doctor,
    "plugins": _plugins,
    **{name: _of("upkeep", name) for name in _UPKEEP},
    **{name: _of("reflection", name) for name in _REFLECTION},
}
