"""Dates: the time a statement is about, the time a question asks for, and the day something was recorded."""

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory_plugin.markdown.dates import find_days, validity
from openclaw_memory_plugin.markdown.dates.recorded import folder_day, heading_day, is_bare_date, line_day, name_day

NEAR = dt.date(2026, 3, 2)

VALIDITY = {
    "Is in Marrakech (27 Nov - 1 Dec 2025) for a birthday": ("2025-11-27", "2025-12-01"),
    "27 Dec - 3 Jan 2026 skiing": ("2025-12-27", "2026-01-03"),
    "Ist vom 09.03. bis 13.03.2026 in Linz": ("2026-03-09", "2026-03-13"),
    "vom 9. bis 13. März in Linz": ("2026-03-09", "2026-03-13"),
    "9.–13. März": ("2026-03-09", "2026-03-13"),
    "Spends 27 to 31 January in Ljubljana": ("2026-01-27", "2026-01-31"),
    "March 9-13, 2026": ("2026-03-09", "2026-03-13"),
    "from Jan 27 to Feb 1": ("2026-01-27", "2026-02-01"),
    "between 9 and 13 February": ("2026-02-09", "2026-02-13"),
    "2026-03-09 – 2026-03-13": ("2026-03-09", "2026-03-13"),
    "2026-03-09 to 2026-03-13": ("2026-03-09", "2026-03-13"),
    "du 9 au 13 mars": ("2026-03-09", "2026-03-13"),
    "del 9 al 13 de marzo de 2026": ("2026-03-09", "2026-03-13"),
    "de 9 a 13 de março": ("2026-03-09", "2026-03-13"),
    "二月十二日到十五日在厦门": ("2026-02-12", "2026-02-15"),
    "3月2日至3月5日": ("2026-03-02", "2026-03-05"),
    "三月九日から十三日まで札幌": ("2026-03-09", "2026-03-13"),
    "３月９日〜１３日": ("2026-03-09", "2026-03-13"),
    "2026年3月9日から3月13日まで": ("2026-03-09", "2026-03-13"),
    "Flies on 27 January and comes home on 1 February": ("2026-01-27", "2026-02-01"),
    "for three weeks from 2 March": ("2026-03-02", "2026-03-22"),
    "On sabbatical until 4 May": (None, "2026-05-04"),
    "until the end of March": (None, "2026-03-31"),
    "until the middle of February": (None, "2026-02-15"),
    "a sublet that runs out in the middle of February": (None, "2026-02-15"),
    "bis Ende März krank": (None, "2026-03-31"),
    "bis Monatsende kein Lkw": (None, "2026-03-31"),
    "until the end of the month": (None, "2026-03-31"),
    "Garantie läuft bis 30.06.2026": (None, "2026-06-30"),
    "on leave until 2026-04-20": (None, "2026-04-20"),
    "hasta el 4 de mayo": (None, "2026-05-04"),
    "jusqu'au 4 mai": (None, "2026-05-04"),
    "até 4 de maio": (None, "2026-05-04"),
    "五月四日まで休み": (None, "2026-05-04"),
    "From 1 April the rent rises": ("2026-04-01", None),
    "Since 16 February he lives in Graz": ("2026-02-16", None),
    "Ab 20.03. wird gepflastert, bis 31.03. gesperrt": ("2026-03-20", "2026-03-31"),
    "四月から産休": ("2026-04-01", None),
    "Launch slipped from 2 March to 16 March": (None, None),
    "「白鹭」改到3月30日上线": (None, None),
    "Launch is planned for 2 March": (None, None),
    "in March": (None, None),
    "runs firmware 4.1. It may reboot": (None, None),
    "version 1.2.3 to 1.3.0, 20.04 until 22.04": (None, None),
    "from 3 to 5 people in rooms 2-4": (None, None),
    "the 14:30-16:00 slot, pages 3-9": (None, None),
    "until somebody pays": (None, None),
    "30 February - 31 February 2026": (None, None),
    "12 Mar 2026 - 9 Mar 2026": (None, None),
}


