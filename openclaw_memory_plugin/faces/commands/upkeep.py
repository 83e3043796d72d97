"""The commands of upkeep: archive, restore, forget, history, undo, maintain, feedback. Translates, decides nothing."""

import argparse
import datetime as dt
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from openclaw_memory_plugin.errors import Declined, UsageError
from openclaw_memory_plugin.faces.answers import fact_json, plain
from openclaw_memory_plugin.faces.commands import render
from openclaw_memory_plugin.faces.commands.diffs import diff_lines
from openclaw_memory_plugin.faces.commands.render import Pen, safe
from openclaw_memory_plugin.guard import redact

if TYPE_CHECKING:
    from openclaw_memory_plugin.memory import Memory
    from openclaw_memory_plugin.reflect.history.ledger import Entry
    from openclaw_memory_plugin.reflect.upkeep.forget import Forgotten
    from openclaw_memory_plugin.reflect.upkeep.retention import Plan
    from openclaw_memory_plugin.reflect.upkeep.survey import Place
    from openclaw_memory_plugin.workspace.hidden import Archived

MEASURES = {
    "memory_size": ("facts outside the archive", "`maintain --apply` puts away what is beyond the window"),
    "avg_relevance_score": (
        "mean worth of keeping: 0.5 for an ordinary new fact, less with every week that nobody asks",
        "no fault, most facts are old; `maintain` tells which could go",
    ),
    "retrieval_accuracy": ("share of `feedback` that was good", "`explain ID --query Q` tells why a fact was found"),
    "prune_rate": ("share archived in seven days", "a full run takes a fifth, so wait a week before the next"),
    "token_efficiency": (
        "worth kept for the tokens kept, 1 while nothing is archived",
        "what was archived was worth more than its length, `restore ID` brings it back",
    ),
}
"""What each measure says, and what to do when it misses its target."""
LABELS = {
    "links": "links (facts to names)",
    "hubs": "hubs (in too many facts to lead anywhere)",
    "inferred_entities": "inferred_entities (guessed from capitals)",
    "accessed_facts": "accessed_facts (ever recalled)",
}
"""What people read in place of a name that does not speak for itself."""

Said = tuple[dict[str, Any], Callable[[Pen], Sequence[str]]]
"""What a command has to say, for programs and for people."""


def add_archive(parser: argparse.ArgumentParser) -> None:
    """Options of `archive`."""
    _add_ids(parser)
    parser.add_argument("--reason", default="asked for", metavar="TEXT", help="why; kept with the archived fact")


def add_restore(parser: argparse.ArgumentParser) -> None:
    """Options of `restore`."""
    _add_ids(parser)


def add_forget(parser: argparse.ArgumentParser) -> None:
    """Options of `forget`."""
    _add_ids(parser)
    parser.add_argument("--dry-run", action="store_true", help="only tell what would be erased")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def add_history(parser: argparse.ArgumentParser) -> None:
    """Options of `history`."""
    parser.add_argument("number", nargs="?", type=int, metavar="N", help="show the diff of this change")
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="at most so many, newest last (default 20)")
    parser.add_argument("--diff", action="store_true", help="with the diff of each")


def add_undo(parser: argparse.ArgumentParser) -> None:
    """Options of `undo`."""
    parser.add_argument("number", nargs="?", type=int, metavar="N", help="which change (default: the last that stands)")
    parser.add_argument("--dry-run", action="store_true", help="only tell what would be written")


def add_maintain(parser: argparse.ArgumentParser) -> None:
    """Options of `maintain`."""
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--apply", action="store_true", help="put them away; without it this is a preview")
    choice.add_argument("--dry-run", action="store_true", help="only tell what would be put away (the default)")


def add_feedback(parser: argparse.ArgumentParser) -> None:
    """Options of `feedback`."""
    parser.add_argument("id", metavar="ID", help="id of a recalled fact, or its beginning")
    parser.add_argument("verdict", choices=("good", "bad"), help="whether it was of use")
    parser.epilog = "Example: `feedback 47552ab73634 good`"


