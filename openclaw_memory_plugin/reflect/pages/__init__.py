"""
The pages that a reflection keeps: one per entity, `bank/world.md`, `bank/experience.md`; facts in, lines out, pure.

Every line is one fact with its citation and id, so that a page can be checked, and compared with the next one.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import attrs

from openclaw_memory_hookspecs import Kind, Provenance
from openclaw_memory_plugin.index.reflection import Place, Standing
from openclaw_memory_plugin.names import name_key
from openclaw_memory_plugin.reflect.pages.citing import Cite, excerpt, plain

PAGE_LIMIT = 200
"""Facts on one page; the rest is counted."""
NOTE_LIMIT = 40
"""Of these, untyped notes."""
CLOSEST = 5
MAY_LOSE = 0.25
"""Share of a page's entries that one rewrite may lose without explanation."""

WORLD, EXPERIENCE, ENTITIES = "bank/world.md", "bank/experience.md", "bank/entities"

_ID = re.compile(r"`([0-9a-f]{12})`\s*$")


class Entry(NamedTuple):
    """A fact as a page needs it; a named tuple, because there are as many as there are facts."""

    fact: Standing
    content: str
    heads: tuple[str, ...]
    places: tuple[Place, ...]
    """The source first."""
    paths: frozenset[str]
    """Of the files that state it."""
    section: int
    """Index of the section to which it belongs."""
    newest: tuple[str, float, str]
    """Sorts the newest first."""
    confidence: float | None = None
    """As believed at present."""
    corrected: bool = False
    """It no longer holds: another fact was retained against it, or stands in its place."""


@attrs.frozen(kw_only=True)
class Subject:
    """An entity with what goes on its page."""

    name: str
    entries: tuple[Entry, ...]
    """In any order; those written on the page by hand are not among them."""
    more: int = 0
    """Facts for which the page has no room."""
    hidden: int = 0
    """Private facts."""
    closest: tuple[tuple[str, int], ...] = ()
    """Names of entities it shares most facts with, and how many."""


class Writer:
    """Renders lines for the pages of one folder; a fact's line is made once."""

    def __init__(self, folder: str) -> None:
        self._cite = Cite(folder)
        self._lines: dict[str, tuple[str, str, str]] = {}

    def line(self, entry: Entry, subject: str | None) -> str:
        """Render one fact; its heads are named unless the key `subject` is the only one."""
        known = self._lines.get(entry.fact.id)
        if known is None:
            link = self._cite.link(entry.places[0].where)
            believed = f"(c={entry.confidence:.2f}) " if entry.confidence is not None else ""
            body = f"{excerpt(entry.content)} ({link}) `{entry.fact.id}`"
            named = f"**{', '.join(map(plain, entry.heads))}**: " if entry.heads else ""
            alone = name_key(entry.heads[0]) if len(entry.heads) == 1 else ""
            known = self._lines[entry.fact.id] = alone, f"- {believed}{body}", f"- {believed}{named}{body}"
        return known[1] if known[0] and known[0] == subject else known[2]


def make_entry(
    fact: Standing,
    content: str,
    heads: tuple[str, ...],
    places: Sequence[Place],
    *,
    confidence: float | None,
    corrected: bool,
) -> Entry:
    """Make an entry, and decide once where on a page it belongs."""
    if fact.provenance == _UNTRUSTED:
        section = len(SECTIONS) - 1
    elif corrected or fact.superseded:
        section = len(SECTIONS) - 2
    else:
        section = _SECTION_OF[fact.kind]
    return Entry(
        fact=fact,
        content=content,
        heads=heads,
        places=tuple(places),
        paths=frozenset(place.path for place in places),
        section=section,
        newest=(_reversed(fact.last_seen), -fact.salience, fact.id),
        confidence=confidence,
        corrected=corrected,
    )


def entity_lines(subject: Subject, writer: Writer) -> list[str]:
    """Render the block of an entity's page; empty when there is nothing to say."""
    key = name_key(subject.name)
    sections: list[list[Entry]] = [[] for _ in SECTIONS]
    for entry in subject.entries:
        sections[entry.section].append(entry)
    lines: list[str] = []
    for title, chosen in zip(SECTIONS, sections, strict=True):
        if chosen:
            chosen.sort(key=_surest if title == "Opinions" else _newest)
            lines += ([""] if lines else []) + [f"**{title}**", *(writer.line(entry, key) for entry in chosen)]
    if not lines:
        return []
    if subject.more:
        lines += ["", f"And {subject.more} more: `openclaw-memory-plugin entity {subject.name}`."]
    if subject.hidden:
        lines += ["", f"{subject.hidden} private, not shown here."]
    if subject.closest:
        lines += ["", f"**Close to** {', '.join(f'{plain(name)} ({count})' for name, count in subject.closest)}"]
    return lines


