"""
One reflection: facts in, a plan of page changes out, written as one change that can be taken back.

The plan is a function of the index, the pages and the day; carried out, it plans nothing the next time. What somebody
edits between planning and writing wins: nothing is written and the plan is made anew.
"""

import contextlib
import datetime as dt
import gc
import time
from collections.abc import Sequence
from typing import Any

import attrs

from openclaw_memory_plugin.config import Config
from openclaw_memory_plugin.errors import ConflictError
from openclaw_memory_plugin.index import Index
from openclaw_memory_plugin.index.facts import FileDefect
from openclaw_memory_plugin.markdown.nouns import Defect
from openclaw_memory_plugin.reflect import history
from openclaw_memory_plugin.reflect.brief import Brief
from openclaw_memory_plugin.reflect.core import Proposal, write_proposal
from openclaw_memory_plugin.reflect.pages.draft import diff_of
from openclaw_memory_plugin.reflect.plan import Plan, make_plan
from openclaw_memory_plugin.reflect.select import Remembered, read_remembered, write_remembered
from openclaw_memory_plugin.workspace import Workspace, hidden

ATTEMPTS = 3
"""Plans made while somebody keeps editing the same pages."""
ROUNDS = 3
"""Plans carried out in one reflection: a page that makes a name known can give another page more to say, and
one that grows moves the lines below its block, which others cite."""


@attrs.frozen(kw_only=True)
class Priority:
    """One of the facts that mattered most."""

    id: str
    content: str
    priority: float


@attrs.frozen(kw_only=True)
class Moved:
    """A belief that moved."""

    id: str
    statement: str
    heads: tuple[str, ...]
    before: float | None
    """None for a new one."""
    after: float


@attrs.frozen(kw_only=True)
class Reflection:
    """What a reflection did, or would do."""

    selected: int
    eligible: int
    total: int
    """Standing facts."""
    priorities: tuple[Priority, ...]
    written: tuple[str, ...]
    """Paths of the pages that changed, or would."""
    pages: int
    """Pages looked at."""
    moved_lines: tuple[tuple[str, str], ...]
    """Path and line of what somebody had written into a block; it stands below the block now."""
    beliefs: tuple[Moved, ...]
    reviews: int
    """Pairs that wait for somebody to settle them."""
    core_update: str
    """`apply`, `propose` or `off`, as configured."""
    core_tokens: int
    core_tokens_before: int
    core_changed: bool
    core_limit: int
    pins_left_out: tuple[str, ...]
    """Pinned facts for which core memory has no room."""
    problems: tuple[FileDefect, ...]
    """Pages that were left alone, and why; in a dry run also those that cannot be written."""
    brief: Brief
    diff: str
    """Unified diff of everything; only made for a dry run."""
    change: int | None = None
    """Number in the history; None when nothing was written."""
    dry_run: bool = False
    seconds: float = 0.0


def reflect(
    workspace: Workspace,
    index: Index,
    config: Config,
    *,
    now: dt.datetime,
    since: dt.date | None = None,
    dry_run: bool = False,
    accept_loss: bool = False,
) -> Reflection:
    """
    Revise pages, beliefs and core memory.

    Takes the workspace's lock while it writes, not while it thinks: whoever retains meanwhile does not wait, and what
    was archived or forgotten meanwhile makes it think again. Reflecting twice writes what reflecting once does.

    Args:
        since: look at what was recorded from this day on; None for what is new since the last reflection.
        accept_loss: also rewrite pages that would lose more than a quarter of their entries.

    Raises:
        ConflictError: somebody kept editing the pages.
        WorkspaceError: a page is read-only or cannot be written; nothing was changed.
    """
    started = time.perf_counter()
    if dry_run:
        index.sync(now)
        remembered = read_remembered(workspace)
        plan = _planned(workspace, index, config, now=now, since=since, remembered=remembered, accept_loss=accept_loss)
        return attrs.evolve(
            _report(plan, (plan,), config, diff=diff_of(plan.changes), dry_run=True, started=started),
            problems=(*_problems(plan), *_hindered(workspace, plan)),
        )
    plans, remembered = _carry_out(workspace, index, config, now, since, accept_loss)
    first = plans[0]
    with workspace.lock():
        if config.core.update == "propose":
            write_proposal(workspace, Proposal(ids=first.core.core.ids, at=now) if first.core.differs else None)
        if first.remembered is not remembered or not _same_day(workspace, remembered.at, now):
            write_remembered(workspace, attrs.evolve(first.remembered, at=now.astimezone(dt.UTC)))
    return _report(first, plans, config, started=started)