def archive(memory: "Memory", args: argparse.Namespace, now: dt.datetime) -> Said:
    """Hide facts reversibly."""
    done = memory.archive(*args.ids, reason=args.reason, now=now)
    payload = {"archived": [_archived_json(entry) for entry in done]}

    def lines(pen: Pen) -> list[str]:
        found = [_archived_line(entry, pen, "Archived") for entry in done]
        return found or ["Archived already; `restore ID` brings a fact back"]

    return payload, lines


def restore(memory: "Memory", args: argparse.Namespace, now: dt.datetime) -> Said:
    """Show archived facts again."""
    done = memory.restore(*args.ids, now=now)
    payload = {"restored": [_archived_json(entry) for entry in done]}
    return payload, lambda pen: [_archived_line(entry, pen, "Restored") for entry in done]


def forget(memory: "Memory", args: argparse.Namespace, now: dt.datetime) -> Said:
    """Erase facts for good, after asking."""
    if args.dry_run:
        done = memory.forget(*args.ids, dry_run=True, now=now)
    else:
        if not args.yes:
            _confirm(memory.forget(*args.ids, dry_run=True, now=now), as_json=args.json)
        done = memory.forget(*args.ids, now=now)
    payload = {
        "dry_run": bool(args.dry_run),
        "ids": [target.id for target in done.targets],
        "erased": [_place_json(place) for place in done.erased],
        "unlinked": [_place_json(place) for place in done.unlinked],
        "archive_lines": done.archive_lines,
        "history_entries": list(done.history_entries),
        "mentions": [_place_json(place) for place in done.mentions],
        "warnings": list(done.warnings),
    }
    return payload, lambda pen: _forgotten_lines(done, pen, "Would erase" if args.dry_run else "Erased")


def history(memory: "Memory", args: argparse.Namespace, now: dt.datetime) -> Said:
    """List the changes of ours, or show one."""
    if args.limit < 1:
        raise UsageError(f"--limit must be at least 1, got {args.limit}")
    entries = memory.history()
    if args.number is not None:
        entries = tuple(entry for entry in entries if entry.number == args.number)
        if not entries:
            raise UsageError(f"there is no change {args.number}; `history` lists those that are kept")
    else:
        entries = entries[-args.limit :]
    diff = args.diff or args.number is not None
    payload = {"changes": [_entry_json(entry, diff=diff) for entry in entries]}

    def lines(pen: Pen) -> list[str]:
        found = []
        for entry in entries:
            found += _entry_lines(entry, pen)
            if diff:
                found += diff_lines(entry.diff(), pen)
        return found or ["Nothing was changed by us yet"]

    return payload, lines


def undo(memory: "Memory", args: argparse.Namespace, now: dt.datetime) -> Said:
    """Take one change back."""
    entry, changes = memory.upkeep.preview_undo(args.number)
    paths = [change.path for change in changes if change.before != change.after]
    if not args.dry_run:
        memory.undo(entry.number, now=now)
    payload = {"dry_run": bool(args.dry_run), "undone": _entry_json(entry, diff=True), "paths": paths}

    def lines(pen: Pen) -> list[str]:
        verb = "Would undo" if args.dry_run else "Undone:"
        files = "1 file" if len(paths) == 1 else f"{len(paths)} files"
        head = f"{pen('good', '✓')} {verb} {safe(entry.reason)} of {entry.at:%Y-%m-%d %H:%M} UTC in {files}"
        return [head, *(f"  {safe(path)}" for path in paths)]

    return payload, lines


