"""Index rows -> what reflection thinks in: entries for pages, pieces for beliefs. Reads only, each fact once."""

import bisect
import datetime as dt
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import attrs

from openclaw_memory_hookspecs import Kind, Provenance
from openclaw_memory_plugin.index import reflection as rows
from openclaw_memory_plugin.index.merge import TRUST, heard, load
from openclaw_memory_plugin.index.reflection import Known, Place, Standing
from openclaw_memory_plugin.markdown.believed import PAGE as OPINIONS_PAGE
from openclaw_memory_plugin.reflect.beliefs import Piece
from openclaw_memory_plugin.reflect.beliefs.stating import speaks_of_oneself
from openclaw_memory_plugin.reflect.pages import Entry, make_entry
from openclaw_memory_plugin.words.safety import INSIDE, is_safety, telling_terms

_OWNER = Provenance.OWNER.value


@attrs.define
class Facts:
    """The standing facts of an index during one reflection; texts and places are fetched when asked for, once."""

    connection: sqlite3.Connection
    all: list[Standing]
    by_seq: dict[int, Standing]
    by_id: dict[str, Standing]
    entities: dict[int, Known]
    renamed: dict[str, str]
    _contents: dict[int, str] = attrs.field(factory=dict)
    _places: dict[int, list[Place]] = attrs.field(factory=dict)
    _entries: dict[int, Entry] = attrs.field(factory=dict)

    @classmethod
    def read(cls, connection: sqlite3.Connection) -> "Facts":
        """Read all standing facts, without their texts, and all entities."""
        found = rows.standing(connection)
        return cls(
            connection=connection,
            all=found,
            by_seq={fact.seq: fact for fact in found},
            by_id={fact.id: fact for fact in found},
            entities=rows.entities(connection),
            renamed=rows.renamed(connection),
        )

    def fetch(self, seqs: Iterable[int]) -> None:
        """Have texts and places of these facts at hand."""
        missing = [seq for seq in set(seqs) if seq not in self._contents]
        if missing:
            self._contents.update(rows.contents(self.connection, missing))
            self._places.update(rows.places(self.connection, missing))

    def content(self, seq: int) -> str:
        """Return the statement of a fetched fact."""
        return self._contents.get(seq, "")

    def places(self, seq: int) -> list[Place]:
        """Return the places of a fetched fact, the source first."""
        return self._places.get(seq, [])

    def where(self, fact_id: str) -> str | None:
        """Return the source of a fetched fact, None for one that is not there."""
        fact = self.by_id.get(fact_id)
        places = self._places.get(fact.seq) if fact else None
        return places[0].where if places else None

    def entries(
        self, facts: Iterable[Standing], *, believed: Mapping[str, float], corrected: Collection[str]
    ) -> list[Entry]:
        """
        Return fetched facts as entries of a page; one that stands nowhere any more is left out.

        `believed` and `corrected` are those of the whole reflection: an entry is made once.
        """
        found = []
        for fact in facts:
            entry = self._entries.get(fact.seq)
            if entry is None and (places := self._places.get(fact.seq)):
                entry = self._entries[fact.seq] = make_entry(
                    fact,
                    self._contents[fact.seq],
                    tuple(load(places[0].attributes).get("heads", ())),
                    places,
                    confidence=believed.get(fact.id, fact.confidence) if fact.kind == "opinion" else None,
                    corrected=fact.id in corrected,
                )
            if entry is not None:
                found.append(entry)
        return found

    def safety(self) -> set[int]:
        """Return the facts that keep somebody from harm."""
        found = rows.holding(self.connection, telling_terms()) | rows.containing(self.connection, INSIDE)
        found &= self.by_seq.keys()
        self.fetch(found)
        return {seq for seq in found if is_safety(self.content(seq))}

    def id_of(self, written: str) -> str | None:
        """Return the present id for one that somebody wrote: whole, abbreviated, or replaced by an edit since."""
        wanted = written.strip().lower()
        wanted = self.renamed.get(wanted, wanted)
        if wanted in self.by_id:
            return wanted
        ids = sorted(self.by_id)
        at = bisect.bisect_left(ids, wanted)
        matches = [fact_id for fact_id in ids[at : at + 2] if fact_id.startswith(wanted)] if len(wanted) >= 4 else []
        return matches[0] if len(matches) == 1 else None


