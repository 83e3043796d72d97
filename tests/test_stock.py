"""What OpenClaw's own memory answers, this one answers in the same shapes: its commands and its two tools."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.config import Config, Vectors
from openclaw_memory_plugin.faces import hosted
from openclaw_memory_plugin.faces.host import methods, stock, wire
from openclaw_memory_plugin.faces.host.rooms import Room
from openclaw_memory_plugin.faces.host.scene import Scene


def run(root: Path, *words: str) -> int:
    return hosted.main(["--agents", json.dumps({"main": str(root)}), "--", *words])


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--max-results", "0"), "--max-results must be a positive integer."),
        (("--max-results", "-3"), "--max-results must be a positive integer."),
        (("--max-results", "two"), "--max-results must be a positive integer."),
        (("--min-score", "nan"), "--min-score must be a finite number."),
        (("--min-score", "much"), "--min-score must be a finite number."),
        ((), "Missing search query."),
    ],
)
def test_a_search_refuses_what_the_stock_one_refuses(
    workspace: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], complaint: str
) -> None:
    """Exit 1, one sentence, nothing on standard output; with `--json` the error is an object there."""
    query = ("slow query",) if words else ()
    assert run(workspace, "search", *query, *words) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert complaint in err
    assert run(workspace, "search", *query, *words, "--json") == 1
    assert complaint in json.loads(capsys.readouterr().out)["error"]["message"]


@pytest.mark.parametrize("name", sorted(hosted.ELSEWHERE))
def test_a_stock_command_that_is_not_here_says_what_is(
    workspace: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """One sentence instead of a list of all our commands."""
    assert run(workspace, name, "--yes", "--agent", "main") == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"openclaw memory {name}: ")


def test_a_reader_that_has_enough_is_no_error(workspace: Path) -> None:
    """`openclaw memory status | head -0` ends without a traceback."""
    (workspace / "memory/odd.md").write_bytes(b"\xff\xfe" * 40_000)
    agents = json.dumps({f"a{number}": str(workspace) for number in range(40)})
    command = [
        sys.executable,
        "-m",
        "openclaw_memory_plugin.faces.hosted",
        "--agents",
        agents,
        "--",
        "status",
        "--json",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as asked:
        assert asked.stdout is not None
        assert asked.stderr is not None
        asked.stdout.close()
        assert asked.stderr.read() == b""
        assert asked.wait(timeout=60) == 0


def test_the_status_has_every_part_of_the_stock_one(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever reads one part of it finds it, of the same type."""
    assert run(workspace, "status", "--json", "--index") == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert {"agentId", "status", "scan", "audit", "dreamingAudit"} <= entry.keys()
    state = entry["status"]
    assert state["batch"] == {
        "enabled": False,
        "failures": 0,
        "limit": 0,
        "wait": False,
        "concurrency": 0,
        "pollIntervalMs": 0,
        "timeoutMs": 0,
    }
    (count,) = state["sourceCounts"]
    assert count["eligible"] == count["files"] == state["files"]
    assert state["vector"] == {"enabled": False, "index": {"state": "empty"}}
    assert isinstance(entry["audit"]["entryCount"], int)
    assert entry["dreamingAudit"]["issues"] == entry["audit"]["issues"] == []


def test_the_status_tells_of_vectors_where_there_are_any(workspace: Path) -> None:
    """Enabled, by which model, and whether they are all there."""
    config = Config(vectors=Vectors(provider="ollama", model="tiny"))
    with Memory.open(workspace, config=config) as memory:
        memory.index.sync(methods._now())
        state = stock.status("main", memory)["status"]
        assert (state["vector"]["enabled"], state["vector"]["index"]) == (True, {"state": "empty"})
        assert state["model"] == memory.embedder
        while rows := memory.index.without_vectors(64, state["model"]):
            memory.index.keep_vectors([seq for seq, _ in rows], [[1.0, 0.5]] * len(rows), state["model"])
        assert stock.status("main", memory)["status"]["vector"]["index"] == {"state": "complete"}


class Here(Room):
    """A room whose memory is opened in the thread that asks."""

    def __init__(self, memory: Any) -> None:
        self._memory = memory

    def opened(self) -> Any:
        return self._memory


def asked(workspace: Path, method: str, **arguments: Any) -> dict[str, Any]:
    scene = Scene(agent_id="main", workspace=str(workspace), session_key="agent:main:main", trigger="user")
    with Memory.open(workspace) as memory:
        memory.sync()
        answer = methods.METHODS[method](Here(memory), wire.ToolCall(scene=scene, arguments=arguments))
    return dict(answer["details"])


MEMORY, WIKI = {"corpus": "memory", "outcome": "ok"}, {"corpus": "wiki", "outcome": "not-registered"}


def test_each_corpus_that_was_asked_for_has_its_outcome(workspace: Path) -> None:
    """All: both, memory's results; the wiki alone: none, and a warning; memory alone needs no word about it."""
    found = asked(workspace, "search", query="slow query", corpus="all")
    assert found["corpora"] == [MEMORY, WIKI]
    assert found["results"]
    alone = asked(workspace, "search", query="slow query", corpus="wiki")
    assert (alone["results"], alone["corpora"]) == ([], [WIKI])
    assert "Wiki corpus is not registered" in alone["warning"]
    assert "corpora" not in asked(workspace, "search", query="slow query")
    assert asked(workspace, "search", query="slow query", corpus="sessions")["unavailable"] is True
    path = found["results"][0]["path"]
    read = asked(workspace, "get", path=path, corpus="all")
    assert (read["status"], read["corpora"]) == ("ok", [MEMORY, WIKI])
    nothing = asked(workspace, "get", path=path, corpus="wiki")
    assert (nothing["text"], nothing["corpora"]) == ("", [WIKI])
    assert "corpora" not in asked(workspace, "get", path=path)


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("search", {"query": "x", "corpus": "web"}),
        ("search", {"query": "x", "maxResults": 0}),
        ("get", {"path": "MEMORY.md", "corpus": "sessions"}),
        ("get", {"path": "MEMORY.md", "lines": 0}),
        ("get", {"path": "MEMORY.md", "from": 0}),
    ],
)
def test_the_tools_refuse_what_the_stock_ones_refuse(workspace: Path, method: str, arguments: dict[str, Any]) -> None:
    """A corpus that there is not, a count that is none."""
    with pytest.raises(methods.UsageError):
        asked(workspace, method, **arguments)
