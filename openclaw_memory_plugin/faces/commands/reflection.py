"""The commands of reflection: reflect, opinion, core, pin, unpin. Translates, decides nothing."""

import argparse
import datetime as dt
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from openclaw_memory_plugin.errors import UsageError
from openclaw_memory_plugin.faces.answers import fact_json, instant
from openclaw_memory_plugin.faces.commands import options
from openclaw_memory_plugin.faces.commands.diffs import diff_lines
from openclaw_memory_plugin.faces.commands.render import Pen, safe

if TYPE_CHECKING:
    from openclaw_memory_plugin.index.facts import FileDefect
    from openclaw_memory_plugin.memory import Memory
    from openclaw_memory_plugin.reflect.beliefs.account import Belief
    from openclaw_memory_plugin.reflect.deciding import CoreView, Pair
    from openclaw_memory_plugin.reflect.reflect import Reflection

Said = tuple[dict[str, Any], Callable[[Pen], Sequence[str]]]
"""What a command has to say, for programs and for people."""

VERDICTS = ("supports", "contradicts", "unrelated")


def add_reflect(parser: argparse.ArgumentParser) -> None:
    """Options of `reflect`."""
    parser.add_argument("--since", metavar="D", help="what was recorded from this day on: 2025-11-27, or 7d, 2w")
    parser.add_argument("--dry-run", action="store_true", help="write nothing, show the diff")
    parser.add_argument("--accept-loss", action="store_true", help="also rewrite pages that lose a quarter or more")
    parser.add_argument("--debug", action="store_true", help="show what mattered most and what was decided")


def add_opinion(parser: argparse.ArgumentParser) -> None:
    """Options of `opinion`."""
    parser.add_argument(
        "words",
        nargs="*",
        metavar="WORD",
        help="[show] [ID or NAME]: an opinion, or those about somebody, else all of them; review: the pairs to settle; "
        f"review OPINION FACT VERDICT: settle one, VERDICT being {', '.join(VERDICTS)}",
    )
    parser.epilog = "Examples: `opinion show Peter`, `opinion review 47552ab73634 8c1f00d2a9be supports`"


def add_core(parser: argparse.ArgumentParser) -> None:
    """Options of `core`."""
    parser.add_argument(
        "action",
        nargs="?",
        default="diff",
        choices=("diff", "accept"),
        help="show what would change (without a word, too), or write the proposal",
    )


def add_pin(parser: argparse.ArgumentParser) -> None:
    """Options of `pin` and `unpin`."""
    parser.add_argument("ids", nargs="+", metavar="ID", help="id of a fact, or its beginning")


def reflect(memory: "Memory", args: argparse.Namespace, now: dt.datetime) -> Said:
    """Revise pages, beliefs and core memory."""
    since = options.parse_day(args.since, "--since", now=now, today=memory.today(now)) if args.since else None
    done = memory.reflect(since=since, dry_run=args.dry_run, accept_loss=args.accept_loss, now=now)
    payload = reflection_json(done)
    if args.agent_id:
        payload["agent_id"] = args.agent_id
    return payload, lambda pen: _reflection_lines(done, pen, debug=args.debug, agent=args.agent_id)


def opinion(memory: "Memory", args: argparse.Namespace, now: dt.datetime) -> Said:
    """Explain opinions, list pairs to settle, or settle one."""
    action, words = "show", list(args.words)
    if words and words[0] in ("show", "review"):
        action = words.pop(0)
    if action == "show":
        memory.sync(now=now)
        found = memory.opinions(" ".join(words).strip() or None, now=now)
        payload = {"opinions": [belief_json(one) for one in found]}
        return payload, lambda pen: [line for one in found for line in _belief_lines(one, pen)] or ["No opinions yet"]
    if not words:
        memory.sync(now=now)
        pairs = memory.reviews(now=now)
        return {"pairs": [_pair_json(pair) for pair in pairs]}, lambda pen: _pair_lines(pairs, pen)
    if len(words) != 3 or words[2] not in VERDICTS:
        raise UsageError(
            f"opinion review OPINION FACT VERDICT takes two ids and {' or '.join(VERDICTS)}, got {' '.join(words)!r}; "
            "without them it lists the pairs that wait"
        )
    from openclaw_memory_plugin.reflect.beliefs.account import Verb

    belief, source, verdict = words
    settled = memory.settle_opinion(belief, source, Verb(verdict), now=now)
    return {"opinion": belief_json(settled)}, lambda pen: _belief_lines(settled, pen)


