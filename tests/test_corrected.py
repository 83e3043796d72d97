"""What was explicitly retained against a statement wins, is returned with it, and marks it."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from openclaw_memory_hookspecs import Draft, Hit, Kind, Provenance, RecallRequest
from openclaw_memory_plugin import Memory

NOW = dt.datetime(2026, 3, 25, 12, tzinfo=dt.UTC)
AGENT, UNTRUSTED = Provenance.AGENT, Provenance.UNTRUSTED
BOAT, SOLD = "Has a boat.", "Sold the old thing; he is a landlubber now."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    (tmp_path / "memory").mkdir()
    with Memory.open(tmp_path) as memory:
        for number in range(6):
            memory.retain(Draft(text=f"Peter painted boat number {number}.", day=dt.date(2026, 2, 1)), now=NOW)
        yield memory


def tell(memory: Memory, text: str, day: int, **given: object) -> str:
    draft = attrs.evolve(Draft(text=text, entities=("Peter",), day=dt.date(2026, 3, day)), **given)
    return memory.retain(draft, now=NOW).id


def found(memory: Memory, query: str = "Does Peter have a boat?", **asked: object) -> dict[str, Hit]:
    """Hits by content, best first."""
    request = attrs.evolve(RecallRequest(query=query, track=False, now=NOW), **asked)
    return {hit.fact.content: hit for hit in memory.recall(request).hits}


def test_a_correction_stands_before_what_it_corrects(memory: Memory) -> None:
    """Though it shares no word with the question: it is returned, first of the two, and the other says by what."""
    old = tell(memory, BOAT, 6, salience=1.0)
    new = tell(memory, SOLD, 7, contradicts=(old,), salience=0.1)
    hits = found(memory)
    order = list(hits)
    assert order.index(SOLD) < order.index(BOAT)
    assert hits[BOAT].fact.superseded
    assert hits[BOAT].why["superseded_by"] == new
    assert hits[SOLD].why["corrects"] > 0.0
    assert not hits[SOLD].fact.superseded
    assert list(found(memory, k=1)) == [SOLD]


@pytest.mark.parametrize("written", [6, 12])
def test_a_hand_may_abbreviate_the_id(memory: Memory, written: int) -> None:
    """A bullet in a log names what it speaks against by the id or its beginning, also after a small edit of that."""
    old = tell(memory, "Has a bota.", 6)
    log = memory.workspace.root / "memory/2026-03-08.md"
    log.write_text(f"## Retain\n- W(contradicts={old[:written]}) @Peter: {SOLD}\n", "utf-8")
    memory.sync(now=NOW)
    before = memory.workspace.root / "memory/2026-03-06.md"
    before.write_text(before.read_text("utf-8").replace("bota", "boat"), "utf-8")
    hits = found(memory)
    assert hits[BOAT].fact.superseded
    assert list(hits).index(SOLD) < list(hits).index(BOAT)
    log.unlink()
    assert not found(memory)[BOAT].fact.superseded


def test_the_last_of_several_corrections_holds(memory: Memory) -> None:
    """A correction that was corrected itself stands behind its own; what was stated again later holds again."""
    old = tell(memory, BOAT, 6)
    second = tell(memory, SOLD, 7, contradicts=(old,))
    third = tell(memory, "The buyer never came.", 8, contradicts=(second,))
    assert found(memory)[BOAT].why["superseded_by"] == third
    tell(memory, BOAT, 9)
    assert not found(memory)[BOAT].fact.superseded


def test_two_that_contradict_each_other_are_left_alone(memory: Memory) -> None:
    """Neither takes the place of the other, and the answer comes."""
    one = tell(memory, BOAT, 6)
    other = tell(memory, "Has no boat.", 6, contradicts=(one,))
    (memory.workspace.root / "memory/2026-03-06.md").write_text(
        f"## Retain\n- W(contradicts={other}) @Peter: {BOAT}\n- W(contradicts={one}) @Peter: Has no boat.\n", "utf-8"
    )
    assert [hit.fact.superseded for hit in found(memory).values() if "boat." in hit.fact.content] == [False, False]


def test_untrusted_words_and_those_of_later_days_correct_nothing(memory: Memory) -> None:
    """Nor do those that are private where others listen."""
    old = tell(memory, BOAT, 6)
    tell(memory, SOLD, 7, contradicts=(old,), provenance=UNTRUSTED)
    assert not found(memory)[BOAT].fact.superseded
    tell(memory, "Sold that in secret.", 8, contradicts=(old,), private=True)
    assert found(memory)[BOAT].fact.superseded
    group = found(memory, include_private=False)
    assert not group[BOAT].fact.superseded
    assert "Sold that in secret." not in group
    assert not found(memory, "Did Peter have a boat on 6 March 2026?")[BOAT].fact.superseded


def test_the_agent_does_not_correct_what_keeps_from_harm(memory: Memory) -> None:
    """Its word is returned with an allergy, which stands; the owner's takes its place."""
    old = tell(memory, "Is allergic to peanuts.", 6)
    tell(memory, "The test was negative.", 7, contradicts=(old,), provenance=AGENT)
    hits = found(memory, "Is Peter allergic to peanuts?")
    assert "The test was negative." in hits
    assert not hits["Is allergic to peanuts."].fact.superseded
    tell(memory, "His doctor gave the all-clear.", 8, contradicts=(old,))
    hits = found(memory, "Is Peter allergic to peanuts?")
    assert hits["Is allergic to peanuts."].fact.superseded
    assert next(iter(hits)) == "His doctor gave the all-clear."


def test_an_opinion_comes_with_what_speaks_against_it(memory: Memory) -> None:
    """It is marked when it is no longer held."""
    old = tell(memory, "Likes green tea.", 1, kind=Kind.OPINION, confidence=0.8)
    tell(memory, "Spat it out.", 2, contradicts=(old,), provenance=AGENT)
    hits = found(memory, "Does Peter like green tea?")
    assert (list(hits).index("Spat it out."), hits["Likes green tea."].fact.superseded) == (0, False)
    tell(memory, "Gave the rest away.", 3, contradicts=(old,))
    memory.reflect(now=NOW)
    hits = found(memory, "Does Peter like green tea?")
    assert "Gave the rest away." in hits
    assert hits["Likes green tea."].fact.superseded
