"""A question is read for the time, the opinion and the present that it asks for."""

import datetime as dt
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_plugin.recall.cues import MOST_WINDOWS, Cues, read_question
from openclaw_memory_plugin.recall.times import windows

TODAY = dt.date(2026, 3, 25)
"""A Wednesday."""

D = dt.date


def read(query: str) -> Cues:
    return read_question(query, languages=("en", "de", "zh", "ja"), today=TODAY)


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ("what happened last week?", D(2026, 3, 16), D(2026, 3, 22)),
        ("what changed since last week?", D(2026, 3, 16), TODAY),
        ("Was war letzte Woche?", D(2026, 3, 16), D(2026, 3, 22)),
        ("¿Qué pasó la semana pasada?", D(2026, 3, 16), D(2026, 3, 22)),
        ("O que houve na semana passada?", D(2026, 3, 16), D(2026, 3, 22)),
        ("Qu'est-ce qui s'est passé la semaine dernière ?", D(2026, 3, 16), D(2026, 3, 22)),
        ("上周发生了什么？", D(2026, 3, 16), D(2026, 3, 22)),
        ("先週は何があった？", D(2026, 3, 16), D(2026, 3, 22)),
        ("who called yesterday?", D(2026, 3, 24), D(2026, 3, 24)),
        ("Wer kommt morgen?", D(2026, 3, 26), D(2026, 3, 26)),
        ("what did we do last month?", D(2026, 2, 1), D(2026, 2, 28)),
        ("去年买了什么", D(2025, 1, 1), D(2025, 12, 31)),
        ("what broke in the last 10 days?", D(2026, 3, 15), TODAY),
        ("three weeks ago", D(2026, 3, 1), D(2026, 3, 7)),
        ("vor zwei Tagen", D(2026, 3, 23), D(2026, 3, 23)),
        ("hace tres días", D(2026, 3, 22), D(2026, 3, 22)),
        ("il y a trois jours", D(2026, 3, 22), D(2026, 3, 22)),
        ("三天前", D(2026, 3, 21), D(2026, 3, 23)),
        ("last Monday", D(2026, 3, 23), D(2026, 3, 23)),
        ("上周三", D(2026, 3, 18), D(2026, 3, 18)),
        ("around Nov 27, 2025", D(2025, 11, 24), D(2025, 11, 30)),
        ("im November 2025", D(2025, 11, 1), D(2025, 11, 30)),
        ("Wo war er am 10. März?", D(2026, 3, 10), D(2026, 3, 10)),
        ("between 9 and 13 February", D(2026, 2, 9), D(2026, 2, 13)),
        ("before 10 March", D.min, D(2026, 3, 9)),
        ("Wo wohnte er vor Februar 2026?", D.min, D(2026, 1, 31)),
        ("what changed after 10 March?", D(2026, 3, 11), TODAY),
        ("3.18之前要做完什么？", D.min, D(2026, 3, 17)),
        ("in the second half of February", D(2026, 2, 15), D(2026, 2, 28)),
        ("林静二月十三日人在哪里？", D(2026, 2, 13), D(2026, 2, 13)),
        ("２月１３日はどこ？", D(2026, 2, 13), D(2026, 2, 13)),
    ],
)
def test_times_are_read_in_seven_languages(query: str, first: dt.date, last: dt.date) -> None:
    """Calendar dates and what counts from today become one stretch of days."""
    (window,) = windows(query, today=TODAY)
    if query == "三天前":
        assert window.first <= D(2026, 3, 22) <= window.last
    else:
        assert (window.first, window.last) == (first, last)


@pytest.mark.parametrize("query", ["31 February", "may I come in?", "the march of time", "a second one", "", "月"])
def test_what_names_no_day_gives_no_window(query: str) -> None:
    """A day that does not exist and words that merely look like months are no time."""
    assert windows(query, today=TODAY) == ()