def core(memory: "Memory", args: argparse.Namespace, now: dt.datetime) -> Said:
    """Show or accept what is proposed for core memory."""
    view = memory.core(accept=args.action == "accept", now=now)
    payload = {
        "tokens": view.tokens,
        "tokens_before": view.before,
        "proposed_at": instant(view.proposed_at),
        "pins_left_out": list(view.pins_left_out),
        "gone": list(view.gone),
        "diff": view.diff,
        "problems": _problems_json([view.problem] if view.problem else []),
        "written": view.written,
    }
    return payload, lambda pen: _core_lines(view, pen)


def pin(memory: "Memory", args: argparse.Namespace, now: dt.datetime) -> Said:
    """Keep facts in core memory."""
    return _pinned(memory, args, now, on=True)


def unpin(memory: "Memory", args: argparse.Namespace, now: dt.datetime) -> Said:
    """Let facts take their chance again."""
    return _pinned(memory, args, now, on=False)


def reflection_json(done: "Reflection") -> dict[str, Any]:
    """Give a reflection as the JSON object that the command line, the bridge and the tool answer with."""
    return {
        "dry_run": done.dry_run,
        "selected": done.selected,
        "eligible": done.eligible,
        "facts": done.total,
        "priorities": [
            {"id": one.id, "content": one.content, "priority": round(one.priority, 4)} for one in done.priorities
        ],
        "pages": done.pages,
        "written": list(done.written),
        "moved_lines": [{"path": path, "line": line} for path, line in done.moved_lines],
        "opinions": [
            {
                "id": one.id,
                "statement": one.statement,
                "entities": list(one.heads),
                "before": one.before,
                "confidence": one.after,
            }
            for one in done.beliefs
        ],
        "reviews": done.reviews,
        "core": {
            "update": done.core_update,
            "tokens": done.core_tokens,
            "tokens_before": done.core_tokens_before,
            "changed": done.core_changed,
            "pins_left_out": list(done.pins_left_out),
        },
        "problems": _problems_json(done.problems),
        "brief": done.brief.text,
        "change": done.change,
        "diff": done.diff,
    }


def belief_json(belief: "Belief") -> dict[str, Any]:
    """Give a belief with its account."""
    from openclaw_memory_hookspecs import Kind
    from openclaw_memory_plugin.reflect.beliefs.account import Verb, steps

    def sources(verb: Verb) -> list[dict[str, Any]]:
        return [{"id": one.source, "source": one.where} for one in belief.evidence if one.verb is verb]

    return {
        "id": belief.id,
        "kind": belief.kind.value,
        "statement": belief.statement,
        "entities": list(belief.heads),
        "confidence": belief.confidence if belief.kind is Kind.OPINION else None,
        "last_updated": belief.updated.isoformat() if belief.updated else None,
        "supporting": sources(Verb.SUPPORTS),
        "contradicting": sources(Verb.CONTRADICTS),
        "unsure": sources(Verb.UNSURE),
        "steps": [
            {
                "what": entry.verb.value,
                "id": entry.source,
                "source": entry.where,
                "day": entry.day.isoformat() if entry.day else None,
                "step": entry.amount,
                "confidence": round(after, 4),
                "why": entry.why,
            }
            for entry, after in steps(belief.evidence)
        ],
    }


