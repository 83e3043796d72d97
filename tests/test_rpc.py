"""The engine as a process: every line gets an answer, and the server lives on."""

import queue
import signal
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from hosting import Client, conflict, logs, said, scene
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.faces.host import methods
from openclaw_memory_plugin.faces.host.rooms import Room, Rooms
from openclaw_memory_plugin.workspace import Workspace


@pytest.fixture
def workspace(workspace: Path) -> Path:
    """The small workspace, read before: a server that has little time answers from that."""
    with Memory.open(workspace) as memory:
        memory.sync()
    return workspace


def test_it_says_hello_and_recalls(client: Client, workspace: Path) -> None:
    """After the handshake a turn start gives quoted facts, the same bytes each time."""
    assert client.call("hello", workspaces=[str(workspace)]) == {"version": methods.hello()["version"]}
    first = client.call("on_turn_start", scene=scene(workspace), prompt="What fixed the slow query?")
    again = client.call("on_turn_start", scene=scene(workspace, run_id="r2"), prompt="What fixed the slow query?")
    assert first == again
    (note,) = first["notes"]
    assert "Fixed the slow query in the orders table. [memory/2026-03-20.md#L8" in note["text"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"not json\n", -32700),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "on_turn_start", "params": {\n', -32700),
        (b"\xff\xfe\x00\n", -32700),
        (b"[]\n", -32600),
        (b"42\n", -32600),
        (b'{"id": 1}\n', -32600),
        (b'{"id": NaN, "method": "ping"}\n', -32700),
        (b'{"id": -Infinity, "method": "ping"}\n', -32700),
        (b'{"id": 1e999, "method": "ping"}\n', -32600),
        (b'{"id": [1], "method": "ping"}\n', -32600),
        (b'{"id": true, "method": "ping"}\n', -32600),
        (b"[" * 100_000 + b"\n", -32700),
        (b'"' + b"x" * (17 * 1024 * 1024) + b'"\n', -32600),
    ],
    ids=[
        *("text", "broken", "bytes", "list", "number", "no method"),
        *("no number", "no bound", "overflown", "id of many", "id of truth", "deep", "huge"),
    ],
)
def test_a_line_that_is_no_request_is_an_error(client: Client, line: bytes, code: int) -> None:
    """Broken, huge and foreign lines are answered with an error; the next request is served."""
    client.write(line)
    found = client.answer(1 if line == b'{"id": 1}\n' else None)
    assert found["error"]["code"] == code
    assert client.call("ping")["pid"] == client.process.pid


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("reboot", {}, -32601),
        ("on_turn_start", {"prompt": "x"}, -32602),
        ("on_turn_start", {"scene": 3}, -32602),
        ("on_turn_start", {"scene": {"agent_id": 3}}, -32602),
        ("on_turn_start", {"scene": {"surprise": 1}}, -32602),
        ("on_turn_end", {"scene": {}, "success": "yes"}, -32602),
        ("on_turn_end", {"scene": {}, "success": True, "messages": [{"text": "no role"}]}, -32602),
        ("hello", {"workspaces": "one"}, -32602),
    ],
)
def test_a_request_of_another_shape_is_an_error(client: Client, method: str, params: dict[str, Any], code: int) -> None:
    """Unknown methods and bad shapes are answered with an error that names what is wrong."""
    found = client.error(method, **params)
    assert (found["code"], bool(found["message"])) == (code, True)
    assert client.call("ping")


def test_a_bad_value_of_a_tool_is_an_error(client: Client, workspace: Path) -> None:
    """What the model may not ask is told to it: wrong days, kinds, numbers, unknown arguments."""
    for arguments in ({"query": "x", "since": "soon"}, {"query": "x", "kinds": ["rumour"]}, {"query": "x", "k": -1},
                      {"query": 3}, {"q": "x"}, {}):  # fmt: skip
        assert client.error("on_recall_request", scene=scene(workspace), arguments=arguments)["code"] == -32602
    for arguments in ({"text": ""}, {"text": "x", "salience": 2}, {"text": "x", "by": "god"}):
        assert client.error("on_retain", scene=scene(workspace), arguments=arguments)["code"] == -32602


