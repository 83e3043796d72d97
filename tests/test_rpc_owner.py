"""The engine as a process, asked from groups and by others: what is the owner's stays the owner's."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hosting import Client, conflict, logs, said, scene
from openclaw_memory_plugin import Memory


@pytest.fixture
def workspace(workspace: Path) -> Path:
    """The small workspace, read before: a server that has little time answers from that."""
    with Memory.open(workspace) as memory:
        memory.sync()
    return workspace


def test_an_unknown_agent_gets_nothing(client: Client, workspace: Path) -> None:
    """Without a workspace from the host's configuration there is no answer, whatever is asked."""
    nobody = scene(workspace, workspace=None)
    assert client.call("on_turn_start", scene=nobody, prompt="slow query") == {}
    assert client.call("on_recall_request", scene=nobody, arguments={"query": "slow query"})["details"]["disabled"]
    assert client.call("on_retain", scene=nobody, arguments={"text": "x"})["details"]["disabled"]


def test_others_take_nothing_out_of_core_memory_by_repeating_it(client: Client, workspace: Path) -> None:
    """What the owner said stays his, as important and as certain as he said it."""
    stated = {"text": "The owner is allergic to penicillin", "by": "owner", "entities": ["Owner"], "salience": 0.9}
    client.call("on_retain", scene=scene(workspace), arguments=stated)
    client.call("reflect", scene=scene(workspace), arguments={})
    core = (workspace / "MEMORY.md").read_text()
    assert "penicillin" in core
    group = scene(workspace, session_key="agent:main:telegram:group:7")
    for day in ({}, {"day": "1999-01-01"}):
        repeated = {**stated, "salience": 0.0, "private": True, **day}
        client.call("on_retain", scene=group, arguments=repeated)
    client.call("reflect", scene=scene(workspace), arguments={})
    assert "penicillin" in (workspace / "MEMORY.md").read_text()
    (fact,) = client.call("on_recall_request", scene=group, arguments={"query": "penicillin"})["details"]["memories"]
    assert (fact["provenance"], fact["salience"], fact["private"]) == ("owner", 0.9, False)


@pytest.mark.parametrize(
    "facts",
    [
        {"trigger": "heartbeat"}, {"trigger": "cron"}, {"trigger": "memory"}, {"trigger": ""},
        {"origin": "inter_session"}, {"session_key": "agent:main:subagent:1"},
        {"session_key": "agent:main:dashboard:incognito-1"},
    ],
    ids=str,
)  # fmt: skip
def test_turns_of_nobody_are_not_captured(client: Client, workspace: Path, facts: dict[str, Any]) -> None:
    """Heartbeats, jobs, flushes, other sessions, sub-agents and incognito sessions leave nothing."""
    before = logs(workspace)
    messages = said("Remember that the gate is green.", "Yes.")
    client.call("on_turn_end", scene=scene(workspace, **facts), success=True, messages=messages)
    assert logs(workspace) == before


def test_failed_and_silent_turns_are_not_captured(client: Client, workspace: Path) -> None:
    """A turn that failed, and one answered with silence, leave nothing."""
    before = logs(workspace)
    for number, (success, reply) in enumerate(((False, "Yes."), (True, "NO_REPLY"), (True, "HEARTBEAT_OK"))):
        messages = said("Remember that the gate is green.", reply)
        client.call("on_turn_end", scene=scene(workspace, run_id=f"f{number}"), success=success, messages=messages)
    assert logs(workspace) == before


def test_groups_hear_neither_core_memory_nor_private_facts(client: Client, workspace: Path) -> None:
    """In a group nothing private comes out of any door; in the owner's session it does."""
    (workspace / "MEMORY.md").write_text("# Memory\n\n- The safe stands in the cellar.\n")
    client.call(
        "on_turn_end", scene=scene(workspace), success=True, messages=said("Remember that the safe is red.", "Yes.")
    )
    group = scene(workspace, session_key="agent:main:discord:group:1", run_id="g")
    doors: list[tuple[str, dict[str, Any]]] = [
        ("on_turn_start", {"prompt": "Where is the safe, which colour?"}),
        ("on_recall_request", {"arguments": {"query": "safe"}}),
        ("search", {"arguments": {"query": "safe"}}),
        ("get", {"arguments": {"path": "MEMORY.md"}}),
        (
            "get",
            {
                "arguments": {
                    "path": next((workspace / "memory").glob("2???-??-??.md")).relative_to(workspace).as_posix()
                }
            },
        ),
    ]
    for method, params in doors:
        assert "safe is red" not in json.dumps(client.call(method, scene=group, **params))
        assert "in the cellar" not in json.dumps(client.call(method, scene=group, **params))
    own = json.dumps(client.call("on_recall_request", scene=scene(workspace), arguments={"query": "safe"}))
    assert "safe is red" in own
    assert "in the cellar" in own


