"""
The engine as its own first plugin.

`EnginePlugin` answers every hook for one opened memory, after everybody else. `plugin` is what the entry-point group
`openclaw.plugins` publishes: the same answers for a host written in Python, which has a pluggy manager for
`openclaw` and loads that group.
"""

import os
from collections.abc import Sequence

import attrs

from openclaw_memory_hookspecs import (
    Candidate,
    Draft,
    Fact,
    Heartbeat,
    Memory,
    Note,
    Provenance,
    Recalled,
    RecallRequest,
    Turn,
    hookimpl,
)
from openclaw_memory_plugin import memory as facade
from openclaw_memory_plugin.errors import RetainError
from openclaw_memory_plugin.guard import one_line, quote, redact, render_block
from openclaw_memory_plugin.runtime import workspace_of
from openclaw_memory_plugin.words import count_tokens

CORE_PAGES = ("MEMORY.md", "memory.md", "USER.md")
"""Pages that only the owner's direct session may see."""


class EnginePlugin:
    """The engine's own answers for one memory; called last, and only when nobody else decided."""

    def __init__(self, memory: facade.Memory) -> None:
        self.memory = memory

    @hookimpl(trylast=True)
    def on_turn_start(self, turn: Turn) -> Note | None:
        """Give core memory where the host shows none, and the facts recalled for this message, as quoted data."""
        return start_of_turn(self.memory, turn)

    @hookimpl(trylast=True)
    def on_turn_end(self, turn: Turn) -> None:
        """Index what the agent wrote in this turn."""
        self.memory.sync(now=turn.now)

    @hookimpl(trylast=True)
    def on_heartbeat(self, beat: Heartbeat) -> Note | None:
        """Index, and say in one line how memory stands."""
        return state_of_memory(self.memory, beat)

    @hookimpl(trylast=True)
    def on_recall_request(self, request: RecallRequest) -> Recalled:
        """Answer from the index."""
        return self.memory.answer(request)

    @hookimpl(trylast=True)
    def prepare_retain(self, draft: Draft) -> Draft:
        """Redact, put on one line, honour tombstones."""
        return prepared(self.memory, draft)

    @hookimpl(trylast=True)
    def score_candidates(self, request: RecallRequest, candidates: Sequence[Candidate]) -> Sequence[float]:
        """Score with the configured built-in scorer."""
        return self.memory.score(request, candidates)


class PublishedPlugin:
    """
    The engine for a host that loads `openclaw.plugins`: opens the memory at the first hook that needs one.

    The workspace is `OPENCLAW_WORKSPACE`, else the default agent's of OpenClaw's configuration. Third-party plugins
    of `openclaw_memory_plugin` count here as everywhere.
    """

    def __init__(self) -> None:
        self._memory: facade.Memory | None = None

    @property
    def memory(self) -> facade.Memory:
        """
        The opened memory.

        Raises:
            WorkspaceError: The workspace does not exist.
        """
        if self._memory is None:
            self._memory = facade.Memory.open(workspace_of(None, os.environ))
        return self._memory

    @hookimpl(trylast=True)
    def on_start(self, memory: Memory) -> None:
        """Use the host's memory when it is one of ours."""
        if isinstance(memory, facade.Memory):
            self._memory = memory

    @hookimpl(trylast=True)
    def on_turn_start(self, turn: Turn) -> Note | None:
        """Join what all plugins of the memory give into one note."""
        notes, _ = self.memory.turn_start(turn)
        return _joined(notes)

    @hookimpl(trylast=True)
    def on_turn_end(self, turn: Turn) -> None:
        """Tell all plugins of the memory."""
        self.memory.turn_end(turn)

    @hookimpl(trylast=True)
    def on_heartbeat(self, beat: Heartbeat) -> Note | None:
        """Join what all plugins of the memory give into one note."""
        notes, _ = self.memory.heartbeat(beat)
        return _joined(notes)

    @hookimpl(trylast=True)
    def on_recall_request(self, request: RecallRequest) -> Recalled:
        """Recall as every face does: fresh, hooked, tracked."""
        return self.memory.recall(request)

    @hookimpl(trylast=True)
    def prepare_retain(self, draft: Draft) -> Draft:
        """Hand the draft through all plugins of the memory."""
        return self.memory.plugins.prepare(draft)

    @hookimpl(trylast=True)
    def on_retain(self, fact: Fact) -> None:
        """Index what the host wrote."""
        self.memory.sync()

    @hookimpl(trylast=True)
    def score_candidates(self, request: RecallRequest, candidates: Sequence[Candidate]) -> Sequence[float]:
        """Score as a recall would."""
        return self.memory.plugins.score(request, candidates)[0]

    @hookimpl(trylast=True)
    def embed_texts(self, texts: Sequence[str]) -> Sequence[Sequence[float]] | None:
        """Make vectors when a plugin of the memory does."""
        return self.memory.plugins.embed(texts)


