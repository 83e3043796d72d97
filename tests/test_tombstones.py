"""Damaged tombstones: what can be read of them counts, and where nothing can be told nothing is shown or kept."""

import datetime as dt
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from openclaw_memory_hookspecs import Draft, Message, Provenance, RecallRequest, Turn
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.errors import OpenClawMemoryError, WorkspaceError
from openclaw_memory_plugin.faces import cli
from openclaw_memory_plugin.faces.host.rooms import HostedMemory
from openclaw_memory_plugin.turns.after import keep_statements, read_counters
from openclaw_memory_plugin.workspace.lines import TOMBSTONES

NOW = dt.datetime(2026, 4, 25, 12, tzinfo=dt.UTC)
STATEMENTS = ("Ann dreams of moving to Zanzibar.", "Bo owes Cem forty coins.")
LOG = "# 2026-03-01\n\n- It rained.\n" + "".join(f"- {text}\n" for text in STATEMENTS)

Damage = Callable[[list[str]], str]
"""The lines of the file, key first -> what it holds then."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace that forgot two statements, and into which a checkout brought both back."""
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    log = root / "memory/2026-03-01.md"
    log.write_text(LOG)
    with Memory.open(root) as memory:
        memory.sync(now=NOW)
        for fact in memory.facts():
            if fact.content in STATEMENTS:
                memory.forget(fact.id, now=NOW)
    log.write_text(LOG)
    return root


def damage(root: Path, how: Damage) -> None:
    path = root / TOMBSTONES
    path.write_text(how(path.read_text().splitlines()))


def said(text: str) -> Turn:
    """A turn in which the owner says something that is kept otherwise."""
    return Turn(
        agent_id="main",
        session_key="agent:main:main",
        run_id="r1",
        private=True,
        prompt=text,
        messages=(Message(role="user", text=text),),
        now=NOW,
    )


def contents(memory: Memory) -> set[str]:
    return {fact.content for fact in memory.facts()}


PARTLY = {
    "conflict markers": lambda lines: "\n".join(["<<<<<<< ours", lines[0], "=======", *lines[1:], ">>>>>>> theirs"]),
    "a torn line": lambda lines: "\n".join([*lines[:2], lines[2][:60]]),
    "no instant": lambda lines: "\n".join([*lines[:2], json.dumps({"hash": json.loads(lines[2])["hash"]})]),
    "a byte that is gone": lambda lines: "\n".join([*lines[:2], lines[2][:50] + "\0" + lines[2][51:]]),
    "two lines run together": lambda lines: "\n".join([lines[0], lines[1] + lines[2]]),
    "a shortened hash": lambda lines: "\n".join([*lines[:2], lines[2].replace(json.loads(lines[2])["hash"][40:], "")]),
}


@pytest.mark.parametrize("how", PARTLY.values(), ids=PARTLY.keys())
def test_what_is_left_of_a_tombstone_counts(root: Path, how: Damage) -> None:
    """Nothing comes back while enough of its hash can be read; `doctor` names the line, and the rest goes on."""
    damage(root, how)
    shutil.rmtree(root / ".memory")
    with Memory.open(root) as memory:
        memory.sync(now=NOW)
        assert contents(memory) == {"It rained."}
        assert TOMBSTONES in {found.path for found in memory.doctor(now=NOW)}
        memory.retain(Draft(text="The quay is closed.", provenance=Provenance.AGENT), now=NOW)
        assert len(memory.facts()) == 2


WHOLLY = {
    "another file": lambda lines: "\0" * 300,
    "no key": lambda lines: "\n".join(lines[1:]),
    "a broken key": lambda lines: "\n".join([lines[0].replace('"}', 'x"}'), *lines[1:]]),
    "a torn key": lambda lines: "\n".join([lines[0][:30], *lines[1:]]),
    "one key of two": lambda lines: "\n".join([lines[0][:30], '{"key": "00"}', *lines[1:]]),
    "an empty object": lambda lines: "{}",
}


