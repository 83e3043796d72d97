"""What was to be forgotten while something stood in the way is carried through as soon as nothing does."""

import datetime as dt
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from openclaw_memory_hookspecs import Heartbeat
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.errors import WorkspaceError
from openclaw_memory_plugin.index import store

NOW = dt.datetime(2026, 3, 5, 12, tzinfo=dt.UTC)
WORDS = ("wombat", "grumbolite")
LOG = "## Retain\n- W @Zed: keeps a wombat\n- W @Zed: sells grumbolite\n- W @Zed: likes tea\n"


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.setattr(store, "BUSY_SECONDS", 0.1)
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-01-01.md").write_text(LOG)
    with Memory.open(tmp_path) as memory:
        memory.sync(now=NOW)
        yield memory


def files_with(memory: Memory, *words: str) -> list[str]:
    return [
        path.name
        for path in sorted(memory.workspace.root.rglob("*"))
        if path.is_file() and any(word.encode() in path.read_bytes() for word in words)
    ]


def id_of(memory: Memory, word: str) -> str:
    return next(fact.id for fact in memory.facts() if word in fact.content)


def reader(memory: Memory) -> sqlite3.Connection:
    """Somebody who reads the index all the time."""
    connection = sqlite3.connect(memory.index.stats()["index_path"])
    connection.execute("BEGIN")
    connection.execute("SELECT COUNT(*) FROM facts").fetchone()
    return connection


def beat(memory: Memory) -> None:
    memory.heartbeat(Heartbeat(agent_id="main", session_key="agent:main:main", now=NOW))


@pytest.mark.parametrize("carry_on", [lambda memory: memory.sync(now=NOW), beat], ids=["sync", "heartbeat"])
def test_each_forgetting_is_noted_and_carried_through(memory: Memory, carry_on: Callable[[Memory], object]) -> None:
    """The second one is as good as the first: out of Markdown at once, and from everywhere once the reader ends."""
    with closing(reader(memory)):
        for fact_id in [id_of(memory, word) for word in WORDS]:
            with pytest.raises(WorkspaceError, match=rf"{fact_id}: the text is gone from Markdown"):
                memory.forget(fact_id, now=NOW)
        assert (memory.workspace.root / "memory/2026-01-01.md").read_text() == "## Retain\n- W @Zed: likes tea\n"
        assert ".memory/forgetting.json" in [found.path for found in memory.doctor(now=NOW)]
    carry_on(memory)
    assert files_with(memory, *WORDS, "forgetting") == []
    assert not (memory.workspace.state_dir / "forgetting.json").exists()
    assert ".memory/forgetting.json" not in [found.path for found in memory.doctor(now=NOW)]


def test_a_forgetting_that_is_refused_leaves_the_one_before_noted(memory: Memory) -> None:
    """Nothing is changed for it, and what was begun goes on."""
    other = memory.workspace.root / "memory/2026-01-02.md"
    other.write_text("## Retain\n- W @Zed: sells grumbolite\n")
    first, second = (id_of(memory, word) for word in WORDS)
    with closing(reader(memory)):
        with pytest.raises(WorkspaceError, match="gone from Markdown"):
            memory.forget(first, now=NOW)
        other.chmod(0o444)
        with pytest.raises(WorkspaceError, match="nothing was changed"):
            memory.forget(second, now=NOW)
    memory.sync(now=NOW)
    assert files_with(memory, "wombat") == []
    assert {fact.content for fact in memory.facts()} == {"sells grumbolite", "likes tea"}


def test_an_answer_does_not_wait_for_it(memory: Memory) -> None:
    """A recall, on whose way somebody waits, leaves it to others."""
    with closing(reader(memory)), pytest.raises(WorkspaceError):
        memory.forget(id_of(memory, "wombat"), now=NOW)
    memory.freshen(NOW)
    assert (memory.workspace.state_dir / "forgetting.json").exists()
