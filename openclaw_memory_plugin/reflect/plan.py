"""What a reflection would change, without changing anything: selection, beliefs, pages, core memory, brief."""

import datetime as dt
import os
from collections.abc import Collection, Sequence

import attrs

from openclaw_memory_hookspecs import Kind
from openclaw_memory_plugin.config import Config
from openclaw_memory_plugin.index import Index
from openclaw_memory_plugin.index import reflection as rows
from openclaw_memory_plugin.index.facts import FileDefect
from openclaw_memory_plugin.markdown.telling import tell
from openclaw_memory_plugin.reflect import brief as briefing
from openclaw_memory_plugin.reflect import core as coring
from openclaw_memory_plugin.reflect.beliefs import Review
from openclaw_memory_plugin.reflect.brief import Brief
from openclaw_memory_plugin.reflect.core import Core
from openclaw_memory_plugin.reflect.gather import Facts
from openclaw_memory_plugin.reflect.given import read_given
from openclaw_memory_plugin.reflect.history import Change
from openclaw_memory_plugin.reflect.outdated import outdated
from openclaw_memory_plugin.reflect.pages.blocks import Block
from openclaw_memory_plugin.reflect.pages.citing import plain
from openclaw_memory_plugin.reflect.pages.draft import Drafted, Page, draft, open_page
from openclaw_memory_plugin.reflect.pages.edits import restated_core, said_by_hand
from openclaw_memory_plugin.reflect.paging import Links, entity_pages, kind_pages
from openclaw_memory_plugin.reflect.revising import belief_page, draft_beliefs, revise_beliefs
from openclaw_memory_plugin.reflect.scope import Scope, explainer
from openclaw_memory_plugin.reflect.select import Remembered, Selection, priority, select
from openclaw_memory_plugin.words import count_tokens
from openclaw_memory_plugin.workspace import Workspace

EVIDENCE_PER_RUN = 200
"""New facts weighed as evidence in one reflection; explicit marks always are."""
TOP = 5
"""Priorities reported."""


@attrs.frozen(kw_only=True)
class CorePlan:
    """Core memory as it is and as it would be."""

    core: Core
    before: int
    """Tokens of the block at present."""
    limit: int
    """Tokens that it may have."""
    drafted: Drafted

    @property
    def differs(self) -> bool:
        """Whether there is something to write."""
        return self.drafted.change is not None

    @property
    def after(self) -> int:
        """Tokens of the block once that is written; as before where the page cannot be."""
        return self.before if self.drafted.problem is not None else self.core.tokens


