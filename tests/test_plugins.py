"""Promises about plugins: order, isolation, blocking, and what happens when one misbehaves."""

from typing import Any

import attrs
import pytest

from asking import CANDIDATES, NOW, REQUEST, TURN, Broken, Marking, scorer, with_plugins
from openclaw_memory_hookspecs import (
    Candidate,
    Draft,
    Heartbeat,
    Note,
    Turn,
    hookimpl,
)
from openclaw_memory_plugin.errors import PluginError, RetainError
from openclaw_memory_plugin.plugins import Plugins


def test_a_scorer_replaces_the_engines() -> None:
    """The first plugin that scores decides."""
    assert with_plugins(mine=scorer([0.1, 0.9])).score(REQUEST, CANDIDATES) == ([0.1, 0.9], [])


def test_a_scorer_may_abstain() -> None:
    """None hands the question on."""
    assert with_plugins(mine=scorer(None)).score(REQUEST, CANDIDATES) == ([1.0, 0.5], [])


def test_scores_are_read_once() -> None:
    """An iterator of scores is as good as a list, and nobody can take candidates away."""
    assert with_plugins(mine=scorer(iter([0.0, 2.0]))).score(REQUEST, list(CANDIDATES)) == ([0.0, 2.0], [])

    class Taking:
        @hookimpl
        def score_candidates(self, candidates: list[Candidate]) -> None:
            candidates.clear()

    scores, (sentence,) = with_plugins(mine=Taking()).score(REQUEST, list(CANDIDATES))
    assert scores == [1.0, 0.5]
    assert "raised AttributeError" in sentence


def test_nothing_to_score_asks_nobody() -> None:
    """Without candidates no scorer is called."""
    assert with_plugins(mine=scorer(RuntimeError())).score(REQUEST, []) == ([], [])


def test_plugins_are_asked_in_the_order_of_their_names_and_the_engine_last() -> None:
    """`prepare_retain` goes a, b, engine, whatever the order of registration and whoever says trylast."""

    class Late(Marking):
        @hookimpl(trylast=True)
        def prepare_retain(self, draft: Draft) -> Draft:
            return attrs.evolve(draft, text=f"{draft.text}|late")

    plugins = with_plugins(b=Marking("b"), a=Marking("a"), c=Late("c"))
    assert plugins.prepare(Draft(text="x")).text == "x|a|b|late|engine"


def test_first_result_hooks_follow_the_names_too() -> None:
    """Of two scorers the one whose name sorts first decides."""
    plugins = with_plugins(b=scorer([0.0, 1.0]), a=scorer([0.5, 0.25]))
    assert plugins.score(REQUEST, CANDIDATES) == ([0.5, 0.25], [])


def test_a_veto_names_the_plugin() -> None:
    """False keeps a fact from being written and says by whom."""

    class NoGossip:
        @hookimpl
        def prepare_retain(self, draft: Draft) -> bool | None:
            return False if "gossip" in draft.text else None

    plugins = with_plugins(discreet=NoGossip())
    assert plugins.prepare(Draft(text="fine")).text == "fine|engine"
    with pytest.raises(RetainError, match="plugin discreet vetoed it"):
        plugins.prepare(Draft(text="gossip"))


def test_notes_come_in_order_inside_the_budget() -> None:
    """Each plugin learns what those before it left; what does not fit is left out."""

    class Says:
        def __init__(self, tokens: int) -> None:
            self.tokens = tokens

        @hookimpl
        def on_turn_start(self, turn: Turn) -> Note:
            return Note(text=f"{turn.budget_tokens}", tokens=self.tokens)

    plugins = with_plugins(a=Says(3), b=Says(100), c=Broken())
    notes, failures = plugins.turn_start(attrs.evolve(TURN, budget_tokens=10))
    assert [note.text for note in notes] == ["10", "engine 7"]
    assert [str(failure) for failure in failures] == ["plugin c: on_turn_start raised ValueError: no turn"]


def test_a_heartbeat_goes_to_all() -> None:
    """Notes of a heartbeat are collected; failures and strange answers are named."""

    class Odd:
        @hookimpl
        def on_heartbeat(self, beat: Heartbeat) -> Any:
            return "text"

    notes, failures = with_plugins(broken=Broken(), odd=Odd()).notes(
        "on_heartbeat", beat=Heartbeat(agent_id="main", now=NOW)
    )
    assert notes == []
    assert [str(failure) for failure in failures] == [
        "plugin broken: on_heartbeat raised ValueError: no beat",
        "plugin odd: on_heartbeat answered str, not a Note",
    ]


def test_a_hook_that_does_not_exist_is_reported_and_the_rest_works() -> None:
    """A misspelt hook is listed; the plugin's other hooks count."""

    class Misspelt(Marking):
        @hookimpl
        def on_tun_end(self, turn: Turn) -> None: ...

    plugins = with_plugins(typo=Misspelt("t"))
    assert plugins.prepare(Draft(text="x")).text == "x|t|engine"
    assert plugins.problems[0].startswith("plugin typo: unknown hook on_tun_end; the hooks are on_start, on_turn_start")


def test_an_argument_that_does_not_exist_is_an_error() -> None:
    """A hook that asks for an argument its specification does not have is refused."""

    class Wrong:
        @hookimpl
        def on_turn_end(self, conversation: Turn) -> None: ...

    with pytest.raises(PluginError, match="conversation"):
        Plugins().register("wrong", Wrong())


def test_names_are_unique() -> None:
    """Nobody takes a name twice, nor the engine's."""
    plugins = Plugins()
    plugins.register("mine", Marking("m"))
    for name in ("mine", "memory"):
        with pytest.raises(PluginError, match="is taken"):
            plugins.register(name, Marking("n"))