def maintain(memory: "Memory", args: argparse.Namespace, now: dt.datetime) -> Said:
    """Put away what is not worth keeping in sight, or tell what that would be."""
    done = memory.maintain(preview=not args.apply, now=now)
    payload: dict[str, Any] = {
        "applied": bool(args.apply),
        "facts": done.plan.total,
        "candidates": [
            {
                "id": one.fact.id,
                "content": one.fact.content,
                "score": round(one.score, 4),
                "source": str(one.fact.source),
            }
            for one in done.plan.chosen
        ],
        "archived": [entry.id for entry in done.archived],
        "deferred": done.plan.deferred,
        "protected": dict(done.plan.protected),
        "threshold": done.plan.threshold,
        "window": done.plan.window,
        "archived_overdue": done.overdue,
        "metrics": {one.name: {"value": one.value, "target": one.target, "met": one.met} for one in done.measures},
    }
    return payload, lambda pen: [
        *_plan_lines(
            done.plan,
            pen,
            share=memory.config.upkeep.max_share,
            applied=len(done.archived) if args.apply else None,
        ),
        *_overdue_lines(done.overdue, memory.config.upkeep.retention_days),
        *measure_lines(payload["metrics"], pen),
    ]


def feedback(memory: "Memory", args: argparse.Namespace, now: dt.datetime) -> Said:
    """Note whether a recalled fact was of use."""
    fact = memory.feedback(args.id, good=args.verdict == "good", now=now)
    payload = {"verdict": args.verdict, "fact": fact_json(fact)}
    return payload, lambda pen: [f"{pen('good', '✓')} Noted as {args.verdict}: {safe(fact.content)}"]


def measure_lines(found: "dict[str, dict[str, Any]]", pen: Pen) -> list[str]:
    """Render the measures, each with its target, whether it is met, what it says, and what to do where it is not."""
    lines = []
    for name, one in found.items():
        value = "-" if one["value"] is None else f"{one['value']:g}"
        mark = "" if one["met"] is None else pen("good", " ✓") if one["met"] else pen("name", " ✗")
        target = f"  target {one['target']}" if one["target"] else ""
        trend = f"  {one['trend']:+g} since last time" if one.get("trend") else ""
        meaning, advice = MEASURES[name]
        lines.append(f"  {pen('quiet', name.ljust(20))} {value}{pen('quiet', target)}{mark}{pen('quiet', trend)}")
        lines.append(f"    {pen('quiet', f'{meaning}; {advice}' if one['met'] is False else meaning)}")
    return lines


def growth_line(weeks: Sequence[dict[str, Any]], pen: Pen) -> str:
    """Render how many facts each week added, oldest first."""
    counts = " ".join(str(week["facts"]) for week in weeks)
    until = pen("quiet", f"  up to {weeks[-1]['week']}")
    return f"  {pen('quiet', 'facts by week'.ljust(20))} {counts}{until}"


def stats(memory: "Memory", args: argparse.Namespace, now: dt.datetime) -> Said:
    """Count what is in memory, and how it is doing."""
    from openclaw_memory_plugin.reflect.core import pins_line

    memory.sync(now=now)
    core = memory.core(now=now)
    counted, measured = plain(memory.stats()), plain(memory.measures(now=now))

    def lines(pen: Pen) -> list[str]:
        found = render.table({LABELS.get(name, name): value for name, value in counted.items()}, pen)
        found += [pen("strong", "measures"), *measure_lines(measured["metrics"], pen)]
        if measured["archived_overdue"]:
            found += _overdue_lines(measured["archived_overdue"], memory.config.upkeep.retention_days)
        if core.pins_left_out:
            found.append(f"{pen('name', '!')} {pins_line(len(core.pins_left_out), core.limit)}")
        return [*found, growth_line(measured["growth"], pen)]

    return {**measured, **counted, "pins_left_out": list(core.pins_left_out)}, lines


