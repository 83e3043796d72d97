"""Selection, the brief and the quiet moment: what is looked at, and what only the agent can settle."""

import datetime as dt
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_hookspecs import Heartbeat, Kind
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.faces import cli
from openclaw_memory_plugin.reflect.brief import BareDay, Unsummarised, write_brief
from openclaw_memory_plugin.reflect.select import Remembered, priority, select
from openclaw_memory_plugin.words import count_tokens
from reflecting import NOW, standing, tell


def test_recalled_salient_and_new_facts_are_selected() -> None:
    """Recalled within 30 days, salience above 0.8, or not seen before; nothing else."""
    facts = [
        standing(1),
        standing(2, last_accessed_at="2026-02-24 12:00:00", access_count=1),
        standing(3, last_accessed_at="2026-02-20 12:00:00", access_count=1),
        standing(4, salience=0.81),
        standing(5, salience=0.8),
        standing(6, noise=1, salience=1.0),
    ]
    chosen = select(facts, now=NOW, since=None, new={standing(1).id}).chosen
    assert [one.seq for one in chosen] == [4, 2, 1]


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 50), st.integers(1, 28)), max_size=40), st.integers(0, 10))
def test_the_most_important_are_chosen_in_order(drawn: list[tuple[float, int, int]], limit: int) -> None:
    """By salience times accesses, then the later; the rest that is new waits; nobody is chosen twice or lost."""
    facts = [
        standing(n, salience=salience, access_count=count, last_seen=f"2026-02-{day:02d}")
        for n, (salience, count, day) in enumerate(drawn)
    ]
    found = select(facts, now=NOW, since=None, new={one.id for one in facts}, limit=limit, ordered=len(facts))
    keys = [
        (-priority(one), "".join(chr(200 - ord(c)) for c in one.last_seen or ""), one.id)
        for one in (*found.chosen, *found.waiting)
    ]
    assert keys == sorted(keys)
    assert len(found.chosen) == min(limit, len(facts))
    assert sorted(one.id for one in (*found.chosen, *found.waiting)) == sorted(one.id for one in facts)


def test_priority_is_salience_times_the_logarithm_of_accesses() -> None:
    """`salience · (1 + 0.1 · ln(1 + access_count))`."""
    assert priority(standing(1, salience=0.95, access_count=5)) == pytest.approx(0.95 * 1.1791759)


def test_what_had_to_wait_gets_its_turn_when_something_is_new() -> None:
    """While nothing changes the same facts are new again; then the new ones and those that waited."""
    before = Remembered(ids=frozenset("abc"), fresh=frozenset("bc"), pending=frozenset("c"))
    assert before.new("abc") == {"b"}
    assert before.new("abcd") == {"c", "d"}


def test_nothing_to_ask_is_nothing_to_read() -> None:
    """An empty brief has no text and no tokens."""
    brief = write_brief(reviews=(), stale=(), unsummarised=(), bare=())
    assert (brief.text, brief.tokens) == ("", 0)


def test_a_brief_keeps_its_budget_and_says_what_it_left_out() -> None:
    """Items that do not fit are left for another time, whole."""
    bare = [BareDay(day=dt.date(2026, 3, day), notes=9, path=f"memory/2026-03-{day:02d}.md") for day in range(1, 6)]
    some = [Unsummarised(name=f"Somebody {number}", facts=9) for number in range(5)]
    brief = write_brief(reviews=(), stale=(), unsummarised=some, bare=bare, budget=160)
    assert count_tokens(brief.text) <= brief.tokens + 1 <= 161
    assert len(brief.lines) - 1 + brief.left_out == 10