@pytest.mark.parametrize("text", VALIDITY)
def test_validity(text: str) -> None:
    """A range or an open end is found, in seven languages, near the recorded day; anything else is none."""
    first, last = validity(text, near=NEAR)
    assert (first and first.isoformat(), last and last.isoformat()) == VALIDITY[text]


QUESTIONS = {
    "Wo war Jörg am 10. März?": ("2026-03-10", "2026-03-10", "day"),
    "Where was Peter on 29 January 2026?": ("2026-01-29", "2026-01-29", "day"),
    "around Nov 27": ("2025-11-27", "2025-11-27", "day"),
    "林静二月十三日人在哪里？": ("2026-02-13", "2026-02-13", "day"),
    "in the second half of February?": ("2026-02-15", "2026-02-28", "part"),
    "Who led the desk in January?": ("2026-01-01", "2026-01-31", "month"),
    "im November": ("2025-11-01", "2025-11-30", "month"),
    "五月の請求書": ("2026-05-01", "2026-05-31", "month"),
    "二月底搬到": ("2026-02-21", "2026-02-28", "part"),
    "what happened in 2024?": ("2024-01-01", "2024-12-31", "year"),
    "March 2025 report": ("2025-03-01", "2025-03-31", "month"),
    "13/02/2026": ("2026-02-13", "2026-02-13", "day"),
}


@pytest.mark.parametrize("text", QUESTIONS)
def test_days_in_questions(text: str) -> None:
    """A day, month, part or year that a question names is one span, with the place where it stands."""
    (span,) = find_days(text, near=NEAR)
    assert (str(span.first), str(span.last), span.grain) == QUESTIONS[text]
    assert 0 <= span.begin < span.end <= len(text)


NUMERIC = {
    "截止: 3/18": ["2026-03-18"],
    "截止日期：３．１８": ["2026-03-18"],
    "3/18上线": ["2026-03-18"],
    "3/5 (木) に会議": ["2026-03-05"],
    "10/2（金）から": ["2025-10-02"],
    "締切は3/5": ["2026-03-05"],
    "会议改到3.18下午": ["2026-03-18"],
    "于3.18上线": ["2026-03-18"],
    "3.18那天做了什么": ["2026-03-18"],
    "3.1之前交": ["2026-03-01"],
    "会议从3/5改到3/9": ["2026-03-05", "2026-03-09"],
    "定于3月18，地点不变": ["2026-03-18"],
    "3月18日提交": ["2026-03-18"],
    "3月18人参加": ["2026-03-01"],
}


@pytest.mark.parametrize("text", NUMERIC)
def test_days_in_numbers_only(text: str) -> None:
    """In Chinese and Japanese `3/18` is a day, and so is `3.18` beside a word of time; the year is the nearest one."""
    assert [str(span.first) for span in find_days(text, near=NEAR)] == NUMERIC[text]


@pytest.mark.parametrize("text", ["3.18-3.20 大阪出差", "3/18～3/20 大阪", "３月１８日〜２０日 大阪"])
def test_ranges_in_numbers_only(text: str) -> None:
    """Two such days are the ends of a stretch."""
    (span,) = find_days(text, near=NEAR)
    assert (str(span.first), str(span.last), span.grain) == ("2026-03-18", "2026-03-20", "range")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "版本3.18发布",
            "价格3.18元",
            "温度是3.2度",
            "提升3.2倍",
            "成功率3/4",
            "喝了1/2杯",
            "通过了3/18个测试",
            "進捗3/18",
        ),
        *(
            "3/4の確率で",
            "3.15-3.18元",
            "höchstens 3/4 der Räume, 3.18 für alle",
            "v3.18です",
            "24/7支持",
            "2.3.4を公開",
        ),
    ],
)
def test_shares_and_amounts_are_no_days(text: str) -> None:
    """Versions, amounts, shares and progress stay numbers, and so does everything in other scripts."""
    assert find_days(text, near=NEAR) == ()


def test_without_a_day_to_be_near() -> None:
    """Without a recorded day only full dates count."""
    assert find_days("on 2 March", near=None) == ()
    assert [str(span.first) for span in find_days("on 2 March 2026", near=None)] == ["2026-03-02"]


