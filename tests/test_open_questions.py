"""A question that names nothing but a time, or nothing at all in a narrow scope, lists what there is."""

import datetime as dt
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from openclaw_memory_hookspecs import Kind, Recalled, RecallRequest
from openclaw_memory_plugin import Memory

NOW = dt.datetime(2026, 3, 25, 12, tzinfo=dt.UTC)
DAY = dt.date(2026, 3, 20)


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Memory]:
    """Thirty facts and a line of noise on one day of last week, hundreds before, some of which still hold."""
    shutil.copytree(Path(__file__).parent / "workspaces/hub-studio", tmp_path, dirs_exist_ok=True)
    with Memory.open(tmp_path) as memory:
        yield memory


def ask(memory: Memory, query: str, **request: object) -> Recalled:
    values: dict[str, object] = {"query": query, "track": False, "now": NOW} | request
    return memory.recall(RecallRequest(**values))  # type: ignore[arg-type]


def days(answer: Recalled) -> set[dt.date | None]:
    return {hit.fact.last_seen for hit in answer.hits}


@pytest.mark.parametrize(
    "query",
    [
        "What did we do since last week?",
        "What's new since 2026-03-19?",
        "What happened last week?",
        "last week",
        "Was ist letzte Woche passiert?",
        "Was haben wir seit letzter Woche gemacht?",
        "¿Qué pasó la semana pasada?",
        "O que aconteceu na semana passada?",
        "Que s'est-il passé la semaine dernière ?",
        "上周发生了什么？",
        "先週は何があった？",
    ],
)
def test_what_was_recorded_in_the_time_is_listed(studio: Memory, query: str) -> None:
    """Neither what merely still holds nor what is connected is there, and all of it but noise when there is room."""
    few, all_of_it = ask(studio, query), ask(studio, query, k=100)
    assert (len(few.hits), days(few)) == (10, {DAY})
    assert (len(all_of_it.hits), days(all_of_it)) == (30, {DAY})
    assert not any("via" in hit.why for hit in all_of_it.hits)


def test_what_still_holds_comes_after_what_was_recorded(studio: Memory) -> None:
    """Asked for all matches, however weak."""
    found = ask(studio, "What happened last week?", k=100, cutoff=False).hits
    recorded = [hit.fact.last_seen == DAY for hit in found]
    assert recorded == sorted(recorded, reverse=True)
    assert not all(recorded)


def test_the_list_keeps_to_the_budget(studio: Memory) -> None:
    """As any answer does."""
    assert ask(studio, "What happened last week?", budget_tokens=60).tokens <= 60


def test_a_crowded_time_gives_its_newest(tmp_path: Path) -> None:
    """More facts than are weighed: those of the last days of it, salient ones first."""
    (tmp_path / "memory").mkdir()
    for day in range(1, 29):
        lines = "".join(f"- W(s=0.{9 if line == 0 else 4}) @Ann: Note {line} of day {day}.\n" for line in range(8))
        (tmp_path / f"memory/2026-02-{day:02}.md").write_text(f"## Retain\n{lines}")
    with Memory.open(tmp_path) as memory:
        hits = ask(memory, "What happened last month?", k=5).hits
    assert [hit.fact.content for hit in hits] == [f"Note 0 of day {day}." for day in (28, 27, 26, 25, 24)]


@pytest.mark.parametrize("query", ["What happened?", "", "*", "quetzal"])
def test_a_narrow_scope_lists_its_newest_facts(studio: Memory, query: str) -> None:
    """When no word of the question is found in it, or it has none."""
    assert days(ask(studio, query, since=dt.date(2026, 3, 18))) == {DAY}
    assert {hit.fact.kind for hit in ask(studio, query, kinds=(Kind.OPINION,)).hits} == {Kind.OPINION}


