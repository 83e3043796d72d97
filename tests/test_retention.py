"""What upkeep may put away: the documents' score without a query, what is protected, and what one run may take."""

import datetime as dt
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_hookspecs import Citation, Fact, Kind
from openclaw_memory_plugin.config import Upkeep
from openclaw_memory_plugin.recall.score import access_part, time_part
from openclaw_memory_plugin.reflect.upkeep import retention

NOW = dt.datetime(2026, 3, 14, 12, tzinfo=dt.UTC)
TODAY = NOW.date()


def fact(number: int = 1, *, days: int | None = 60, path: str = "memory/2026-01-13.md", **said: Any) -> Fact:
    day = None if days is None else TODAY - dt.timedelta(days=days)
    return Fact(
        **{
            "id": f"{number:012x}",
            "kind": Kind.NOTE,
            "content": f"Fact {number}.",
            "citations": (Citation(path=path, line=number + 1, end_line=number + 1),),
            "timestamp": day,
            "last_seen": day,
            **said,
        }
    )


def score(one: Fact) -> float:
    return retention.retention_score(one, today=TODAY, now=NOW)


def plan(facts: list[Fact], **settings: Any) -> retention.Plan:
    upkeep = Upkeep(**settings)
    return retention.plan(retention.score_all(facts, today=TODAY, now=NOW), upkeep, today=TODAY)


def test_ordinary_new_fact_has_a_half() -> None:
    """The documents' correction: a new fact without marks is worth 0.50, above the default threshold."""
    assert score(fact(days=0)) == pytest.approx(0.50)
    assert Upkeep().threshold == 0.35


@pytest.mark.parametrize(("days", "worth"), [(0, 1.0), (7, 1.0), (8, 0.84), (30, 0.4), (45, 0.1), (400, 0.1), (-3, 1)])
def test_time_part_is_the_documents(days: int, worth: float) -> None:
    """Full for a week, 0.84 on day 8, never below 0.1."""
    assert time_part(days) == pytest.approx(worth)


def test_access_part_is_the_documents() -> None:
    """The logarithm of the accesses, half as much again within a week, at most 1."""
    assert access_part(0, None) == 0
    assert access_part(5, 30) == pytest.approx(0.1792, abs=1e-4)
    assert access_part(5, 2) == pytest.approx(0.2688, abs=1e-4)
    assert access_part(10**9, 1) == 1.0


@given(
    salience=st.floats(0, 1),
    days=st.none() | st.integers(-400, 4000),
    count=st.integers(0, 10**6),
)
def test_score_is_in_the_unit_interval_and_older_is_never_worth_more(
    salience: float, days: int | None, count: int
) -> None:
    """All else equal, an older fact never has the higher score."""
    one = fact(days=days, salience=salience, access_count=count)
    assert 0 <= score(one) <= 1
    if days is not None:
        assert score(fact(days=days + 1, salience=salience, access_count=count)) <= score(one)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({}, None),
        ({"days": 6}, "young"),
        ({"pinned": True}, "pinned"),
        ({"salience": 0.8}, "salient"),
        ({"kind": Kind.OPINION, "confidence": 0.8}, "sure opinion"),
        ({"kind": Kind.OPINION, "confidence": 0.7}, None),
        ({"days": None}, "undated"),
        ({"path": "MEMORY.md"}, "outside memory/"),
        ({"path": "bank/world.md"}, "outside memory/"),
        ({"path": "library/oslo.md"}, "outside memory/"),
        ({"task": "open"}, "open task"),
        ({"task": "done"}, None),
        ({"content": "Ann is allergic to peanuts."}, "safety"),
        ({"valid_to": TODAY + dt.timedelta(days=3)}, "still ahead"),
        ({"valid_to": TODAY - dt.timedelta(days=3)}, None),
    ],
)
def test_protection(said: dict[str, Any], why: str | None) -> None:
    """What is young, marked, ahead or kept by hand is never put away, and the reason is told."""
    assert retention.protection(fact(**said), today=TODAY, upkeep=Upkeep()) == why


def test_plan_takes_the_least_worth_first_and_at_most_a_fifth() -> None:
    """Of ten old facts one run takes two, the least worth, and defers the others."""
    facts = [fact(number, salience=number / 20) for number in range(10)]
    made = plan(facts)
    assert [one.fact.id for one in made.prune] == [facts[0].id, facts[1].id]
    assert (made.total, made.deferred, made.overflow) == (10, 8, ())


def test_plan_leaves_protected_facts_and_says_why() -> None:
    """Protected facts stay, counted by reason."""
    made = plan([fact(1), fact(2, pinned=True, salience=0.1), fact(3, salience=0.1, path="MEMORY.md")], max_share=1.0)
    assert [one.fact.id for one in made.prune] == [fact(1).id]
    assert made.protected == {"outside memory/": 1, "pinned": 1}


def test_window_is_off_until_configured() -> None:
    """Without a window nothing above the threshold is put away; with one, as much as is beyond it."""
    facts = [fact(number, days=10 + number) for number in range(10)]
    assert plan(facts, max_share=1.0).chosen == ()
    made = plan(facts, max_share=1.0, window=7)
    assert [one.fact.id for one in made.overflow] == [facts[9].id, facts[8].id, facts[7].id]


def test_documents_threshold_prunes_what_theirs_would() -> None:
    """With 0.6 from their file an ordinary old fact goes, a salient recalled one stays."""
    dull = fact(1, days=20)
    bright = attrs.evolve(fact(2, days=20), salience=0.79, access_count=40, last_accessed_at=NOW - dt.timedelta(days=1))
    assert [one.fact.id for one in plan([dull, bright], threshold=0.6, max_share=1.0).prune] == [dull.id]


@given(st.permutations([fact(number, days=40 + number % 3, salience=0.1) for number in range(12)]))
def test_plan_does_not_depend_on_the_order_of_facts(facts: list[Fact]) -> None:
    """The same facts in any order give the same plan."""
    assert plan(facts) == plan(sorted(facts, key=lambda one: one.id))


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("Heute Zahnarzttermin gehabt, nächster Termin am 14. Januar 2027 um 9:30 Uhr.", True),
        ("The deadline for the tax return is 2026-03-14.", True),
        ("Der Vertrag läuft im Juni 2026 aus.", True),
        ("La cita es el 3 de abril de 2026.", True),
        ("下次复诊是2026年4月2日。", True),
        ("The course ended on 2026-03-13.", False),
        ("Moved house in 2026.", False),
        ("Room 2027 has the printer.", False),
        ("Im Januar 2026 war Inventur.", False),
    ],
)
def test_a_day_to_come_protects_what_names_it(text: str, stays: bool) -> None:
    """Wherever in the text the day stands; a day that has passed, or a year that has begun, does not."""
    assert plan([fact(content=text, salience=0.1), *map(fact, range(2, 9))]).protected == (
        {"still ahead": 1} if stays else {}
    )


def test_what_nobody_recalls_fades_in_five_weeks_and_a_half() -> None:
    """As `maintain --help` tells: on the 38th day an ordinary fact falls below the default threshold."""
    assert score(fact(days=37)) >= Upkeep().threshold > score(fact(days=38))