@pytest.mark.parametrize(
    "text", ["03/04/2026", "31.02.2026", "ratio 3/4", "2026-13-01", "may be late", "march on", "section 4.1.2"]
)
def test_what_is_not_certainly_a_date_is_none(text: str) -> None:
    """Ambiguous, impossible and look-alike dates are left out."""
    assert find_days(text, near=NEAR) == ()


@given(st.text("0123456789.-/ 年月日一二十まで年MayJanuntilfrom to,", max_size=60))
@settings(max_examples=400, deadline=None)
def test_any_text(text: str) -> None:
    """No text breaks it; spans lie in the text and never end before they begin."""
    for span in find_days(text, near=NEAR):
        assert 0 <= span.begin < span.end <= len(text)
        assert span.first is None or span.last is None or span.first <= span.last


@given(st.dates(dt.date(1980, 1, 1), dt.date(2099, 12, 31)))
def test_every_day_is_found(day: dt.date) -> None:
    """Every day is read back from its usual spellings."""
    for text in (
        *(
            f"on {day.isoformat()}.",
            f"am {day:%d.%m.%Y}",
            f"{day.day}. {day:%B} {day.year}",
            f"{day:%B} {day.day}, {day.year}",
        ),
        *(
            f"{day.year}年{day.month}月{day.day}日",
            f"{day.year}/{day.month}/{day.day}",
            f"{day.day} {day:%b} {day.year}",
        ),
    ):
        assert [span.first for span in find_days(text, near=NEAR)] == [day], text


NAMES = {
    "memory/2026-03-02.md": "2026-03-02",
    "memory/2026-03-02-standup.md": "2026-03-02",
    "memory/2026-01-12-0841.md": "2026-01-12",
    "memory/2026-03-05 Notizen Werkstatt.md": "2026-03-05",
    "memory/20260316.md": "2026-03-16",
    "memory/2026_03_02.md": "2026-03-02",
    "memory/2026.03.02.md": "2026-03-02",
    "memory/notes/meeting-2026-03-02.md": "2026-03-02",
    "memory/2026-03-03-会议纪要.md": "2026-03-03",
    "memory/2026年3月2日.md": "2026-03-02",
    "memory/02.03.2026.md": "2026-03-02",
    "memory/2026-03/05.md": "2026-03-05",
    "memory/2026/03/05-notes.md": "2026-03-05",
    "memory/2026-02-30.md": None,
    "memory/20261301.md": None,
    "memory/1234567890.md": None,
    "memory/projects/kestrel.md": None,
    "MEMORY.md": None,
}


@pytest.mark.parametrize("path", NAMES)
def test_days_in_file_names(path: str) -> None:
    """A leading or embedded date names the day at any depth; an impossible one is reported, not guessed."""
    day, bad = name_day(path)
    assert (day and day.isoformat()) == NAMES[path]
    assert bool(bad) == (path == "memory/2026-02-30.md")


def test_other_places_of_a_day() -> None:
    """Headings, folders, bare lines and ISO dates in a line name a day; the end of a range is none."""
    assert str(heading_day("Friday, January 9, 2026 — first day on Heron")) == "2026-01-09"
    assert str(heading_day("２０２６年３月２日（月）日次ログ")) == "2026-03-02"
    assert str(heading_day("Montag, 02.03.2026")) == "2026-03-02"
    assert heading_day("3/20") is heading_day("09:12 UTC — kickoff") is None
    assert str(folder_day("memory/2026-03-05/notes.md")) == str(folder_day("memory/2026/03/05/a/b.md")) == "2026-03-05"
    assert folder_day("memory/2026-03/notes.md") is None
    assert str(line_day("keeps the accounts (2026-01-18).")) == "2026-01-18"
    assert line_day("on leave until 2026-04-20") is line_day("2026-02-30") is None
    assert is_bare_date("2026-02-13")
    assert is_bare_date("**2 March 2026**")
    assert is_bare_date("2026年3月2日（月）")
    assert not is_bare_date("2026-02-13 we met")
    assert not is_bare_date("we met on 2026-02-13")
