"""
The pages that a reflection keeps: one per entity, `bank/world.md`, `bank/experience.md`; facts in, lines out, pure.

Every line is one fact with its citation and id, so that a page can be checked, and compared with the next one.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import attrs

from openclaw_memory_hookspecs import Kind, Provenance
from openclaw_memory_plugin.index.reflection import Place, Standing
from openclaw_memory_plugin.names import name_key
from openclaw_memory_plugin.reflect.citing import Cite, plain

PAGE_LIMIT = 200
"""Facts on one page; the rest is counted."""
NOTE_LIMIT = 40
"""Of these, untyped notes."""
CLOSEST = 5
MAY_LOSE = 0.25
"""Share of a page's entries that one rewrite may lose without explanation."""

WORLD, EXPERIENCE, ENTITIES = "bank/world.md", "bank/experience.md", "bank/entities"

_ID = re.compile(r"`([0-9a-f]{12})`\s*$")


@attrs.frozen(kw_only=True)
class Entry:
    """A fact as a page needs it."""

    fact: Standing
    content: str
    heads: tuple[str, ...]
    places: tuple[Place, ...]
    """The source first."""
    confidence: float | None = None
    """As believed at present."""
    corrected: bool = False
    """Another fact was retained against it, or it is struck through."""


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
        self._bodies: dict[str, str] = {}

    def line(self, entry: Entry, subject: str | None) -> str:
        """Render one fact; its heads are named unless `subject` is the only one."""
        body = self._bodies.get(entry.fact.id)
        if body is None:
            content = plain(entry.content)
            link = self._cite.link(entry.places[0].where)
            body = self._bodies[entry.fact.id] = f"{content} ({link}) `{entry.fact.id}`"
        if not entry.heads or (subject is not None and len(entry.heads) == 1 and name_key(entry.heads[0]) == subject):
            named = ""
        else:
            named = f"**{', '.join(map(plain, entry.heads))}**: "
        believed = f"(c={entry.confidence:.2f}) " if entry.confidence is not None else ""
        return f"- {believed}{named}{body}"


def entity_lines(subject: Subject, writer: Writer) -> list[str]:
    """Render the block of an entity's page; empty when there is nothing to say."""
    key = name_key(subject.name)
    lines: list[str] = []
    for title, belongs, order in _SECTIONS:
        chosen = sorted(filter(belongs, subject.entries), key=order)
        if chosen:
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


def choose(entries: Sequence[Standing], limit: int = PAGE_LIMIT) -> tuple[list[Standing], int]:
    """Choose what a page has room for: typed before notes, the salient and the recent first; also how many are left."""
    ranked = sorted(entries, key=_rank)
    notes = 0
    chosen: list[Standing] = []
    for fact in ranked:
        notes += fact.kind == "note"
        if len(chosen) < limit and (fact.kind != "note" or notes <= NOTE_LIMIT):
            chosen.append(fact)
    return chosen, len(entries) - len(chosen)


def belongs_on_pages(fact: Standing) -> bool:
    """Whether a fact may stand on a page at all: no noise, no task; private ones are for the log alone."""
    return not fact.noise and not fact.private and fact.task is None


def entry_ids(lines: Iterable[str]) -> list[str]:
    """Return the ids of the facts that the lines of a block show, in order."""
    return [match[1] for line in lines if line.startswith("- ") and (match := _ID.search(line))]


def loses_too_much(before: Collection[str], after: Collection[str], explained: Callable[[str], bool]) -> bool:
    """
    Whether a rewrite would lose more than a quarter of a page's entries, and more than one.

    An entry that is gone for a known reason (archived, forgotten, edited, private now) is not lost.
    """
    lost = [fact_id for fact_id in before if fact_id not in after and not explained(fact_id)]
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
    return (_reversed(entry.fact.last_seen), -entry.fact.salience, entry.fact.id)


def _surest(entry: Entry) -> tuple[float, str, str]:
    return (-(entry.confidence or 0.0), _reversed(entry.fact.last_seen), entry.fact.id)


def _reversed(day: str | None) -> str:
    """A text that sorts later days first, no day last."""
    return day.translate(_BACKWARDS) if day else "~"


_BACKWARDS = str.maketrans("0123456789", "9876543210")


def _is(*kinds: Kind) -> Callable[[Entry], bool]:
    names = frozenset(kind.value for kind in kinds)

    def belongs(entry: Entry) -> bool:
        return entry.fact.kind in names and not _untrusted(entry) and not _past(entry)

    return belongs


def _untrusted(entry: Entry) -> bool:
    return entry.fact.provenance == Provenance.UNTRUSTED.value


def _past(entry: Entry) -> bool:
    return bool(entry.corrected or entry.fact.superseded)


_SECTIONS: tuple[tuple[str, Callable[[Entry], bool], Callable[[Entry], tuple[object, ...]]], ...] = (
    ("Known", _is(Kind.WORLD, Kind.OBSERVATION), _newest),
    ("Happened", _is(Kind.EXPERIENCE), _newest),
    ("Opinions", _is(Kind.OPINION), _surest),
    ("Noted", _is(Kind.NOTE), _newest),
    ("No longer so", lambda entry: _past(entry) and not _untrusted(entry), _newest),
    ("Unverified, from elsewhere", _untrusted, _newest),
)
