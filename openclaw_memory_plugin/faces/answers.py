"""The one place that turns the contract's nouns into the JSON that other programs rely on."""

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from openclaw_memory_hookspecs import Fact, Hit, Note, Recalled
from openclaw_memory_plugin.plugins import PluginState

if TYPE_CHECKING:
    from openclaw_memory_plugin.index.facts import Entity


def fact_json(fact: Fact) -> dict[str, Any]:
    """Give one fact: days as `YYYY-MM-DD`, instants as ISO 8601 in UTC, citations as `path#L12`."""
    return {
        "id": fact.id,
        "kind": fact.kind.value,
        "content": fact.content,
        "entities": list(fact.entities),
        "timestamp": _day(fact.timestamp),
        "last_seen": _day(fact.last_seen),
        "source": str(fact.source),
        "lines": [fact.source.line, fact.source.end_line],
        "other_sources": [str(citation) for citation in fact.citations[1:]],
        "salience": fact.salience,
        "confidence": fact.confidence,
        "access_count": fact.access_count,
        "last_accessed_at": instant(fact.last_accessed_at),
        "valid_from": _day(fact.valid_from),
        "valid_to": _day(fact.valid_to),
        "provenance": fact.provenance.value,
        "private": fact.private,
        "pinned": fact.pinned,
        "task": fact.task,
        "superseded": fact.superseded,
        "supporting": list(fact.supporting),
        "contradicting": list(fact.contradicting),
        "section": list(fact.section),
    }


def hit_json(hit: Hit) -> dict[str, Any]:
    """Give one hit: its fact, `score` and `why`; `content` is the excerpt where the whole exceeded the budget."""
    shown = {} if hit.excerpt is None else {"content": hit.excerpt}
    why = plain(hit.why) if hit.excerpt is None else {**plain(hit.why), "excerpt": True}
    return {**fact_json(hit.fact), **shown, "score": hit.score, "why": why}


def recalled_json(answer: Recalled) -> dict[str, Any]:
    """Give the answer of a recall, best hit first."""
    return {
        "query": answer.query,
        "hits": [hit_json(hit) for hit in answer.hits],
        "candidates": answer.candidates,
        "returned": len(answer.hits),
        "dropped": answer.dropped,
        "tokens": answer.tokens,
        "degraded": list(answer.degraded),
    }


def facts_json(facts: Iterable[Fact]) -> dict[str, Any]:
    """Give a list of facts."""
    return {"facts": [fact_json(fact) for fact in facts]}


def entity_json(about: "Entity") -> dict[str, Any]:
    """Give what is known about an entity: page, facts, opinions, closest entities, timeline."""
    return {
        "name": about.name,
        "key": about.key,
        "aliases": list(about.aliases),
        "candidates": list(about.candidates),
        "page": about.page,
        "summary": about.summary,
        "inferred": about.inferred,
        "fact_count": about.fact_count,
        "idf_weight": about.idf_weight,
        "facts": [fact_json(fact) for fact in about.facts],
        "opinions": [fact_json(fact) for fact in about.opinions],
        "closest": [{"name": name, "facts": shared} for name, shared in about.closest],
        "timeline": [
            {
                "day": _day(day),
                "until": _day(fact.valid_to),
                "id": fact.id,
                "content": fact.content,
                "source": str(fact.source),
            }
            for day, fact in about.timeline
        ],
    }


def note_json(note: Note) -> dict[str, Any]:
    """Give one note for the agent."""
    return {"text": note.text, "place": note.place, "tokens": note.tokens}


def plugin_json(state: PluginState) -> dict[str, Any]:
    """Give what became of one plugin, and what of memory it gets to see."""
    return {
        "name": state.name,
        "target": state.target,
        "distribution": state.distribution,
        "state": state.state,
        "hooks": list(state.hooks),
        "reads": list(state.reads),
        "problem": state.problem,
    }


def plain(value: Any) -> Any:
    """Turn nouns of any room into JSON values: records by field, facts by contract, days and instants as ISO 8601."""
    if isinstance(value, Fact):
        return fact_json(value)
    if attrs.has(type(value)):
        return {field.name: plain(getattr(value, field.name)) for field in attrs.fields(type(value))}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, dt.datetime):
        return instant(value)
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def instant(moment: dt.datetime | None) -> str | None:
    """Give an instant as `2025-11-27T14:30:00Z`."""
    if moment is None:
        return None
    return moment.astimezone(dt.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _day(day: dt.date | None) -> str | None:
    return None if day is None else day.isoformat()