def start_of_turn(memory: facade.Memory, turn: Turn) -> Note | None:
    """
    Render what the agent should have before it: same input, same bytes; None when there is nothing.

    Facts of core memory and private ones are shown only in the owner's direct session, and core memory only where the
    host does not show it itself. What is shown unasked does not count as accessed.
    """
    budget = memory.config.recall.inject_tokens if turn.budget_tokens is None else turn.budget_tokens
    if not turn.prompt.strip() or budget <= 0:
        return None
    request = RecallRequest(
        query=turn.prompt,
        k=memory.config.recall.inject_k,
        agent_id=turn.agent_id,
        include_private=turn.private,
        track=False,
        now=turn.now,
    )
    lines: list[str] = []
    text = ""
    for hit in memory.recall(request).hits:
        core_only = all(citation.path in CORE_PAGES for citation in hit.fact.citations)
        if core_only and (turn.core_shown or not turn.private):
            continue
        day = hit.fact.last_seen.isoformat() if hit.fact.last_seen else ""
        note = "untrusted" if hit.fact.provenance is Provenance.UNTRUSTED else ""
        longer = [*lines, quote(hit.fact.content, source=str(hit.fact.source), day=day, note=note)]
        rendered = render_block(longer)
        if count_tokens(rendered) <= budget:
            lines, text = longer, rendered
    return Note(text=text, tokens=count_tokens(text)) if lines else None


def state_of_memory(memory: facade.Memory, beat: Heartbeat) -> Note:
    """Bring the index up to date and say in one line how memory stands."""
    memory.sync(now=beat.now)
    facts = memory.stats().get("facts", 0)
    text = f"Memory is up to date: {facts} facts."
    return Note(text=text, tokens=count_tokens(text))


def prepared(memory: facade.Memory, draft: Draft) -> Draft:
    """
    Redact secrets and put everything on one line.

    Raises:
        RetainError: The statement was forgotten before, and it is not the owner who teaches it again.
    """
    from openclaw_memory_plugin.hidden import read_tombstones

    text = one_line(redact(draft.text))
    entities = tuple(dict.fromkeys(name for name in map(_name, draft.entities) if name))
    if draft.provenance is not Provenance.OWNER and read_tombstones(memory.workspace.root).covers(text, entities):
        raise RetainError("not retained: this was forgotten on purpose; only the owner may teach it again")
    return attrs.evolve(draft, text=text, entities=entities)


def _name(name: str) -> str:
    return one_line(redact(name)).removeprefix("@").removeprefix("＠").strip()


def _joined(notes: Sequence[Note]) -> Note | None:
    if not notes:
        return None
    text = "\n\n".join(note.text for note in notes)
    return Note(text=text, place=notes[0].place, tokens=count_tokens(text))


plugin = PublishedPlugin()
"""What the entry point `openclaw.plugins: memory` loads; it opens nothing until a hook needs it."""