@attrs.frozen(kw_only=True)
class Plan:
    """Everything one reflection decided."""

    selection: Selection
    priorities: tuple[tuple[str, str, float], ...]
    """Id, statement and priority of the most important facts."""
    scope: Scope
    drafted: tuple[Drafted, ...]
    """All pages looked at, also those that stay as they are."""
    core: CorePlan
    brief: Brief
    remembered: Remembered
    settles_later: bool
    """Whether carrying it out changes what is known, so that another plan may have more to write."""
    number: int | None = None
    """In the history, once carried out."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """What to write."""
        return tuple(page.change for page in self.drafted if page.change is not None)


def make_plan(
    workspace: Workspace,
    index: Index,
    config: Config,
    *,
    now: dt.datetime,
    since: dt.date | None,
    remembered: Remembered,
    accept_loss: bool = False,
) -> Plan:
    """Plan a reflection from the index as it is; reads the pages, writes nothing."""
    facts = Facts.read(index.connection)
    ids = facts.by_id.keys()
    fresh = remembered.new(ids)
    selection = select(facts.all, now=now, since=since, new=fresh, ordered=EVIDENCE_PER_RUN)
    safety = facts.safety()
    weighed = {
        fact.seq
        for fact in (*selection.chosen, *selection.waiting[:EVIDENCE_PER_RUN])
        if not remembered.has_weighed(fact.id)
    }
    scope, opinions = _scope(workspace, facts, config, now, weighed, safety, accept_loss)
    about = entity_pages(scope, selection)
    core = plan_core(scope, safety)
    drafted = [opinions, *about.drafted, *kind_pages(scope)]
    if config.core.update == "apply" or core.drafted.problem is not None:
        drafted.append(core.drafted)
    top = scope.entries(selection.chosen[:TOP])
    handled = {fact.id for fact in selection.chosen}
    handled |= {facts.by_seq[seq].id for seq in weighed} - about.late
    return Plan(
        selection=selection,
        priorities=tuple((entry.fact.id, entry.content, priority(entry.fact)) for entry in top),
        scope=scope,
        drafted=tuple(drafted),
        core=core,
        brief=_brief(scope, about.links),
        remembered=_remember(remembered, frozenset(ids), fresh, handled, _skipped(facts, fresh, since, remembered)),
        settles_later=about.names_somebody or any(page.moved or page.shifts for page in drafted),
    )


def _skipped(facts: Facts, fresh: Collection[str], since: dt.date | None, before: Remembered) -> frozenset[str]:
    """What a reflection on later days passes over and none has weighed."""
    if since is None:
        return frozenset()
    first = since.isoformat()
    left = (fact_id for fact_id in fresh if not before.has_weighed(fact_id))
    return frozenset(fact_id for fact_id in left if (facts.by_id[fact_id].last_seen or "") < first)


def _remember(
    before: Remembered,
    ids: frozenset[str],
    fresh: frozenset[str],
    handled: Collection[str],
    skipped: frozenset[str],
) -> Remembered:
    """What the next reflection has to know; nothing new when nothing was."""
    if ids == before.ids and not before.skipped and not skipped:
        return before
    waiting = (fresh - skipped) | (before.pending & ids)
    return Remembered(ids=ids, fresh=fresh, pending=waiting - frozenset(handled), skipped=skipped - frozenset(handled))


def view(workspace: Workspace, index: Index, config: Config, *, now: dt.datetime) -> Scope:
    """Return the beliefs and facts as they stand, with no new evidence but explicit marks weighed."""
    facts = Facts.read(index.connection)
    return _scope(workspace, facts, config, now, (), facts.safety(), False)[0]


def plan_core(scope: Scope, safety: Collection[int], only: Collection[str] | None = None) -> CorePlan:
    """
    Plan the block of core memory.

    An opinion that was contradicted last is left to its successor, and what may speak against a safety statement is
    not put beside it before somebody has looked at the pair. What stands in the block stays when a clock says that
    its day is yet to come: it has been.

    Args:
        only: ids of the facts to choose from; None chooses among all.
    """
    path, limit = core_path(scope.workspace), scope.config.core.max_tokens
    page = open_page(scope.workspace, path)
    found = page.block(coring.BLOCK) if isinstance(page, Page) else None
    block = found if isinstance(found, Block) else None
    before = coring.cited(block.lines) if block else {}
    day = scope.today.isoformat()
    ahead = [fact for fact in scope.facts.all if (fact.timestamp or "") > day] if before else []
    reached = coring.day_reached(scope.entries(ahead), before.keys(), today=scope.today)
    fit = coring.candidates(scope.facts.all, today=scope.today, safety=safety, reached=reached)
    out = {belief.id for belief in scope.revision.beliefs if belief.doubted}
    out |= {review.source for review in scope.revision.reviews if review.safety}
    entries = scope.entries(fact for fact in fit if fact.id not in out and (only is None or fact.id in only))
    worded = said_by_hand(page.text, block, entries) if isinstance(page, Page) else frozenset()
    crlf = isinstance(page, Page) and "\r\n" in page.text[:4096]
    core = coring.pack_core(
        [entry for entry in entries if entry.fact.id not in worded],
        budget=limit,
        safety=safety,
        newline="\r\n" if crlf else "\n",
    )
    if isinstance(page, FileDefect):
        return CorePlan(core=core, before=0, limit=limit, drafted=Drafted(path=path, problem=page))
    there = page.text[block.start : block.end] if block else ""
    same = block is not None and block.lines == core.lines
    files = set() if same else {plain(state.path) for state in scope.workspace.scan()}
    drafted = draft(
        page,
        coring.BLOCK,
        core.lines,
        title="# Memory",
        entries=coring.cited,
        explained=lambda entry: before[entry] in files,
        accept_loss=scope.accept_loss,
        restate=lambda line, block: restated_core(line, block, entries, coring.core_line, scope.name_in),
    )
    return CorePlan(core=core, before=count_tokens(there), limit=limit, drafted=drafted)


def core_path(workspace: Workspace) -> str:
    """Return the page of core memory, the one to create when there is none."""
    there = set(os.listdir(workspace.root))
    return next((name for name in coring.PAGES if name in there), coring.PAGES[0])


def _scope(
    workspace: Workspace,
    facts: Facts,
    config: Config,
    now: dt.datetime,
    weighed: Collection[int],
    safety: Collection[int],
    accept_loss: bool,
) -> tuple[Scope, Drafted]:
    today = workspace.today(now)
    page, known = belief_page(workspace, facts, today)
    explained = explainer(facts)
    revision = revise_beliefs(facts, known, weighed, safety, explained)
    scope = Scope(
        workspace=workspace,
        facts=facts,
        config=config,
        today=today,
        revision=revision,
        explained=explained,
        outdated=outdated(facts, today=today, safety=safety, corrected=revision.corrected),
        accept_loss=accept_loss,
    )
    if isinstance(page, FileDefect):
        return scope, Drafted(path=page.path, problem=page)
    return scope, draft_beliefs(page, scope.revision.beliefs, facts)


def _brief(scope: Scope, links: Links) -> Brief:
    waiting = scope.open_reviews()
    return briefing.write_brief(
        reviews=list(zip(waiting, *_both_told(scope, waiting), strict=True)),
        stale=briefing.stale_beliefs(scope.revision.beliefs, today=scope.today),
        unsummarised=_unsummarised(scope, links),
        bare=_bare_days(scope),
        worn_out=read_given(scope.workspace).worn_out,
    )


def _both_told(scope: Scope, waiting: Sequence[Review]) -> tuple[list[str], list[str]]:
    """Tell the belief and the source of each pair, with their subjects."""
    facts = scope.facts
    beliefs = {belief.id: belief for belief in scope.revision.beliefs}
    held = [beliefs.get(review.belief) for review in waiting]
    sources = [facts.by_id[review.source] for review in waiting]
    facts.fetch(fact.seq for fact in sources)
    subjects = rows.subjects(facts.connection, (fact.seq for fact in sources))
    return (
        [
            tell(belief.statement, belief.heads, kind=belief.kind, confidence=belief.confidence) if belief else ""
            for belief in held
        ],
        [
            tell(
                facts.content(fact.seq),
                [facts.entities[entity].name for entity in subjects.get(fact.seq, ()) if entity in facts.entities],
                kind=Kind(fact.kind),
                confidence=fact.confidence,
            )
            for fact in sources
        ],
    )


def _unsummarised(scope: Scope, links: Links) -> list[briefing.Unsummarised]:
    """The entities with most facts that lack a summary, a few."""
    known, by_seq = scope.facts.entities, scope.facts.by_seq
    recent = (scope.today - dt.timedelta(days=briefing.STALE_DAYS)).isoformat()
    summed = rows.observed(scope.facts.connection, recent)
    found: list[briefing.Unsummarised] = []
    for entity in sorted(links, key=lambda one: (-known[one].fact_count, known[one].key)):
        if known[entity].fact_count < briefing.MANY_FACTS or len(found) == briefing.EACH:
            break
        direct = sum(role <= 1 and seq in by_seq for seq, role in links[entity])
        if direct >= briefing.MANY_FACTS and entity not in summed:
            found.append(briefing.Unsummarised(name=known[entity].name, facts=direct))
    return found


def _bare_days(scope: Scope) -> list[briefing.BareDay]:
    since = scope.today - dt.timedelta(days=briefing.LOOK_BACK_DAYS)
    found = rows.days(scope.facts.connection, since, scope.today - dt.timedelta(days=1))
    return [
        briefing.BareDay(day=dt.date.fromisoformat(day), notes=notes, path=path)
        for day, notes, typed, path in reversed(found)
        if not typed and notes >= briefing.FEW_NOTES
    ]
