"""
Core memory: the block in `MEMORY.md` that the agent sees in every session; what goes in, in which order, under budget.

Pinned facts come first, then what keeps somebody from harm, then what is most important and recent. What is from
elsewhere, out of date, struck, corrected or doubted never goes in, nor what the page says outside the block. What is
private does: like it, the page is for the owner's own sessions, and the runtime shows it nowhere else.
"""

import datetime as dt
import heapq
import json
import math
import re
from collections.abc import Collection, Iterable, Sequence, Set

import attrs

from openclaw_memory_hookspecs import Fact, Kind, Provenance
from openclaw_memory_plugin.index.merge import TRUST
from openclaw_memory_plugin.index.reflection import Standing
from openclaw_memory_plugin.names import name_key
from openclaw_memory_plugin.reflect.pages import Entry
from openclaw_memory_plugin.reflect.pages.blocks import render_block
from openclaw_memory_plugin.reflect.pages.citing import excerpt, plain
from openclaw_memory_plugin.words import count_tokens
from openclaw_memory_plugin.workspace import Workspace
from openclaw_memory_plugin.workspace.files import read_json

BLOCK = "core"
PAGES = ("MEMORY.md", "memory.md", "Memory.md")
"""Names of the core page, the preferred one first."""
SHOWN_ANYWAY = frozenset((*PAGES, "USER.md"))
"""What stands here by hand is before the agent already."""
PROPOSAL = "core-proposal.json"

CANDIDATES = 400
"""Facts of which the texts are looked at."""
HALF_LIFE_DAYS = 90.0
DOUBTFUL = 0.5
"""Opinions below this confidence are not core."""
LONGEST = 400
"""Characters of one statement: none takes the room of ten others."""
SALIENT_NOTE = 0.7
"""Untyped notes need this salience, an access or a pin."""

_UNIT = (
    r"(?:%|€|\$|£|¥|kg|g|km|m|cm|mm|l|ml|gb|mb|tb|kb|kwh|kw|w|ms|h|min|hours?|days?|years?|stunden|tage|jahre|euros?|dollars?"
    r"|eur|usd|people|employees|users|元|块|岁|歳|度|公斤|公里|个|個|人|円|版|号版)"
)
_STATES = (
    r"(?:is|are|was|now|at|to|costs?|cost|weighs|pays|earns|has|have|runs|uses|version|firmware|release|ist|sind|kostet|hat"
    r"|wiegt|es|son|cuesta|tiene|est|sont|coute|coûte|a|é|são|custa|tem|auf)"
)
_VALUE = re.compile(
    rf"(?P<before>(?<!\w){_STATES}\s+|[=:]\s*|[是为為は])[€$£¥]?v?\d[\w.,/:-]*(?<![.,:])"
    rf"|(?<![\w.])v?\d+(?:\.\d+)+(?!\w)|[€$£¥]\s?\d[\d.,]*(?<![.,])|(?<![\w.])\d[\d.,]*\s?{_UNIT}(?![a-z])"
)
"""A number that says how much, which version or what something is, not which thing is meant."""


@attrs.frozen(kw_only=True)
class Core:
    """A core block that fits."""

    lines: tuple[str, ...]
    tokens: int
    """Of the whole block, markers included; 0 when it is empty."""
    ids: tuple[str, ...]
    pins_left_out: tuple[str, ...] = ()
    """Pinned facts for which the budget has no room."""


@attrs.frozen(kw_only=True)
class Proposal:
    """Facts proposed for core memory, by id alone: what was forgotten meanwhile cannot come back through it."""

    ids: tuple[str, ...]
    at: dt.datetime


def candidates(
    facts: Sequence[Standing],
    *,
    today: dt.date,
    safety: Collection[int],
    reached: dt.date | None = None,
    limit: int = CANDIDATES,
) -> list[Standing]:
    """
    Return what may be core by what is known without texts, best first.

    Args:
        reached: the latest day that has come, where that is known to be later than what the clock says.
    """
    latest = max(today, reached or today)
    fit = [
        fact
        for fact in facts
        if (fact.timestamp or "") <= latest.isoformat() and _may_be_core(fact, today.isoformat(), fact.seq in safety)
    ]
    fresh = {last: _freshness(last, latest) for last in {fact.last_seen for fact in fit}}
    pinned = sum(bool(fact.pinned) for fact in fit)
    return heapq.nsmallest(
        max(limit, pinned), fit, key=lambda fact: _rank(fact, fresh[fact.last_seen], fact.seq in safety)
    )