def test_a_notification_gets_no_answer(client: Client) -> None:
    """A request without an id is carried out silently."""
    client.write(b'{"jsonrpc": "2.0", "method": "ping"}\n{"jsonrpc": "2.0", "method": "reboot"}\n')
    assert client.call("ping")


def test_a_turn_end_counts_once(client: Client, workspace: Path) -> None:
    """The same session and run reported twice is captured once; another run is another turn."""
    messages = said("Remember that the gate is green.", "Yes.")
    for run, reported in (("r1", True), ("r1", False), ("r2", True)):
        found = client.call("on_turn_end", scene=scene(workspace, run_id=run), success=True, messages=messages)
        assert found == {"reported": reported}
    assert logs(workspace).count("The gate is green.") == 1


def test_thinking_does_not_keep_a_turn_waiting(client: Client, workspace: Path) -> None:
    """While a heartbeat has to wait, turns of the same workspace are answered with their facts, and kept."""
    conflict(workspace)
    client.call("sync", scene=scene(workspace))
    with Workspace(root=workspace).lock():
        beat = client.begin("on_heartbeat", scene=scene(workspace, trigger="heartbeat"))
        tool = client.begin("reflect", scene=scene(workspace), arguments={})
        asked = {"scene": scene(workspace, run_id="r2"), "prompt": "Who wants written agendas?", "timeout_ms": 5_000}
        (note,) = client.call("on_turn_start", **asked)["notes"]
        assert "Ada: Wants written agendas." in note["text"]
        assert client.waiting(beat, tool)
    assert client.answer(beat)["result"]["notes"]
    assert client.answer(tool)["result"]["details"]["dry_run"] is False


def test_what_is_late_is_kept_or_refused_never_lost(client: Client, workspace: Path) -> None:
    """A turn end whose time is over is still kept; a question whose time is over gets an error."""
    client.call("sync", scene=scene(workspace))
    with Workspace(root=workspace).lock():
        first = client.begin("on_retain", scene=scene(workspace), arguments={"text": "The quay was painted."})
        wish = said("Remember that the observatory opens at nine.", "Noted.")
        end = client.begin("on_turn_end", scene=scene(workspace), success=True, messages=wish, timeout_ms=50)
        more = {"text": "The pier was closed."}
        second = client.begin("on_retain", scene=scene(workspace), arguments=more, timeout_ms=50)
        question = client.begin(
            "on_recall_request", scene=scene(workspace), arguments={"query": "observatory"}, timeout_ms=50
        )
        time.sleep(0.3)
    assert "The quay was painted." in client.answer(first)["result"]["text"]
    assert client.answer(end)["result"] == {"reported": True}
    assert "The pier was closed." in client.answer(second)["result"]["text"]
    assert "busy" in client.answer(question)["error"]["message"]
    assert "The observatory opens at nine." in logs(workspace)


def test_a_turn_that_another_process_reports_again_is_kept_once(client: Client, workspace: Path) -> None:
    """A respawned process, or a second gateway, adds no line and no access to a turn that was reported."""
    wish = said("Remember that the observatory opens at nine.", "The slow query in the orders table was fixed.")
    seconds = Client()
    try:
        for host in (client, seconds):
            host.call("on_turn_start", scene=scene(workspace), prompt="What fixed the slow query?")
        for host in (client, seconds):
            host.call("on_turn_end", scene=scene(workspace), success=True, messages=wish)
    finally:
        seconds.close()
    assert logs(workspace).count("observatory opens at nine") == 1
    with Memory.open(workspace) as memory:
        memory.sync()
        (used,) = [fact for fact in memory.facts() if "slow query" in fact.content]
    assert used.access_count == 1


