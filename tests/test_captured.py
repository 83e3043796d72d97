"""What the owner says in his own session: it becomes core memory and opinions, and others never hear of it."""

import datetime as dt
from pathlib import Path

import pytest

from openclaw_memory_hookspecs import Message, Turn
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.faces.host import stock
from openclaw_memory_plugin.reflect.beliefs.account import Verb

NOW = dt.datetime(2026, 3, 25, 12, tzinfo=dt.UTC)
SAID = ("I'm allergic to penicillin.", "I prefer written agendas.", "My name is Ada Lovelace.")


def say(memory: Memory, text: str, *, now: dt.datetime = NOW, private: bool = True) -> None:
    said = (Message(role="user", text=text), Message(role="assistant", text="Noted."))
    key = "agent:main:main" if private else "agent:main:chat:group:7"
    turn = Turn(
        agent_id="main", session_key=key, run_id=f"{now} {text}", prompt=text, messages=said, private=private, now=now
    )
    assert memory.turn_end(turn) == []


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    return tmp_path


def test_reflection_makes_something_of_it(root: Path) -> None:
    """It has a priority, stands in core memory, an opinion is believed, and a pin holds."""
    with Memory.open(root) as memory:
        for text in SAID:
            say(memory, text)
        done = memory.reflect(now=NOW)
        core = (root / "MEMORY.md").read_text("utf-8")
        assert {one.content for one in done.priorities} == set(SAID)
        assert [text for text in SAID if text not in core] == []
        assert core.index("penicillin") < core.index("Ada Lovelace")
        (belief,) = memory.opinions(now=NOW)
        assert (belief.statement, belief.confidence) == (SAID[1], 0.9)
        later = NOW + dt.timedelta(days=1)
        say(memory, "I hate written agendas.", now=later)
        memory.reflect(now=later)
        (belief,) = [one for one in memory.opinions(now=later) if one.id == belief.id]
        assert belief.evidence[-1].verb is Verb.CONTRADICTS


def test_where_others_listen_nothing_of_it_is_read(root: Path) -> None:
    """Neither from the log, nor from pages or the account of an opinion; what the owner wrote there for all is."""
    with Memory.open(root) as memory:
        for text in SAID:
            say(memory, text)
        say(memory, "Remember that I hate meetings in the evening.", private=False)
        memory.reflect(now=NOW)
        memory.sync(now=NOW)
        read = {
            state.path: stock.excerpt(memory, state.path, 1, None, private=False)["text"]
            for state in memory.workspace.scan()
        }
    assert set(read) >= {"MEMORY.md", "memory/2026-03-25.md", "bank/opinions.md"}
    everything = "\n".join(read.values())
    assert "evening" in everything
    assert [word for word in ("penicillin", "agendas", "Lovelace", "stated") if word in everything] == []


def test_what_a_group_says_becomes_neither(root: Path) -> None:
    """Untrusted as it is, it is no core memory and no opinion."""
    with Memory.open(root) as memory:
        for text in SAID:
            say(memory, text, private=False)
        memory.reflect(now=NOW)
        assert memory.opinions(now=NOW) == ()
    assert not (root / "MEMORY.md").exists()
