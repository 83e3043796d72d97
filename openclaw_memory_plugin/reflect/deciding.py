"""What a person decides about beliefs, core memory and pins, each as one change that can be taken back."""

import datetime as dt
from collections.abc import Collection

import attrs

from openclaw_memory_hookspecs import Fact, Kind
from openclaw_memory_plugin.config import Config
from openclaw_memory_plugin.errors import ConflictError, UsageError, WorkspaceError
from openclaw_memory_plugin.index import Index
from openclaw_memory_plugin.index.facts import FileDefect
from openclaw_memory_plugin.markdown.nouns import Defect
from openclaw_memory_plugin.markdown.pinning import pinned, unpinned
from openclaw_memory_plugin.names import name_key
from openclaw_memory_plugin.reflect import history
from openclaw_memory_plugin.reflect.beliefs import Review
from openclaw_memory_plugin.reflect.beliefs.account import Belief, Verb, settle
from openclaw_memory_plugin.reflect.core import Proposal, read_proposal, write_proposal
from openclaw_memory_plugin.reflect.history import Change
from openclaw_memory_plugin.reflect.pages.draft import diff_of
from openclaw_memory_plugin.reflect.plan import CorePlan, plan_core, view
from openclaw_memory_plugin.reflect.revising import belief_page, draft_beliefs
from openclaw_memory_plugin.reflect.scope import Scope
from openclaw_memory_plugin.workspace import Workspace
from openclaw_memory_plugin.workspace.files import Source, encode_edited


@attrs.frozen(kw_only=True)
class Pair:
    """Two statements that somebody should settle."""

    review: Review
    statement: str
    source_statement: str
    """What may speak against it."""
    source_where: str


@attrs.frozen(kw_only=True)
class CoreView:
    """What core memory would become."""

    tokens: int
    before: int
    """Tokens at present."""
    diff: str
    proposed_at: dt.datetime | None
    """When it was proposed; None when nothing waits and this is what a reflection would write now."""
    pins_left_out: tuple[str, ...] = ()
    """Pinned facts for which there is no room."""
    limit: int = 0
    """Tokens that it may have."""
    gone: tuple[str, ...] = ()
    """Proposed facts that may not be core any more."""
    problem: FileDefect | None = None
    """Why the page cannot be written."""
    written: bool = False


def beliefs(
    workspace: Workspace, index: Index, config: Config, *, now: dt.datetime, about: str | None = None
) -> tuple[Belief, ...]:
    """
    Return the beliefs as they stand, with the account of each.

    Args:
        about: an id or its beginning, or the name of whom they are about; None for all.

    Raises:
        UsageError: there is no such belief, or the id is ambiguous.
    """
    scope = view(workspace, index, config, now=now)
    found = scope.revision.beliefs
    if about is None:
        return found
    key = name_key(about)
    named = tuple(one for one in found if key in map(name_key, one.heads))
    return named or (_belief(scope, about),)


def reviews(workspace: Workspace, index: Index, config: Config, *, now: dt.datetime) -> tuple[Pair, ...]:
    """Return the pairs that wait for somebody, those about safety first."""
    scope = view(workspace, index, config, now=now)
    facts = scope.facts
    statements = {belief.id: belief.statement for belief in scope.revision.beliefs}
    waiting = scope.open_reviews()
    facts.fetch(facts.by_id[one.source].seq for one in waiting)
    return tuple(
        Pair(
            review=one,
            statement=statements[one.belief],
            source_statement=facts.content(facts.by_id[one.source].seq),
            source_where=facts.where(one.source) or "",
        )
        for one in waiting
    )


def decide(
    workspace: Workspace, index: Index, config: Config, belief: str, source: str, verb: Verb, *, now: dt.datetime
) -> Belief:
    """
    Settle a pair: write into the opinions page what the source is to the belief, and return it.

    Raises:
        UsageError: there is no such belief, or the pair is not listed.
        ConflictError: the page was edited meanwhile, or its block cannot be told; nothing was changed.
        WorkspaceError: the page cannot be written.
    """
    with workspace.lock():
        index.sync(now)
        scope = view(workspace, index, config, now=now)
        chosen = _belief(scope, belief)
        listed = [e.source for e in chosen.evidence if e.verb is Verb.UNSURE and e.source.startswith(source.lower())]
        if len(listed) != 1:
            raise UsageError(f"{source!r} is not one piece listed for review with {chosen.id}; see `opinion review`")
        settled = settle(chosen, listed[0], verb, day=scope.today)
        page, _ = belief_page(workspace, scope.facts, scope.today)
        if isinstance(page, FileDefect):
            raise WorkspaceError(f"{page.path}: {page.defect.message}; {page.defect.remedy}")
        all_of_them = [settled if one.id == settled.id else one for one in scope.revision.beliefs]
        drafted = draft_beliefs(page, all_of_them, scope.facts)
        if drafted.problem is not None:
            raise ConflictError(f"{drafted.path}: {drafted.problem.defect.message}; {drafted.problem.defect.remedy}")
        if drafted.change is not None:
            history.apply(workspace, [drafted.change], reason=f"settle {settled.id}", now=now)
            index.sync(now)
    return settled


