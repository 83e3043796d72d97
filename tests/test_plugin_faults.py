"""Promises about plugins that misbehave: they are named, and the engine answers."""

from typing import Any

import attrs
import pytest

from asking import CANDIDATES, REQUEST, TURN, Broken, fact, scorer, with_plugins
from openclaw_memory_hookspecs import (
    Draft,
    Hit,
    Note,
    Recalled,
    RecallRequest,
    Turn,
    hookimpl,
)
from openclaw_memory_plugin.errors import PluginError, RetainError, UsageError


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ([1.0], "answered 1 scores for 2 candidates"),
        ([1.0, float("nan")], "answered a score that is not finite"),
        ([1.0, float("inf")], "answered a score that is not finite"),
        ("no", "answered str, not 2 numbers"),
        (3, "answered int, not 2 numbers"),
        ([None, 1.0], "answered list, not 2 numbers"),
        ([10**400, 1.0], "answered a score that is not finite"),
        (RuntimeError("out of luck"), "raised RuntimeError: out of luck"),
        (RuntimeError("401 for AKIAIOSFODNN7EXAMPLE\x1b[31m"), "raised RuntimeError: 401 for [REDACTED][31m"),
        (SystemExit(3), "raised SystemExit: 3"),
    ],
)
def test_a_bad_scorer_is_named_and_the_builtin_answers(answer: Any, says: str) -> None:
    """A wrong length, no finite numbers or an exception: named, and the built-in scorer answers."""
    scores, degraded = with_plugins(mine=scorer(answer)).score(REQUEST, CANDIDATES)
    assert scores == [1.0, 0.5]
    assert degraded == [f"plugin mine: score_candidates {says}; the built-in scorer answered"]


def test_a_fact_that_could_not_be_checked_is_not_written() -> None:
    """A plugin that raises in `prepare_retain`, or answers something else, vetoes."""

    class Odd:
        @hookimpl
        def prepare_retain(self) -> Any:
            return "a text"

    with pytest.raises(RetainError, match="plugin broken: prepare_retain raised ValueError: no check"):
        with_plugins(broken=Broken()).prepare(Draft(text="x"))
    with pytest.raises(RetainError, match="plugin odd: prepare_retain answered str, not a Draft"):
        with_plugins(odd=Odd()).prepare(Draft(text="x"))


def test_every_observer_is_told_and_every_failure_named() -> None:
    """One raising observer neither stops the others nor hides another's failure."""
    told: list[str] = []

    class Listener:
        @hookimpl
        def on_turn_end(self, turn: Turn) -> None:
            told.append(turn.run_id)

    plugins = with_plugins(a=Broken(), b=Listener(), c=Broken())
    with pytest.raises(ExceptionGroup) as caught:
        plugins.notify("on_turn_end", turn=TURN)
    assert told == ["r"]
    assert [str(error) for error in caught.value.exceptions] == [
        "plugin a: on_turn_end raised ValueError: no end",
        "plugin c: on_turn_end raised ValueError: no end",
    ]


def test_a_recall_survives_a_raising_plugin() -> None:
    """Who raises, or answers no Recalled, is named; the next one answers, the engine last."""

    class Odd:
        @hookimpl
        def on_recall_request(self) -> Any:
            return ["not", "recalled"]

    answer, failures = with_plugins(broken=Broken(), odd=Odd()).recall(REQUEST)
    assert [hit.fact.content for hit in answer.hits] == ["engine"]
    assert failures == [
        "plugin broken: on_recall_request raised ValueError: no answer",
        "plugin odd: on_recall_request answered list, not a Recalled",
    ]


def test_a_wrapper_may_edit_an_answer_and_may_fail() -> None:
    """Wrappers see the engine's answer; one that raises after it is left out."""

    class Hide:
        @hookimpl(wrapper=True)
        def on_recall_request(self, request: RecallRequest) -> Any:
            answer = yield
            return attrs.evolve(answer, hits=())

    class Fails:
        @hookimpl(wrapper=True)
        def on_recall_request(self, request: RecallRequest) -> Any:
            yield
            raise KeyError("lost")

    assert with_plugins(hide=Hide()).recall(REQUEST) == (Recalled(query="anything"), [])
    answer, failures = with_plugins(fails=Fails(), hide=Hide()).recall(REQUEST)
    assert answer == Recalled(query="anything")
    assert failures == ["plugin fails: on_recall_request raised KeyError: 'lost'"]


@pytest.mark.parametrize(
    "raised", [PluginError("plugin other: fine"), RetainError("no"), UsageError("no"), OSError(5, "no")]
)
def test_a_wrapper_is_named_whatever_it_raises(raised: Exception) -> None:
    """An error of ours raised after `yield` is the wrapper's failure like any other, and the engine answers."""

    class Fails:
        @hookimpl(wrapper=True)
        def on_recall_request(self, request: RecallRequest) -> Any:
            yield
            raise raised

        @hookimpl(wrapper=True)
        def score_candidates(self, request: RecallRequest) -> Any:
            yield
            raise raised

    plugins = with_plugins(fails=Fails())
    answer, (failure,) = plugins.recall(REQUEST)
    assert [hit.fact.content for hit in answer.hits] == ["engine"]
    assert failure.startswith(f"plugin fails: on_recall_request raised {type(raised).__name__}")
    scores, (trouble,) = plugins.score(REQUEST, CANDIDATES)
    assert scores == [1.0, 0.5]
    assert trouble.startswith(f"plugin fails: score_candidates raised {type(raised).__name__}")


