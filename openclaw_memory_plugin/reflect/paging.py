"""Which pages a reflection brings up to date, and with what."""

from collections.abc import Mapping, Sequence

import attrs

from openclaw_memory_hookspecs import Kind, Provenance
from openclaw_memory_plugin.index import reflection as rows
from openclaw_memory_plugin.index.facts import FileDefect
from openclaw_memory_plugin.index.reflection import Known, Standing
from openclaw_memory_plugin.markdown.nouns import Defect
from openclaw_memory_plugin.names import slug
from openclaw_memory_plugin.reflect import pages
from openclaw_memory_plugin.reflect.draft import Drafted, Page, open_page
from openclaw_memory_plugin.reflect.scope import Scope, elsewhere, seqs_of
from openclaw_memory_plugin.reflect.select import SALIENT, Selection

PAGES_PER_RUN = 200
"""Entity pages brought up to date in one reflection; what waits is new to the next one."""
PAGE_FROM = 2
"""Facts from which on an entity gets a page."""

Links = Mapping[int, Sequence[tuple[int, int]]]
"""Entity -> facts that mention it, each with the role of the mention."""


@attrs.frozen(kw_only=True)
class EntityPages:
    """The pages of all entities that the selected facts mention."""

    drafted: tuple[Drafted, ...]
    links: Links
    late: frozenset[str]
    """Facts of entities whose turn has not come."""
    names_somebody: bool
    """Whether a new page makes a guessed name a known one, so that more facts may mention it."""


@attrs.frozen
class _Content:
    room: list[Standing]
    more: int
    hidden: int


def entity_pages(scope: Scope, selection: Selection) -> EntityPages:
    """Draft the pages of entities, those of the most important facts first, each complete."""
    facts = scope.facts
    first = _touched(scope, selection.chosen)
    wanted = [*first, *(entity for entity in _touched(scope, selection.waiting) if entity not in set(first))]
    taken, rest = wanted[:PAGES_PER_RUN], wanted[PAGES_PER_RUN:]
    links = rows.links(facts.connection, [entity.id for entity in taken])
    contents = {entity: found for entity in taken if (found := _content(scope, entity, links.get(entity.id, ())))}
    shown = {fact.seq for content in contents.values() for fact in content.room}
    facts.fetch(shown)
    mentioned = rows.mentioned(facts.connection, shown)
    writer = pages.Writer(pages.ENTITIES)
    drafted = {entity: _entity_page(scope, entity, content, mentioned, writer) for entity, content in contents.items()}
    late = rows.links(facts.connection, [entity.id for entity in rest]) if rest else {}
    return EntityPages(
        drafted=tuple(drafted.values()),
        links=links,
        late=frozenset(facts.by_seq[seq].id for found in late.values() for seq, _ in found if seq in facts.by_seq),
        names_somebody=any(
            entity.inferred and not entity.page and page.change is not None for entity, page in drafted.items()
        ),
    )


def kind_pages(scope: Scope) -> list[Drafted]:
    """Draft `bank/world.md` and `bank/experience.md`."""
    drafted = []
    for path, kind in ((pages.WORLD, Kind.WORLD), (pages.EXPERIENCE, Kind.EXPERIENCE)):
        about = [fact for fact in scope.facts.all if fact.kind == kind.value and _holds(fact)]
        room, more = pages.choose(about)
        entries = [entry for entry in scope.entries(room) if not entry.corrected]
        page = open_page(scope.workspace, path)
        if isinstance(page, FileDefect):
            drafted.append(Drafted(path=path, problem=page))
        else:
            lines = pages.kind_lines(elsewhere(entries, path), pages.Writer("bank"), more=more)
            drafted.append(scope.draft(page, kind.value, lines, f"# {kind.value.capitalize()}"))
    return drafted


def _holds(fact: Standing) -> bool:
    return not fact.superseded and fact.provenance != Provenance.UNTRUSTED.value and pages.belongs_on_pages(fact)


def _touched(scope: Scope, selected: Sequence[Standing]) -> list[Known]:
    known = scope.facts.entities
    found = rows.touched(scope.facts.connection, seqs_of(selected))
    return sorted((known[id] for id in found if id in known), key=lambda entity: (-entity.fact_count, entity.key))


def _content(scope: Scope, entity: Known, links: Sequence[tuple[int, int]]) -> _Content | None:
    """What the page of an entity has room for; None when it has no page and deserves none."""
    about = [scope.facts.by_seq[seq] for seq, _ in links if seq in scope.facts.by_seq]
    fit = [fact for fact in about if pages.belongs_on_pages(fact)]
    if not entity.page:
        confirmed = not entity.inferred or any(fact.salience > SALIENT for fact in about)
        if len(fit) < PAGE_FROM or not confirmed:
            return None
    room, more = pages.choose(fit)
    return _Content(room, more, sum(bool(fact.private) for fact in about))


def _entity_page(
    scope: Scope, entity: Known, content: _Content, mentioned: Mapping[int, Sequence[int]], writer: pages.Writer
) -> Drafted:
    known = scope.facts.entities
    path = entity.page or f"{pages.ENTITIES}/{slug(entity.name)}.md"
    page = open_page(scope.workspace, path)
    if isinstance(page, Page) and page.exists and not entity.page:
        page = FileDefect(
            path=path,
            defect=Defect(
                line=0,
                message=f"belongs to somebody else, so {entity.name!r} has no page",
                remedy="give one of the two another title, or add the name to the page's aliases",
            ),
        )
    if isinstance(page, FileDefect):
        return Drafted(path=path, problem=page)
    subject = pages.Subject(
        name=entity.name,
        entries=elsewhere(scope.entries(content.room), path),
        more=content.more,
        hidden=content.hidden,
        closest=pages.closest_to(
            entity.id,
            seqs_of(content.room),
            mentioned,
            lambda other: known[other].idf_weight,
            lambda other: known[other].name,
        ),
    )
    return scope.draft(page, "entity", pages.entity_lines(subject, writer), f"# {entity.name}")
