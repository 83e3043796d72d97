"""The access journal: what was recalled survives the index, crashes and its own compaction."""

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory_plugin.index import Index, journal, open_index
from openclaw_memory_plugin.workspace import Workspace

NOW = dt.datetime(2026, 3, 1, 9, tzinfo=dt.UTC)
LATER = NOW + dt.timedelta(days=10)


@pytest.fixture
def index(tmp_path: Path) -> Index:
    """An index of three facts."""
    log = tmp_path / "memory" / "2026-01-01.md"
    log.parent.mkdir(parents=True)
    log.write_text("- the boat is blue and old\n- the cat sleeps\n- rent is due\n", encoding="utf-8")
    index = open_index(Workspace(root=tmp_path))
    index.sync()
    return index


def accesses(index: Index) -> dict[str, tuple[int, str | None]]:
    """Count and last instant by content."""
    return {
        fact.content: (fact.access_count, journal.stamp(fact.last_accessed_at) if fact.last_accessed_at else None)
        for fact in index.facts()
    }


def ids(index: Index) -> list[str]:
    """The ids of all facts, in order of lines."""
    return [fact.id for fact in index.facts()]


def test_accesses_survive_the_index(index: Index) -> None:
    """After the index file is gone the counts are what they were."""
    index.track(ids(index)[:2], NOW)
    index.track(ids(index)[:1], LATER)
    before = accesses(index)
    assert before == {
        "the boat is blue and old": (2, "2026-03-11 09:00:00"),
        "the cat sleeps": (1, "2026-03-01 09:00:00"),
        "rent is due": (0, None),
    }
    index.rebuild()
    assert accesses(index) == before


def test_one_turn_counts_once(index: Index) -> None:
    """The same turn, reported twice, counts once for each fact; a recall without a turn is one of its own."""
    first, second, _ = ids(index)
    for asked in ([first], [first, second], [first, first]):
        index.track(asked, NOW, turn="session/run")
    assert [count for count, _ in accesses(index).values()] == [1, 1, 0]
    index.track([first], NOW)
    index.track([first], NOW)
    assert [count for count, _ in accesses(index).values()] == [3, 1, 0]


def test_torn_and_foreign_lines_cost_only_themselves(index: Index) -> None:
    """A line that a crash cut, and lines of somebody else, are skipped; what follows is read."""
    first = ids(index)[0]
    index.track([first], NOW)
    path = index.workspace.state_dir / journal.NAME
    with open(path, "ab") as file:
        file.write(b'[1]\n"x"\n{"ids": 3}\n\xff\xfe\n{"at": "2026-03-01 09:00:00", "ids": ["')
    index.track([first], LATER)
    assert accesses(index)["the boat is blue and old"][0] == 2
    index.rebuild()
    assert accesses(index)["the boat is blue and old"][0] == 2


def test_small_edit_keeps_the_history(index: Index, tmp_path: Path) -> None:
    """A fact rewritten where it stands keeps its accesses, also in a rebuilt index, and its old id leads to it."""
    old = ids(index)[0]
    index.track([old], NOW)
    log = tmp_path / "memory" / "2026-01-01.md"
    log.write_text(log.read_text().replace("blue and old", "blue and very old"), encoding="utf-8")
    index.sync()
    for _ in range(2):
        assert accesses(index)["the boat is blue and very old"] == (1, "2026-03-01 09:00:00")
        assert index.fact(old).content == "the boat is blue and very old"
        index.rebuild()


def test_another_fact_in_the_same_place_inherits_nothing(index: Index, tmp_path: Path) -> None:
    """A line replaced by a different statement is no edit."""
    index.track(ids(index), NOW)
    log = tmp_path / "memory" / "2026-01-01.md"
    log.write_text(log.read_text().replace("the cat sleeps", "Jutta bought a lathe"), encoding="utf-8")
    index.sync()
    assert accesses(index)["Jutta bought a lathe"] == (0, None)


def test_fact_that_comes_back_has_its_accesses(index: Index, tmp_path: Path) -> None:
    """A file that is away for a while, as in a `git checkout`, loses nothing."""
    index.track(ids(index), NOW)
    before = accesses(index)
    log = tmp_path / "memory" / "2026-01-01.md"
    text = log.read_text()
    log.unlink()
    index.sync()
    assert index.facts() == []
    log.write_text(text, encoding="utf-8")
    index.sync()
    assert accesses(index) == before