def pack_core(entries: Iterable[Entry], *, budget: int, safety: Collection[int], newline: str = "\n") -> Core:
    """
    Choose, best first, what fits into the budget, and render it: pinned, then safety, then by subject.

    An entry that does not fit is skipped and the next one tried. Of statements on one subject that differ in values
    alone (`runs firmware 4.1`, `… 4.2`) the latest is taken, every one that is pinned, and one that somebody stated
    who is to be trusted more. What a number only names (`the PIN of door 2`) is no value.
    """
    ranked = [entry for entry in entries if _is_current(entry)]
    outdated = _outdated(ranked)
    left = budget - count_tokens(render_block(BLOCK, (), newline)) - 1
    chosen: list[tuple[Entry, str]] = []
    left_out: list[str] = []
    for entry in ranked:
        if not entry.fact.pinned and entry.fact.seq in outdated:
            continue
        line = core_line(entry)
        # Three characters of sums and a line break belong to each line.
        cost = count_tokens(f"{line}{newline}___")
        if cost <= left:
            chosen.append((entry, line))
            left -= cost
        elif entry.fact.pinned:
            left_out.append(entry.fact.id)
    chosen.sort(key=lambda pair: _place(pair[0], safety))
    lines = tuple(line for _, line in chosen)
    return Core(
        lines=lines,
        tokens=block_tokens(lines, newline),
        ids=tuple(entry.fact.id for entry, _ in chosen),
        pins_left_out=tuple(left_out),
    )


def block_tokens(lines: Sequence[str], newline: str = "\n") -> int:
    """Count the tokens of the block that these lines make, markers included; 0 for no lines."""
    return count_tokens(render_block(BLOCK, lines, newline)) if lines else 0


def core_line(entry: Entry) -> str:
    """Render one fact of core memory: subject, statement, citation; a long one only begins, unless it is pinned."""
    named = f"**{', '.join(map(plain, entry.heads))}**: " if entry.heads else ""
    content = plain(entry.content) if entry.fact.pinned else excerpt(entry.content, LONGEST)
    return f"- {named}{content} ({plain(entry.places[0].where)})"


def cited(lines: Iterable[str]) -> dict[str, str]:
    """The entries of a core block: what each says -> the file that it cites."""
    found = {}
    for line in lines:
        said, _, where = line.rpartition(" (")
        path, mark, number = where.removesuffix(")").rpartition("#L")
        if said.startswith("- ") and path and mark and number.isdecimal() and where.endswith(")"):
            found[said] = path
    return found


def day_reached(entries: Iterable[Entry], shown: Set[str], *, today: dt.date) -> dt.date:
    """
    Return the latest day that has come: today, or a later one of which something was shown, whatever the clock says.

    Args:
        entries: facts that are dated after today.
        shown: what the entries of the block say, as `cited` tells.
    """
    come = (entry.fact.timestamp for entry in entries if shown and not shown.isdisjoint(cited([core_line(entry)])))
    return max((today, *(dt.date.fromisoformat(day) for day in come if day)))


def read_proposal(workspace: Workspace) -> Proposal | None:
    """Return the proposal that waits, None when there is none."""
    noted = read_json(workspace.state_dir / PROPOSAL)
    try:
        return Proposal(ids=tuple(map(str, noted["ids"])), at=dt.datetime.fromisoformat(noted["at"]))
    except (ValueError, KeyError, TypeError):
        return None


def write_proposal(workspace: Workspace, proposal: Proposal | None) -> None:
    """Keep a proposal for review in place of the one before; None drops it."""
    if proposal is None:
        (workspace.state_dir / PROPOSAL).unlink(missing_ok=True)
        return
    workspace.make_state_dir()
    noted = {"at": proposal.at.isoformat(), "ids": list(proposal.ids)}
    workspace.write(f"{workspace.state_dir.name}/{PROPOSAL}", json.dumps(noted).encode())


