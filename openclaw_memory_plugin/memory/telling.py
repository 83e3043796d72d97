"""What a memory tells about what it holds and how it answered, as methods of `Memory`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from openclaw_memory_hookspecs import Fact, Kind, Recalled, RecallRequest
from openclaw_memory_plugin.memory.meaning import Meaning
from openclaw_memory_plugin.workspace import Workspace

if TYPE_CHECKING:
    from openclaw_memory_plugin.index.facts import Entity
    from openclaw_memory_plugin.recall.rank import Ranked

SUMMARY = 4000
"""Characters that the summary of an entity has at most."""


class Telling(Meaning):
    """Answers and how they came about, entities, evidence; `Memory` is one."""

    workspace: Workspace
    last: "tuple[RecallRequest, Ranked] | None" = None
    """The request that the engine answered last, and what its answer was made of."""

    def answer(self, request: RecallRequest) -> Recalled:
        """Give the engine's own answer from the index as it is: no sync, no recall hooks, no tracking."""
        from openclaw_memory_plugin import recall

        likeness, late = self.likeness(request.query)
        answer, ranked = recall.answer(self.index, request, self.plugins.score, self.config, likeness=likeness)
        self.last = request, ranked
        facts = self.with_evidence([hit.fact for hit in answer.hits])
        hits = (attrs.evolve(hit, fact=fact) for hit, fact in zip(answer.hits, facts, strict=True))
        answer = attrs.evolve(answer, hits=tuple(hits))
        return attrs.evolve(answer, degraded=(*answer.degraded, late)) if late else answer

    def unclear(self, names: Sequence[str]) -> list[str]:
        """Say in a sentence each which of these names are nobody's, or may be several entities'."""
        return [trouble for name in names if (trouble := self.index.whom(name).trouble)]

    def with_evidence(self, facts: Sequence[Fact]) -> list[Fact]:
        """Return facts, opinions among them with what was counted for and against each; reads one page if there are."""
        opinions = {fact.id for fact in facts if fact.kind is Kind.OPINION}
        if not opinions:
            return list(facts)
        from openclaw_memory_plugin.markdown.believed import PAGE
        from openclaw_memory_plugin.markdown.evidence import evidence

        found = evidence(self.workspace.read(PAGE).text, opinions)
        return [attrs.evolve(fact, **found[fact.id]._asdict()) if fact.id in found else fact for fact in facts]

    def explain(self, fact_id: str, request: RecallRequest) -> Mapping[str, Any]:
        """Tell every part of a fact's score for a question; counts no access."""
        from openclaw_memory_plugin.recall.telling import explain

        likeness, _ = self.likeness(request.query)
        return explain(self.index, fact_id, request, self.plugins.score, self.config, likeness=likeness)

    def trace(self, request: RecallRequest) -> Mapping[str, Any]:
        """
        Tell how association went in the recall of a request: bridges, seeds, hops, activations.

        These are the steps of the engine's last answer when that was to this request, else it is asked again.
        """
        from openclaw_memory_plugin.recall.telling import trace

        if self.last is None or self.last[0] is not request:
            self.answer(request)
        return trace(self.last[1]) if self.last else {}

    def entity(self, name: str) -> "Entity":
        """
        Tell what is known about somebody or something, with the evidence of opinions and a summary.

        The summary is what people wrote on the page, else the newest observation; None when there is neither.

        Raises:
            UsageError: Nobody is called so, or it is only an alias of several.
        """
        from openclaw_memory_plugin.guard import redact
        from openclaw_memory_plugin.reflect.pages.merging import own_text

        entity = self.index.entity(name)
        text = own_text(self.workspace.read(entity.page).editable) if entity.page else ""
        observed = next((fact.content for fact in entity.facts if fact.kind is Kind.OBSERVATION), None)
        summary = redact(text)[:SUMMARY].strip() or observed
        return attrs.evolve(entity, facts=tuple(self.with_evidence(entity.facts)), summary=summary)