@given(st.text(max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    """Whatever is asked, reading it gives cues."""
    assert isinstance(read(text), Cues)


@pytest.mark.parametrize(
    "query",
    [
        "What does Peter prefer?",
        "would Sarah like it",
        "Was hält Jörg von Akkus?",
        "¿Qué prefiere María?",
        "O que o João acha disso?",
        "Qu'est-ce que Luc pense du projet ?",
        "林静喜欢什么？",
        "ミナトは朝の会議をどう思っている？",
    ],
)
def test_questions_for_an_opinion_are_told(query: str) -> None:
    """Words of liking, wanting and thinking ask for an opinion, in each language."""
    assert read(query).opinion


@pytest.mark.parametrize(
    "query",
    [
        "Where does he live now?",
        "Wo wohnt er jetzt?",
        "白鹭现在定在哪天？",
        "今の担当は？",
        "¿Dónde vive ahora?",
        "Il habite où maintenant ?",
    ],
)
def test_questions_for_the_present_are_told(query: str) -> None:
    """What holds now is asked for by a word that then is no search word."""
    cues = read(query)
    assert cues.current
    assert not {"now", "jetzt", "现在", "ahora", "maintenant"} & {word.text for word in cues.words}


def test_plain_questions_carry_no_cue() -> None:
    """A question for a thing asks for no opinion, no time and no order."""
    cues = read("Who keeps the spare key?")
    assert (cues.opinion, cues.current, cues.future, cues.when, cues.edge, cues.windows) == (
        False, False, False, False, "", (),
    )  # fmt: skip


def test_what_only_tells_the_sort_of_answer_weighs_little() -> None:
    """`kind` in `what kind of`, `happened` in `what happened`; else in full."""
    assert {word.text: word.weight for word in read("What kind of cake?").words} == {"cake": 1.0, "kind": 0.5}
    assert {word.text: word.weight for word in read("is she kind?").words} == {"kind": 1.0}


def test_a_time_and_small_words_ask_for_the_time_alone() -> None:
    """Small words are words only where nothing else is asked for."""
    assert {word.text for word in read("Was war am 6. März?").words} == {"6", "marz"}
    assert read("was war").words


@pytest.mark.parametrize("query", ["How long may an answer to Peter be?", "Wie lang soll eine Antwort sein?"])
def test_how_something_should_be_asks_for_a_wish(query: str) -> None:
    """A measure that somebody may or should keep is somebody's wish."""
    assert read(query).opinion


def test_open_tasks_and_whereabouts_are_told() -> None:
    """What is left to do, and where somebody is unless a time is named."""
    assert read("Welche Aufgaben sind noch offen?").open
    assert read("Where is Peter?").where
    assert not read("Where is Peter on 3 March?").where


def test_first_and_last_are_told() -> None:
    """The earliest and the latest can be asked for."""
    assert [read(query).edge for query in ("what did we do first?", "wann war das letzte mal?", "上次")] == [
        "first",
        "last",
        "last",
    ]


def test_words_of_a_date_weigh_little() -> None:
    """The stretch of days stands for them; a text that repeats them still gains a little."""
    weights = {word.text: word.weight for word in read("Which city on 29 January?").words}
    assert weights["january"] < 0.5 < weights["city"]


@pytest.mark.parametrize("piece", ["on 12 March 2026 and ", "二月十三日人在", "12 13 2026 ", "'", "last week "])
def test_a_pasted_page_is_read_in_no_time(piece: str, growth: Callable[[Callable[[int], object], int], float]) -> None:
    """A question of 400,000 characters costs no more than one of 100,000: its beginning is read."""
    tries = (growth(lambda size: read(piece * (size // len(piece))), 400_000) for _ in range(3))
    assert any(factor < 2 for factor in tries)


def test_a_pasted_calendar_asks_for_few_days() -> None:
    """However many days a question names, the first few count, so that no question takes long."""
    assert len(read("27 Nov, " * 500).windows) == MOST_WINDOWS


@pytest.mark.parametrize(
    ("query", "comparing"),
    [
        ("Which magazine is older, Guitar World or Science News?", True),
        ("What do Peter and Sarah have in common?", True),
        ("Wer ist länger dabei, Jörg oder Käthe?", True),
        ("¿Quién llegó primero, Marta o Luis?", True),
        ("小贝和大野哪个更早？", True),
        ("田中と佐藤はどちらが先に着いた？", True),
        ("Who can help Peter with the slow database?", False),
        ("What did the author of Love and War study?", False),
        ("Which clinic does the same doctor run?", False),
        ("and", False),
    ],
)
def test_names_side_by_side_are_a_comparison(query: str, comparing: bool) -> None:
    """A question that compares two names names by that all that it asks about; two names alone are no comparison."""
    assert read(query).comparing is comparing


@pytest.mark.parametrize(
    ("query", "wants"),
    [
        ("When did Ines move?", True),
        ("Until when can we cancel?", True),
        ("Who led the desk in January?", True),
        ("Do you know when the launch is?", True),
        ("How many people were there when Ines arrived?", False),
        ("Who runs the Lisbon office?", False),
    ],
)
def test_when_may_only_begin_a_clause(query: str, wants: bool) -> None:
    """A question wants a time when it names or asks for one, not when it only says when something else was."""
    assert read(query).wants_time is wants
