"""What is erased for good, or kept from coming back, is the very same statement and no other that looks like it."""

import datetime as dt
import hmac
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_hookspecs import Draft, Provenance
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.errors import RetainError
from openclaw_memory_plugin.workspace.lines import TOMBSTONES
from openclaw_memory_plugin.workspace.saying import exact, holds, letters

NOW = dt.datetime(2026, 3, 5, 12, tzinfo=dt.UTC)
LATER = NOW + dt.timedelta(days=1)
KEY = b"k" * 32

OTHERS = [
    ("takes 1.5 mg of it daily", "takes 15 mg of it daily"),
    ("takes .5 mg of it", "takes 5 mg of it"),
    ("the balance is -500 euros", "the balance is 500 euros"),
    ("the balance is - 500 euros", "the balance is 500 euros"),
    ("the balance is −$500", "the balance is $500"),
    ("it costs $50", "it costs €50"),
    ("it is at 50%", "it is at 50"),
    ("codes in C++", "codes in C#"),
    ("codes in C++", "codes in C"),
    ("has the grade A-", "has the grade A"),
    ("lives at 192.168.1.12", "lives at 192.168.11.2"),
    ("weighs 80 kg", "weighs 8.0 kg"),
    ("version 1.11", "version 11.1"),
    ("meets at 1:15", "meets at 11:5"),
    ("the range is 1-10", "the range is 110"),
    ("the range is 1–10", "the range is 110"),
    ("the port is 22, 22", "the port is 2222"),
    ("likes a/b", "likes ab"),
    ("calls foo_bar", "calls foobar"),
    ("the area is 10²", "the area is 10 2"),
    ("drinks 1½ litres", "drinks 11/2 litres"),
    ("the therapist said so", "the rapist said so"),
    ("x < 5", "x > 5"),
    ("कि", "का"),
    ("❤️ for tea", "👎 for tea"),
]
SAME = [
    ("Likes tea.", "**likes**  _tea_!"),
    ("It's `eel`, really", "it’s eel (really)"),
    ("takes 15.", "takes 15"),
    ("takes 1\\.5 mg", "takes １．５ mg"),
    ("from 1–10", "from 1-10"),
    ("東京に住む。", "東京に住む"),
]


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_forgetting_a_statement_leaves_others(tmp_path: Path, one: str, other: str) -> None:
    """Whichever is forgotten, the other stays in Markdown, in memory and in what may be said anew."""
    for number, (gone, kept) in enumerate([(one, other), (other, one)]):
        root = tmp_path / str(number)
        log = root / "memory/2026-01-01.md"
        log.parent.mkdir(parents=True)
        log.write_text(f"## Retain\n- W @Bob: {gone}\n- W @Bob: {kept}\n")
        with Memory.open(root) as memory:
            memory.sync(now=NOW)
            memory.reflect(now=NOW)
            (fact,) = [fact for fact in memory.facts() if fact.content == gone]
            memory.forget(fact.id, now=NOW)
            assert log.read_text() == f"## Retain\n- W @Bob: {kept}\n"
            assert [fact.content for fact in memory.facts()] == [kept]
            memory.reflect(now=NOW)
            agent = Draft(text=kept, entities=("Bob",), provenance=Provenance.AGENT)
            assert memory.retain(agent, now=LATER).content == kept
            with pytest.raises(RetainError, match="forgotten on purpose"):
                memory.retain(Draft(text=gone, entities=("Bob",), provenance=Provenance.AGENT), now=LATER)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_says_nothing_makes_no_other_statement(one: str, other: str) -> None:
    """Case, blanks, width, markup and punctuation between words are no difference."""
    assert exact(one) == exact(other)


@given(st.text(), st.text())
def test_the_exact_form_is_no_looser(one: str, other: str) -> None:
    """What is the same exactly is the same in its letters."""
    if exact(one) == exact(other):
        assert letters(one) == letters(other)


def test_history_of_others_can_still_be_undone(tmp_path: Path) -> None:
    """Only changes that hold the very words are erased from the history."""
    (tmp_path / "memory").mkdir()
    with Memory.open(tmp_path) as memory:
        memory.retain(Draft(text="Takes 15 mg of it daily.", entities=("Bob",)), now=NOW)
        fact = memory.retain(Draft(text="Takes 1.5 mg of it daily.", entities=("Bob",)), now=LATER)
        assert memory.forget(fact.id, now=LATER).history_entries == (2,)
        memory.undo(1, now=LATER)
        assert memory.facts() == []


@pytest.mark.parametrize("text", ["- codes in C++", "- codes in C#, too", "- he encodes in C", "1. codes in C-3"])
def test_words_are_whole(text: str) -> None:
    """A line that holds other words that begin or end so does not hold these; one with markup and quotes does."""
    assert not holds(text, exact("codes in C"))
    assert holds("intro\n> it **codes\n> in** `C`, they say", exact("codes in C"))
    assert holds("彼は「東京に住む」と言う", exact("東京に住む"))


@pytest.mark.parametrize("form", [None, "exact"])
def test_old_tombstones_hold(tmp_path: Path, form: str | None) -> None:
    """A hash that was kept of the letters alone still covers what it covered, until the owner teaches it again."""
    (tmp_path / "memory/archive").mkdir(parents=True)
    mark = hmac.digest(KEY, b"takes15mgofit\nbob", "sha256").hex()
    lines = [{"key": KEY.hex()}, {"hash": mark, "forgotten_at": NOW.isoformat(), **({"form": form} if form else {})}]
    (tmp_path / TOMBSTONES).write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "memory/2026-01-01.md").write_text("## Retain\n- W @Bob: Takes 1.5 mg of it.\n")
    with Memory.open(tmp_path) as memory:
        memory.sync(now=NOW)
        assert len(memory.facts()) == (0 if form is None else 1)
        memory.retain(Draft(text="Takes 1.5 mg of it.", entities=("Bob",)), now=NOW)
        memory.sync(now=NOW)
        assert {fact.content for fact in memory.facts()} == {"Takes 1.5 mg of it."}


def test_what_is_merely_alike_is_told(tmp_path: Path) -> None:
    """The owner hears of a line with the same letters, which stays."""
    (tmp_path / "memory").mkdir()
    log = tmp_path / "memory/2026-01-01.md"
    log.write_text("## Retain\n- W @Bob: Takes 1.5 mg of it.\n- W @Bob: Takes 15 mg of it.\n")
    with Memory.open(tmp_path) as memory:
        memory.sync(now=NOW)
        (fact,) = [fact for fact in memory.facts() if "1.5" in fact.content]
        assert [str(place) for place in memory.forget(fact.id, now=NOW).mentions] == ["memory/2026-01-01.md#L3"]
