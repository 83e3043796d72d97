"""`bank/opinions.md`: beliefs to text and back. The account below each belief is the whole truth about it."""

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

import attrs

from openclaw_memory_hookspecs import Draft, Kind
from openclaw_memory_plugin.markdown.attributes import read_unit, write_attributes
from openclaw_memory_plugin.markdown.believed import (
    BLOCK,
    PAGE,
    UPDATED,
    Account,
    AccountLine,
    accounts,
    is_head,
    read_entry,
)
from openclaw_memory_plugin.markdown.bullets import Bullet, read_bullet
from openclaw_memory_plugin.markdown.inline import escape
from openclaw_memory_plugin.markdown.inline import plain as plain_text
from openclaw_memory_plugin.markdown.nouns import Defect
from openclaw_memory_plugin.reflect.beliefs.account import (
    MARKED_CONTRADICTION,
    MARKED_SUPPORT,
    Belief,
    Evidence,
    Verb,
    confidence_of,
)
from openclaw_memory_plugin.reflect.pages.blocks import Block
from openclaw_memory_plugin.reflect.pages.citing import Cite, is_link

TITLE = "# Opinions"

Where = Callable[[str], str | None]

_LINK = re.compile(r"\[([^\]]+#L\d+)\]\(([^)]*)\)")
_ID = re.compile(r"`([0-9a-f]{12})`")
_PLAINLY = re.compile(r"O\(c=([01]\.\d\d)\)((?: @[^\s@:/]+)+): (\S.*)")
"""An opinion as we write it; anything else is read as any bullet."""
_WHY = re.compile(r"\(([^()]*)\)\s*$")


def read_beliefs(block: Block | None, *, today: dt.date, renamed: Mapping[str, str]) -> tuple[Belief, ...]:
    """
    Read the beliefs of the page's block.

    A confidence that somebody wrote becomes the last entry of its account; one that only follows from an account that
    somebody changed is computed anew. Ids of facts that were edited since are replaced by their present ones; such a
    belief comes without a statement, which is the fact's.
    """
    found: dict[str, Belief] = {}
    strange = frozenset(block.strange) if block else frozenset()
    for account in accounts(block.lines) if block else ():
        by_hand = block is not None and block.lines[account.line - 1] in strange
        belief = _belief(account, max(today, account.updated or today) if by_hand else None, renamed)
        if belief is not None:
            found[belief.id] = _joined(found[belief.id], belief) if belief.id in found else belief
    return tuple(found.values())


def is_readable(line: str) -> bool:
    """Whether all of a line that we did not write as it stands was understood: it needs no keeping elsewhere."""
    entry = read_entry(line)
    if entry is None:
        return is_head(line) and not any(_problems(account.bullet) for account in accounts((line,)))
    if entry.verb == UPDATED:
        return True
    if any(not is_link(*link) for link in _LINK.findall(entry.rest)):
        return False
    return _evidence(entry, {}) is not None and not _ID.sub("", _WHY.sub("", _LINK.sub("", entry.rest))).strip()


def malformed(block: Block) -> Iterator[Defect]:
    """Yield what somebody wrote into the head of a belief and cannot be taken; the line stays as it is."""
    for account in accounts(block.lines, block.line + 1):
        if account.id is not None:
            for problem in _problems(account.bullet):
                remedy = "correct it: until then the line is kept as it stands, and this is not taken"
                yield Defect(line=account.line, message=problem, remedy=remedy)


def render_beliefs(beliefs: Iterable[Belief], cite: Cite, where: Where) -> list[str]:
    """
    Render the lines of the block: opinions by subject, then what concerns safety and waits for review.

    Args:
        where: gives the present `path#L12` of a fact by id; without one an entry keeps the place it had.
    """
    lines: list[str] = []
    for belief in beliefs:
        if belief.kind is Kind.OPINION:
            lines += _render(belief, cite, where)
    guarded = [belief for belief in beliefs if belief.kind is not Kind.OPINION and belief.evidence]
    if guarded:
        lines += ["", "**Safety statements that something newer touches** (never changed by us)"]
        for belief in guarded:
            lines += _render(belief, cite, where)
    return lines


_VERBS = frozenset(verb.value for verb in Verb)


def _joined(first: Belief, copy: Belief) -> Belief:
    """One belief of two heads with its id: the words of the first, the evidence of both, each piece once."""
    known = {(entry.verb, entry.source) for entry in first.evidence}
    more = tuple(entry for entry in copy.evidence if (entry.verb, entry.source) not in known)
    return attrs.evolve(first, evidence=first.evidence + more) if more else first


