"""
The engine inside a host written in Python: a pluggy manager for `openclaw`, our specifications, and what the
entry-point group `openclaw.plugins` publishes. Every hook is driven.
"""

import datetime as dt
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path

import attrs
import pluggy
import pytest

from openclaw_memory_hookspecs import (
    PROJECT,
    Candidate,
    Citation,
    Draft,
    Fact,
    Heartbeat,
    Kind,
    Message,
    Provenance,
    Recalled,
    RecallRequest,
    Turn,
    hookimpl,
    specs,
)
from openclaw_memory_plugin import Memory, builtin
from openclaw_memory_plugin.errors import RetainError
from openclaw_memory_plugin.plugins import Plugins

HOOKS = [name for name, value in vars(specs).items() if hasattr(value, f"{PROJECT}_spec")]


@pytest.fixture
def host(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[pluggy.PluginManager]:
    """A host as small as it can be; it has loaded the engine."""
    monkeypatch.setenv("OPENCLAW_WORKSPACE", str(workspace))
    importlib.reload(builtin)
    manager = pluggy.PluginManager("openclaw")
    manager.add_hookspecs(specs)
    manager.load_setuptools_entrypoints("openclaw.plugins")
    manager.check_pending()
    yield manager
    builtin.plugin.memory.close()


def turn(now: dt.datetime, **changes: object) -> Turn:
    fields: dict[str, object] = {
        "agent_id": "main",
        "session_key": "agent:main:main",
        "run_id": "1",
        "prompt": "What does Peter prefer?",
        "private": True,
        "now": now,
    }
    return Turn(**{**fields, **changes})  # type: ignore[arg-type]


def test_the_published_engine_is_named_memory(host: pluggy.PluginManager) -> None:
    """Loading the group registers the engine under its entry point's name."""
    assert host.get_plugin("memory") is builtin.plugin


def test_every_hook_is_answered_by_the_engine(host: pluggy.PluginManager) -> None:
    """No hook of the contract goes unanswered."""
    implemented = {name for name in HOOKS if getattr(host.hook, name).get_hookimpls()}
    assert implemented == set(HOOKS)


def test_the_engine_comes_last(host: pluggy.PluginManager) -> None:
    """Its implementations are `trylast`, so that anybody may decide before it."""
    impls = [impl for name in HOOKS for impl in getattr(host.hook, name).get_hookimpls()]
    assert all(impl.trylast for impl in impls)


def test_recall(host: pluggy.PluginManager, now: dt.datetime) -> None:
    """`on_recall_request` answers with cited facts of the configured workspace."""
    answer = host.hook.on_recall_request(request=RecallRequest(query="What does Peter prefer?", now=now))
    assert isinstance(answer, Recalled)
    assert answer.hits[0].fact.content == "Prefers concise replies."
    assert str(answer.hits[0].fact.source) == "memory/2026-03-20.md#L7"
    assert answer.degraded == ()


def test_turn_start_quotes_what_fits_the_message(host: pluggy.PluginManager, now: dt.datetime) -> None:
    """`on_turn_start` gives the recalled facts as marked, quoted data, the same bytes for the same turn."""
    (note,) = host.hook.on_turn_start(turn=turn(now))
    assert "Prefers concise replies." in note.text
    assert "memory/2026-03-20.md#L7" in note.text
    assert note.text.startswith("<openclaw-memory>")
    assert host.hook.on_turn_start(turn=turn(now, run_id="2")) == [note]


@pytest.mark.parametrize("budget", [0, 12, 60, 200])
def test_turn_start_keeps_the_budget(host: pluggy.PluginManager, now: dt.datetime, budget: int) -> None:
    """The rendered block, wrapper included, never exceeds the budget; 0 is nothing."""
    notes = host.hook.on_turn_start(turn=turn(now, budget_tokens=budget))
    assert sum(note.tokens for note in notes) <= budget
    assert all(len(note.text) / 4 <= note.tokens for note in notes)


def test_turn_start_keeps_private_things_private(host: pluggy.PluginManager, now: dt.datetime, workspace: Path) -> None:
    """In a group neither private facts nor core memory are shown; what the host shows itself is not shown twice."""
    (workspace / "MEMORY.md").write_text("- Peter prefers tea in core memory.\n", encoding="utf-8")
    with (workspace / "memory/2026-03-20.md").open("a", encoding="utf-8") as log:
        log.write("- O(c=0.9,private) @Peter: Prefers not to speak of the divorce.\n")
    own = "".join(note.text for note in host.hook.on_turn_start(turn=turn(now)))
    shown = "".join(note.text for note in host.hook.on_turn_start(turn=turn(now, core_shown=True)))
    group = "".join(note.text for note in host.hook.on_turn_start(turn=turn(now, private=False)))
    assert ("tea" in own, "divorce" in own) == (True, True)
    assert ("tea" in shown, "divorce" in shown) == (False, True)
    assert ("tea" in group, "divorce" in group) == (False, False)
    assert "concise" in group


def test_what_is_shown_unasked_is_not_an_access(host: pluggy.PluginManager, now: dt.datetime) -> None:
    """`on_turn_start` counts nothing, `on_recall_request` counts what it returned."""
    host.hook.on_turn_start(turn=turn(now))
    assert [fact.access_count for fact in builtin.plugin.memory.facts()] == [0, 0, 0]
    host.hook.on_recall_request(request=RecallRequest(query="concise replies", now=now))
    assert [fact.access_count for fact in builtin.plugin.memory.facts() if "concise" in fact.content] == [1]


def test_turn_end_finds_what_the_agent_wrote(host: pluggy.PluginManager, now: dt.datetime, workspace: Path) -> None:
    """After `on_turn_end` a line that the agent wrote into a log is a fact."""
    (workspace / "memory/2026-03-25.md").write_text("- W @Peter: Moved to Bern.\n", encoding="utf-8")
    host.hook.on_turn_end(
        turn=turn(now, messages=(Message(role="user", text="hi"), Message(role="assistant", text="yo")))
    )
    assert "Moved to Bern." in [fact.content for fact in builtin.plugin.memory.facts()]


def test_heartbeat_reflects_and_is_silent_when_there_is_nothing_to_ask(
    host: pluggy.PluginManager, now: dt.datetime, workspace: Path
) -> None:
    """`on_heartbeat` indexes, brings the pages up to date and leaves no note without a question."""
    (workspace / "memory/2026-03-25.md").write_text("- W @Peter: Moved to Bern.\n", encoding="utf-8")
    notes = host.hook.on_heartbeat(beat=Heartbeat(agent_id="main", now=now))
    assert notes == []
    assert "Moved to Bern." in (workspace / "bank/entities/Peter.md").read_text(encoding="utf-8")
    assert "Moved to Bern." in [fact.content for fact in builtin.plugin.memory.facts()]


def test_prepare_retain_redacts(host: pluggy.PluginManager) -> None:
    """`prepare_retain` gives a draft without secrets, on one line."""
    (draft,) = host.hook.prepare_retain(draft=Draft(text="The key is\nAKIAIOSFODNN7EXAMPLE.", entities=("@Peter",)))
    assert "AKIAIOSFODNN7EXAMPLE" not in draft.text
    assert "\n" not in draft.text
    assert draft.entities == ("Peter",)


def test_on_retain_finds_what_the_host_wrote(host: pluggy.PluginManager, workspace: Path) -> None:
    """After `on_retain` the index knows the file."""
    fact = builtin.plugin.memory.facts()
    (workspace / "memory/2026-03-25.md").write_text("- W @Peter: Moved to Bern.\n", encoding="utf-8")
    host.hook.on_retain(fact=fact[0] if fact else None)
    assert "Moved to Bern." in [fact.content for fact in builtin.plugin.memory.facts()]


def test_scores_are_finite_and_higher_is_better(host: pluggy.PluginManager, now: dt.datetime) -> None:
    """`score_candidates` gives one number each; the better match scores higher, all else equal."""
    host.hook.on_recall_request(request=RecallRequest(query="x", track=False, now=now))
    facts = builtin.plugin.memory.facts()
    candidates = [Candidate(fact=facts[0], base=1.0), Candidate(fact=facts[0], base=0.2)]
    scores = host.hook.score_candidates(request=RecallRequest(query="x", now=now), candidates=candidates)
    assert scores[0] > scores[1]


def test_no_vectors_are_made_unasked(host: pluggy.PluginManager) -> None:
    """`embed_texts` abstains while no vectors are configured."""
    assert host.hook.embed_texts(texts=["a"]) is None


def test_the_host_may_hand_over_its_memory(host: pluggy.PluginManager, tmp_path: Path, now: dt.datetime) -> None:
    """`on_start` with a memory of ours makes the published plugin answer from that one."""
    other = tmp_path / "other"
    other.mkdir()
    with Memory.open(other) as memory:
        host.hook.on_start(memory=memory)
        answer = host.hook.on_recall_request(request=RecallRequest(query="concise replies", now=now))
    assert answer.hits == ()


def test_plugins_of_the_memory_count_in_a_host(workspace: Path, now: dt.datetime) -> None:
    """Every hook of a plugin is reached through the memory's own calls."""
    told: list[str] = []

    class Everything:
        """Implements all hooks and says which were called."""

    def tell(name: str, spec: object) -> None:
        names = list(inspect.signature(spec).parameters)  # type: ignore[arg-type]
        code = f"def {name}(self, {', '.join(names)}):\n    told.append({name!r})\n"
        scope: dict[str, object] = {"told": told}
        exec(code, scope)
        setattr(Everything, name, hookimpl(scope[name]))  # type: ignore[call-overload]

    for name in HOOKS:
        tell(name, getattr(specs, name))
    plugins = Plugins()
    plugins.register("everything", Everything())
    with Memory.open(workspace, plugins=plugins) as memory:
        memory.recall(RecallRequest(query="concise replies", now=now))
        memory.retain(Draft(text="Peter moved to Bern.", entities=("Peter",)), now=now)
        memory.turn_start(turn(now))
        memory.turn_end(turn(now))
        memory.heartbeat(Heartbeat(agent_id="main", now=now))
        memory.plugins.embed(["text"])
    assert set(told) == set(HOOKS)


def test_forgotten_things_are_taught_again_by_the_owner_only(workspace: Path, now: dt.datetime) -> None:
    """A tombstone keeps the agent and strangers from writing a statement again."""
    import json
    import secrets

    from openclaw_memory_plugin.workspace.saying import statement_key
    from openclaw_memory_plugin.workspace.tombstones import Tombstones

    key = secrets.token_bytes(32)
    mark = Tombstones(keys=(key,), hashes={"x": "y"}).marks([statement_key("Peter moved to Bern.", ("Peter",))])[0]
    archive = workspace / "memory/archive"
    archive.mkdir()
    (archive / "tombstones.jsonl").write_text(
        json.dumps({"key": key.hex()}) + "\n" + json.dumps({"hash": mark, "forgotten_at": now.isoformat()}) + "\n"
    )
    draft = Draft(text="Peter moved to Bern.", entities=("Peter",), provenance=Provenance.AGENT)
    with Memory.open(workspace) as memory, pytest.raises(RetainError, match="forgotten on purpose"):
        memory.retain(draft, now=now)


def test_the_contract_says_what_a_fact_is(workspace: Path, now: dt.datetime) -> None:
    """A retained fact comes back as the contract's noun, with its citation."""
    with Memory.open(workspace) as memory:
        fact = memory.retain(Draft(text="Peter moved to Bern.", kind=Kind.WORLD, entities=("Peter",)), now=now)
    assert isinstance(fact, Fact)
    assert (fact.content, fact.kind, fact.entities) == ("Peter moved to Bern.", Kind.WORLD, ("Peter",))
    assert str(fact.source) == "memory/2026-03-25.md#L4"


def test_a_host_goes_on_without_a_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, now: dt.datetime) -> None:
    """A workspace that is missing, or an agent that OpenClaw does not know, never takes the host's turn down."""
    published = builtin.PublishedPlugin()
    monkeypatch.setenv("OPENCLAW_WORKSPACE", str(tmp_path / "gone"))
    assert published.on_turn_start(turn(now)) is None
    published.on_turn_end(turn(now))
    assert published.on_heartbeat(Heartbeat(agent_id="main", now=now)) is None
    request = RecallRequest(query="x", now=now)
    assert "no workspace at" in published.on_recall_request(request).degraded[0]
    assert published.embed_texts(["x"]) is None
    stated = Fact(
        id="a", kind=Kind.NOTE, content="a", citations=(Citation(path="memory/2026-03-01.md", line=1, end_line=1),)
    )
    scores = published.score_candidates(request, [Candidate(fact=stated, base=base) for base in (1.0, 0.5)])
    assert scores[0] > scores[1] > 0.0
    monkeypatch.delenv("OPENCLAW_WORKSPACE")
    assert published.on_turn_start(turn(now, agent_id="mallory")) is None


def test_each_agent_has_its_own_memory(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, now: dt.datetime
) -> None:
    """A host with several agents reaches the workspace of each."""
    import json

    other = tmp_path / "other"
    other.mkdir()
    config = tmp_path / "openclaw.json"
    entries = {"main": {"workspace": str(workspace)}, "coder": {"workspace": str(other)}}
    config.write_text(json.dumps({"agents": {"entries": entries}}))
    monkeypatch.setenv("OPENCLAW_CONFIG_PATH", str(config))
    published = builtin.PublishedPlugin()
    request = RecallRequest(query="concise replies", now=now, agent_id="main")
    assert len(published.on_recall_request(request).hits) == 1
    assert published.on_recall_request(attrs.evolve(request, agent_id="coder")).hits == ()