def _reflection_lines(done: "Reflection", pen: Pen, *, debug: bool, agent: str | None) -> list[str]:
    from openclaw_memory_plugin.reflect.core import pins_line, update_line

    of = f" for {safe(agent)}" if agent else ""
    verb = "Would reflect" if done.dry_run else "Reflected"
    lines = [f"{pen('good', '✓')} {verb} on {done.selected} of {done.total} facts{of}"]
    if debug:
        lines.append(f"  {done.eligible} qualified: recalled within 30 days, salience above 0.8, or new")
        lines += [pen("strong", "Top priorities")] if done.priorities else []
        lines += [f"  {one.priority:.3f}  {safe(one.content)}  {pen('quiet', one.id)}" for one in done.priorities]
    written = len(done.written)
    what = "would be written" if done.dry_run else "written"
    lines.append(f"  {written} of {done.pages} pages {what}" if written else f"  {done.pages} pages unchanged")
    lines += [f"    {safe(path)}" for path in done.written] if debug else []
    for one in done.beliefs if debug else [b for b in done.beliefs if b.before is not None]:
        before = "new" if one.before is None else f"{one.before:.2f} →"
        lines.append(f"  Opinion {before} {one.after:.2f}  {safe(', '.join(one.heads))}: {safe(one.statement)}")
    if done.reviews:
        lines.append(f"  {done.reviews} to settle: {options.PROGRAM} opinion review")
    lines += [
        f"  {pen('name', '!')} {safe(path)}: kept below our block: {safe(line)}" for path, line in done.moved_lines
    ]
    if done.core_update == "apply":
        told = update_line(done.core_tokens_before, done.core_tokens, changed=done.core_changed, dry_run=done.dry_run)
        lines.append(f"  {told}")
    elif done.core_update == "propose" and not done.core_changed:
        lines.append(f"  {update_line(done.core_tokens_before, done.core_tokens, changed=False)}")
    elif done.core_update == "propose":
        verb = "would be proposed" if done.dry_run else "proposed"
        waits = "" if done.dry_run else f"; review with: {options.PROGRAM} core diff"
        lines.append(f"  Core memory {verb}: {done.core_tokens:,} tokens (is {done.core_tokens_before:,}){waits}")
    if done.pins_left_out:
        lines.append(f"  {pen('name', '!')} {pins_line(len(done.pins_left_out), done.core_limit)}")
    lines += _problem_lines(done.problems, pen)
    if done.change is not None:
        lines.append(f"  {pen('quiet', f'{options.PROGRAM} undo {done.change} takes it back')}")
    return [*lines, *(diff_lines(done.diff, pen) if done.diff else ())]


def _problems_json(problems: "Sequence[FileDefect]") -> list[dict[str, Any]]:
    return [
        {"path": one.path, "line": one.defect.line, "message": one.defect.message, "remedy": one.defect.remedy}
        for one in problems
    ]


def _problem_lines(problems: "Sequence[FileDefect]", pen: Pen) -> list[str]:
    lines = []
    for problem in problems:
        place = f"{problem.path}#L{problem.defect.line}" if problem.defect.line else problem.path
        lines.append(f"{pen('bad', '!')} {safe(place)}: {safe(problem.defect.message)}")
        lines.append(f"  {safe(problem.defect.remedy)}")
    return lines


def _belief_lines(belief: "Belief", pen: Pen) -> list[str]:
    from openclaw_memory_hookspecs import Kind
    from openclaw_memory_plugin.reflect.beliefs.account import Verb, steps

    about = f"{safe(', '.join(belief.heads))}: " if belief.heads else ""
    confidence = f"{belief.confidence:.2f}  " if belief.kind is Kind.OPINION else ""
    lines = [f"{pen('strong', confidence)}{about}{safe(belief.statement)}  {pen('quiet', belief.id)}"]
    for entry, after in steps(belief.evidence):
        moved = f"{entry.amount:+.2f} → {after:.2f}" if entry.verb not in (Verb.STATED, Verb.SET) else f"→ {after:.2f}"
        if entry.verb in (Verb.UNSURE, Verb.UNRELATED):
            moved = "moves nothing"
        day = f"{entry.day.isoformat()}  " if entry.day else ""
        why = f"  ({safe(entry.why)})" if entry.why else ""
        source = f"  {entry.source}" if entry.verb not in (Verb.STATED, Verb.RESTATED, Verb.SET) else ""
        lines.append(f"  {day}{entry.verb.value:<11} {moved}  {safe(entry.where)}{pen('quiet', source)}{why}")
    return lines