def test_odd_transcripts_are_taken(client: Client, workspace: Path) -> None:
    """No messages, none of the user's, roles that nobody knows, ten megabytes: each is answered."""
    for number, messages in enumerate((
        [], said("hello")[1:], [{"role": "user"}], [{"role": "odd", "text": "x"}], [{"role": "user", "text": ""}],
        said("Remember that the gate is green. " + "lorem ipsum " * 850_000, "Yes."),
    )):  # fmt: skip
        client.call("on_turn_end", scene=scene(workspace, run_id=f"odd{number}"), success=True, messages=messages)
    assert "The gate is green." in logs(workspace)


def test_sessions_and_workspaces_interleave(client: Client, workspace: Path, tmp_path: Path) -> None:
    """Many requests at once over two workspaces: each gets its own answer, all facts are written."""
    other = tmp_path / "other"
    (other / "memory").mkdir(parents=True)
    begun = [
        client.begin("on_retain", scene=scene(root, session_key=f"agent:main:s{number}"),
                     arguments={"text": f"Lot {number} went to {root.name}."})
        for number in range(10) for root in (workspace, other)
    ]  # fmt: skip
    texts = [client.answer(request_id)["result"]["details"]["content"] for request_id in reversed(begun)]
    assert texts == [
        f"Lot {number} went to {root.name}." for number in reversed(range(10)) for root in (other, workspace)
    ]
    assert (logs(workspace).count("Lot "), logs(other).count("Lot ")) == (10, 10)


def test_two_hosts_share_a_workspace(workspace: Path) -> None:
    """Two gateways on one workspace: nothing is lost, each sees what the other wrote."""
    hosts = [Client(), Client()]
    try:
        begun = [
            (
                host,
                host.begin(
                    "on_retain", scene=scene(workspace), arguments={"text": f"Host {number} wrote line {line}."}
                ),
            )
            for line in range(8)
            for number, host in enumerate(hosts)
        ]
        for host, request_id in begun:
            assert "result" in host.answer(request_id)
        assert logs(workspace).count(" wrote line ") == 16
        for host in hosts:
            found = host.call("on_recall_request", scene=scene(workspace), arguments={"query": "host wrote line 7"})
            assert {m["content"] for m in found["details"]["memories"]} >= {
                "Host 0 wrote line 7.",
                "Host 1 wrote line 7.",
            }
    finally:
        for host in hosts:
            host.close()


def test_a_workspace_may_vanish_and_come_back(client: Client, workspace: Path) -> None:
    """Without the folder there is an error and no folder is made; with it there are facts again."""
    question = {"scene": scene(workspace), "arguments": {"query": "slow query"}}
    assert client.call("on_recall_request", **question)["details"]["memories"]
    away = workspace.with_name("away")
    workspace.rename(away)
    assert client.error("on_recall_request", **question)["code"] == -32000
    assert not workspace.exists()
    away.rename(workspace)
    assert client.call("on_recall_request", **question)["details"]["memories"]


def test_a_cold_start_answers_before_everything_is_read(client: Client, tmp_path: Path) -> None:
    """With many unread files an answer comes long before all is read and says what it lacks; later it is whole."""
    root = tmp_path / "big"
    (root / "memory").mkdir(parents=True)
    for day in range(1, 29):
        for month in range(1, 13):
            text = "".join(f"- The lantern {day} {month} {line} was lit.\n" for line in range(60))
            (root / f"memory/2025-{month:02}-{day:02}.md").write_text(text)
    started = time.monotonic()
    first = client.call("on_recall_request", scene=scene(root), arguments={"query": "lantern 28 12"}, timeout_ms=1000)
    waited = time.monotonic() - started
    later = first
    while later["details"]["degraded"] and time.monotonic() < started + 120:
        assert "indexed" in later["details"]["degraded"][0]
        time.sleep(0.1)
        later = client.call("on_recall_request", scene=scene(root), arguments={"query": "lantern 28 12"})
    assert first["details"]["degraded"]
    assert waited < (time.monotonic() - started) / 2
    assert later["details"]["degraded"] == []
    assert later["details"]["memories"]