def stated(facts: Facts) -> list[Piece]:
    """Return every place that states an opinion, oldest first; what only the page believes is not stated there."""
    opinions = [fact for fact in facts.all if fact.kind == Kind.OPINION.value and may_be_believed(fact)]
    facts.fetch(fact.seq for fact in opinions)
    subjects = _subjects(facts, [fact.seq for fact in opinions])
    pieces = [
        _piece(facts, fact, place, said, subjects)
        for fact in opinions
        for place, said in _heard(facts, fact)
        if not said.get("believed")
    ]
    return sorted(pieces, key=lambda piece: (piece.order, piece.id))


def evidence(facts: Facts, seqs: Collection[int]) -> list[Piece]:
    """Return facts as possible evidence, with the marks that any of their places carries."""
    chosen = [
        facts.by_seq[seq]
        for seq in sorted(seqs)
        if seq in facts.by_seq and may_be_believed(facts.by_seq[seq]) and not facts.by_seq[seq].superseded
    ]
    facts.fetch(fact.seq for fact in chosen)
    subjects = _subjects(facts, [fact.seq for fact in chosen])
    resolve = _resolver(facts)
    pieces = []
    for fact in chosen:
        told = [(place, said) for place, said in _heard(facts, fact) if not said.get("believed")]
        if not told:
            continue
        marked = [said for _, said in told if "supports" in said or "contradicts" in said]
        piece = _piece(facts, fact, *max(told, key=lambda one: TRUST[one[1].get("by", _OWNER)]), subjects)
        pieces.append(
            attrs.evolve(
                piece,
                provenance=_least([said.get("by", _OWNER) for said in marked] or [fact.provenance]),
                supports=resolve(name for said in marked for name in said.get("supports", ())),
                contradicts=resolve(name for said in marked for name in said.get("contradicts", ())),
            )
        )
    return pieces


def may_be_believed(fact: Standing) -> bool:
    """Whether a fact may be on the opinions page or move what is there; a private one is marked so there."""
    return not (fact.noise or fact.task or fact.provenance == Provenance.UNTRUSTED.value)


def is_only_on_page(facts: Facts, fact: Standing) -> bool:
    """Whether nothing but the opinions page states a fact."""
    return all(place.path == OPINIONS_PAGE for place in facts.places(fact.seq))


def _heard(facts: Facts, fact: Standing) -> Sequence[tuple[Place, dict[str, Any]]]:
    """Return the places of a fact that say anything of it, each with what it says."""
    return heard([(place, load(place.attributes)) for place in facts.places(fact.seq)], itemgetter(1))


def _least(told: Iterable[str]) -> Provenance:
    """Who is trusted least of these: a mark of the agent's is not the owner's, whoever states the same."""
    return Provenance(min(told, key=lambda by: TRUST[by]))


def _piece(
    facts: Facts, fact: Standing, place: Place, said: Mapping[str, Any], subjects: Mapping[int, tuple[str, ...]]
) -> Piece:
    heads = tuple(said.get("heads", ()))
    kind, content = Kind(fact.kind), facts.content(fact.seq)
    by = said.get("by", _OWNER)
    typed = kind is not Kind.NOTE and by == _OWNER
    return Piece(
        id=fact.id,
        kind=kind,
        content=content,
        subjects=heads or subjects.get(fact.seq, ()),
        own=typed and (kind is Kind.OPINION or speaks_of_oneself(content)),
        day=dt.date.fromisoformat(place.day) if place.day else None,
        where=place.where,
        on_page=place.path == OPINIONS_PAGE,
        confidence=said.get("confidence"),
        provenance=Provenance(by),
    )


def _subjects(facts: Facts, seqs: Sequence[int]) -> dict[int, tuple[str, ...]]:
    found = rows.subjects(facts.connection, seqs)
    return {
        seq: tuple(facts.entities[entity].name for entity in entities if entity in facts.entities)
        for seq, entities in found.items()
    }


def _resolver(facts: Facts) -> Callable[[Iterable[str]], tuple[str, ...]]:
    def resolve(names: Iterable[str]) -> tuple[str, ...]:
        found = (facts.id_of(name) for name in dict.fromkeys(names))
        return tuple(fact_id for fact_id in found if fact_id)

    return resolve
