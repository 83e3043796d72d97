"""
The engine as its own first plugin.

`EnginePlugin` answers every hook for one opened memory, after everybody else; `Memory` is that memory, wired.
`plugin` is what the entry-point group `openclaw.plugins` publishes: the same answers for a host written in Python,
which has a pluggy manager for `openclaw` and loads that group.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from openclaw_memory_hookspecs import (
    Candidate,
    Draft,
    Fact,
    Heartbeat,
    Note,
    Provenance,
    Recalled,
    RecallRequest,
    Turn,
    hookimpl,
)
from openclaw_memory_hookspecs import Memory as AnyMemory
from openclaw_memory_plugin import memory as facade
from openclaw_memory_plugin.config.runtime import workspace_of
from openclaw_memory_plugin.errors import OpenClawMemoryError, RetainError

if TYPE_CHECKING:
    from openclaw_memory_plugin.turns.before import Shown


TROUBLES = (OpenClawMemoryError, OSError, sqlite3.Error)
"""What can be in the way of a memory; everything else is a defect of ours and shall be seen."""


class EnginePlugin:
    """The engine's own answers for one memory; called last, and only when nobody else decided."""

    def __init__(self, memory: facade.Memory) -> None:
        self.memory = memory
        self._shown: Shown | None = None

    @hookimpl(trylast=True)
    def on_turn_start(self, turn: Turn) -> Note | None:
        """Give core memory where the host shows none, and the facts recalled for this message, as quoted data."""
        from openclaw_memory_plugin.turns.before import Shown, put_before

        note, facts = put_before(self.memory, turn)
        self._shown = self._shown or Shown()
        self._shown.note(turn, facts)
        return note

    @hookimpl(trylast=True)
    def on_turn_end(self, turn: Turn) -> None:
        """Keep what the user stated, count the facts that the reply used, index what the agent wrote."""
        from openclaw_memory_plugin.turns.after import count_used, keep_statements

        if self._shown is not None:
            count_used(self.memory, turn, self._shown.take(turn))
        keep_statements(self.memory, turn)
        self.memory.sync(now=turn.now)

    @hookimpl(trylast=True)
    def on_heartbeat(self, beat: Heartbeat) -> Note | None:
        """Reflect and maintain when due, and ask the agent for what only it can settle."""
        return quiet_moment(self.memory, beat)

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

    @hookimpl(trylast=True)
    def embed_texts(self, texts: Sequence[str]) -> Sequence[Sequence[float]] | None:
        """Make vectors with the configured built-in embedder; none unless there is one."""
        from openclaw_memory_plugin.embedders import embed

        return embed(texts, self.memory.config.vectors)


class Memory(facade.Memory):
    """The memory of one workspace as the package offers it: with the engine as its last plugin."""

    def engine(self) -> EnginePlugin:
        """Make the engine's own answers for this memory."""
        return EnginePlugin(self)


