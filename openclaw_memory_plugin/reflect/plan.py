"""What a reflection would change, without changing anything: selection, beliefs, pages, core memory, brief."""

import datetime as dt
import os
from collections.abc import Callable, Iterable, Sequence

import attrs

from openclaw_memory_hookspecs import Kind
from openclaw_memory_plugin.config import Config
from openclaw_memory_plugin.index import Index
from openclaw_memory_plugin.index import reflection as rows
from openclaw_memory_plugin.index.facts import FileDefect
from openclaw_memory_plugin.index.reflection import Known, Standing
from openclaw_memory_plugin.markdown.nouns import Defect
from openclaw_memory_plugin.names import slug
from openclaw_memory_plugin.reflect import brief as briefing
from openclaw_memory_plugin.reflect import core as coring
from openclaw_memory_plugin.reflect import gather, opinions, pages
from openclaw_memory_plugin.reflect.beliefs import Belief, Revision, Verb, revise
from openclaw_memory_plugin.reflect.blocks import Block
from openclaw_memory_plugin.reflect.brief import Brief
from openclaw_memory_plugin.reflect.citing import Cite
from openclaw_memory_plugin.reflect.core import Core
from openclaw_memory_plugin.reflect.draft import Drafted, Page, draft, open_page
from openclaw_memory_plugin.reflect.gather import Facts
from openclaw_memory_plugin.reflect.history import Change
from openclaw_memory_plugin.reflect.select import SALIENT, Remembered, Selection, priority, select
from openclaw_memory_plugin.words import count_tokens
from openclaw_memory_plugin.workspace import Workspace

PAGES_PER_RUN = 200
"""Entity pages brought up to date in one reflection; what waits is new to the next one."""
EVIDENCE_PER_RUN = 400
"""New facts weighed as evidence in one reflection; explicit marks always are."""
PAGE_FROM = 2
"""Facts from which on an entity gets a page."""
TOP = 5
"""Priorities reported."""


@attrs.frozen(kw_only=True)
class Plan:
    """Everything one reflection decided."""

    selection: Selection
    priorities: tuple[tuple[str, str, float], ...]
    revision: Revision
    drafted: tuple[Drafted, ...]
    """All pages looked at, also those that stay as they are."""
    core: Core
    core_tokens_before: int
    core_differs: bool
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

    @property
    def pages(self) -> int:
        """Pages looked at."""
        return len(self.drafted)


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
    planner = _Planner(workspace, Facts.read(index.connection), config, now, accept_loss)
    return planner.plan(since, remembered)


def belief_page(workspace: Workspace, facts: Facts, today: dt.date) -> tuple[Page | FileDefect, tuple[Belief, ...]]:
    """Open the opinions page and read what it believes; nothing when its block cannot be told."""
    page = open_page(workspace, opinions.PAGE)
    block = page.block(opinions.BLOCK) if isinstance(page, Page) else None
    known = opinions.read_beliefs(block if isinstance(block, Block) else None, today=today, renamed=facts.renamed)
    return page, known


def draft_beliefs(page: Page, beliefs: Iterable[Belief], facts: Facts, *, accept_loss: bool = False) -> Drafted:
    """Plan the block of the opinions page."""
    lines = opinions.render_beliefs(tuple(beliefs), Cite("bank"), facts.where())
    return draft(
        page,
        opinions.BLOCK,
        lines,
        title=opinions.TITLE,
        explained=explainer(facts),
        accept_loss=accept_loss,
        readable=opinions.is_readable,
    )


def core_path(workspace: Workspace) -> str:
    """Return the page of core memory, the one to create when there is none."""
    there = set(os.listdir(workspace.root))
    return next((name for name in coring.PAGES if name in there), coring.PAGES[0])


def explainer(facts: Facts) -> Callable[[str], bool]:
    """Return what tells whether it is known why an entry left a page: its fact is still on record."""
    known: set[str] = set()

    def explained(fact_id: str) -> bool:
        if not known:
            known.update(rows.all_ids(facts.connection))
        return fact_id in known or facts.renamed.get(fact_id) in known

    return explained


