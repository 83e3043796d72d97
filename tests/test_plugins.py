"""Promises about plugins: order, isolation, blocking, and what happens when one misbehaves."""

import datetime as dt
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest

from openclaw_memory_hookspecs import (
    Candidate,
    Citation,
    Draft,
    Fact,
    Heartbeat,
    Hit,
    Kind,
    Note,
    Recalled,
    RecallRequest,
    Turn,
    hookimpl,
)
from openclaw_memory_plugin import config
from openclaw_memory_plugin.errors import PluginError, RetainError, UsageError
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


def test_a_scorer_replaces_the_engines() -> None:
    """The first plugin that scores decides."""
    assert with_plugins(mine=scorer([0.1, 0.9])).score(REQUEST, CANDIDATES) == ([0.1, 0.9], [])


def test_a_scorer_may_abstain() -> None:
    """None hands the question on."""
    assert with_plugins(mine=scorer(None)).score(REQUEST, CANDIDATES) == ([1.0, 0.5], [])


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


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages that only this test sees; a plugin leaves `<name>.imported` when imported."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return folder


def install(site: Path, name: str, body: str, distribution: str | None = None) -> None:
    module = f"ocmp_test_{name}_{abs(hash((str(site), distribution)))}"
    (site / f"{module}.py").write_text(
        f"import pathlib\npathlib.Path({str(site)!r}, '{name}.imported').touch()\n"
        f"from openclaw_memory_hookspecs import hookimpl\n{body}\n",
        encoding="utf-8",
    )
    info = site / f"{distribution or name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution or name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[openclaw_memory_plugin]\n{name} = {module}:Plugin\n")
    sys.modules.pop(module, None)


SCORER = """
class Plugin:
    @hookimpl
    def score_candidates(self, candidates):
        return [c.fact.salience for c in candidates]
"""


def states(plugins: Plugins) -> dict[str, str]:
    return {f"{state.name} {state.distribution}": state.state for state in plugins.states}


def test_entry_points_are_loaded_in_order_of_name(site: Path) -> None:
    """Installed plugins are found, imported, instantiated and listed by name."""
    install(site, "zeta", SCORER)
    install(site, "alpha", SCORER)
    plugins = Plugins.load(config.Plugins(), {})
    assert [state.name for state in plugins.states] == ["alpha", "zeta"]
    assert [state.state for state in plugins.states] == ["loaded", "loaded"]
    assert plugins.states[0].hooks == ("score_candidates",)
    assert plugins.states[0].reads == ("facts",)
    assert plugins.states[0].distribution == "alpha 1.0"


@pytest.mark.parametrize(
    ("settings", "environ"),
    [
        (config.Plugins(block=("noisy",)), {}),
        (config.Plugins(), {"OPENCLAW_MEMORY_BLOCK": "other, noisy"}),
        (config.Plugins(allow=("good",)), {}),
    ],
)
def test_a_blocked_plugin_is_never_imported(site: Path, settings: config.Plugins, environ: dict[str, str]) -> None:
    """Blocked by configuration or environment, or not on the allow list: not even its module is imported."""
    install(site, "noisy", SCORER)
    install(site, "good", SCORER)
    plugins = Plugins.load(settings, environ)
    assert not (site / "noisy.imported").exists()
    assert (site / "good.imported").exists()
    assert states(plugins)["good good 1.0"] == "loaded"
    assert states(plugins)["noisy noisy 1.0"] in {"blocked", "not allowed"}
    assert plugins.problems == ()


@pytest.mark.parametrize("body", ["raise RuntimeError('no')", "import nowhere_to_be_found", "raise SystemExit(3)", ""])
def test_a_plugin_that_cannot_be_imported_is_listed(site: Path, body: str) -> None:
    """Import errors are isolated: the others load, the broken one is named."""
    install(site, "bad", body)
    install(site, "good", SCORER)
    plugins = Plugins.load(config.Plugins(), {})
    assert states(plugins) == {"bad bad 1.0": "failed", "good good 1.0": "loaded"}
    assert plugins.problems[0].startswith("plugin bad: ")


def test_two_packages_with_one_name_do_not_stop_anybody(site: Path) -> None:
    """Of two entry points with one name the first distribution's counts, the other is listed."""
    install(site, "twin", SCORER, "first-dist")
    install(site, "twin", SCORER, "second-dist")
    plugins = Plugins.load(config.Plugins(), {})
    assert states(plugins) == {"twin first-dist 1.0": "loaded", "twin second-dist 1.0": "failed"}