def _add_ids(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", nargs="+", metavar="ID", help="id of a fact, or its beginning")


def _confirm(would: "Forgotten", *, as_json: bool) -> None:
    """
    Ask at the terminal whether to erase for good.

    Raises:
        UsageError: Nobody can be asked.
        Declined: The answer was not yes.
    """
    if as_json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("forget erases for good: see what with --dry-run, then repeat the command with --yes")
    render.write(_forgotten_lines(would, Pen.for_stream(sys.stderr), "Would erase"), sys.stderr)
    sys.stderr.write("Erase this for good? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().casefold() not in ("y", "yes"):
        raise Declined("nothing was erased")


def _forgotten_lines(done: "Forgotten", pen: Pen, verb: str) -> list[str]:
    lines = [f"{pen('good', '✓')} {verb} {safe(target.content)} {pen('quiet', target.id)}" for target in done.targets]
    lines += [f"  {pen('quiet', safe(str(place)))} {safe(redact(place.text))}" for place in done.erased]
    lines += [f"  {pen('quiet', safe(str(place)))} stays, without naming it as evidence" for place in done.unlinked]
    if done.archive_lines:
        lines.append(f"  {done.archive_lines} lines of the archive")
    if done.history_entries:
        lines.append(f"  the text of the changes {', '.join(map(str, done.history_entries))} (they cannot be undone)")
    return lines + [f"{pen('bad', '!')} {safe(warning)}" for warning in done.warnings]


def _archived_line(entry: "Archived", pen: Pen, verb: str) -> str:
    return f"{pen('good', '✓')} {verb}: {safe(entry.content)} {pen('quiet', f'{entry.id} {safe(entry.source)}')}"


def _entry_lines(entry: "Entry", pen: Pen) -> list[str]:
    state = " (undone)" if entry.undone else ""
    head = f"{pen('strong', str(entry.number))} {entry.at:%Y-%m-%d %H:%M} {safe(entry.reason)}{state}"
    return [head, *(f"  {pen('quiet', safe(path))}" for path in entry.paths)]


def _plan_lines(plan: "Plan", pen: Pen, *, share: float, applied: int | None) -> list[str]:
    chosen = plan.chosen
    limit = f"threshold {plan.threshold:g}, window {'off' if plan.window is None else plan.window}"
    if applied is None:
        lines = [f"Would archive {len(chosen)} of {plan.total} facts ({limit})"]
        lines += [
            f"  {one.score:.2f} {pen('quiet', one.fact.id)} {safe(one.fact.content)}"
            f" {pen('quiet', safe(str(one.fact.source)))}"
            for one in chosen[:50]
        ]
        if len(chosen) > 50:
            lines.append(f"  … and {len(chosen) - 50} more")
        if chosen:
            lines.append("  `maintain --apply` does it; `restore ID` brings a fact back")
    else:
        lines = [f"{pen('good', '✓')} Archived {applied} of {plan.total} facts ({limit})"]
    if plan.deferred:
        lines.append(f"  {plan.deferred} more wait for the next run: one run takes {share:.0%} of all facts at most")
    if plan.protected:
        lines.append(f"  staying: {', '.join(f'{why} ({count})' for why, count in plan.protected.items())}")
    return lines


def _overdue_lines(overdue: int, days: int) -> list[str]:
    return [f"  {overdue} archived facts are older than {days} days; they leave only by `forget`"] if overdue else []


def _archived_json(entry: "Archived") -> dict[str, Any]:
    from openclaw_memory_plugin.workspace.hidden import archive_record

    return archive_record(entry)


def _place_json(place: "Place") -> dict[str, Any]:
    return {"source": str(place), "lines": [place.line, place.end_line], "text": redact(place.text)}


def _entry_json(entry: "Entry", *, diff: bool) -> dict[str, Any]:
    return {
        "number": entry.number,
        "at": plain(entry.at),
        "reason": entry.reason,
        "paths": list(entry.paths),
        "undoes": entry.undoes,
        "undone": entry.undone,
        **({"diff": redact(entry.diff())} if diff else {}),
    }