@pytest.mark.parametrize("old", [False, True])
def test_a_wrapper_is_not_blamed_for_what_passes_through_it(old: bool) -> None:
    """What a plugin or the engine raises keeps its name through the wrappers around it."""

    class Passes:
        @hookimpl(hookwrapper=old, wrapper=not old)
        def on_recall_request(self, request: RecallRequest) -> Any:
            answer = yield
            return answer

        @hookimpl(hookwrapper=old, wrapper=not old)
        def prepare_retain(self, draft: Draft) -> Any:
            answer = yield
            return answer

    plugins = with_plugins(broken=Broken(), passes=Passes())
    answer, failures = plugins.recall(REQUEST)
    assert [hit.fact.content for hit in answer.hits] == ["engine"]
    assert failures == ["plugin broken: on_recall_request raised ValueError: no answer"]
    with pytest.raises(RetainError, match="plugin broken: prepare_retain raised ValueError: no check"):
        plugins.prepare(Draft(text="x"))


def _misshapen(**fields: Any) -> Recalled:
    return Recalled(**{"query": "q", "hits": (Hit(fact=fact("theirs"), score=1.0),), **fields})


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (_misshapen(hits=("garbage",)), "hits[0] is str, not a Hit"),
        (_misshapen(hits=[]), "hits is list, not a tuple"),
        (_misshapen(hits=None), "hits is NoneType, not a tuple"),
        (_misshapen(hits=(Hit(fact=fact("x"), score=float("nan")),)), "hits[0].score is nan, not finite"),
        (_misshapen(hits=(Hit(fact=fact("x"), score="high"),)), "hits[0].score is str, not a number"),
        (_misshapen(hits=(Hit(fact="x", score=1.0),)), "hits[0].fact is str, not a Fact"),
        (_misshapen(hits=(Hit(fact=attrs.evolve(fact("x"), id=7), score=1.0),)), "hits[0].fact.id is int, not str"),
        (
            _misshapen(hits=(Hit(fact=attrs.evolve(fact("x"), citations=()), score=1.0),)),
            "hits[0].fact.citations is empty",
        ),
        (_misshapen(degraded=(3,)), "degraded[0] is int, not str"),
        (_misshapen(candidates="many"), "candidates is str, not a number"),
        ({"hits": []}, "dict, not a Recalled"),
    ],
)
@pytest.mark.parametrize("way", ["plain", "wrapper", "old wrapper"])
def test_an_answer_that_is_not_as_promised_is_named_and_the_engine_answers(answer: Any, says: str, way: str) -> None:
    """Every field of a `Recalled` is looked at, whoever made it and in whichever way."""

    class Plain:
        @hookimpl
        def on_recall_request(self) -> Any:
            return answer

    class Wrapper:
        @hookimpl(wrapper=True)
        def on_recall_request(self) -> Any:
            yield
            return answer

    class OldWrapper:
        @hookimpl(hookwrapper=True)
        def on_recall_request(self) -> Any:
            outcome = yield
            outcome.force_result(answer)

    plugin = {"plain": Plain, "wrapper": Wrapper, "old wrapper": OldWrapper}[way]()
    given, failures = with_plugins(odd=plugin).recall(REQUEST)
    assert [hit.fact.content for hit in given.hits] == ["engine"]
    assert failures == [f"plugin odd: on_recall_request answered {says}"]


@pytest.mark.parametrize("answer", [None, 7, [Note(text=7)], "x"])
def test_a_wrapper_that_breaks_a_collection_of_answers_is_named(answer: Any) -> None:
    """A wrapper around a hook that all answer gives back a list of proper answers, or is left out."""

    class Odd:
        @hookimpl(wrapper=True)
        def on_turn_start(self) -> Any:
            yield
            return answer

        @hookimpl(wrapper=True)
        def prepare_retain(self) -> Any:
            yield
            return answer

    notes, failures = with_plugins(odd=Odd()).turn_start(TURN)
    assert [note.text for note in notes] == ["engine None"]
    assert ["plugin odd: on_turn_start answered" in str(failure) for failure in failures] == [True]
    with pytest.raises(RetainError, match="plugin odd: prepare_retain answered"):
        with_plugins(odd=Odd()).prepare(Draft(text="x"))


def test_a_wrapper_that_swallows_an_answer_is_named() -> None:
    """None in place of an answer is a failure of the wrapper, not of whom it wraps."""

    class Swallows:
        @hookimpl(wrapper=True)
        def on_recall_request(self) -> Any:
            yield

    answer, failures = with_plugins(swallows=Swallows()).recall(REQUEST)
    assert [hit.fact.content for hit in answer.hits] == ["engine"]
    assert failures == ["plugin swallows: on_recall_request answered None in place of an answer"]


def test_a_draft_that_is_not_as_promised_vetoes() -> None:
    """A draft without a text is no draft: nothing is written, and the plugin is named."""

    class Odd:
        @hookimpl
        def prepare_retain(self, draft: Draft) -> Any:
            return attrs.evolve(draft, text=None)

    with pytest.raises(RetainError, match="plugin odd: prepare_retain answered text is NoneType, not str"):
        with_plugins(odd=Odd()).prepare(Draft(text="x"))