def _pair_json(pair: "Pair") -> dict[str, Any]:
    return {
        "opinion": pair.review.belief,
        "statement": pair.statement,
        "fact": pair.review.source,
        "fact_statement": pair.source_statement,
        "source": pair.source_where,
        "why": pair.review.why,
        "safety": pair.review.safety,
    }


def _pair_lines(pairs: "Sequence[Pair]", pen: Pen) -> list[str]:
    if not pairs:
        return ["Nothing waits to be settled"]
    lines = []
    for pair in pairs:
        flag = pen("bad", "safety  ") if pair.review.safety else ""
        lines.append(f"{flag}{safe(pair.statement)}  {pen('quiet', pair.review.belief)}")
        lines.append(
            f"  ? {safe(pair.source_statement)}  {pen('quiet', pair.review.source)}  {safe(pair.source_where)}"
        )
        lines.append(f"    {safe(pair.review.why)}")
    return [*lines, "", f"{options.PROGRAM} opinion review OPINION FACT {'|'.join(VERDICTS)}"]


def _core_lines(view: "CoreView", pen: Pen) -> list[str]:
    from openclaw_memory_plugin.reflect.core import pins_line, update_line

    gone = [f"{pen('name', '!')} {len(view.gone)} proposed facts may no longer be core"] if view.gone else []
    if view.pins_left_out:
        gone.append(f"{pen('name', '!')} {pins_line(len(view.pins_left_out), view.limit)}")
    if view.written:
        return [f"{pen('good', '✓')} {update_line(view.before, view.tokens)}", *gone]
    if view.problem is not None:
        return [*_problem_lines([view.problem], pen), *gone]
    if not view.diff:
        return ["Core memory is as it should be", *gone]
    what = "Proposed" if view.proposed_at else "A reflection would write"
    return [f"{what}: {view.tokens:,} tokens (is {view.before:,})", *gone, *diff_lines(view.diff, pen)]


def _pinned(memory: "Memory", args: argparse.Namespace, now: dt.datetime, *, on: bool) -> Said:
    from openclaw_memory_plugin.reflect.core import never_core, pins_line

    memory.sync(now=now)
    known = [memory.fact(fact_id) for fact_id in args.ids]
    facts = [memory.pin(fact.id, on=on, now=now) for fact in known]
    were = [fact.pinned == on for fact in known]
    words = ("Pinned", "Pinned already") if on else ("Unpinned", "Not pinned")
    view, today = memory.core(now=now), memory.today(now)

    def lines(pen: Pen) -> list[str]:
        told = []
        for fact, was in zip(facts, were, strict=True):
            mark = pen("quiet", "-") if was else pen("good", "✓")
            told.append(f"{mark} {words[was]}: {safe(fact.content)}  {pen('quiet', str(fact.source))}")
            if on and (reason := never_core(fact, today=today)):
                told.append(f"{pen('name', '!')} it stays out of core memory all the same: {reason}")
        if view.diff and not all(were) and memory.config.core.update != "off":
            told.append(f"  core memory follows at the next reflection: {options.PROGRAM} reflect")
        if view.pins_left_out:
            told.append(f"{pen('name', '!')} {pins_line(len(view.pins_left_out), view.limit)}")
        return told

    changed = [fact.id for fact, was in zip(facts, were, strict=True) if not was]
    payload = {"facts": [fact_json(fact) for fact in facts], "changed": changed}
    return payload | {"pins_left_out": list(view.pins_left_out)}, lines
