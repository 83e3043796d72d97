"""What names a time is read the same way in seven languages, and two ends are one stretch."""

import datetime as dt
from collections.abc import Callable

import pytest

from openclaw_memory_plugin.markdown.dates import validity
from openclaw_memory_plugin.recall.cues import read_question
from openclaw_memory_plugin.recall.times import windows

TODAY = dt.date(2025, 11, 28)
"""A Friday."""

BEGIN = dt.date.min


def nov(day: int) -> dt.date:
    return dt.date(2025, 11, day)


def dec(day: int) -> dt.date:
    return dt.date(2025, 12, day)


MATRIX: dict[tuple[dt.date, dt.date], tuple[str, ...]] = {
    (nov(11), TODAY): (
        "What happened after Nov 10?",
        "after the 10th",
        "Was geschah nach dem 10. November?",
        "nach dem 10.",
        "¿Qué pasó después del 10 de noviembre?",
        "O que houve depois de 10 de novembro?",
        "depois do dia 10",
        "après le 10 novembre",
        "11月10日之后",
        "11月10日より後",
    ),
    (BEGIN, nov(9)): (
        "before Nov 10",
        "vor dem 10. November",
        "antes del 10 de noviembre",
        "antes de 10 de novembro",
        "avant le 10 novembre",
        "11月10日之前",
        "11月10日前",
        "11月10日より前",
    ),
    (BEGIN, nov(10)): (
        "until Nov 10",
        "bis zum 10. November",
        "hasta el 10 de noviembre",
        "até 10 de novembro",
        "jusqu'au 10 novembre",
        "11月10日为止",
        "11月10日まで",
    ),
    (nov(10), TODAY): (
        "since Nov 10",
        "seit dem 10. November",
        "desde el 10 de noviembre",
        "desde 10 de novembro",
        "depuis le 10 novembre",
        "11月10日以来",
        "11月10日から",
    ),
    (nov(24), nov(30)): (
        "around Nov 27",
        "um den 27. November",
        "alrededor del 27 de noviembre",
        "cerca de 27 de novembro",
        "por volta de 27 de novembro",
        "autour du 27 novembre",
        "autour du 27",
        "11月27日左右",
        "11月27日ごろ",
    ),
    (nov(10), nov(20)): (
        "between the 10th and the 20th of November",
        "from Nov 10 to Nov 20",
        "zwischen dem 10. und dem 20. November",
        "vom 10. bis zum 20. November",
        "entre el 10 y el 20 de noviembre",
        "del 10 al 20 de noviembre",
        "entre o dia 10 e o dia 20 de novembro",
        "entre le 10 et le 20 novembre",
        "du 10 au 20 novembre",
        "从11月10日到11月20日",
        "11月10日到20日之间",
        "11月10日から11月20日まで",
        "11月10日から20日まで",
    ),
    (dt.date(2024, 11, 1), dt.date(2024, 11, 30)): (
        "November last year",
        "last November",
        "im November letzten Jahres",
        "en noviembre del año pasado",
        "novembro do ano passado",
        "novembre de l'année dernière",
        "去年11月",
        "昨年の11月",
    ),
    (dt.date(2024, 11, 10), dt.date(2024, 11, 10)): ("November 10 last year", "去年11月10日", "昨年の11月10日"),
    (nov(28), nov(28)): (
        "this morning",
        "heute Morgen",
        "heute morgen",
        "esta mañana",
        "esta manhã",
        "ce matin",
        "今早",
        "今朝",
    ),
    (nov(29), nov(29)): ("tomorrow", "morgen früh", "mañana por la mañana", "amanhã", "demain matin", "明天", "明日"),
    (nov(30), nov(30)): (
        "the day after tomorrow",
        "übermorgen",
        "pasado mañana",
        "depois de amanhã",
        "après-demain",
        "后天",
        "明後日",
    ),
    (nov(26), nov(26)): (
        "the day before yesterday",
        "vorgestern",
        "anteayer",
        "anteontem",
        "avant-hier",
        "前天",
        "一昨日",
    ),
    (nov(24), nov(24)): (
        "on Monday",
        "last Monday",
        "am Montag",
        "el lunes",
        "na segunda-feira",
        "na segunda",
        "lundi",
        "周一",
        "星期一",
        "月曜",
        "月曜日",
    ),
    (nov(24), TODAY): (
        "since Monday",
        "seit Montag",
        "desde el lunes",
        "desde segunda-feira",
        "depuis lundi",
        "周一以来",
        "月曜から",
    ),
    (dec(5), dec(5)): (
        "next Friday",
        "nächsten Freitag",
        "el próximo viernes",
        "el viernes que viene",
        "próxima sexta",
        "vendredi prochain",
        "下周五",
        "来週の金曜日",
    ),
    (nov(21), nov(21)): (
        "Friday last week",
        "Freitag letzter Woche",
        "el viernes de la semana pasada",
        "sexta-feira da semana passada",
        "vendredi de la semaine dernière",
        "上周五",
        "先週の金曜日",
    ),
    (nov(24), nov(26)): (
        "from Monday to Wednesday",
        "von Montag bis Mittwoch",
        "de lunes a miércoles",
        "de segunda-feira a quarta-feira",
        "du lundi au mercredi",
        "从周一到周三",
        "月曜から水曜まで",
    ),
    (dt.date(2025, 9, 1), dt.date(2025, 9, 30)): (
        "What did we do in September?",
        "im September",
        "septiembre",
        "setembro",
        "septembre",
        "9月",
    ),
    (nov(25), TODAY): (
        "the last 3 days",
        "in den letzten drei Tagen",
        "los últimos 3 días",
        "os últimos 3 dias",
        "ces 3 derniers jours",
        "过去三天",
        "この3日間",
    ),
    (nov(21), nov(26)): (
        "a few days ago",
        "vor ein paar Tagen",
        "hace unos días",
        "há alguns dias",
        "il y a quelques jours",
        "几天前",
        "数日前",
    ),
    (dt.date(2025, 10, 10), dt.date(2025, 10, 10)): (
        "the 10th of last month",
        "am 10. des letzten Monats",
        "el 10 del mes pasado",
        "le 10 du mois dernier",
        "上个月10号",
        "先月の10日",
    ),
}