def test_the_brief_names_each_thing_with_the_call_that_settles_it(memory: Memory) -> None:
    """Conflicts with both ids, bare days with their file, unsummarised entities, stale beliefs."""
    opinion = tell(memory, "Wants written agendas.", "Peter", kind=Kind.OPINION, confidence=0.8)
    maybe = tell(memory, "Maybe does not want written agendas.", "Peter", day=3)
    log = memory.workspace.root / "memory/2026-03-20.md"
    log.write_text("# 2026-03-20\n\n- Painted a fence.\n- Ate late.\n- Rain all day.\n", "utf-8")
    for number in range(9):
        tell(memory, f"Owns boat {number}.", "Sarah", day=4)
    text = memory.reflect(now=NOW).brief.text
    assert f"[{opinion}]" in text
    assert f"[{maybe}]" in text
    assert f'"Peter: Wants written agendas. (opinion, c=0.8)" [{opinion}]' in text
    assert '"Peter: Maybe does not want written agendas."' in text
    assert f'memory_retain with "contradicts" or "supports": ["{opinion}"]' in text
    assert "2026-03-20 has 3 notes and no Retain bullets (memory/2026-03-20.md)" in text
    assert '"entities": ["Sarah"]' in text
    later = memory.reflect(now=NOW + dt.timedelta(days=200)).brief.text
    assert 'Still so? Peter: "Wants written agendas." (c=0.80, since 2026-03-01)' in later


def test_what_was_acted_upon_is_not_asked_again(memory: Memory) -> None:
    """Retaining what the brief asks for takes each item off it."""
    opinion = tell(memory, "Wants written agendas.", "Peter", kind=Kind.OPINION, confidence=0.8)
    tell(memory, "Maybe does not want written agendas.", "Peter", day=3)
    log = memory.workspace.root / "memory/2026-03-20.md"
    log.write_text("# 2026-03-20\n\n- Painted a fence.\n- Ate late.\n- Rain all day.\n", "utf-8")
    for number in range(9):
        tell(memory, f"Owns boat {number}.", "Sarah", day=4)
    assert len(memory.reflect(now=NOW).brief.lines) == 4
    tell(memory, "Confirmed that he wants agendas.", "Peter", day=24, supports=(opinion,))
    tell(memory, "Painted a fence in the rain.", "Peter", day=20, kind=Kind.EXPERIENCE)
    tell(memory, "Keeps buying boats.", "Sarah", day=24, kind=Kind.OBSERVATION)
    assert memory.reflect(now=NOW).brief.text == ""


def test_a_quiet_moment_reflects_when_due_and_asks_once_a_day(memory: Memory) -> None:
    """The first moment of a day and any after something new; the same brief is not given twice a day."""
    tell(memory, "Wants written agendas.", "Peter", kind=Kind.OPINION, confidence=0.8)
    tell(memory, "Maybe does not want written agendas.", "Peter", day=3)
    first = memory.look_after(now=NOW)
    assert "Conflict" in first.text
    assert (memory.workspace.root / "bank/entities/Peter.md").exists()
    assert memory.look_after(now=NOW + dt.timedelta(minutes=1)) == first
    memory.note_given(first, now=NOW + dt.timedelta(minutes=1))
    assert memory.look_after(now=NOW + dt.timedelta(hours=1)).text == ""
    assert memory.look_after(now=NOW + dt.timedelta(days=1)).text == first.text
    reflections = [entry for entry in memory.history() if entry.reason == "reflect"]
    tell(memory, "Moved to Graz.", "Peter", day=24)
    memory.look_after(now=NOW + dt.timedelta(days=1, hours=1))
    assert len([entry for entry in memory.history() if entry.reason == "reflect"]) == len(reflections) + 1


def test_what_comes_up_later_in_the_day_is_asked_the_same_day(memory: Memory) -> None:
    """That there was nothing to ask in the morning, or something else, keeps no question back for tomorrow."""
    assert memory.heartbeat(Heartbeat(agent_id="main", now=NOW)) == ([], [])
    tell(memory, "Wants written agendas.", "Peter", kind=Kind.OPINION, confidence=0.8)
    tell(memory, "Maybe does not want written agendas.", "Peter", day=3)
    assert memory.heartbeat(Heartbeat(agent_id="main", reason="schedule", now=NOW + dt.timedelta(hours=1))) == ([], [])
    (note,), _ = memory.heartbeat(Heartbeat(agent_id="main", now=NOW + dt.timedelta(hours=2)))
    assert "Conflict" in note.text
    assert memory.heartbeat(Heartbeat(agent_id="main", now=NOW + dt.timedelta(hours=3))) == ([], [])