def kind_lines(entries: Iterable[Entry], writer: Writer, *, more: int) -> list[str]:
    """Render the block of `bank/world.md` or `bank/experience.md`, newest first."""
    lines = [writer.line(entry, None) for entry in sorted(entries, key=_newest)]
    if lines and more:
        lines += ["", f"And {more} more: `openclaw-memory-plugin facts`."]
    return lines


def ranking(facts: Iterable[Standing]) -> dict[int, int]:
    """Return the place of every fact in the order in which a page makes room: what holds, typed, salient, recent."""
    return {fact.seq: place for place, fact in enumerate(sorted(facts, key=_rank))}


def choose(facts: Sequence[Standing], ranks: Mapping[int, int], limit: int = PAGE_LIMIT) -> tuple[list[Standing], int]:
    """Choose what a page has room for, best first; also how many are left out."""
    ranked = sorted(facts, key=lambda fact: ranks[fact.seq])
    notes = 0
    chosen: list[Standing] = []
    for fact in ranked:
        notes += fact.kind == "note"
        if len(chosen) < limit and (fact.kind != "note" or notes <= NOTE_LIMIT):
            chosen.append(fact)
    return chosen, len(facts) - len(chosen)


def belongs_on_pages(fact: Standing) -> bool:
    """Whether a fact may stand on a page at all: no noise, no task, nothing private, since others may hear of pages."""
    return not fact.noise and not fact.private and fact.task is None


def entry_ids(lines: Iterable[str]) -> list[str]:
    """Return the ids of the facts that the lines of a block show, in order."""
    return [match[1] for line in lines if line.startswith("- ") and (match := _ID.search(line))]


def loses_too_much(before: Collection[str], after: Collection[str], explained: Callable[[str], bool]) -> bool:
    """
    Whether a rewrite would lose more than a quarter of a page's entries, and more than one.

    An entry that is gone for a known reason (archived, forgotten, edited, private now) is not lost.
    """
    lost = [entry for entry in before if entry not in after and not explained(entry)]
    return len(lost) > 1 and len(lost) > MAY_LOSE * len(before) and len(after) < (1 - MAY_LOSE) * len(before)


def closest_to(
    entity: int,
    facts: Iterable[int],
    mentioned: Mapping[int, Sequence[int]],
    weight: Callable[[int], float],
    name: Callable[[int], str],
) -> tuple[tuple[str, int], ...]:
    """Return the entities that share most with `entity`: shared facts times rarity, at most CLOSEST."""
    counts: dict[int, int] = {}
    for seq in facts:
        for other in mentioned.get(seq, ()):
            if other != entity:
                counts[other] = counts.get(other, 0) + 1
    ranked = sorted(counts, key=lambda other: (-counts[other] * weight(other), name_key(name(other))))
    return tuple((name(other), counts[other]) for other in ranked[:CLOSEST])


def _rank(fact: Standing) -> tuple[int, int, float, str, str]:
    return (fact.superseded, fact.kind == "note", -fact.salience, _reversed(fact.last_seen), fact.id)


def _newest(entry: Entry) -> tuple[str, float, str]:
    return entry.newest


def _surest(entry: Entry) -> tuple[float, str, str]:
    return (-(entry.confidence or 0.0), entry.newest[0], entry.fact.id)


def _reversed(day: str | None) -> str:
    """A text that sorts later days first, no day last."""
    return day.translate(_BACKWARDS) if day else "~"


_BACKWARDS = str.maketrans("0123456789", "9876543210")
_UNTRUSTED = Provenance.UNTRUSTED.value

SECTIONS = ("Known", "Happened", "Opinions", "Noted", "No longer so", "Unverified, from elsewhere")
_SECTION_OF = {
    Kind.WORLD.value: 0,
    Kind.OBSERVATION.value: 0,
    Kind.EXPERIENCE.value: 1,
    Kind.OPINION.value: 2,
    Kind.NOTE.value: 3,
}