def _planned(workspace: Workspace, index: Index, config: Config, **asked: Any) -> Plan:
    """Plan without the collector: it would look again and again at rows that are all dropped at once."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        return make_plan(workspace, index, config, **asked)
    finally:
        if collecting:
            gc.enable()


def _same_day(workspace: Workspace, one: dt.datetime | None, other: dt.datetime) -> bool:
    return one is not None and workspace.today(one) == workspace.today(other)


def _carry_out(
    workspace: Workspace,
    index: Index,
    config: Config,
    now: dt.datetime,
    since: dt.date | None,
    accept_loss: bool,
) -> tuple[tuple[Plan, ...], Remembered]:
    """
    Plan and write until nothing is left to write.

    Returns:
        The plans that were carried out, at least one, and what was remembered when the first one was made.
    """
    done: list[Plan] = []
    first = remembered = None
    conflicts = 0
    while len(done) < ROUNDS:
        try:
            with contextlib.ExitStack() as held:
                if conflicts == ATTEMPTS - 1:
                    held.enter_context(workspace.lock())
                away = hidden.signature(workspace.root)
                index.sync(now)
                remembered = remembered or read_remembered(workspace)
                plan = _planned(
                    workspace, index, config, now=now, since=since, remembered=remembered, accept_loss=accept_loss
                )
                applied = _write(workspace, plan, remembered, away, now)
        except ConflictError:
            conflicts += 1
            if conflicts == ATTEMPTS:
                raise
            remembered = None
            continue
        if applied.entry is None and done:
            break
        first = first or remembered
        done.append(attrs.evolve(plan, number=applied.entry.number if applied.entry else None))
        if not plan.settles_later:
            break
    assert first is not None
    return tuple(done), first


def _write(workspace: Workspace, plan: Plan, remembered: Remembered, away: str, now: dt.datetime) -> history.Applied:
    """
    Write what was planned, unless somebody else has reflected or hidden facts since.

    Args:
        remembered: what the plan was made from.
        away: what archive and tombstones were then; what is gone since must not come back by it.
    """
    with workspace.lock():
        if hidden.signature(workspace.root) != away or read_remembered(workspace) != remembered:
            raise ConflictError("facts were forgotten or reflected upon meanwhile; nothing was changed, reflect again")
        return history.apply(workspace, plan.changes, reason="reflect", now=now)


def _problems(plan: Plan) -> tuple[FileDefect, ...]:
    return tuple(page.problem for page in plan.drafted if page.problem is not None)


def _hindered(workspace: Workspace, plan: Plan) -> tuple[FileDefect, ...]:
    """What a reflection would write and cannot; then it would write nothing at all."""
    paths = [change.path for change in plan.changes]
    found = ((path, history.hindrance(workspace, path)) for path in (*paths, *([history.PENDING] if paths else ())))
    remedy = "make it writable first"
    return tuple(
        FileDefect(path=path, defect=Defect(line=0, message=f"{reason}, so nothing would be changed", remedy=remedy))
        for path, reason in found
        if reason is not None
    )


def _report(
    plan: Plan,
    plans: Sequence[Plan],
    config: Config,
    *,
    started: float,
    diff: str = "",
    dry_run: bool = False,
) -> Reflection:
    return Reflection(
        selected=len(plan.selection.chosen),
        eligible=plan.selection.eligible,
        total=plan.selection.total,
        priorities=tuple(
            Priority(id=fact_id, content=content, priority=value) for fact_id, content, value in plan.priorities
        ),
        written=tuple(dict.fromkeys(change.path for one in plans for change in one.changes)),
        pages=len(plan.drafted),
        moved_lines=tuple((page.path, line) for one in plans for page in one.drafted for line in page.moved),
        beliefs=tuple(
            Moved(
                id=move.belief.id,
                statement=move.belief.statement,
                heads=move.belief.heads,
                before=move.before,
                after=move.belief.confidence,
            )
            for move in plan.scope.revision.moves
        ),
        reviews=len(plan.scope.open_reviews()),
        core_update=config.core.update,
        core_tokens=plan.core.after,
        core_tokens_before=plan.core.before,
        core_changed=plan.core.differs and config.core.update != "off",
        core_limit=plan.core.limit,
        pins_left_out=plan.core.core.pins_left_out if config.core.update != "off" else (),
        problems=_problems(plan),
        brief=plan.brief,
        diff=diff,
        change=next((one.number for one in reversed(plans) if one.number is not None), None),
        dry_run=dry_run,
        seconds=time.perf_counter() - started,
    )