@pytest.mark.parametrize("query", ["", "*", "quetzal"])
def test_without_a_scope_nothing_is_listed(studio: Memory, query: str) -> None:
    """The whole memory is no answer."""
    assert ask(studio, query).hits == ()


def test_facts_that_match_by_time_alone_lead_nowhere(tmp_path: Path) -> None:
    """A bridge begins where a word of the question is, not where only its day is."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-03-17.md").write_text("- W @Ines @Porto: Met over lunch.\n- W @Ole: Boiler replaced.\n")
    (tmp_path / "memory/2026-01-05.md").write_text("- W @Ines: Cannot eat walnuts.\n- W @Ole: Lives in Graz.\n")
    with Memory.open(tmp_path) as memory:
        found = {hit.fact.content for hit in ask(memory, "Was the boiler replaced last week?", cutoff=False).hits}
    assert "Boiler replaced." in found
    assert "Cannot eat walnuts." not in found


@pytest.fixture
def chores(tmp_path: Path) -> Iterator[Memory]:
    """Fifteen open boxes on as many days, a labelled task, and some that are done, struck out or none."""
    (tmp_path / "memory").mkdir()
    for day in range(1, 16):
        text = f"# Log\n\n- [ ] Errand number {day}\n- [x] Finished {day}\n- Rain.\n- Lunch at the harbour.\n"
        (tmp_path / f"memory/2026-02-{day:02}.md").write_text(text)
    (tmp_path / "memory/2026-01-05.md").write_text("- [ ] ~~Sell the boat~~\n- TODO: call the landlord\n")
    with Memory.open(tmp_path) as memory:
        yield memory


@pytest.mark.parametrize(
    "query",
    [
        "What is left to do?",
        "open tasks",
        "What are my open tasks?",
        "Show me my tasks",
        "todo",
        "to-do list",
        "What tasks do I still have?",
        "What do I still have to do?",
        "Was ist noch zu tun?",
        "offene Aufgaben",
        "Welche Aufgaben sind noch offen?",
        "Was muss ich noch erledigen?",
        "还有什么要做？",
        "待办事项",
        "还有哪些任务没做完？",
        "やることは何ですか？",
        "残っているタスクは？",
        "まだやるべきことは？",
        "¿Qué queda por hacer?",
        "tareas pendientes",
        "¿Qué tareas tengo pendientes?",
        "Qu'est-ce qu'il reste à faire ?",
        "tâches en suspens",
        "O que falta fazer?",
        "tarefas pendentes",
    ],
)
def test_what_is_left_to_do_lists_the_open_tasks(chores: Memory, query: str) -> None:
    """Whatever words they are written in: the newest ones, and all of them when there is room."""
    few, all_of_it = ask(chores, query), ask(chores, query, k=100)
    assert [hit.fact.content for hit in few.hits] == [f"Errand number {day}" for day in range(15, 5, -1)]
    assert {hit.fact.content for hit in all_of_it.hits} == {
        "TODO: call the landlord",
        *(f"Errand number {day}" for day in range(1, 16)),
    }


def test_a_task_about_something_is_found_by_that(chores: Memory) -> None:
    """What else the question says decides, and nothing is listed that has nothing of it."""
    assert [hit.fact.content for hit in ask(chores, "open tasks about the landlord").hits][:1] == [
        "TODO: call the landlord"
    ]


def test_open_tasks_of_a_time_are_those_recorded_then(chores: Memory) -> None:
    """A time bounds the list."""
    found = ask(chores, "What is left to do on 2026-02-03?", k=100).hits
    assert [hit.fact.content for hit in found] == ["Errand number 3"]


def test_without_tasks_the_words_decide(tmp_path: Path) -> None:
    """Where there is no task, a note about the list of them is an answer."""
    (tmp_path / "MEMORY.md").write_text("- The todo app is called Slate.\n")
    with Memory.open(tmp_path) as memory:
        assert [hit.fact.content for hit in ask(memory, "todo").hits] == ["The todo app is called Slate."]