def test_lost_journal_is_followed(index: Index) -> None:
    """The index says no more than the journal: when that is deleted, nothing was accessed."""
    index.track(ids(index), NOW)
    (index.workspace.state_dir / journal.NAME).unlink()
    index.sync()
    assert {count for count, _ in accesses(index).values()} == {0}


def test_compaction_is_asked_for_by_size(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal that has outgrown its sums is compacted by a sync, and not again before it has grown once more."""
    monkeypatch.setattr(journal, "COMPACT_BYTES", 2000)
    for _ in range(40):
        index.track(ids(index), NOW)
    before = accesses(index)
    index.sync(LATER)
    path = index.workspace.state_dir / journal.NAME
    size = path.stat().st_size
    assert size < 400
    assert accesses(index) == before
    index.sync(LATER)
    assert accesses(index) == before
    assert path.stat().st_size == size


LINES = st.one_of(
    st.builds(
        lambda chosen, day, turn: (
            {"at": f"2026-03-{day:02} 09:00:00", "ids": chosen} | ({"turn": turn} if turn else {})
        ),
        st.lists(st.sampled_from("abcd"), max_size=3),
        st.integers(1, 28),
        st.sampled_from([None, None, "t1", "t2"]),
    ),
    st.builds(lambda pair: {"rename": list(pair)}, st.permutations("abcd").map(lambda order: order[:2])),
    st.builds(lambda id, good: {"feedback": id, "good": good}, st.sampled_from("abcd"), st.booleans()),
)


@settings(max_examples=60, deadline=None)
@given(lines=st.lists(LINES, max_size=25), more=st.lists(LINES, max_size=5))
def test_compaction_changes_no_answer(
    lines: list[dict[str, Any]], more: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever the journal holds, an index reads the same out of it before and after a compaction."""
    root = tmp_path_factory.mktemp("journal")
    index = open_index(Workspace(root=root))
    folder = index.workspace.state_dir

    def state() -> list[list[tuple[Any, ...]]]:
        index.sync()
        tables = ("parked_accesses", "feedback", "renamed_ids")
        return [index.connection.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in tables]

    journal.append(folder, lines)
    before = state()
    journal.compact(folder, dt.datetime(2026, 3, 20, tzinfo=dt.UTC))
    assert state() == before
    journal.append(folder, more)
    after = state()
    index.rebuild()
    assert state() == after
    index.close()


def test_lines_are_what_they_say(index: Index) -> None:
    """The journal is plain JSON, a line each, that names facts by id."""
    first = ids(index)[0]
    index.track([first], NOW, turn="s/1")
    index.judge(first, good=True, now=NOW)
    lines = [json.loads(line) for line in (index.workspace.state_dir / journal.NAME).read_text().splitlines()]
    assert list(lines[0]) == ["journal"]
    assert lines[1:] == [
        {"at": "2026-03-01 09:00:00", "ids": [first], "turn": "s/1"},
        {"at": "2026-03-01 09:00:00", "feedback": first, "good": True},
    ]


def test_what_forgetting_left_of_ids_is_nobodys(index: Index, tmp_path: Path) -> None:
    """Erased ids of several facts are not one fact: nobody inherits from them, and they are no fault."""
    boat, cat, rent = ids(index)
    erased = "0" * 12
    lines: list[dict[str, Any]] = [
        {"at": journal.stamp(NOW), "ids": [erased, boat]},
        {"at": journal.stamp(NOW), "ids": [erased], "turn": "t1"},
        {"at": journal.stamp(NOW), "feedback": erased, "good": True},
        {"at": journal.stamp(NOW), "rename": [erased, cat]},
        {"at": journal.stamp(NOW), "rename": [rent, erased]},
        {"counts": {erased: [7, journal.stamp(NOW)]}},
        {"renamed": {erased: cat}},
    ]
    folder = tmp_path / ".memory"
    journal.append(folder, lines)
    for _ in range(2):
        index.rebuild()
        assert [count for count, _ in accesses(index).values()] == [1, 0, 0]
        for table in ("parked_accesses", "renamed_ids", "feedback"):
            assert index.connection.execute(f"SELECT * FROM {table}").fetchall() == []
        assert journal.foreign_lines(folder) == []
        journal.compact(folder, LATER)
        assert erased not in (folder / journal.NAME).read_text(encoding="utf-8")
