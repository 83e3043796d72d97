"""Plugins to ask, and what they are asked."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

import attrs

from openclaw_memory_hookspecs import (
    Candidate,
    Citation,
    Draft,
    Fact,
    Hit,
    Kind,
    Note,
    Recalled,
    RecallRequest,
    Turn,
    hookimpl,
)
from openclaw_memory_plugin.plugins import Plugins

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)


REQUEST = RecallRequest(query="anything", now=NOW)


TURN = Turn(agent_id="main", session_key="s", run_id="r", now=NOW)


def fact(content: str, salience: float = 0.5) -> Fact:
    return Fact(
        id=content,
        kind=Kind.NOTE,
        content=content,
        salience=salience,
        citations=(Citation(path="memory/2026-03-01.md", line=1, end_line=1),),
    )


CANDIDATES = [Candidate(fact=fact("a", 0.1), base=1.0), Candidate(fact=fact("b", 0.9), base=0.5)]


class Engine:
    """A stand-in that answers every hook plainly, last like the real one."""

    @hookimpl(trylast=True)
    def on_recall_request(self, request: RecallRequest) -> Recalled:
        return Recalled(query=request.query, hits=(Hit(fact=fact("engine"), score=1.0),))

    @hookimpl(trylast=True)
    def score_candidates(self, candidates: Sequence[Candidate]) -> list[float]:
        return [candidate.base for candidate in candidates]

    @hookimpl(trylast=True)
    def prepare_retain(self, draft: Draft) -> Draft:
        return attrs.evolve(draft, text=f"{draft.text}|engine")

    @hookimpl(trylast=True)
    def on_turn_start(self, turn: Turn) -> Note:
        return Note(text=f"engine {turn.budget_tokens}", tokens=5)


def with_plugins(**plugins: object) -> Plugins:
    made = Plugins()
    for name, plugin in sorted(plugins.items(), reverse=True):
        made.register(name, plugin)
    made.attach(Engine())
    return made


def scorer(answer: Any) -> object:
    class Scorer:
        @hookimpl
        def score_candidates(self, request: RecallRequest, candidates: Sequence[Candidate]) -> Any:
            if isinstance(answer, BaseException):
                raise answer
            return answer

    return Scorer()


class Marking:
    """Leaves its letter on every draft."""

    def __init__(self, letter: str) -> None:
        self.letter = letter

    @hookimpl
    def prepare_retain(self, draft: Draft) -> Draft:
        return attrs.evolve(draft, text=f"{draft.text}|{self.letter}")


class Broken:
    """Raises on every hook."""

    @hookimpl
    def on_start(self) -> None:
        raise ValueError("no start")

    @hookimpl
    def on_turn_start(self, turn: Turn) -> Note:
        raise ValueError("no turn")

    @hookimpl
    def on_turn_end(self) -> None:
        raise ValueError("no end")

    @hookimpl
    def on_heartbeat(self) -> Note:
        raise ValueError("no beat")

    @hookimpl
    def on_recall_request(self) -> Recalled:
        raise ValueError("no answer")

    @hookimpl
    def prepare_retain(self) -> Draft:
        raise ValueError("no check")