def update_line(before: int, after: int, *, changed: bool = True, dry_run: bool = False) -> str:
    """Say what became of core memory, or would, for people."""
    if not changed:
        return f"Core memory unchanged: {before:,} tokens"
    if dry_run:
        return f"Core memory would be updated: {after:,} tokens (is {before:,})"
    return f"Core memory updated: {after:,} tokens (was {before:,})"


def pins_line(count: int, limit: int) -> str:
    """Say how many pins have no room, for people."""
    what = "1 pinned fact does" if count == 1 else f"{count} pinned facts do"
    return f"{what} not fit into core memory: raise core.max_tokens ({limit:,}) or unpin others"


def never_core(fact: Fact, *, today: dt.date) -> str:
    """Why a fact does not become core memory, pinned or not; empty when it may."""
    if fact.provenance is Provenance.UNTRUSTED:
        return "it is untrusted"
    if fact.task:
        return "it is a task"
    if fact.superseded:
        return "it was struck out or corrected"
    if fact.valid_to is not None and fact.valid_to < today:
        return f"it held until {fact.valid_to}"
    if fact.kind is Kind.OPINION and fact.confidence is not None and fact.confidence < DOUBTFUL:
        return f"its confidence is below {DOUBTFUL:g}"
    shown = next((place.path for place in fact.citations if place.path in SHOWN_ANYWAY), None)
    return f"the agent sees {shown} in every session as it is" if shown else ""


def _may_be_core(fact: Standing, today: str, is_safety: bool) -> bool:
    if fact.provenance == _UNTRUSTED or fact.superseded or fact.task or fact.noise:
        return False
    if fact.valid_to is not None and fact.valid_to < today:
        return False
    if fact.kind == _NOTE:
        return bool(fact.pinned or is_safety or fact.access_count or fact.salience >= SALIENT_NOTE)
    return fact.kind != _OPINION or fact.confidence is None or fact.confidence >= DOUBTFUL


def _freshness(last_seen: str | None, today: dt.date) -> float:
    """What age leaves of a fact's worth; an undated one counts as old."""
    age = max(0, (today - dt.date.fromisoformat(last_seen)).days) if last_seen else 10 * HALF_LIFE_DAYS
    return float(0.5 ** (age / HALF_LIFE_DAYS))


def _rank(fact: Standing, freshness: float, is_safety: bool) -> tuple[int, int, float, str]:
    worth = fact.salience * (1 + 0.1 * math.log1p(fact.access_count)) * freshness
    return (-fact.pinned, -is_safety, -worth * _WEIGHTS.get(fact.kind, 1.0), fact.id)


_UNTRUSTED, _NOTE, _OPINION = Provenance.UNTRUSTED.value, Kind.NOTE.value, Kind.OPINION.value
_WEIGHTS = {Kind.NOTE.value: 0.6, Kind.EXPERIENCE.value: 0.9}


def _is_current(entry: Entry) -> bool:
    if entry.corrected or entry.paths & SHOWN_ANYWAY:
        return False
    return entry.confidence is None or entry.confidence >= DOUBTFUL


def _frame(entry: Entry) -> tuple[tuple[str, ...], str] | None:
    """What two statements of one thing at two times have in common; None for one without a value in it."""
    if not entry.heads:
        return None
    said, values = _VALUE.subn(lambda value: f"{value['before'] or ''}#", entry.content.casefold())
    return (tuple(sorted(map(name_key, entry.heads))), said) if values else None


def _outdated(entries: Iterable[Entry]) -> set[int]:
    """Return the facts of which a later one, stated by somebody trusted as much, gives another value."""
    newest_first = sorted(entries, key=lambda entry: (entry.fact.last_seen or "", entry.fact.id), reverse=True)
    outdated: set[int] = set()
    best: dict[tuple[tuple[str, ...], str], int] = {}
    for entry in newest_first:
        frame, trust = _frame(entry), TRUST[entry.fact.provenance]
        if frame is None:
            continue
        if frame in best and best[frame] >= trust:
            outdated.add(entry.fact.seq)
        best[frame] = max(best.get(frame, trust), trust)
    return outdated


def _place(entry: Entry, safety: Collection[int]) -> tuple[int, int, str, str, str]:
    subject = name_key(entry.heads[0]) if entry.heads else "~"
    return (-entry.fact.pinned, -(entry.fact.seq in safety), subject, entry.fact.timestamp or "", entry.fact.id)