@pytest.mark.parametrize("how", WHOLLY.values(), ids=WHOLLY.keys())
@pytest.mark.parametrize("fresh", [True, False], ids=["new index", "old index"])
def test_without_the_key_nothing_new_is_shown(root: Path, how: Damage, fresh: bool) -> None:
    """A recall answers from the index as it was and says why; `doctor` names file and remedy; a good file heals it."""
    with Memory.open(root) as memory:
        memory.sync(now=NOW)
    good = (root / TOMBSTONES).read_text()
    damage(root, how)
    if fresh:
        shutil.rmtree(root / ".memory")
    with Memory.open(root) as memory:
        answer = memory.recall(RecallRequest(query="Zanzibar, coins or rain?", now=NOW))
        assert {hit.fact.content for hit in answer.hits} == (set() if fresh else {"It rained."})
        assert "it cannot be told what was forgotten" in answer.degraded[0]
        (found, *_) = [found for found in memory.doctor(now=NOW) if found.path == TOMBSTONES]
        assert "backup" in found.remedy
        (root / TOMBSTONES).write_text(good)
        memory.sync(now=NOW)
        assert contents(memory) == {"It rained."}


@pytest.mark.parametrize("how", ["folder", "no key"])
def test_without_the_key_only_the_owner_is_heard(root: Path, how: str) -> None:
    """Agent, capture, restore, undo, forget and reflect do nothing; what the owner says is written, and found later."""
    path = root / TOMBSTONES
    with Memory.open(root) as memory:
        memory.sync(now=NOW)
        (rain,) = memory.facts()
        memory.archive(rain.id, now=NOW)
        good = path.read_text()
        if how == "folder":
            path.unlink()
            path.mkdir()
        else:
            damage(root, lambda lines: "\n".join(lines[1:]))
        before = {str(file): file.read_bytes() for file in root.rglob("*.md")}
        for refused in (
            lambda: memory.retain(Draft(text=STATEMENTS[0], provenance=Provenance.AGENT), now=NOW),
            lambda: memory.restore(rain.id, now=NOW),
            lambda: memory.undo(now=NOW),
            lambda: memory.forget(rain.id, now=NOW),
            lambda: memory.reflect(now=NOW),
        ):
            with pytest.raises(OpenClawMemoryError, match=r"forgotten|undo"):
                refused()
        assert keep_statements(memory, said("I live in Zanzibar.")) == ()
        assert read_counters(memory.workspace)["refused"] == 1
        assert {str(file): file.read_bytes() for file in root.rglob("*.md")} == before
        memory.retain(Draft(text="The quay is closed."), now=NOW)
        if how == "folder":
            path.rmdir()
        path.write_text(good)
        memory.sync(now=NOW)
        assert contents(memory) == {"The quay is closed."}


def test_a_tombstone_that_is_torn_can_be_taken_back(root: Path) -> None:
    """The owner teaches a statement again of whose hash only a part is left."""
    damage(root, lambda lines: "\n".join([*lines[:2], lines[2][:60]]))
    with Memory.open(root) as memory:
        memory.retain(Draft(text=STATEMENTS[1]), now=NOW)
        memory.sync(now=NOW)
        assert contents(memory) == {"It rained.", STATEMENTS[1]}


def test_doctor_works_where_nothing_can_be_indexed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command that tells the remedy does not fail with what it is to remedy."""
    damage(root, lambda lines: "\0")
    assert cli.main(["--workspace", str(root), "--json", "doctor"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [found["path"] for found in told["findings"]] == [".memory", TOMBSTONES]
    with Memory.open(root) as memory, pytest.raises(WorkspaceError, match="backup"):
        memory.sync(now=NOW)


def test_a_host_says_why_it_knows_nothing_new(root: Path) -> None:
    """What fails in the background is said with every answer until it is mended."""
    path = root / TOMBSTONES
    good = path.read_text()
    damage(root, lambda lines: "\0")
    with HostedMemory.open(root) as memory:
        answer = memory.recall(RecallRequest(query="Zanzibar, coins or rain?", now=NOW))
        assert "it cannot be told what was forgotten" in answer.degraded[0]
        path.write_text(good)
        assert memory.recall(RecallRequest(query="rain", now=NOW)).degraded == ()