def core_view(workspace: Workspace, index: Index, config: Config, *, now: dt.datetime) -> CoreView:
    """Show the proposal that waits, or what a reflection would write now; changes nothing."""
    index.sync(now)
    plan, proposal, gone = _core(workspace, index, config, now)
    shown = _core_view(plan, proposal, gone)
    reason = history.hindrance(workspace, plan.drafted.path) if plan.drafted.change is not None else None
    if reason is None:
        return shown
    defect = Defect(line=0, message=reason, remedy="make it writable first")
    return attrs.evolve(shown, problem=FileDefect(path=plan.drafted.path, defect=defect))


def accept_core(workspace: Workspace, index: Index, config: Config, *, now: dt.datetime) -> CoreView:
    """
    Write the proposal into core memory.

    A proposed fact that was archived, forgotten or made private meanwhile is left out and named.

    Raises:
        UsageError: nothing waits.
        ConflictError: the page was edited meanwhile or its block cannot be told; nothing was changed.
    """
    with workspace.lock():
        index.sync(now)
        plan, proposal, gone = _core(workspace, index, config, now)
        if proposal is None:
            raise UsageError("no proposal waits; with core.update: propose, `reflect` makes one")
        if plan.drafted.problem is not None:
            defect = plan.drafted.problem.defect
            raise ConflictError(f"{plan.drafted.path}: {defect.message}; {defect.remedy}")
        if plan.drafted.change is not None:
            history.apply(workspace, [plan.drafted.change], reason="accept core", now=now)
        write_proposal(workspace, None)
        index.sync(now)
    return attrs.evolve(_core_view(plan, proposal, gone), written=plan.drafted.change is not None)


def pin(workspace: Workspace, index: Index, fact_id: str, *, on: bool, now: dt.datetime) -> Fact:
    """
    Pin a fact in every place that states it, or unpin it, and return it.

    Raises:
        UsageError: the id is unknown or ambiguous, or a place can carry no pin; nothing was changed.
        WorkspaceError: a file cannot be written; nothing was changed.
    """
    with workspace.lock():
        index.sync(now)
        fact = index.fact(fact_id)
        if fact.pinned != on:
            changes = _pinning(workspace, fact, on)
            history.apply(workspace, changes, reason=f"{'pin' if on else 'unpin'} {fact.id}", now=now)
            index.sync(now)
            fact = index.fact(fact.id)
    return fact


def _belief(scope: Scope, written: str) -> Belief:
    wanted = written.strip().lower()
    wanted = scope.facts.renamed.get(wanted, wanted)
    matches = [one for one in scope.revision.beliefs if one.id.startswith(wanted)] if wanted else []
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise UsageError(f"{written!r} is the beginning of several ids ({', '.join(one.id for one in matches[:5])}…)")
    raise UsageError(f"there is no opinion {written!r}; `opinion show` lists them, by id and by whom they are about")


def _core(
    workspace: Workspace, index: Index, config: Config, now: dt.datetime
) -> tuple[CorePlan, Proposal | None, tuple[str, ...]]:
    proposal = read_proposal(workspace)
    scope = view(workspace, index, config, now=now)
    only: Collection[str] | None = None if proposal is None else frozenset(proposal.ids)
    plan = plan_core(scope, scope.facts.safety(), only)
    gone = () if proposal is None else tuple(one for one in proposal.ids if one not in plan.core.ids)
    return plan, proposal, gone


def _core_view(plan: CorePlan, proposal: Proposal | None, gone: tuple[str, ...]) -> CoreView:
    change = plan.drafted.change
    return CoreView(
        tokens=plan.after,
        before=plan.before,
        diff=diff_of([change]) if change else "",
        proposed_at=proposal.at if proposal else None,
        pins_left_out=plan.core.pins_left_out,
        limit=plan.limit,
        gone=gone,
        problem=plan.drafted.problem,
    )


def _pinning(workspace: Workspace, fact: Fact, on: bool) -> list[Change]:
    """Plan the edits: a pin needs one place that can carry it, taking it off needs all."""
    typed = fact.kind is not Kind.NOTE
    texts: dict[str, tuple[Source, list[str]]] = {}
    for citation in fact.citations:
        if citation.path not in texts:
            source = workspace.read(citation.path)
            texts[citation.path] = source, source.editable.split("\n")
        lines = texts[citation.path][1]
        line = lines[citation.line - 1]
        edited = pinned(line, typed=typed) if on else unpinned(line, typed=typed)
        if edited is not None:
            lines[citation.line - 1] = edited
            if on:
                break
    else:
        if on:
            raise UsageError(f"{fact.source}: this line can carry no pin; retain it as a fact of its own with --pin")
    return [
        Change(path=path, before=source.data, after=encode_edited("\n".join(lines)), before_digest=source.digest)
        for path, (source, lines) in texts.items()
    ]