def test_a_moment_that_nobody_hears_spends_nothing(memory: Memory) -> None:
    """The scheduled job and a heartbeat elsewhere do the work; brief and hint wait for the owner's heartbeat."""
    tell(memory, "Wants written agendas.", "Peter", kind=Kind.OPINION, confidence=0.8)
    tell(memory, "Maybe does not want written agendas.", "Peter", day=3)
    old = memory.workspace.root / "memory/2024-01-01.md"
    old.write_text("# 2024-01-01\n\n## Retain\n" + "".join(f"- W(s=0.1) @X{n}: Minor thing {n}.\n" for n in range(9)))
    unheard = (
        Heartbeat(agent_id="main", reason="schedule", now=NOW),
        Heartbeat(agent_id="main", heard=False, now=NOW + dt.timedelta(minutes=1)),
    )
    for beat in unheard:
        assert memory.heartbeat(beat) == ([], [])
    assert (memory.workspace.root / "bank/entities/Peter.md").exists()
    assert not (memory.workspace.state_dir / "brief.json").exists()
    (note,), failures = memory.heartbeat(Heartbeat(agent_id="main", now=NOW + dt.timedelta(hours=1)))
    assert failures == []
    assert "Conflict" in note.text
    assert "hardly worth keeping in sight" in note.text
    assert memory.heartbeat(Heartbeat(agent_id="main", now=NOW + dt.timedelta(hours=2))) == ([], [])


def test_the_same_conflict_is_not_asked_about_for_ever(memory: Memory) -> None:
    """After three days it only waits in the review; another conflict is asked about as before."""
    opinion = tell(memory, "Wants written agendas.", "Peter", kind=Kind.OPINION, confidence=0.8)
    maybe = tell(memory, "Maybe does not want written agendas.", "Peter", day=3)
    asked = [
        memory.heartbeat(Heartbeat(agent_id="main", now=NOW + dt.timedelta(days=day, hours=hour)))[0]
        for day in range(6)
        for hour in (0, 1)
    ]
    assert [bool(notes) for notes in asked] == [True, False] * 3 + [False] * 6
    assert [(pair.review.belief, pair.review.source) for pair in memory.reviews(now=NOW)] == [(opinion, maybe)]
    tell(memory, "Perhaps Peter does not want written agendas any more.", "Peter", day=20)
    ((note,), _) = memory.heartbeat(Heartbeat(agent_id="main", now=NOW + dt.timedelta(days=7)))
    assert note.text.count("Conflict") == 1


def test_the_heartbeat_hands_the_brief_to_the_agent_as_quoted_data(memory: Memory) -> None:
    """One note, marked as ours so that it is never captured; none when there is nothing to ask."""
    beat = Heartbeat(agent_id="main", now=NOW)
    assert memory.heartbeat(beat) == ([], [])
    tell(memory, "Wants written agendas.", "Peter", kind=Kind.OPINION, confidence=0.8)
    tell(memory, "Maybe <b>not</b> written agendas.", "Peter", day=3)
    tell(memory, "Maybe does not want written agendas.", "Peter", day=4)
    (note,), failures = memory.heartbeat(beat)
    assert failures == []
    assert note.text.startswith("<openclaw-memory>\n")
    assert note.text.count("<") == 2
    assert note.tokens == count_tokens(note.text)


