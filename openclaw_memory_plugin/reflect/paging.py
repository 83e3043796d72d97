"""Which pages a reflection brings up to date, and with what."""

from collections.abc import Mapping, Sequence

import attrs

from openclaw_memory_hookspecs import Kind, Provenance
from openclaw_memory_plugin.index import reflection as rows
from openclaw_memory_plugin.index.facts import FileDefect
from openclaw_memory_plugin.index.reflection import Known, Standing
from openclaw_memory_plugin.markdown.nouns import Defect
from openclaw_memory_plugin.names import name_key, slug
from openclaw_memory_plugin.reflect import pages
from openclaw_memory_plugin.reflect.pages.blocks import Block
from openclaw_memory_plugin.reflect.pages.draft import Drafted, Page, open_page
from openclaw_memory_plugin.reflect.scope import Scope, elsewhere, seqs_of
from openclaw_memory_plugin.reflect.select import SALIENT, Selection

NEW_PAGES = 150
"""Entity pages made in one reflection; what waits is new to the next one. Pages that exist are always refreshed."""
PAGE_FROM = 2
"""Facts from which on an entity gets a page."""

Links = Mapping[int, Sequence[tuple[int, int]]]
"""Entity -> facts that mention it, each with the role of the mention."""


_UNTRUSTED = Provenance.UNTRUSTED.value


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
    """
    Draft the pages of entities, each complete: all that exist, then those that the selected facts call for.

    Of new ones those of the most important facts come first.
    """
    facts = scope.facts
    paged = sorted((entity for entity in facts.entities.values() if entity.page), key=_by_name)
    first = [entity for entity in _touched(scope, selection.chosen) if not entity.page]
    others = set(first)
    first += [entity for entity in _touched(scope, selection.waiting) if not entity.page and entity not in others]
    taken, rest = [*paged, *first[:NEW_PAGES]], first[NEW_PAGES:]
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
        name = kind.value
        about = [fact for fact in scope.facts.all if fact.kind == name and _holds(fact)]
        room, more = pages.choose(about, scope.ranks)
        entries = [entry for entry in scope.entries(room) if not entry.corrected]
        page = open_page(scope.workspace, path)
        if isinstance(page, FileDefect):
            drafted.append(Drafted(path=path, problem=page))
        else:
            lines = pages.kind_lines(elsewhere(entries, path), pages.Writer("bank"), more=more)
            drafted.append(scope.draft(page, name, lines, f"# {name.capitalize()}"))
    return drafted


def _holds(fact: Standing) -> bool:
    return not fact.superseded and fact.provenance != _UNTRUSTED and pages.belongs_on_pages(fact)


def _by_name(entity: Known) -> str:
    return entity.key


def _touched(scope: Scope, selected: Sequence[Standing]) -> list[Known]:
    known = scope.facts.entities
    found = rows.touched(scope.facts.connection, seqs_of(selected))
    return sorted((known[id] for id in found if id in known), key=lambda entity: (-entity.fact_count, entity.key))


def _content(scope: Scope, entity: Known, links: Sequence[tuple[int, int]]) -> _Content | None:
    """What the page of an entity has room for; None when it has no page and deserves none."""
    by_seq = scope.facts.by_seq
    about = [by_seq[seq] for seq, _ in links if seq in by_seq]
    fit = list(filter(pages.belongs_on_pages, about))
    if not entity.page:
        confirmed = not entity.inferred or any(fact.salience > SALIENT for fact in about)
        if len(fit) < PAGE_FROM or not confirmed:
            return None
    room, more = pages.choose(fit, scope.ranks)
    return _Content(room, more, sum(bool(fact.private) for fact in about))


def _entity_page(
    scope: Scope, entity: Known, content: _Content, mentioned: Mapping[int, Sequence[int]], writer: pages.Writer
) -> Drafted:
    known = scope.facts.entities
    path = entity.page or f"{pages.ENTITIES}/{slug(entity.name)}.md"
    page = open_page(scope.workspace, path)
    if isinstance(page, Page) and page.exists and not entity.page and not _is_page_of(page, entity):
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
        entries=elsewhere(scope.fetched(content.room), path),
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
    return scope.draft(page, "entity", pages.entity_lines(subject, writer), f"# {entity.name}", about=entity.name)


def _is_page_of(page: Page, entity: Known) -> bool:
    """Whether a page that is not read, or not yet, was made for this entity: by its title and our block."""
    title = page.text.partition("\n")[0].removeprefix("# ")
    return name_key(title) == entity.key and isinstance(page.block("entity"), Block)
