"""The opinions page and the index -> beliefs, and beliefs -> the opinions page."""

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Sequence

import attrs

from openclaw_memory_hookspecs import Kind
from openclaw_memory_plugin.index import reflection as rows
from openclaw_memory_plugin.index.facts import FileDefect
from openclaw_memory_plugin.index.merge import load
from openclaw_memory_plugin.reflect import gather
from openclaw_memory_plugin.reflect.beliefs import Revision, opinions, revise
from openclaw_memory_plugin.reflect.beliefs.account import Belief, Verb
from openclaw_memory_plugin.reflect.gather import Facts
from openclaw_memory_plugin.reflect.pages.blocks import Block
from openclaw_memory_plugin.reflect.pages.citing import Cite
from openclaw_memory_plugin.reflect.pages.draft import Drafted, Page, draft, open_page
from openclaw_memory_plugin.workspace import Workspace
from openclaw_memory_plugin.workspace.tombstones import read_tombstones

PRIVATE = "private"
"""The attribute as it is written."""


def belief_page(workspace: Workspace, facts: Facts, today: dt.date) -> tuple[Page | FileDefect, tuple[Belief, ...]]:
    """Open the opinions page and read what it believes: not what was forgotten, nothing without a readable block."""
    page = open_page(workspace, opinions.PAGE)
    block = page.block(opinions.BLOCK) if isinstance(page, Page) else None
    known = opinions.read_beliefs(block if isinstance(block, Block) else None, today=today, renamed=facts.renamed)
    tombstones = read_tombstones(workspace.root)
    return page, tuple(belief for belief in known if not tombstones.covers(belief.statement, belief.heads))


def revise_beliefs(
    facts: Facts,
    known: Iterable[Belief],
    weighed: Collection[int],
    safety: Collection[int],
    explained: Callable[[str], bool],
) -> Revision:
    """Weigh these facts, and all explicit marks, on top of what the page believes."""
    marked = set(rows.marked(facts.connection)) - set(weighed)
    return revise(
        [kept for belief in known if (kept := _kept(facts, belief, explained))],
        gather.stated(facts),
        gather.evidence(facts, {*weighed, *marked}),
        safety=[piece for piece in gather.evidence(facts, safety) if piece.kind is not Kind.OPINION],
        marked_only={facts.by_seq[seq].id for seq in marked if seq in facts.by_seq},
    )


def draft_beliefs(page: Page, beliefs: Sequence[Belief], facts: Facts) -> Drafted:
    """
    Plan the block of the opinions page.

    A belief whose log is gone stays until somebody deletes it, so that a rewrite can lose nothing here.
    """
    shown = [_marked(facts, belief) for belief in beliefs if _is_shown(facts, belief)]
    lines = opinions.render_beliefs(shown, Cite("bank"), facts.where)
    return draft(page, opinions.BLOCK, lines, title=opinions.TITLE, readable=opinions.is_readable)


def _kept(facts: Facts, belief: Belief, explained: Callable[[str], bool]) -> Belief | None:
    """Return a belief that keeps its place: it leaves with its fact archived or distrusted, not with its log."""
    fact = facts.by_id.get(belief.id)
    if fact is None:
        return None if explained(belief.id) or not belief.statement else belief
    if not gather.may_be_believed(fact):
        return None
    if belief.statement:
        return belief
    facts.fetch([fact.seq])
    named = tuple(load(facts.places(fact.seq)[0].attributes).get("heads", ())) if facts.places(fact.seq) else ()
    return attrs.evolve(belief, statement=facts.content(fact.seq), heads=belief.heads or named, kind=Kind(fact.kind))


def _marked(facts: Facts, belief: Belief) -> Belief:
    """Mark what is private, as the fact is: such lines of the page are not read out where others listen."""
    fact = facts.by_id.get(belief.id)
    others = tuple(one for one in belief.attributes if one != PRIVATE)
    if fact is None or bool(fact.private) == (len(others) < len(belief.attributes)):
        return belief
    before = tuple(one for one in others if one.startswith(("s=", "by=")))
    return attrs.evolve(belief, attributes=(*before, *((PRIVATE,) if fact.private else ()), *others[len(before) :]))


def _is_shown(facts: Facts, belief: Belief) -> bool:
    """Whether the block shows a belief: not what stands on the page by hand and was moved by nothing."""
    fact = facts.by_id.get(belief.id)
    if fact is None or any(entry.verb is not Verb.STATED for entry in belief.evidence):
        return True
    return not gather.is_only_on_page(facts, fact)