def _belief(account: Account, edited: dt.date | None, renamed: Mapping[str, str]) -> Belief | None:
    """Make a belief of its lines; `edited` is the day on which somebody was found to have changed the head."""
    if account.id is None:
        return None
    number: float | None
    attributes: tuple[str, ...] = ()
    kept = ""
    plainly = _PLAINLY.fullmatch(account.bullet)
    if plainly:
        kind, number = Kind.OPINION, float(plainly[1])
        heads, text = tuple(plainly[2].split(" @")[1:]), plainly[3]
    elif bullet := read_bullet(account.bullet, lone_letter=True):
        kind, heads, text, number = bullet.kind, bullet.heads, bullet.text, bullet.attributes.confidence
        kept = account.bullet if bullet.attributes.problems else ""
        attributes = _others(bullet)
    else:
        kind, heads, text, number, kept = Kind.OPINION, (), "", None, account.bullet
    evidence = tuple(entry for line in account.lines if (entry := _evidence(line, renamed)) is not None)
    if edited and kind is Kind.OPINION and number is not None and abs(number - confidence_of(evidence)) > 0.0051:
        source = f"hand {edited.isoformat()}"
        evidence = (*evidence, Evidence(verb=Verb.SET, source=source, amount=number, day=edited, why="by hand"))
    return Belief(
        id=renamed.get(account.id, account.id),
        kind=kind,
        statement="" if account.id in renamed else plain_text(text),
        heads=heads,
        evidence=evidence,
        attributes=attributes,
        written="" if account.id in renamed else kept,
    )


def _problems(bullet: str) -> tuple[str, ...]:
    if _PLAINLY.fullmatch(bullet):
        return ()
    read = read_bullet(bullet, lone_letter=True)
    return read.attributes.problems if read else (f"not a typed bullet: {bullet[:60]!r}",)


def _others(bullet: Bullet) -> tuple[str, ...]:
    """The attributes beside the confidence, as they are written."""
    given = bullet.attributes
    draft = Draft(
        text=bullet.text or "-",
        kind=bullet.kind,
        salience=given.salience,
        provenance=given.provenance,
        private=given.private,
        pinned=given.pinned,
        supports=given.supports,
        contradicts=given.contradicts,
    )
    told = write_attributes(draft).strip("()")
    return (*(told.split(",") if told else ()), *given.extra)


def _evidence(line: AccountLine, renamed: Mapping[str, str]) -> Evidence | None:
    """Read one line of an account; None for one that is no evidence, or of which the amount cannot be taken."""
    if line.verb not in _VERBS:
        return None
    verb = Verb(line.verb)
    link, named, why = _LINK.search(line.rest), _ID.search(line.rest), _WHY.search(line.rest)
    where = link[1] if link and is_link(link[1], link[2]) else ""
    day = line.day.isoformat() if line.day else "undated"
    if verb in (Verb.STATED, Verb.RESTATED):
        source = day
    elif verb is Verb.SET:
        source = f"hand {day}"
    else:
        source = renamed.get(named[1], named[1]) if named else where
    amount = _amount(line.amount, verb)
    if amount is None or not source:
        return None
    return Evidence(
        verb=verb,
        source=source,
        amount=amount,
        day=line.day,
        where=where,
        why=why[1] if why and (not link or why.start() >= link.end()) else "",
    )


def _amount(text: str, verb: Verb) -> float | None:
    """The confidence that was stated or set, else the step in log-odds; None when it is not what it should be."""
    if verb in (Verb.STATED, Verb.SET):
        return read_unit(text)
    if not text:
        return {Verb.SUPPORTS: MARKED_SUPPORT, Verb.CONTRADICTS: MARKED_CONTRADICTION}.get(verb, 0.0)
    try:
        amount = float(text.replace(",", "."))
    except ValueError:
        return None
    if verb in (Verb.SUPPORTS, Verb.CONTRADICTS):
        return abs(amount) if verb is Verb.SUPPORTS else -abs(amount)
    return amount


def _render(belief: Belief, cite: Cite, where: Where) -> list[str]:
    letter = belief.kind.letter or "W"
    heads = "".join(f" @{head}" for head in belief.heads)
    given = (f"c={belief.confidence:.2f}",) if belief.kind is Kind.OPINION else ()
    told = ",".join((*given, *belief.attributes))
    bullet = belief.written or f"{letter}{f'({told})' if told else ''}{heads}: {escape(belief.statement)}"
    lines = [f"- {bullet} `{belief.id}`"]
    if belief.updated:
        lines.append(f"  - {UPDATED}: {belief.updated.isoformat()}")
    elif belief.kind is Kind.OPINION:
        lines.append(f"  - {UPDATED}: never")
    lines += [f"  - {_entry(entry, cite, where)}" for entry in belief.evidence]
    return lines


def _entry(entry: Evidence, cite: Cite, where: Where) -> str:
    text = entry.verb.value
    if entry.verb in (Verb.STATED, Verb.SET):
        text += f" {entry.amount:.2f}"
    elif entry.verb in (Verb.RESTATED, Verb.SUPPORTS, Verb.CONTRADICTS):
        text += f" {entry.amount:+.2f}"
    if entry.day:
        text += f" on {entry.day.isoformat()}"
    place = where(entry.source) or entry.where
    parts = [cite.link(place)] if place else []
    if entry.verb in (Verb.SUPPORTS, Verb.CONTRADICTS, Verb.UNSURE, Verb.UNRELATED):
        parts.append(f"`{entry.source}`")
    if entry.why:
        parts.append(f"({entry.why.replace('(', '').replace(')', '')})")
    return f"{text}: {' '.join(parts)}" if parts else text


__all__ = ["BLOCK", "PAGE", "TITLE", "is_readable", "malformed", "read_beliefs", "render_beliefs"]