def test_it_leaves_with_its_host(workspace: Path) -> None:
    """The end of its input ends the process at once, also in the middle of work; SIGTERM does too."""
    for stop in (None, signal.SIGTERM):
        begun = time.monotonic()
        host = Client()
        host.call("on_turn_start", scene=scene(workspace), prompt="slow query")
        host.begin("on_heartbeat", scene=scene(workspace))
        started = time.monotonic()
        coming = started - begun
        if stop is None:
            assert host.end() == 0
        else:
            host.process.send_signal(stop)
            assert host.process.wait(timeout=10) == 0
        assert time.monotonic() - started < 5 * coming
        host.close()


def test_plugins_neither_disturb_the_answers_nor_speak_to_a_group(workspace: Path, tmp_path: Path) -> None:
    """What plugins print goes elsewhere, what they raise is told; their brief is for the owner's session."""
    site = tmp_path / "site"
    (site / "loud-1.dist-info").mkdir(parents=True)
    (site / "loud-1.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: loud\nVersion: 1\n")
    (site / "loud-1.dist-info/entry_points.txt").write_text("[openclaw_memory_plugin]\nloud = loud\n")
    (site / "loud.py").write_text(
        "from openclaw_memory_hookspecs import Note, hookimpl\n\n\n"
        "@hookimpl\ndef on_heartbeat(beat):\n    return Note(text='Loud brief.')\n\n\n"
        "@hookimpl\ndef on_turn_start(turn):\n    print('hello world')\n    raise RuntimeError('no')\n"
    )
    host = Client(PYTHONPATH=str(site))
    try:
        found = host.call("on_turn_start", scene=scene(workspace), prompt="Who fixed the slow query?")
        assert "slow query" in found["notes"][0]["text"]
        own = host.call("on_heartbeat", scene=scene(workspace, trigger="heartbeat"))
        assert "Loud brief." in [note["text"] for note in own["notes"]]
        group = scene(workspace, trigger="heartbeat", session_key="agent:main:discord:group:1")
        assert host.call("on_heartbeat", scene=group) == {"notes": []}
    finally:
        host.end()
        complaints = host.close()
    assert b"hello world" in complaints
    assert b"plugin loud" in complaints


def test_no_request_ends_the_server(client: Client, workspace: Path) -> None:
    """Numbers, texts and paths that nothing can be done with are answered with an error, and the next one is served."""
    usual = {"scene": scene(workspace), "prompt": "x"}
    assert client.error("on_turn_start", **{**usual, "timeout_ms": 10**400})["code"] == -32602
    assert client.error("on_turn_start", **{**usual, "scene": scene(workspace, workspace="/no\0where")})["message"]
    assert client.error("sync", scene=scene(workspace, workspace="/no\0where"))["message"]
    names = ["\ud800", *["Nobody"] * 500, *map(str, range(400))]
    for _ in range(2):
        found = client.call("on_recall_request", scene=scene(workspace), arguments={"query": "x", "entities": names})
    assert (found["details"]["memories"], len(found["details"]["degraded"])) == ([], 10)


def test_a_workspace_outlives_what_it_cannot_be_opened_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What keeps a memory from opening is told to who asked, in both threads of a workspace, and the next is served."""
    answers: queue.SimpleQueue[object] = queue.SimpleQueue()
    rooms = Rooms()

    def locked(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("database is locked")

    def failing(_: object) -> None:
        raise RuntimeError("a task of somebody")

    with monkeypatch.context() as patched:
        patched.setattr(Memory, "open", locked)
        rooms.submit(str(tmp_path), answers.put)
        rooms.think(str(tmp_path), answers.put)
        assert [type(answers.get(timeout=10)) for _ in range(2)] == [sqlite3.OperationalError] * 2
    rooms.submit(str(tmp_path), failing)
    rooms.think(str(tmp_path), failing)
    rooms.submit(str(tmp_path), lambda room: answers.put(isinstance(room, Room)))
    rooms.think(str(tmp_path), lambda memory: answers.put(isinstance(memory, Memory)))
    assert [answers.get(timeout=10) for _ in range(2)] == [True, True]
    rooms.close(5)
