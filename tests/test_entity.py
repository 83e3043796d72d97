"""`entity`, "tell me about X": page, facts, opinions with their evidence, closest entities, timeline."""

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from openclaw_memory_hookspecs import Draft, Kind, RecallRequest
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.faces.cli import main

NOW = dt.datetime(2026, 3, 25, 12, tzinfo=dt.UTC)
PAGE = (
    "---\naliases: [PK]\n---\n# Peter\n\n**Aliases:** Pete, Peter-the-Great\n\nRuns the harbour office with "
    "AKIAIOSFODNN7EXAMPLE.\n\n"
    "<!-- openclaw-memory:begin entity -->\n- Ours. `0123456789ab`\n<!-- openclaw-memory:end entity -->\n"
)
LOG = (
    "## Retain\n- O(c=0.8) @Peter: Prefers concise replies.\n- W @Peter @Andy: Is in Marrakech (27 Nov - 1 Dec 2025).\n"
    "- B @Peter @Andy: Sailed round the cape.\n- W @Tom: Cooks.\n"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for path, text in (
        ("bank/entities/Peter.md", PAGE),
        ("memory/2026-02-01.md", LOG),
        ("memory/n.md", "- Peter waved\n"),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def memory(root: Path) -> Iterator[Memory]:
    with Memory.open(root) as opened:
        opened.sync(now=NOW)
        yield opened


def believed(memory: Memory) -> tuple[str, str, str]:
    """An opinion that one fact supports and another contradicts, after a reflection: the three ids."""
    memory.sync(now=NOW)
    opinion = next(fact.id for fact in memory.facts(kinds=(Kind.OPINION,)))
    ids = [opinion]
    for text, marks in (
        ("Thanked for a short answer.", {"supports": (opinion,)}),
        ("Asked for the long version.", {"contradicts": (opinion,)}),
    ):
        draft = Draft(text=text, kind=Kind.EXPERIENCE, entities=("Peter",), **marks)
        ids.append(memory.retain(draft, now=NOW).id)
    memory.reflect(now=NOW)
    memory.sync(now=NOW)
    return ids[0], ids[1], ids[2]


def run(root: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["--workspace", str(root), "--now", NOW.isoformat(), *words]) == 0
    return capsys.readouterr().out


def test_the_summary_is_what_people_wrote(memory: Memory) -> None:
    """Without front matter, title, aliases and our block, and without secrets."""
    told = memory.entity("pete")
    assert (told.page, told.summary) == ("bank/entities/Peter.md", "Runs the harbour office with [REDACTED].")


def test_the_summary_without_a_page_is_the_newest_observation(memory: Memory) -> None:
    """What an agent noticed over several events stands for the page; without one there is none."""
    assert memory.entity("Andy").summary is None
    memory.retain(Draft(text="Andy sails most weeks.", kind=Kind.OBSERVATION, entities=("Andy",)), now=NOW)
    assert memory.entity("Andy").summary == "Andy sails most weeks."


def test_aliases_are_told_as_they_are_written(memory: Memory) -> None:
    """Case and joints are the page's."""
    assert memory.entity("Peter").aliases == ("Pete", "Peter-the-Great", "PK")


def test_the_timeline_is_in_order_of_what_facts_are_about(memory: Memory) -> None:
    """By the day from which a fact holds, else by the day of its record; what has no day is in none."""
    timeline = memory.entity("Peter").timeline
    assert [str(day) for day, _ in timeline] == ["2025-11-27", "2026-02-01", "2026-02-01"]
    assert timeline[0][1].content.startswith("Is in Marrakech")
    assert "Peter waved" not in [fact.content for _, fact in timeline]


def test_archived_facts_are_not_told(memory: Memory) -> None:
    """What is hidden from recall is hidden here too."""
    chosen = next(fact.id for fact in memory.facts() if "cape" in fact.content)
    memory.archive(chosen, now=NOW)
    memory.sync(now=NOW)
    assert chosen not in [fact.id for fact in memory.entity("Peter").facts]


def test_opinions_come_with_their_evidence_everywhere(memory: Memory) -> None:
    """Recall, facts, one fact and the entity name what was counted for an opinion and against it."""
    opinion, supporting, contradicting = believed(memory)
    answer = memory.recall(RecallRequest(query="What does Peter prefer?", now=NOW))
    told = [
        next(hit.fact for hit in answer.hits if hit.fact.id == opinion),
        next(fact for fact in memory.facts() if fact.id == opinion),
        memory.fact(opinion),
        next(fact for fact in memory.entity("Peter").opinions if fact.id == opinion),
    ]
    assert {(fact.supporting, fact.contradicting) for fact in told} == {((supporting,), (contradicting,))}
    assert all(not hit.fact.supporting for hit in answer.hits if hit.fact.id != opinion)


def test_the_evidence_is_that_of_the_account(memory: Memory) -> None:
    """What is taken off the account on the page is no evidence any more."""
    opinion, supporting, _ = believed(memory)
    page = memory.workspace.root / "bank/opinions.md"
    kept = [line for line in page.read_text(encoding="utf-8").split("\n") if "contradicts" not in line]
    page.write_text("\n".join(kept), encoding="utf-8")
    fact = memory.fact(opinion)
    assert (fact.supporting, fact.contradicting) == ((supporting,), ())


def test_people_see_how_much_speaks_for_an_opinion(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Counts stand beside the citation; `explain` has the ids."""
    with Memory.open(root) as memory:
        opinion, supporting, contradicting = believed(memory)
    for words in (["recall", "What does Peter prefer?"], ["facts", "--kind", "O"], ["entity", "Peter"]):
        assert "1 for it, 1 against it" in run(root, capsys, *words)
    out = run(root, capsys, "explain", opinion)
    assert f"for it     {supporting}" in out
    assert f"against it {contradicting}" in out


def test_people_read_an_entity_in_parts(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who it is, whom it goes with, what is thought, what happened when, each with its citation."""
    out = run(root, capsys, "entity", "Peter")
    lines = out.split("\n")
    assert lines[0] == "@Peter (also Pete, Peter-the-Great, PK)"
    assert "Runs the harbour office" in out
    order = [lines.index(title) for title in ("Closest", "Opinions", "Timeline", "Without a day")]
    assert order == sorted(order)
    assert "  @Andy (2)" in lines
    at = lines.index("Timeline")
    assert lines[at + 1].startswith("  2025-11-27 to 2025-12-01 W @Peter @Andy: Is in Marrakech")
    assert "memory/2026-02-01.md#L3" in lines[at + 2]


def test_programs_get_whole_facts(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Facts and opinions have the fields of `facts`; closest entities and the timeline are objects."""
    told = json.loads(run(root, capsys, "entity", "Peter", "--json"))
    (opinion,) = told["opinions"]
    assert opinion in told["facts"]
    assert opinion in json.loads(run(root, capsys, "facts", "--json"))["facts"]
    assert told["closest"] == [{"name": "Andy", "facts": 2}]
    assert {entry["id"] for entry in told["timeline"]} < {fact["id"] for fact in told["facts"]}


def test_a_long_list_is_cut_for_people_only(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody in many facts does not fill the screen, and it is said how many are left out."""
    bullets = "".join(f"- W @Tom: Cooked soup number {number}.\n" for number in range(50))
    (root / "memory/2026-03-01.md").write_text(f"## Retain\n{bullets}", encoding="utf-8")
    out = run(root, capsys, "entity", "Tom")
    assert "51 facts" in out
    assert "… 11 before" in out
    assert len(json.loads(run(root, capsys, "entity", "Tom", "--json"))["facts"]) == 51