def run(memory: Memory, capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    """Run a command line on the memory's workspace and return its JSON, or its text."""
    code = cli.main(["--workspace", str(memory.workspace.root), "--now", NOW.isoformat(), *words])
    out, err = capsys.readouterr()
    assert code == 0, err
    return json.loads(out) if "--json" in words else out


def test_the_command_line_says_how_many_of_how_many_what_mattered_and_the_core_line(
    memory: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    """`reflect --agent-id test-agent --debug` as the documents' last check has it."""
    tell(memory, "Sarah announced she leaves next month.", "Sarah", "project", kind=Kind.EXPERIENCE, salience=0.95)
    tell(memory, "The API answers slowly.", "performance", "database")
    out = run(memory, capsys, "reflect", "--agent-id", "test-agent", "--debug")
    assert "Reflected on 2 of 2 facts for test-agent" in out
    assert out.index("Top priorities") < out.index("0.950  Sarah announced") < out.index("0.500  The API")
    assert "Core memory updated: " in out
    assert "tokens (was 0)" in out
    again = run(memory, capsys, "reflect", "--json")
    assert (again["written"], again["change"]) == ([], None)
    assert again["core"]["tokens"] == again["core"]["tokens_before"] > 0


def test_opinions_are_explained_and_settled_on_the_command_line(
    memory: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    """`opinion show` lists every step, `opinion review` lists and settles, `core diff` and `pin` answer."""
    opinion = tell(memory, "Wants written agendas.", "Peter", kind=Kind.OPINION, confidence=0.8)
    maybe = tell(memory, "Maybe does not want written agendas.", "Peter", day=3)
    run(memory, capsys, "reflect", "--since", "30d")
    (pair,) = run(memory, capsys, "opinion", "review", "--json")["pairs"]
    assert (pair["opinion"], pair["fact"]) == (opinion, maybe)
    settled = run(memory, capsys, "opinion", "review", opinion, maybe, "contradicts", "--json")["opinion"]
    assert (settled["confidence"], settled["contradicting"][0]["id"]) == (0.6, maybe)
    (shown,) = run(memory, capsys, "opinion", "show", "Peter", "--json")["opinions"]
    assert [step["what"] for step in shown["steps"]] == ["stated", "contradicts"]
    assert shown["last_updated"] == "2026-03-25"
    assert "contradicts -1.00 → 0.60" in run(memory, capsys, "opinion", "show", opinion[:6])
    assert run(memory, capsys, "pin", maybe[:8], "--json")["facts"][0]["pinned"] is True
    assert "-- **Peter**" in run(memory, capsys, "core", "diff")
    assert run(memory, capsys, "unpin", maybe, "--json")["facts"][0]["pinned"] is False


@pytest.mark.parametrize(
    "words",
    [
        ("opinion", "show", "nobody-at-all"),
        ("opinion", "review", "ffff", "ffff", "supports"),
        ("opinion", "review", "ffff"),
        ("retain", "Sings.", "--supports", "ffffffffffff"),
        ("retain", "Sings.", "--contradicts", "f"),
        ("core", "accept"),
        ("pin", "ffffffffffff"),
        ("reflect", "--since", "soon"),
    ],
    ids=" ".join,
)
def test_what_does_not_exist_is_a_clear_error(
    memory: Memory, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    """Exit 2, a sentence on standard error, and nothing is written."""
    assert cli.main(["--workspace", str(memory.workspace.root), *words]) == 2
    assert capsys.readouterr().err
    assert list(memory.workspace.root.rglob("*.md")) == []


def test_a_summary_counts_when_it_is_archived(memory: Memory) -> None:
    """Upkeep may put it away; the agent is not asked for another one."""
    for number in range(9):
        tell(memory, f"Painted boat number {number}.", "Ida", day=20)
    assert "Ida has 9 facts and no recent summary" in memory.reflect(now=NOW).brief.text
    summary = tell(memory, "Paints one boat after the other.", "Ida", day=24, kind=Kind.OBSERVATION)
    assert "no recent summary" not in memory.reflect(now=NOW).brief.text
    memory.archive(summary, now=NOW)
    assert "no recent summary" not in memory.reflect(now=NOW).brief.text