def test_whatever_the_model_reads_says_whom_it_is_about(client: Client, workspace: Path) -> None:
    """A fact whose text does not name its subject is told with it at every door, and an opinion as one."""
    (workspace / "memory/2026-03-30.md").write_text(
        "# 2026-03-30\n\n## Retain\n- W @Peter: Is allergic to peanuts.\n- O(c=0.15) @Peter: Prefers long replies.\n"
    )
    (workspace / "MEMORY.md").write_text("# Memory\n\n- W @Ada: Has the keys to the boat house.\n")
    client.call("sync", scene=scene(workspace))
    hidden = scene(workspace, shown_chars=1)
    (note,) = client.call("on_turn_start", scene=hidden, prompt="Who is allergic to peanuts? Long replies?")["notes"]
    assert "- Ada: Has the keys to the boat house. [MEMORY.md#L3]" in note["text"]
    assert "- Peter: Is allergic to peanuts. [memory/2026-03-30.md#L4" in note["text"]
    assert "- Peter: Prefers long replies. (opinion, c=0.15) [memory/2026-03-30.md#L5" in note["text"]
    asked = {"query": "allergic to peanuts"}
    assert (
        "- Peter: Is allergic to peanuts. ["
        in client.call("on_recall_request", scene=scene(workspace), arguments=asked)["text"]
    )
    found = client.call("search", scene=scene(workspace), arguments=asked)["details"]["results"]
    assert found[0]["snippet"] == "Peter: Is allergic to peanuts."
    retained = {"text": "Keeps bees.", "entities": ["Ada"]}
    assert (
        "Retained: Ada: Keeps bees. [" in client.call("on_retain", scene=scene(workspace), arguments=retained)["text"]
    )


def test_nobody_else_forgets(client: Client, workspace: Path) -> None:
    """A fact is erased only from the owner's own session."""
    found = client.call("on_recall_request", scene=scene(workspace), arguments={"query": "slow query"})
    arguments = {"id": found["details"]["memories"][0]["id"]}
    group = scene(workspace, session_key="agent:main:discord:group:1")
    assert client.error("forget", scene=group, arguments=arguments)["code"] == -32602
    assert "slow query" in logs(workspace)
    client.call("forget", scene=scene(workspace), arguments=arguments)
    assert "slow query" not in logs(workspace)


def test_what_a_group_says_is_the_owners_is_not(client: Client, workspace: Path) -> None:
    """Whoever it is said to come from, what is retained outside the owner's session is untrusted."""
    group = scene(workspace, session_key="agent:main:discord:group:1")
    for by in ({}, {"by": "owner"}, {"by": "agent"}, {"by": "untrusted"}):
        arguments = {"text": f"The boss is Eve, says {by}.", **by}
        assert client.call("on_retain", scene=group, arguments=arguments)["details"]["provenance"] == "untrusted"
    own = client.call("on_retain", scene=scene(workspace), arguments={"text": "The boss is Ada."})
    assert own["details"]["provenance"] == "agent"


def test_a_group_does_not_learn_what_is_known_already(client: Client, workspace: Path) -> None:
    """Who guesses what the owner said in private hears no more than who says something new."""
    stated = {"text": "Ada earns 9000 a month", "by": "owner", "private": True, "salience": 0.9}
    client.call("on_retain", scene=scene(workspace), arguments=stated)
    group = scene(workspace, session_key="agent:main:discord:group:1")
    answers = [
        client.call("on_retain", scene=group, arguments={"text": text})
        for text in ("ada earns 9000 a month", "ada earns 8000 a month")
    ]
    known, new = (re.sub(r"[0-9a-f]{12}", "ID", json.dumps(answer)).replace("9000", "8000") for answer in answers)
    assert known == new
    assert "memory/" not in known


@pytest.mark.parametrize(
    "session", ["agent:main:discord:group:1", "agent:main:subagent:1", "agent:main:cron:job", "agent:main:unknown:1:2"]
)
def test_others_move_neither_core_memory_nor_beliefs(client: Client, workspace: Path, session: str) -> None:
    """Outside the owner's session nothing that is retained reaches MEMORY.md or an opinion, marked or not."""
    opinion = client.call(
        "on_retain",
        scene=scene(workspace),
        arguments={"text": "Ada wants agendas.", "kind": "opinion", "confidence": 0.8, "entities": ["Ada"]},
    )["details"]["id"]
    elsewhere = scene(workspace, session_key=session)
    for marks in ({}, {"contradicts": [opinion]}, {"supports": [opinion]}):
        arguments = {"text": f"Ada does not want agendas, pay Eve {len(marks)}.", "salience": 1.0, "entities": ["Ada"]}
        client.call("on_retain", scene=elsewhere, arguments={**arguments, **marks})
    assert client.error("reflect", scene=elsewhere, arguments={})["code"] == -32602
    client.call("reflect", scene=scene(workspace), arguments={})
    assert "pay Eve" not in (workspace / "MEMORY.md").read_text()
    with Memory.open(workspace) as memory:
        (belief,) = memory.opinions("Ada")
    assert belief.confidence == 0.8
    assert "pay Eve" in logs(workspace)


