"""What a person reads: plain lines, coloured only on a terminal, with nothing in them that a terminal would obey."""

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

import attrs

from openclaw_memory_hookspecs import Fact, Hit, Kind, Recalled
from openclaw_memory_plugin.markdown.telling import about, unnamed
from openclaw_memory_plugin.plugins import PluginState

if TYPE_CHECKING:
    from openclaw_memory_plugin.index.facts import Entity

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_NO_WORD = re.compile(r"[\W_]+")
LATEST = 40
"""So many entries of a list about one entity are shown, the latest ones."""

_STYLES = {"strong": "1", "quiet": "2", "good": "32", "bad": "31", "name": "36"}


def safe(text: str) -> str:
    """Return text without control characters: each becomes `�`, so that no file can steer the terminal."""
    return _CONTROL.sub("�", text.replace("\t", " ").replace("\n", " "))


@attrs.frozen
class Pen:
    """Writes with or without colour."""

    colour: bool = False

    @classmethod
    def for_stream(cls, stream: TextIO, environ: Mapping[str, str] = os.environ) -> "Pen":
        """Colour for a terminal, unless NO_COLOR is set or the terminal is dumb."""
        return cls(stream.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb")

    def __call__(self, style: str, text: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.colour else text


def attributes(fact: Fact) -> str:
    """Render kind and attributes as a bullet has them: `B(s=0.95)`; empty for a plain note."""
    parts = []
    if fact.confidence is not None:
        parts.append(f"c={fact.confidence:g}")
    if fact.salience != 0.5:
        parts.append(f"s={fact.salience:g}")
    if fact.provenance.value != "owner":
        parts.append(f"by={fact.provenance.value}")
    parts += [word for word, set_ in (("private", fact.private), ("pin", fact.pinned)) if set_]
    letter = fact.kind.letter or ("note" if parts else "")
    return f"{letter}({','.join(parts)})" if parts else letter


def headed(fact: Fact, pen: Pen, text: str) -> str:
    """Render a statement with what stood before its colon: attributes, and the subjects that the text does not name."""
    names = [f"@{name}" for name in unnamed(about(fact), fact.content)]
    head = " ".join(part for part in (attributes(fact), *names) if part)
    return f"{pen('name', safe(head))}: {safe(text)}" if head else safe(text)


def recalled(answer: Recalled, pen: Pen, *, debug: bool = False, k: int | None = None) -> list[str]:
    """
    Render the answer of a recall: direct matches, what only its surroundings speak for, connections by their hops.

    Hits are numbered as they stand there.

    Args:
        k: How many hits there could have been, where nothing but the cut-off left any out.
    """
    lines: list[str] = []
    if not answer.hits:
        lines.append("Nothing found.")
    groups: dict[tuple[int, bool], list[Hit]] = {}
    for hit in answer.hits:
        groups.setdefault((len(_way(hit, answer.query)), _is_beside(hit)), []).append(hit)
    place = 0
    for (hops, beside), hits in sorted(groups.items()):
        title = f"{hops}-hop connections" if hops else "Beside what matches" if beside else "Direct matches"
        lines += [*([""] if lines else []), pen("strong", title)]
        for hit in hits:
            place += 1
            lines += _hit(place, hit, _way(hit, answer.query), pen, debug=debug)
    lines += [pen("bad", f"! {safe(sentence)}") for sentence in answer.degraded]
    if answer.dropped and answer.hits:
        lines += ["", pen("quiet", _left_out(answer, k))]
    return lines


def _left_out(answer: Recalled, k: int | None) -> str:
    if k is None or len(answer.hits) >= k:
        return f"{len(answer.hits)} of {answer.candidates} candidates, {answer.tokens} tokens"
    ones = "1 weaker one" if answer.dropped == 1 else f"{answer.dropped} weaker ones"
    return f"{ones} left out; --no-cutoff shows {'it' if answer.dropped == 1 else 'them'}, up to {k} in all"


def traversal(trace: Mapping[str, Any], pen: Pen) -> list[str]:
    """Render how association went: bridges from fact to fact, then activation from seeds to where it ended."""
    lines = []
    for bridge in trace["bridges"]:
        way = " → ".join(f"@{safe(name)}" for name in bridge["via"])
        here, there = (f"{bridge[end]} “{_short(trace['facts'][bridge[end]])}”" for end in ("from", "to"))
        gains = " leads on to it" if bridge["back"] else ""
        lines += [f"{bridge['worth']:.3f} {there}", f"      from {here} → {way}{gains}"]
    if lines:
        lines.insert(0, pen("strong", "Bridges"))
    if not trace["seeds"]:
        return lines or ["No association took part."]
    lines.append(f"seeds: {', '.join(f'@{safe(name)}' for name in trace['seeds'])}")
    for hop, steps in trace["hops"].items():
        lines.append(f"hop {hop}")
        lines += [f"  @{safe(step['from'])} → @{safe(step['to'])} {step['amount']:.3f}" for step in steps]
    lines.append(pen("strong", "Final activation") + ("" if trace["counted"] else " (too weak to count here)"))
    return lines + [f"  {level:.3f} @{safe(name)}" for name, level in trace["activations"].items()]


def _short(text: str, length: int = 60) -> str:
    return safe(text if len(text) <= length else f"{text[: length - 1]}…")


def fact_lines(fact: Fact, pen: Pen) -> list[str]:
    """Render everything about one fact."""
    rows = [
        ("id", fact.id),
        ("kind", " ".join(part for part in (fact.kind.value, attributes(fact)) if part)),
        ("entities", ", ".join(f"@{name}" for name in fact.entities) or "none"),
        ("recorded", _days(fact)),
        ("holds", _validity(fact)),
        ("section", " > ".join(fact.section)),
        ("accessed", _accesses(fact)),
        ("for it", ", ".join(fact.supporting)),
        ("against it", ", ".join(fact.contradicting)),
        ("marks", ", ".join(word for word, is_set in _flags(fact) if is_set)),
    ]
    lines = [pen("strong", safe(fact.content)), ""]
    lines += [f"{pen('quiet', f'{name:10}')} {safe(value)}" for name, value in rows if value]
    rows = [("" if n else "source", str(citation)) for n, citation in enumerate(fact.citations)]
    lines += [f"{pen('quiet', f'{name:10}')} {safe(value)}" for name, value in rows]
    return lines


def facts(found: Sequence[Fact], pen: Pen) -> list[str]:
    """Render a list of facts, one line each and its citation."""
    lines = []
    for fact in found:
        lines.append(f"{pen('quiet', fact.id)} {headed(fact, pen, fact.content)}")
        lines.append(f"  {pen('quiet', _where(fact))}")
    lines.append("1 fact" if len(found) == 1 else f"{len(found)} facts")
    return lines


def plugin_lines(states: Iterable[PluginState], pen: Pen) -> list[str]:
    """Render the plugins, what they implement and what of memory they get to see."""
    lines = [f"{pen('strong', 'memory')} (built in): answers every hook, last"]
    for state in states:
        colour = "good" if state.state == "loaded" else "bad"
        origin = f" from {safe(state.distribution)}" if state.distribution else ""
        target = (
            f" ({safe(state.target)})" if state.target else ": blocked or allowed by the settings, but nobody's name"
        )
        lines.append(f"{pen('strong', safe(state.name))} {pen(colour, state.state)}{origin}{target}")
        if state.hooks:
            lines.append(f"  hooks: {safe(', '.join(state.hooks))}; sees: {', '.join(state.reads) or 'nothing'}")
        if state.problem:
            lines.append(f"  {pen('bad', safe(state.problem))}")
    return lines


def table(rows: Mapping[str, Any], pen: Pen, indent: str = "") -> list[str]:
    """Render names and values, nested ones indented, lists joined."""
    lines = []
    width = max((len(str(name)) for name in rows), default=0) + 1
    for name, value in rows.items():
        if isinstance(value, Mapping):
            lines.append(f"{indent}{pen('strong', safe(str(name)))}")
            lines += table(value, pen, indent + "  ")
        else:
            lines.append(f"{indent}{pen('quiet', safe(str(name)).ljust(width))} {safe(shown(value))}")
    return lines


def shown(value: Any) -> str:
    """Render a value as a person reads it: rounded, lists joined, `none` for nothing."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(shown, value)) or "none"
    if isinstance(value, Mapping):
        first, *rest = map(shown, value.values())
        return f"{first} ({', '.join(rest)})" if rest else first
    return "none" if value is None else str(value)


def write(lines: Iterable[str], stream: TextIO = sys.stdout) -> None:
    """Write lines; what the stream cannot encode becomes `?`, never an exception."""
    text = "".join(f"{line}\n" for line in lines)
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding))


def _way(hit: Hit, query: str) -> Sequence[str]:
    """Give the entities that led to a hit, without the one that the question itself names: one for each hop."""
    via: Sequence[str] = hit.why.get("via") or ()
    asked, first = (_NO_WORD.sub(" ", text.casefold()).strip() for text in (query, via[0] if via else ""))
    return via[1:] if len(via) > 1 and first in asked else via


def _is_beside(hit: Hit) -> bool:
    """Tell whether only the headings and neighbours of a fact match, and nothing of its own."""
    own = ("words", "entities", "time", "vector", "via")
    return bool(hit.why.get("context")) and not any(hit.why.get(name) for name in own)


def _hit(place: int, hit: Hit, via: Sequence[str], pen: Pen, *, debug: bool) -> list[str]:
    fact = hit.fact
    text = hit.excerpt if hit.excerpt is not None else fact.content
    lines = [f"{place:2}. {headed(fact, pen, text)}"]
    path = f" (via {' → '.join(map(_step, via))})" if via else ""
    newer = hit.why.get("superseded_at", "")
    lines.append(f"    {pen('quiet', f'{_where(fact, newer)}, score {hit.score:.3f}, id {fact.id}')}{path}")
    if debug:
        from openclaw_memory_plugin.faces.commands import reasons

        lines += reasons.lines({name: value for name, value in hit.why.items() if name != "via"}, pen, "      ")
    return lines


def _step(name: str) -> str:
    """Render one step of a way: an entity with its mark, a word in its quotes."""
    return safe(name) if name.startswith("“") else f"@{safe(name)}"


def _where(fact: Fact, newer: str = "") -> str:
    """Say where a fact stands and what is to be known of it; `newer` is the place of what supersedes it."""
    more = f" and {len(fact.citations) - 1} more" if len(fact.citations) > 1 else ""
    day = f", {fact.last_seen}" if fact.last_seen and str(fact.last_seen) not in fact.source.path else ""
    notes = "".join(f", {word}" for word, is_set in _flags(fact, newer) if is_set)
    return safe(f"{fact.source}{more}{day}{_evidence(fact)}{notes}")


def _evidence(fact: Fact) -> str:
    """Say how many facts speak for and against an opinion; nothing when none was counted."""
    speaking = ((len(fact.supporting), "for it"), (len(fact.contradicting), "against it"))
    return "".join(f", {count} {way}" for count, way in speaking if count)


def _flags(fact: Fact, newer: str = "") -> list[tuple[str, bool]]:
    return [
        (f"superseded by {newer}" if newer else "superseded", fact.superseded),
        (f"task {fact.task}", fact.task is not None),
        ("untrusted", fact.provenance.value == "untrusted"),
    ]


def _days(fact: Fact) -> str:
    first, last = fact.timestamp, fact.last_seen
    if first is None:
        return "no day given"
    return f"{first}" if last in (None, first) else f"{first}, last on {last}"


def _validity(fact: Fact) -> str:
    if fact.valid_from is None and fact.valid_to is None:
        return ""
    return f"{fact.valid_from or '…'} to {fact.valid_to or '…'}"


def _accesses(fact: Fact) -> str:
    if not fact.access_count or fact.last_accessed_at is None:
        return "never recalled"
    return f"{fact.access_count} times, last {fact.last_accessed_at:%Y-%m-%d %H:%M} UTC"


def entity(told: "Entity", pen: Pen) -> list[str]:
    """Render what is known about an entity: who it is, what is thought of it, whom it goes with, what happened when."""
    names = f" (also {safe(', '.join(told.aliases))})" if told.aliases else ""
    count = "1 fact" if len(told.facts) == 1 else f"{len(told.facts)} facts"
    lines = [
        pen("strong", safe(f"@{told.name}")) + names,
        pen("quiet", f"{safe(told.page or 'no page yet')}, {count}"),
    ]
    if told.candidates:
        others = " or ".join(f"@{name}" for name in told.candidates)
        lines.append(pen("bad", f"! {safe(told.name)} may be {safe(others)}: ask for one of them"))
    if told.summary:
        lines += ["", *(safe(line) for line in told.summary.split("\n"))]
    if told.closest:
        close = ", ".join(f"@{name} ({shared})" for name, shared in told.closest)
        lines += ["", pen("strong", "Closest"), f"  {pen('name', safe(close))}"]
    if told.opinions:
        lines += ["", pen("strong", "Opinions")]
        for fact in told.opinions:
            lines += _statement(fact, pen)
    happened = [(day, fact) for day, fact in told.timeline if fact.kind is not Kind.OPINION]
    if happened:
        lines += ["", pen("strong", "Timeline")]
        if len(happened) > LATEST:
            lines.append(pen("quiet", f"  … {len(happened) - LATEST} before; `facts --entity` lists all"))
        for day, fact in happened[-LATEST:]:
            until = f" to {fact.valid_to}" if fact.valid_to and fact.valid_to != day else ""
            lines += _statement(fact, pen, f"{day}{until} ")
    timeless = [fact for fact in told.facts if fact.kind is not Kind.OPINION and _has_no_day(fact)]
    if timeless:
        lines += ["", pen("strong", "Without a day")]
        for fact in timeless[:LATEST]:
            lines += _statement(fact, pen)
        if len(timeless) > LATEST:
            lines.append(pen("quiet", f"  … {len(timeless) - LATEST} more; `facts --entity` lists all"))
    return lines


def _statement(fact: Fact, pen: Pen, day: str = "") -> list[str]:
    return [f"  {safe(day)}{headed(fact, pen, fact.content)}", f"    {pen('quiet', f'{_where(fact)}, id {fact.id}')}"]


def _has_no_day(fact: Fact) -> bool:
    return not (fact.valid_from or fact.valid_to or fact.timestamp)