class PublishedPlugin:
    """
    The engine for a host that loads `openclaw.plugins`: opens a memory at the first hook that needs it.

    The workspace is `OPENCLAW_WORKSPACE`, else that of the agent in OpenClaw's configuration; an agent that it does
    not know gets nothing. Third-party plugins of `openclaw_memory_plugin` count here as everywhere. What cannot be
    done in a turn is logged and never raised: the host goes on without memory.
    """

    def __init__(self) -> None:
        self._given: facade.Memory | None = None
        self._opened: dict[Path, facade.Memory] = {}

    @property
    def memory(self) -> facade.Memory:
        """
        The memory of the default agent.

        Raises:
            WorkspaceError: Its workspace does not exist.
        """
        return self._of(None)

    @hookimpl(trylast=True)
    def on_start(self, memory: AnyMemory) -> None:
        """Use the host's memory when it is one of ours."""
        if isinstance(memory, facade.Memory):
            self._given = memory

    @hookimpl(trylast=True)
    def on_turn_start(self, turn: Turn) -> Note | None:
        """Join what all plugins of the memory give into one note."""
        with _going_on():
            notes, failures = self._of(turn.agent_id).turn_start(turn)
            return _joined(notes, failures)
        return None

    @hookimpl(trylast=True)
    def on_turn_end(self, turn: Turn) -> None:
        """Tell all plugins of the memory."""
        with _going_on():
            _joined((), self._of(turn.agent_id).turn_end(turn))

    @hookimpl(trylast=True)
    def on_heartbeat(self, beat: Heartbeat) -> Note | None:
        """Join what all plugins of the memory give into one note."""
        with _going_on():
            notes, failures = self._of(beat.agent_id).heartbeat(beat)
            return _joined(notes, failures)
        return None

    @hookimpl(trylast=True)
    def on_recall_request(self, request: RecallRequest) -> Recalled:
        """Recall as every face does: fresh, hooked, tracked; an answer without hits says why in `degraded`."""
        try:
            return self._of(request.agent_id).recall(request)
        except TROUBLES as error:
            return Recalled(query=request.query, degraded=(str(error),))

    @hookimpl(trylast=True)
    def prepare_retain(self, draft: Draft) -> Draft:
        """Hand the draft through all plugins of the memory; whatever goes wrong is raised, for it is a veto."""
        return self.memory.plugins.prepare(draft)

    @hookimpl(trylast=True)
    def on_retain(self, fact: Fact) -> None:
        """Index what the host wrote."""
        with _going_on():
            self.memory.sync()

    @hookimpl(trylast=True)
    def score_candidates(self, request: RecallRequest, candidates: Sequence[Candidate]) -> Sequence[float]:
        """Score as a recall would; without a workspace as the built-in scorer does by default."""
        with _going_on():
            scores, failures = self._of(request.agent_id).plugins.score(request, candidates)
            for failure in failures:
                _log(failure)
            return scores
        from openclaw_memory_plugin.config import Config
        from openclaw_memory_plugin.recall.score import score

        return score(request, candidates, Config())

    @hookimpl(trylast=True)
    def embed_texts(self, texts: Sequence[str]) -> Sequence[Sequence[float]] | None:
        """Make vectors when a plugin of the memory does; none without a workspace."""
        with _going_on():
            return self.memory.plugins.embed(texts)
        return None

    def _of(self, agent_id: str | None) -> facade.Memory:
        if self._given is not None:
            return self._given
        root = workspace_of(agent_id, os.environ)
        if root not in self._opened:
            self._opened[root] = Memory.open(root)
        return self._opened[root]


def quiet_moment(memory: facade.Memory, beat: Heartbeat) -> Note | None:
    """Reflect and maintain when due; quote what only the agent can settle, None when there is nothing."""
    from openclaw_memory_plugin.guard import BLOCK_PREFACE, render_block
    from openclaw_memory_plugin.words import count_tokens

    heard = beat.heard and beat.reason != "schedule"
    brief, hint = memory.quiet_work(scheduled=beat.reason == "schedule", heard=heard, now=beat.now)
    if not heard:
        return None
    memory.note_given(brief, now=beat.now)
    if hint:
        memory.upkeep.note_given()
    lines = [*brief.lines[1:], *([hint] if hint else ())]
    if not lines:
        return None
    text = render_block(lines, preface=brief.lines[0] if brief.lines else BLOCK_PREFACE)
    return Note(text=text, tokens=count_tokens(text))


def prepared(memory: facade.Memory, draft: Draft) -> Draft:
    """
    Redact secrets and put everything on one line.

    Raises:
        RetainError: The statement was forgotten before, and it is not the owner who teaches it again.
    """
    from openclaw_memory_plugin.guard import one_line, redact
    from openclaw_memory_plugin.workspace.tombstones import read_tombstones

    text = one_line(redact(draft.text))
    entities = tuple(dict.fromkeys(name for name in map(_name, draft.entities) if name))
    if draft.provenance is not Provenance.OWNER and read_tombstones(memory.workspace.root).refuses(text, entities):
        raise RetainError("not retained: this was forgotten on purpose; only the owner may teach it again")
    return attrs.evolve(draft, text=text, entities=entities)


def _name(name: str) -> str:
    from openclaw_memory_plugin.guard import one_line, redact

    return one_line(redact(name)).removeprefix("@").removeprefix("＠").strip()


def _joined(notes: Sequence[Note], failures: Sequence[str]) -> Note | None:
    from openclaw_memory_plugin.words import count_tokens

    for failure in failures:
        _log(failure)
    if not notes:
        return None
    text = "\n\n".join(note.text for note in notes)
    return Note(text=text, place=notes[0].place, tokens=count_tokens(text))


@contextlib.contextmanager
def _going_on() -> Iterator[None]:
    """Log what a memory cannot do instead of raising it."""
    try:
        yield
    except TROUBLES as error:
        _log(error)


def _log(trouble: object) -> None:
    import logging

    logging.getLogger(__name__).warning("%s", trouble)


plugin = PublishedPlugin()
"""What the entry point `openclaw.plugins: memory` loads; it opens nothing until a hook needs it."""