class _Planner:
    def __init__(self, workspace: Workspace, facts: Facts, config: Config, now: dt.datetime, accept_loss: bool) -> None:
        self.workspace = workspace
        self.facts = facts
        self.config = config
        self.now = now
        self.today = workspace.today(now)
        self.accept_loss = accept_loss
        self.explained = explainer(facts)
        self.drafted: list[Drafted] = []
        self.settles_later = False

    def plan(self, since: dt.date | None, remembered: Remembered) -> Plan:
        facts = self.facts
        ids = facts.by_id.keys()
        selection = select(facts.all, now=self.now, since=since, new=remembered.new(ids))
        safety = facts.safety()
        revision, weighed = self._revise(selection, safety)
        believed = {b.id: b.confidence for b in revision.beliefs if b.kind is Kind.OPINION}
        links, unpaged = self._entity_pages(selection, believed, revision)
        self._kind_pages(believed, revision)
        core, before, differs = self._core(safety, believed, revision)
        top = selection.chosen[:TOP]
        facts.fetch(fact.seq for fact in top)
        handled = {fact.id for fact in selection.chosen} | (weighed - unpaged)
        fresh = remembered.new(ids)
        moved = any(page.moved for page in self.drafted)
        return Plan(
            selection=selection,
            priorities=tuple((fact.id, facts.content(fact.seq), priority(fact)) for fact in top),
            revision=revision,
            drafted=tuple(self.drafted),
            core=core,
            core_tokens_before=before,
            core_differs=differs,
            brief=self._brief(revision, links),
            remembered=Remembered(
                ids=frozenset(ids), fresh=fresh, pending=(fresh | (remembered.pending & ids)) - handled
            ),
            settles_later=self.settles_later or moved,
        )

    def _revise(self, selection: Selection, safety: set[int]) -> tuple[Revision, set[str]]:
        facts = self.facts
        page, known = belief_page(self.workspace, facts, self.today)
        waiting = selection.waiting[:EVIDENCE_PER_RUN]
        weighed = {fact.seq for fact in (*selection.chosen, *waiting)} | set(rows.marked(facts.connection))
        stated = gather.stated(facts)
        revision = revise(
            [belief for belief in known if self._still_believed(belief.id)],
            stated,
            gather.evidence(facts, weighed),
            safety=[piece for piece in gather.evidence(facts, safety) if piece.kind is not Kind.OPINION],
        )
        if isinstance(page, FileDefect):
            self.drafted.append(Drafted(path=page.path, problem=page))
        else:
            shown = [belief for belief in revision.beliefs if self._is_shown(belief)]
            self.drafted.append(draft_beliefs(page, shown, facts, accept_loss=self.accept_loss))
        return revision, {facts.by_seq[seq].id for seq in weighed if seq in facts.by_seq}

    def _still_believed(self, fact_id: str) -> bool:
        """A belief leaves the page with its fact archived or made private; one whose log is gone stays."""
        fact = self.facts.by_id.get(fact_id)
        return gather.may_be_believed(fact) if fact else not self.explained(fact_id)

    def _is_shown(self, belief: Belief) -> bool:
        """What is written on the page by hand, and moved by nothing, is not repeated in the block."""
        fact = self.facts.by_id.get(belief.id)
        if fact is None or any(entry.verb is not Verb.STATED for entry in belief.evidence):
            return True
        return not gather.is_only_on_page(self.facts, fact)

    def _entity_pages(
        self, selection: Selection, believed: dict[str, float], revision: Revision
    ) -> tuple[dict[int, list[tuple[int, int]]], set[str]]:
        facts = self.facts
        chosen = self._touched(selection.chosen)
        waiting = [entity for entity in self._touched(selection.waiting) if entity.id not in {e.id for e in chosen}]
        wanted = [*chosen, *waiting]
        taken = wanted[:PAGES_PER_RUN]
        links = rows.links(facts.connection, [entity.id for entity in taken])
        shown: dict[int, tuple[list[Standing], int, int]] = {}
        for entity in taken:
            about = [facts.by_seq[seq] for seq, _ in links.get(entity.id, ()) if seq in facts.by_seq]
            if not entity.page and not self._deserves_page(entity, links.get(entity.id, ())):
                continue
            room, more = pages.choose([fact for fact in about if pages.belongs_on_pages(fact)])
            shown[entity.id] = (room, more, sum(bool(fact.private) for fact in about))
        facts.fetch(fact.seq for room, _, _ in shown.values() for fact in room)
        mentioned = rows.mentioned(facts.connection, {fact.seq for room, _, _ in shown.values() for fact in room})
        writer = pages.Writer(pages.ENTITIES)
        for entity in taken:
            if entity.id in shown:
                self._entity_page(entity, *shown[entity.id], mentioned, believed, revision, writer)
        left = {entity.id for entity in wanted[PAGES_PER_RUN:]}
        unpaged = set()
        if left:
            late = rows.links(facts.connection, left)
            unpaged = {facts.by_seq[seq].id for found in late.values() for seq, _ in found if seq in facts.by_seq}
        return links, unpaged

    def _touched(self, facts: Sequence[Standing]) -> list[Known]:
        found = rows.touched(self.facts.connection, [fact.seq for fact in facts])
        entities = [self.facts.entities[entity] for entity in found if entity in self.facts.entities]
        return sorted(entities, key=lambda entity: (-entity.fact_count, entity.key))

    def _deserves_page(self, entity: Known, links: Sequence[tuple[int, int]]) -> bool:
        about = [self.facts.by_seq[seq] for seq, _ in links if seq in self.facts.by_seq]
        if sum(map(pages.belongs_on_pages, about)) < PAGE_FROM:
            return False
        return not entity.inferred or any(fact.salience > SALIENT for fact in about)

    def _entity_page(
        self,
        entity: Known,
        room: list[Standing],
        more: int,
        hidden: int,
        mentioned: dict[int, list[int]],
        believed: dict[str, float],
        revision: Revision,
        writer: pages.Writer,
    ) -> None:
        entities = self.facts.entities
        path = entity.page or f"{pages.ENTITIES}/{slug(entity.name)}.md"
        page = open_page(self.workspace, path)
        if isinstance(page, Page) and page.exists and not entity.page:
            problem = Defect(
                line=0,
                message=f"belongs to somebody else, so {entity.name!r} has no page",
                remedy="give one of the two another title, or add the name to the page's aliases",
            )
            page = FileDefect(path=path, defect=problem)
        if isinstance(page, FileDefect):
            self.drafted.append(Drafted(path=path, problem=page))
            return
        entries = self.facts.entries(room, believed=believed, corrected=revision.corrected)
        subject = pages.Subject(
            name=entity.name,
            entries=tuple(entry for entry in entries if all(place.path != path for place in entry.places)),
            more=more,
            hidden=hidden,
            closest=pages.closest_to(
                entity.id,
                [fact.seq for fact in room],
                mentioned,
                lambda other: entities[other].idf_weight,
                lambda other: entities[other].name,
            ),
        )
        result = self._draft(page, "entity", pages.entity_lines(subject, writer), f"# {entity.name}")
        if result.change is not None and not page.exists and entity.inferred:
            self.settles_later = True

    def _kind_pages(self, believed: dict[str, float], revision: Revision) -> None:
        for path, kind, name in (
            (pages.WORLD, Kind.WORLD, "world"),
            (pages.EXPERIENCE, Kind.EXPERIENCE, "experience"),
        ):
            about = [
                fact
                for fact in self.facts.all
                if fact.kind == kind.value
                and not fact.superseded
                and fact.provenance != "untrusted"
                and pages.belongs_on_pages(fact)
            ]
            room, more = pages.choose(about)
            self.facts.fetch(fact.seq for fact in room)
            entries = [
                entry
                for entry in self.facts.entries(room, believed=believed, corrected=revision.corrected)
                if not entry.corrected and all(place.path != path for place in entry.places)
            ]
            page = open_page(self.workspace, path)
            if isinstance(page, FileDefect):
                self.drafted.append(Drafted(path=path, problem=page))
            else:
                lines = pages.kind_lines(entries, pages.Writer("bank"), more=more)
                self._draft(page, name, lines, f"# {name.capitalize()}")

    def _core(self, safety: set[int], believed: dict[str, float], revision: Revision) -> tuple[Core, int, bool]:
        path = core_path(self.workspace)
        page = open_page(self.workspace, path)
        candidates = coring.candidates(self.facts.all, today=self.today, safety=safety)
        self.facts.fetch(fact.seq for fact in candidates)
        entries = self.facts.entries(candidates, believed=believed, corrected=revision.corrected)
        crlf = isinstance(page, Page) and "\r\n" in page.text[:4096]
        budget = self.config.core.max_tokens
        core = coring.pack_core(entries, budget=budget, safety=safety, newline="\r\n" if crlf else "\n")
        if isinstance(page, FileDefect):
            self.drafted.append(Drafted(path=path, problem=page))
            return core, 0, False
        block = page.block(coring.BLOCK)
        there = page.text[block.start : block.end] if isinstance(block, Block) else ""
        if self.config.core.update == "off":
            return core, count_tokens(there), False
        result = draft(page, coring.BLOCK, core.lines, title="# Memory")
        if self.config.core.update == "apply" or result.problem is not None:
            self.drafted.append(result)
        return core, count_tokens(there), result.change is not None

    def _draft(self, page: Page, name: str, lines: list[str], title: str) -> Drafted:
        result = draft(page, name, lines, title=title, explained=self.explained, accept_loss=self.accept_loss)
        self.drafted.append(result)
        return result

    def _brief(self, revision: Revision, links: dict[int, list[tuple[int, int]]]) -> Brief:
        facts = self.facts
        texts = {belief.id: belief.statement for belief in revision.beliefs}
        sources = [facts.by_id[review.source].seq for review in revision.reviews if review.source in facts.by_id]
        facts.fetch(sources)
        pairs = [
            (review, texts.get(review.belief, ""), facts.content(facts.by_id[review.source].seq))
            for review in sorted(revision.reviews, key=lambda one: (not one.safety, one.belief, one.source))
            if review.source in facts.by_id
        ]
        return briefing.write_brief(
            reviews=pairs,
            stale=briefing.stale_beliefs(revision.beliefs, today=self.today),
            unsummarised=self._unsummarised(links),
            bare=self._bare_days(),
        )

    def _unsummarised(self, links: dict[int, list[tuple[int, int]]]) -> list[briefing.Unsummarised]:
        recent = (self.today - dt.timedelta(days=briefing.STALE_DAYS)).isoformat()
        found = []
        for entity, about in links.items():
            direct = [self.facts.by_seq[seq] for seq, role in about if role <= 1 and seq in self.facts.by_seq]
            summed = any(fact.kind == Kind.OBSERVATION.value and (fact.last_seen or "") >= recent for fact in direct)
            if len(direct) >= briefing.MANY_FACTS and not summed:
                found.append(briefing.Unsummarised(name=self.facts.entities[entity].name, facts=len(direct)))
        return sorted(found, key=lambda one: (-one.facts, one.name))

    def _bare_days(self) -> list[briefing.BareDay]:
        since = self.today - dt.timedelta(days=briefing.LOOK_BACK_DAYS)
        until = self.today - dt.timedelta(days=1)
        return [
            briefing.BareDay(day=dt.date.fromisoformat(day), notes=notes, path=path)
            for day, notes, typed, path in rows.days(self.facts.connection, since, until)
            if not typed and notes >= briefing.FEW_NOTES
        ][::-1]
