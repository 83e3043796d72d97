"""What every part of one reflection looks at: facts, beliefs, the day; and how a page is drafted from it."""

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import attrs

from openclaw_memory_hookspecs import Kind
from openclaw_memory_plugin.config import Config
from openclaw_memory_plugin.index import reflection as rows
from openclaw_memory_plugin.index.reflection import Standing
from openclaw_memory_plugin.reflect.beliefs import Review, Revision
from openclaw_memory_plugin.reflect.gather import Facts
from openclaw_memory_plugin.reflect.pages import Entry, ranking
from openclaw_memory_plugin.reflect.pages.draft import Drafted, Page, draft
from openclaw_memory_plugin.reflect.pages.edits import restated
from openclaw_memory_plugin.workspace import Workspace


@attrs.frozen(kw_only=True)
class Scope:
    """One reflection's view, after the beliefs were revised."""

    workspace: Workspace
    facts: Facts
    config: Config
    today: dt.date
    revision: Revision
    explained: Callable[[str], bool]
    """Whether it is known why an entry left a page."""
    outdated: Collection[str] = frozenset()
    """Ids of facts in whose place later ones stand."""
    accept_loss: bool = False
    believed: Mapping[str, float] = attrs.field(init=False)
    """Confidence of every opinion by id."""
    ranks: Mapping[int, int] = attrs.field(init=False)
    """Place of every fact in the order in which pages make room."""
    gone: Collection[str] = attrs.field(init=False)
    """Ids of facts that no longer hold: another one was retained against them, or stands in their place."""

    @believed.default
    def _believed(self) -> Mapping[str, float]:
        return {one.id: one.confidence for one in self.revision.beliefs if one.kind is Kind.OPINION}

    @ranks.default
    def _ranks(self) -> Mapping[int, int]:
        return ranking(self.facts.all)

    @gone.default
    def _gone(self) -> Collection[str]:
        return self.revision.corrected.keys() | self.outdated

    def open_reviews(self) -> list[Review]:
        """Return the pairs to settle of which both statements stand, those about safety first."""
        standing = (one for one in self.revision.reviews if one.source in self.facts.by_id)
        return sorted(standing, key=lambda one: (not one.safety, one.belief, one.source))

    def entries(self, facts: Iterable[Standing]) -> list[Entry]:
        """Fetch these facts and return them as entries of a page."""
        listed = list(facts)
        self.facts.fetch(fact.seq for fact in listed)
        return self.fetched(listed)

    def fetched(self, facts: Iterable[Standing]) -> list[Entry]:
        """Return facts that were fetched as entries of a page."""
        return self.facts.entries(facts, believed=self.believed, corrected=self.gone)

    def draft(self, page: Page, name: str, lines: Sequence[str], title: str, *, about: str | None = None) -> Drafted:
        """
        Plan the block `name` of a page; a rewrite that would lose too much is refused.

        Args:
            about: whom the page is about; a line of ours that somebody edited says it of them.
        """
        return draft(
            page,
            name,
            lines,
            title=title,
            explained=self.explained,
            accept_loss=self.accept_loss,
            restate=lambda line, block: restated(line, block, self._entry, about),
        )

    def name_in(self, entry: Entry) -> str | None:
        """Return the rarest name that a fact mentions, None when it mentions nobody."""
        known = self.facts.entities
        found = rows.mentioned(self.facts.connection, [entry.fact.seq]).get(entry.fact.seq, ())
        named = sorted((known[id] for id in found if id in known), key=lambda one: (-one.idf_weight, one.key))
        return named[0].name if named else None

    def _entry(self, fact_id: str) -> Entry | None:
        fact = self.facts.by_id.get(self.facts.renamed.get(fact_id, fact_id))
        return next(iter(self.entries([fact])), None) if fact else None


def explainer(facts: Facts) -> Callable[[str], bool]:
    """Return what tells whether it is known why an entry left a page: its fact is still on record."""
    known: set[str] = set()

    def explained(fact_id: str) -> bool:
        if not known:
            known.update(rows.all_ids(facts.connection))
        return fact_id in known or facts.renamed.get(fact_id) in known

    return explained


def elsewhere(entries: Iterable[Entry], path: str) -> tuple[Entry, ...]:
    """Leave out what stands on the page `path` by hand."""
    return tuple(entry for entry in entries if path not in entry.paths)


def seqs_of(facts: Iterable[Standing]) -> Collection[int]:
    """Return the keys of facts inside the index."""
    return [fact.seq for fact in facts]
