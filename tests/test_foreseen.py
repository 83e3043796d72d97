"""A turn that is announced: its answer is ready when it starts, and is the one that it would get anyway."""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest

from openclaw_memory_hookspecs import Candidate, Draft, RecallRequest, Turn, hookimpl
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.faces.host import methods, wire
from openclaw_memory_plugin.faces.host.rooms import FORESEEN, HostedMemory, Room
from openclaw_memory_plugin.plugins import Plugins

TURN = Turn(
    agent_id="main",
    session_key="agent:main:main",
    run_id="r1",
    prompt="Who fixed the slow query?",
    private=True,
    now=dt.datetime(2026, 4, 1, 12, tzinfo=dt.UTC),
)


class Counting:
    """A scorer that counts how often it is asked and leaves the order as it is."""

    def __init__(self) -> None:
        self.asked = 0

    @hookimpl
    def score_candidates(self, request: RecallRequest, candidates: Sequence[Candidate]) -> list[float]:
        self.asked += 1
        return [candidate.base for candidate in candidates]


@pytest.fixture
def scorer() -> Counting:
    return Counting()


@pytest.fixture
def memory(workspace: Path, scorer: Counting) -> Iterator[HostedMemory]:
    plugins = Plugins()
    plugins.register("counting", scorer)
    with HostedMemory.open(workspace, plugins=plugins) as opened:
        assert isinstance(opened, HostedMemory)
        opened.begin()
        assert opened.settle(60)
        yield opened


def shown(memory: Memory, turn: Turn = TURN) -> str:
    notes, failures = memory.turn_start(turn)
    assert failures == []
    return "\n".join(note.text for note in notes)


def test_the_answer_is_the_same_and_made_once(memory: HostedMemory, scorer: Counting) -> None:
    """A foreseen turn gets the bytes that it would get unforeseen, without recalling again; the next one recalls."""
    unforeseen = shown(memory)
    memory.foresee(TURN)
    asked = scorer.asked
    assert shown(memory) == unforeseen
    assert scorer.asked == asked
    assert shown(memory) == unforeseen
    assert scorer.asked == asked + 1


def edit(memory: HostedMemory) -> None:
    path = next(iter(sorted((memory.workspace.root / "memory").glob("2*.md"))))
    path.write_text(path.read_text() + "\n## Retain\n- W @Ana: The slow query was fixed for good by Ana Foreseen.\n")


def retain_elsewhere(memory: HostedMemory) -> None:
    with Memory.open(memory.workspace.root) as other:
        other.retain(Draft(text="The slow query was fixed for good by Ana Foreseen."), now=TURN.now)


@pytest.mark.parametrize("change", [edit, retain_elsewhere])
def test_what_changes_meanwhile_is_seen(memory: HostedMemory, change: Callable[[HostedMemory], None]) -> None:
    """A file edited, or a fact retained by another process, between the announcement and the start is recalled."""
    memory.foresee(TURN)
    change(memory)
    assert "Ana Foreseen" in shown(memory)


@pytest.mark.parametrize(
    "other",
    [{"prompt": "What is the slow query?"}, {"private": False}, {"now": TURN.now + dt.timedelta(days=1)}],
    ids=lambda change: next(iter(change)),
)
def test_another_turn_is_answered_for_itself(memory: HostedMemory, scorer: Counting, other: dict[str, Any]) -> None:
    """What was foreseen for one turn is not given to another one."""
    memory.foresee(TURN)
    asked = scorer.asked
    shown(memory, attrs.evolve(TURN, **other))
    assert scorer.asked == asked + 1


def test_turns_that_never_start_are_let_go(memory: HostedMemory, scorer: Counting) -> None:
    """Of announced turns only the latest are kept."""
    for number in range(FORESEEN + 1):
        memory.foresee(attrs.evolve(TURN, prompt=f"{TURN.prompt} {number}"))
    asked = scorer.asked
    for number in range(FORESEEN + 1):
        shown(memory, attrs.evolve(TURN, prompt=f"{TURN.prompt} {number}"))
    assert scorer.asked == asked + 1


def test_nothing_said_is_nothing_foreseen(memory: HostedMemory, scorer: Counting) -> None:
    """A turn without words, and one without room, ask for nothing."""
    memory.foresee(attrs.evolve(TURN, prompt=" "))
    memory.foresee(attrs.evolve(TURN, budget_tokens=0))
    assert scorer.asked == 0


@pytest.mark.parametrize(
    ("first", "then", "again"),
    [({}, {}, 0), ({"run_id": ""}, {"run_id": ""}, 1), ({"run_id": "r2"}, {}, 1), ({"trigger": "heartbeat"}, {}, 1)],
    ids=["announced", "without a run", "another run", "no person"],
)
def test_over_the_bridge(
    memory: HostedMemory, scorer: Counting, first: dict[str, str], then: dict[str, str], again: int
) -> None:
    """The bridge's two calls are one turn when session, run and words are the same."""

    def call(**facts: str) -> wire.TurnStart:
        usual = {"agent_id": "main", "workspace": str(memory.workspace.root), "session_key": "agent:main:main",
                 "session_id": "s1", "run_id": "r1", "trigger": "user"}  # fmt: skip
        return wire.structured(wire.TurnStart, {"scene": {**usual, **facts}, "prompt": TURN.prompt})

    room = Room(memory.workspace.root)
    room.memory = memory
    try:
        assert methods.on_turn_coming(room, call(**first)) == {}
        asked = scorer.asked
        assert "slow query" in methods.on_turn_start(room, call(**then))["notes"][0]["text"]
        assert scorer.asked == asked + again
    finally:
        room.memory = None
        room.leave()
        room.join(5)