@pytest.mark.parametrize(
    ("query", "first", "last"), [(query, *days) for days, queries in MATRIX.items() for query in queries]
)
def test_a_time_is_one_window_in_any_language(query: str, first: dt.date, last: dt.date) -> None:
    """Bounds, ends, days of the week and what counts from today: one parse of the longest phrase, nothing beside it."""
    (window,) = windows(query, today=TODAY)
    assert (window.first, window.last) == (first, last)


@pytest.mark.parametrize(
    "query",
    [
        "every Monday",
        "los lunes",
        "por la mañana",
        "jeden Morgen",
        "每周一",
        "毎週月曜",
        "on the 10th floor",
        "na segunda vez",
        "3号楼",
        "Wer wohnt hier?",
        "What did June say?",
        "20% of the 10 items",
    ],
)
def test_habits_and_what_only_looks_like_a_day_are_no_time(query: str) -> None:
    """What comes again and again is on no day, and ordinals count other things too."""
    assert windows(query, today=TODAY) == ()


@pytest.mark.parametrize("query", ["What will happen on Monday?", "Was müssen wir bis Montag tun?", "周一要"])
def test_a_day_ahead_is_meant_where_the_question_looks_ahead(query: str) -> None:
    """Asked what will be, `Monday` is the next one."""
    (window,) = windows(query, today=TODAY)
    assert window.last == (dec(1) if query != "周一要" else nov(24))


def test_words_that_bound_a_time_are_no_search_words() -> None:
    """Only what names the time may be looked for."""
    cues = read_question("O que quebrou por volta de 27 de novembro?", languages=("pt",), today=TODAY)
    assert {word.text for word in cues.words} == {"quebrou", "27", "novembro"}


def test_what_is_due_before_a_day_may_name_that_day() -> None:
    """The named end of an open stretch is asked for too, unless all that is asked is what happened."""
    due = read_question("What must be finished before Nov 10?", languages=("en",), today=TODAY)
    assert [(window.first, window.last) for window in due.windows] == [(BEGIN, nov(9)), (nov(10), nov(10))]
    (window,) = read_question("What happened before Nov 10?", languages=("en",), today=TODAY).windows
    assert window.last == nov(9)


@pytest.mark.parametrize(
    "text",
    [
        "Vacaciones entre el 10 y el 20 de noviembre",
        "Congés entre le 10 et le 20 novembre",
        "Férias entre o dia 10 e o dia 20 de novembro",
        "Urlaub zwischen dem 10. und dem 20. November",
    ],
)
def test_statements_are_read_like_questions(text: str) -> None:
    """The time that a fact is about has both its ends, whatever stands before the second."""
    assert validity(text, near=TODAY) == (nov(10), nov(20))


@pytest.mark.parametrize(
    "piece",
    [
        "上周",
        "周一",
        "10号",
        "2026年3月",
        "3天前",
        "last week ",
        "SEP ",
        "monday ",
        "the 10th ",
        "3 March 2026 ",
        "3/18 ",
    ],
)
def test_times_are_found_in_linear_time(piece: str, growth: Callable[[Callable[[int], object], int], float]) -> None:
    """However often a question or a statement names one, and whatever it is."""

    def read(size: int) -> None:
        text = piece * (size // len(piece)) + " 日"
        windows(text, today=TODAY)
        validity(text, near=TODAY)

    assert growth(read, 12_000) < 8


@pytest.mark.parametrize("today", [dt.date.min, dt.date(1, 2, 3), dt.date(9999, 11, 30), dt.date.max])
@pytest.mark.parametrize(
    "query",
    [
        *("SEP", "January", "last December", "next January", "this month", "last month", "next month", "next year"),
        *("last year", "yesterday", "tomorrow", "next week", "last weekend", "3 years ago", "in 3 years", "the 31st"),
        *(
            "since May",
            "until May 3",
            "before yesterday",
            "after tomorrow",
            "around last week",
            "下个月",
            "去年",
            "end of month",
        ),
        *("from May 3 to 9", "from December 30 to January 2", "10号", "last monday", "by the end of the month"),
    ],
)
def test_at_the_ends_of_time_there_are_times_too(query: str, today: dt.date) -> None:
    """A clock that is far off makes no error: what would lie beyond the first or last day is cut off there."""
    assert all(window.first <= window.last for window in windows(query, today=today))
    validity(query, near=today)
