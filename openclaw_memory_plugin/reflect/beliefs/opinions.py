"""`bank/opinions.md`: beliefs to text and back. The account below each belief is the whole truth about it."""

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping

from openclaw_memory_hookspecs import Kind
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
from openclaw_memory_plugin.markdown.bullets import read_bullet
from openclaw_memory_plugin.markdown.inline import escape
from openclaw_memory_plugin.markdown.inline import plain as plain_text
from openclaw_memory_plugin.reflect.beliefs.account import (
    MARKED_CONTRADICTION,
    MARKED_SUPPORT,
    Belief,
    Evidence,
    Verb,
    confidence_of,
)
from openclaw_memory_plugin.reflect.pages.blocks import Block
from openclaw_memory_plugin.reflect.pages.citing import Cite

TITLE = "# Opinions"

Where = Callable[[str], str | None]

_LINK = re.compile(r"\[([^\]]+#L\d+)\]\([^)]*\)")
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
            found.setdefault(belief.id, belief)
    return tuple(found.values())


def is_readable(line: str) -> bool:
    """Whether all of a line that we did not write as it stands was understood: it needs no keeping elsewhere."""
    entry = read_entry(line)
    if entry is None:
        return is_head(line)
    if entry.verb == UPDATED:
        return True
    return entry.verb in _VERBS and not _ID.sub("", _WHY.sub("", _LINK.sub("", entry.rest))).strip()


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


def _belief(account: Account, edited: dt.date | None, renamed: Mapping[str, str]) -> Belief | None:
    """Make a belief of its lines; `edited` is the day on which somebody was found to have changed the head."""
    if account.id is None:
        return None
    written: float | None
    plainly = _PLAINLY.fullmatch(account.bullet)
    if plainly:
        kind, written = Kind.OPINION, float(plainly[1])
        heads, text = tuple(plainly[2].split(" @")[1:]), plainly[3]
    else:
        bullet = read_bullet(account.bullet, lone_letter=True)
        if bullet is None:
            return None
        kind, heads, text, written = bullet.kind, bullet.heads, bullet.text, bullet.attributes.confidence
    evidence = tuple(
        entry for line in account.lines if line.verb in _VERBS for entry in [_evidence(line, renamed)] if entry.source
    )
    if edited and kind is Kind.OPINION and written is not None and abs(written - confidence_of(evidence)) > 0.0051:
        source = f"hand {edited.isoformat()}"
        evidence = (*evidence, Evidence(verb=Verb.SET, source=source, amount=written, day=edited, why="by hand"))
    return Belief(
        id=renamed.get(account.id, account.id),
        kind=kind,
        statement="" if account.id in renamed else plain_text(text),
        heads=heads,
        evidence=evidence,
    )


def _evidence(line: AccountLine, renamed: Mapping[str, str]) -> Evidence:
    verb = Verb(line.verb)
    link, named, why = _LINK.search(line.rest), _ID.search(line.rest), _WHY.search(line.rest)
    day = line.day.isoformat() if line.day else "undated"
    if verb in (Verb.STATED, Verb.RESTATED):
        source = day
    elif verb is Verb.SET:
        source = f"hand {day}"
    else:
        source = renamed.get(named[1], named[1]) if named else (link[1] if link else "")
    default = {Verb.SUPPORTS: MARKED_SUPPORT, Verb.CONTRADICTS: MARKED_CONTRADICTION}.get(verb, 0.0)
    amount = _amount(line.amount, default)
    if verb is Verb.SUPPORTS:
        amount = abs(amount)
    elif verb is Verb.CONTRADICTS:
        amount = -abs(amount)
    return Evidence(
        verb=verb,
        source=source,
        amount=amount,
        day=line.day,
        where=link[1] if link else "",
        why=why[1] if why and (not link or why.start() >= link.end()) else "",
    )


def _amount(text: str, default: float) -> float:
    try:
        return float(text.replace(",", ".")) if text else default
    except ValueError:
        return default


def _render(belief: Belief, cite: Cite, where: Where) -> list[str]:
    letter = belief.kind.letter or "W"
    heads = "".join(f" @{head}" for head in belief.heads)
    confidence = f"(c={belief.confidence:.2f})" if belief.kind is Kind.OPINION else ""
    lines = [f"- {letter}{confidence}{heads}: {escape(belief.statement)} `{belief.id}`"]
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


__all__ = ["BLOCK", "PAGE", "TITLE", "is_readable", "read_beliefs", "render_beliefs"]
