"""
The hooks of OpenClaw memory, each with its full contract.

Arguments are passed by name; an implementation may leave out those that it does not need. Plugins are called in the
order of their entry-point names; the engine, which implements these hooks like any other plugin, comes last. An
observer that raises never stops the others nor the turn: what it raised is collected, reported with its name, and
the answer goes out.
"""

import datetime as dt
from collections.abc import Sequence
from typing import Protocol

import pluggy

from openclaw_memory_hookspecs.shapes import (
    Candidate,
    Draft,
    Fact,
    Heartbeat,
    Note,
    Recalled,
    RecallRequest,
    Turn,
)

hookspec = pluggy.HookspecMarker("openclaw")


class Memory(Protocol):
    """What a plugin may do with the memory of one workspace."""

    def recall(self, request: RecallRequest) -> Recalled:
        """Answer from the facts of the workspace."""

    def retain(self, draft: Draft, *, now: dt.datetime | None = None) -> Fact:
        """Write one fact into the daily log and return it as stored."""

    def facts(self) -> Sequence[Fact]:
        """All facts, in order of path and line."""


@hookspec
def on_start(memory: Memory) -> None:
    """
    Learn that the memory of a workspace has been opened.

    Called once per opened memory, before any other hook. Not called by commands that never open one. The memory
    may be kept and used from the same thread until the process ends. Observers; raising is reported, not fatal.

        class Greeter:
            @hookimpl
            def on_start(self, memory):
                self.memory = memory
    """


@hookspec
def on_turn_start(turn: Turn) -> Note | None:
    """
    Say what the agent should have before it in this turn.

    Called once per user turn before the model is asked; not called for heartbeats, scheduled jobs and flushes. All
    results are used, in plugin order, as far as `turn.budget_tokens` allows; None adds nothing. It must be quick
    (the host waits at most a second) and give the same bytes for the same input, so that prompt caches hold.
    A plugin that raises adds nothing.

        class Motto:
            @hookimpl
            def on_turn_start(self, turn):
                return Note(text="Answer briefly.", place="system", tokens=4)
    """


@hookspec
def on_turn_end(turn: Turn) -> None:
    """
    Learn what was said in a finished turn.

    Called once per (session, run) after the reply went out; not called for heartbeats, scheduled jobs, sub-agents
    and flushes. `turn.messages` starts at the last user message. Observers, isolated from one another.

        class Counter:
            turns = 0

            @hookimpl
            def on_turn_end(self, turn):
                self.turns += 1
    """


@hookspec
def on_heartbeat(beat: Heartbeat) -> Note | None:
    """
    Use a moment in which nobody waits; optionally leave a brief for the agent.

    Called for each heartbeat and scheduled job of the host. All results reach the agent, in plugin order; None
    says nothing. Isolated: a plugin that raises is reported and the others go on.

        class Reminder:
            @hookimpl
            def on_heartbeat(self, beat):
                return Note(text="Two opinions contradict each other: see `opinion review`.", tokens=14)
    """


@hookspec(firstresult=True)
def on_recall_request(request: RecallRequest) -> Recalled | None:
    """
    Answer a recall.

    Called for every recall of every face. The first plugin that does not return None answers; the engine's own
    answer comes last. A wrapper may edit what comes back. A plugin that raises, or whose answer is not a Recalled in
    all its fields (each hit a Hit with a finite score), is named in `degraded` and the engine answers.

        class Hide:
            @hookimpl(wrapper=True)
            def on_recall_request(self, request):
                answer = yield
                return attrs.evolve(answer, hits=tuple(h for h in answer.hits if h.score > 0.1))
    """


@hookspec
def prepare_retain(draft: Draft) -> Draft | bool | None:
    """
    Look at a fact before it is written.

    Called once per retained fact, before anything is on disk, in plugin order, each seeing what the one before
    made of it; the engine comes last (it redacts secrets and honours tombstones). A Draft replaces it, False vetoes
    it (nothing is written and the caller is told by whom), None leaves it as it is. A plugin that raises vetoes:
    a fact that could not be checked is not written.

        class NoGossip:
            @hookimpl
            def prepare_retain(self, draft):
                return False if "gossip" in draft.text.casefold() else None
    """


@hookspec
def on_retain(fact: Fact) -> None:
    """
    Learn that a fact has been written.

    Called after the Markdown is on disk and indexed, once per retained fact; not called for facts that people wrote
    into the files themselves. Observers; raising is reported and cannot undo the write.

        class Log:
            @hookimpl
            def on_retain(self, fact):
                print(fact.source)
    """


@hookspec(firstresult=True)
def score_candidates(request: RecallRequest, candidates: Sequence[Candidate]) -> Sequence[float] | None:
    """
    Score all candidates of one recall.

    Called once per recall, after gathering and before packing; not called when nothing was found. The first plugin
    that does not return None decides. Equal scores keep the order of the candidates, which is that of the match.
    What is left out of a short answer goes by its scores too, when none is negative: those below 0.7 (configurable) of
    the best one. Where some are, up to `k` facts come.
    A plugin that raises, returns another length or a value that is not finite is named in `degraded`, and the
    built-in scorer answers.

    Returns:
        n finite floats, same order, higher is better; None to abstain.

        class Salient:
            @hookimpl
            def score_candidates(self, request, candidates):
                return [c.base + c.fact.salience for c in candidates]
    """


@hookspec(firstresult=True)
def embed_texts(texts: Sequence[str]) -> Sequence[Sequence[float]] | None:
    """
    Turn texts into vectors.

    Called in batches while indexing and with one text per recall; not called unless vectors are configured. The
    first plugin that does not return None decides, and must go on deciding: vectors of another length make the
    stored ones useless and they are computed anew.

    Returns:
        n vectors of one length, same order; None to abstain.

        class Lengths:
            @hookimpl
            def embed_texts(self, texts):
                return [[float(len(text))] for text in texts]
    """