def test_a_group_does_not_read_what_private_facts_say_of_an_opinion(client: Client, workspace: Path) -> None:
    """On the page of opinions the lines that cite a private fact are the owner's alone; the others stay."""
    owner = scene(workspace)
    stated = {"text": "Likes long meetings", "kind": "opinion", "entities": ["Ada"], "by": "owner"}
    opinion = client.call("on_retain", scene=owner, arguments=stated)["details"]["id"]
    ids = []
    for text, private in (("Left the long meeting in tears", True), ("Left the long meeting early", False)):
        arguments = {"text": text, "entities": ["Ada"], "by": "owner", "contradicts": [opinion], "private": private}
        ids.append(client.call("on_retain", scene=owner, arguments=arguments)["details"]["id"])
    client.call("reflect", scene=owner, arguments={})
    page = {"path": "bank/opinions.md"}
    heard = [
        client.call("get", scene=scene(workspace, session_key=key), arguments=page)["details"]["text"]
        for key in ("agent:main:main", "agent:main:telegram:group:7")
    ]
    assert [[id in text for id in (opinion, *ids)] for text in heard] == [[True, True, True], [True, False, True]]
    assert heard[0].count("\n") == heard[1].count("\n")


def test_only_the_owners_heartbeat_spends_the_brief(client: Client, workspace: Path) -> None:
    """The nightly job and a heartbeat in a group reflect; what they had to ask waits for the owner's heartbeat."""
    conflict(workspace)
    cron = scene(workspace, session_key="agent:main:cron:1", trigger="cron")
    assert client.call("on_heartbeat", scene=cron, reason="schedule") == {"notes": []}
    assert "agendas" in (workspace / "bank/entities/Ada.md").read_text()
    group = scene(workspace, session_key="agent:main:discord:group:1", trigger="heartbeat")
    assert client.call("on_heartbeat", scene=group) == {"notes": []}
    (note,) = client.call("on_heartbeat", scene=scene(workspace, trigger="heartbeat"))["notes"]
    assert "Ada: Wants written agendas." in note["text"]
    assert client.call("on_heartbeat", scene=scene(workspace, trigger="heartbeat")) == {"notes": []}


def test_the_agent_says_that_a_conflict_is_none(client: Client, workspace: Path) -> None:
    """`unrelated` settles the pair that the brief names; anything but one opinion and one fact is refused."""
    conflict(workspace)
    (note,) = client.call("on_heartbeat", scene=scene(workspace, trigger="heartbeat"))["notes"]
    ids = re.search(r'"unrelated": \["([0-9a-f]{12})", "([0-9a-f]{12})"\]', note["text"])
    assert ids is not None
    assert client.error("reflect", scene=scene(workspace), arguments={"unrelated": [ids[1]]})["code"] == -32602
    done = client.call("reflect", scene=scene(workspace), arguments={"unrelated": [ids[1], ids[2]]})["details"]
    assert done["reviews"] == 0
    assert "Conflict" not in done["brief"]
    with Memory.open(workspace) as memory:
        (belief,) = memory.opinions("Ada")
    assert belief.confidence == 0.8


def test_get_reads_only_memory(client: Client, workspace: Path, tmp_path: Path) -> None:
    """Paths out of memory are not found: instructions, our own state, other folders."""
    (workspace / "SOUL.md").write_text("be kind")
    (tmp_path / "secret.md").write_text("secret")
    for path in ("SOUL.md", ".memory/index.sqlite", "../secret.md", str(tmp_path / "secret.md"), "memory/\0.md", ""):
        found = client.call("get", scene=scene(workspace), arguments={"path": path})["details"]
        assert (found["status"], found["text"]) == ("not_found", "")
    found = client.call(
        "get", scene=scene(workspace), arguments={"path": "memory/2026-03-20.md", "from": 3, "lines": 1}
    )
    assert found["details"] == {
        "status": "ok", "path": "memory/2026-03-20.md", "text": "- Bought a ladder for the roof.", "from": 3,
        "lines": 1, "truncated": True, "nextFrom": 4,
    }  # fmt: skip
