"""Whoever reads one line of memory reads whom it is about and how sure it is."""

import datetime as dt

import pytest

from openclaw_memory_hookspecs import Citation, Fact, Kind
from openclaw_memory_plugin.markdown.telling import tell, told, unnamed


def fact(content: str, *names: str, kind: Kind = Kind.WORLD, path: str = "memory/2026-03-01.md") -> Fact:
    return Fact(
        id="0123456789ab",
        kind=kind,
        content=content,
        citations=(Citation(path=path, line=1, end_line=1),),
        entities=names,
        timestamp=dt.date(2026, 3, 1),
        confidence=0.15 if kind is Kind.OPINION else None,
    )


def test_a_subject_that_the_text_does_not_name_stands_before_it() -> None:
    """`W @Peter: Is allergic to peanuts.` is about Peter to its reader too."""
    assert told(fact("Is allergic to peanuts.", "Peter")) == "Peter: Is allergic to peanuts."
    assert told(fact("Met at noon.", "Ann", "Peter")) == "Ann, Peter: Met at noon."


def test_an_opinion_is_told_as_one() -> None:
    """Its confidence stands behind it."""
    assert told(fact("Prefers long replies.", "Peter", kind=Kind.OPINION)) == (
        "Peter: Prefers long replies. (opinion, c=0.15)"
    )
    assert tell("Prefers tea.", ["Ann"], kind=Kind.OPINION) == "Ann: Prefers tea. (opinion)"


def test_an_excerpt_is_told_as_the_whole_would_be() -> None:
    """What was cut off may have been the name."""
    assert told(fact("Peter is said to be allergic to peanuts.", "Peter"), "…to peanuts.") == "Peter: …to peanuts."


def test_a_plain_note_is_about_its_page_only() -> None:
    """A note in a log is told as it stands; one on an entity's page has its subject in the page's title."""
    assert told(fact("Likes tea with Ann.", "Ann", kind=Kind.NOTE)) == "Likes tea with Ann."
    assert told(fact("Likes tea.", "Ann", kind=Kind.NOTE)) == "Likes tea."
    assert told(fact("Likes tea.", "Ann", kind=Kind.NOTE, path="bank/entities/Ann.md")) == "Ann: Likes tea."


@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        ("Peter", "PETER'S boat sank.", True),
        ("Peter", "Peterborough is far.", False),
        ("Harbour-Lane", "Harbour Lane is closed.", True),
        ("José", "Jose\u0301 rang.", True),
        ("元宝", "和元宝开会。", True),
        ("Ann", "Joanne met Ann.", True),
    ],
)
def test_a_name_counts_as_named_however_it_is_spelt(name: str, text: str, named: bool) -> None:
    """Case, joints and Unicode forms make no difference; part of another word is not the name."""
    assert unnamed([name], text) == ([] if named else [name])
