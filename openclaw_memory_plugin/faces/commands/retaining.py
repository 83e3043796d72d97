"""The command `retain`: one fact, as options or as the bullet that it will be. Translates, decides nothing."""

import argparse
import datetime as dt
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from openclaw_memory_hookspecs import Draft, Fact, Provenance
from openclaw_memory_plugin.errors import UsageError
from openclaw_memory_plugin.faces.commands import options
from openclaw_memory_plugin.markdown.spoken import Spoken, read_spoken

if TYPE_CHECKING:
    from openclaw_memory_plugin.faces.commands.render import Pen
    from openclaw_memory_plugin.memory import Memory

Said = tuple[dict[str, Any], "Callable[[Pen], Sequence[str]]"]
"""What a command has to say, for programs and for people."""

_LONGEST = 1_000_000


def add_retain(parser: argparse.ArgumentParser) -> None:
    """Options of `retain`."""
    parser.add_argument(
        "text",
        nargs="+",
        metavar="TEXT",
        help="one self-contained sentence, also as a bullet (`O(c=0.9) @Peter: Hates mornings.`); - reads it from "
        "standard input",
    )
    parser.add_argument(
        "--type", metavar="KIND", help="W world (default), B experience, O opinion, S observation; or the whole word"
    )
    parser.add_argument(
        "--entity",
        action="append",
        default=[],
        metavar="NAME",
        help="who or what it is about; may be repeated; blanks become hyphens, which are the same name (Peter-Pan)",
    )
    parser.add_argument("--salience", metavar="X", help="importance, 0 to 1")
    parser.add_argument("--confidence", metavar="X", help="belief in an opinion, 0 to 1")
    parser.add_argument("--day", metavar="D", help="the daily log it goes to (default today)")
    parser.add_argument("--by", metavar="WHO", help="owner (default), agent or untrusted")
    parser.add_argument("--private", action="store_true", help="only for the owner's direct sessions")
    parser.add_argument("--pin", action="store_true", help="keep it in core memory")
    parser.add_argument("--supports", action="append", default=[], metavar="ID", help="it is evidence for this fact")
    parser.add_argument("--contradicts", action="append", default=[], metavar="ID", help="it speaks against this fact")


def retain(memory: "Memory", args: argparse.Namespace, now: dt.datetime) -> Said:
    """Write one fact, and say where it stands, what its id is, and what was left out of it."""
    from openclaw_memory_plugin.faces.answers import fact_json

    text = " ".join(args.text)
    if text == "-":
        text = sys.stdin.read(_LONGEST)
    day = options.parse_day(args.day, "--day", now=now, today=memory.today(now)) if args.day else None
    draft = _draft(args, read_spoken(text), day)
    fact = memory.retain(draft, now=now)
    notices = _notices(text, draft)

    def lines(pen: "Pen") -> list[str]:
        from openclaw_memory_plugin.faces.commands import render

        log = memory.workspace.log_path(day or memory.today(now))
        written = [citation for citation in fact.citations if citation.path == log][-1:] or [fact.source]
        bullet = render.safe(memory.line(written[0]).removeprefix("- "))
        return [*told(bullet, written[0], fact, pen), *(pen("bad", f"! {notice}") for notice in notices)]

    return {**fact_json(fact), "notices": notices}, lines


def told(bullet: str, source: object, fact: Fact, pen: "Pen") -> list[str]:
    """Render what was retained: the bullet, its place and its id."""
    from openclaw_memory_plugin.faces.commands import render

    place = pen("quiet", f"{render.safe(str(source))}, id {fact.id}")
    return [f"{pen('good', '✓')} Retained: {bullet}", f"  {place}"]


def _draft(args: argparse.Namespace, spoken: Spoken, day: dt.date | None) -> Draft:
    """Make the draft of what options and text say. Raises UsageError where they differ, or for what cannot be."""
    said = spoken.attributes
    known = {provenance.value: provenance for provenance in Provenance}
    if args.by is not None and args.by not in known:
        raise UsageError(f"--by must be one of {', '.join(known)}, got {args.by!r}")
    for name in args.entity:
        if not name.strip(" @＠"):
            raise UsageError(f"--entity must name somebody or something, got {name!r}")
    by = None if said.provenance is Provenance.OWNER else said.provenance
    try:
        draft = Draft(
            text=spoken.text.strip(),
            entities=tuple(dict.fromkeys((*spoken.heads, *args.entity))),
            salience=_one("salience", options.unit(args.salience, "salience"), said.salience),
            confidence=_one("confidence", options.unit(args.confidence, "confidence"), said.confidence),
            private=args.private or said.private,
            pinned=args.pin or said.pinned,
            supports=tuple(dict.fromkeys((*said.supports, *args.supports))),
            contradicts=tuple(dict.fromkeys((*said.contradicts, *args.contradicts))),
            day=day,
            **_given("kind", _one("type", options.parse_kind(args.type) if args.type else None, spoken.kind)),
            **_given("provenance", _one("by", known.get(args.by), by)),
        )
    except (ValueError, TypeError) as error:
        raise UsageError(str(error)) from error
    return draft


def _given(name: str, value: Any) -> dict[str, Any]:
    return {} if value is None else {name: value}


def _one(option: str, given: Any, spoken: Any) -> Any:
    """Return what either says. Raises UsageError where both do, and differ."""
    if given is not None and spoken is not None and given != spoken:
        first, second = (getattr(value, "value", value) for value in (given, spoken))
        raise UsageError(f"--{option} says {first}, but the bullet itself {second}; leave one of them out")
    return spoken if given is None else given


def _notices(text: str, draft: Draft) -> list[str]:
    """Say what the fact has no more of what was handed over."""
    from openclaw_memory_plugin.guard import one_line, redact

    notices = []
    if any(redact(part) != part for part in (text, one_line(text), *draft.entities)):
        notices.append("a secret was left out")
    if "\n" in text.strip():
        notices.append("several lines were put on one")
    return notices
