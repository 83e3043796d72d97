"""What `explain` and `--debug` tell is what the recall did, whole and true."""

import datetime as dt
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from openclaw_memory_hookspecs import RecallRequest
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.faces.cli import main

NOW = dt.datetime(2026, 3, 25, 12, tzinfo=dt.UTC)
Remember = Callable[[Mapping[str, str]], Memory]


@pytest.fixture
def remember(tmp_path: Path) -> Iterator[Remember]:
    opened: list[Memory] = []

    def write(files: Mapping[str, str]) -> Memory:
        for name, text in files.items():
            path = tmp_path / "ws/memory" / f"{name}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"## Retain\n{text}", encoding="utf-8")
        opened.append(Memory.open(tmp_path / "ws"))
        opened[-1].sync(now=NOW)
        return opened[-1]

    yield write
    for memory in opened:
        memory.close()


def request(query: str, **more: Any) -> RecallRequest:
    return RecallRequest(query=query, now=NOW, track=False, **more)


def id_of(memory: Memory, words: str) -> str:
    return next(fact.id for fact in memory.facts() if words in fact.content)


@pytest.fixture
def bananas(remember: Remember) -> Memory:
    """Sixty facts that match the same word, one that does not, and one that is archived."""
    text = "".join(f"- W @Fruit{n}: Sold banana number {n} {'on the market ' * (n % 7)}today.\n" for n in range(60))
    tom = "- W @Tom: Paints the fence.\n", "- W @Tom: Ate the last banana.\n"
    memory = remember({"2026-03-01": text, "2026-03-02": tom[0], "2026-03-03": tom[1]})
    memory.archive(id_of(memory, "Ate the last"), now=NOW)
    memory.sync(now=NOW)
    return memory


def test_every_matching_fact_has_its_score(bananas: Memory) -> None:
    """Sixty facts with the word have a score, a place and their parts, whether a recall looks at them or not."""
    asked = request("banana")
    hits = {hit.fact.id: hit.score for hit in bananas.recall(asked).hits}
    told = {fact.id: bananas.explain(fact.id, asked) for fact in bananas.facts() if "number" in fact.content}
    assert len(told) == 60
    for fact_id, why in told.items():
        assert why["score"] > 0.0
        assert why["place"] >= 1
        assert why["words"] > 0.0
        assert (why["left_out"] is None) == (fact_id in hits)
        if fact_id in hits:
            assert why["score"] == hits[fact_id]
    assert len({why["candidates"] for why in told.values()}) == 1


def test_what_is_left_out_is_told_why(bananas: Memory) -> None:
    """Too weak a match, others in front, archived, nothing in common: each in a sentence."""
    found = {bananas.explain(fact.id, request("banana"))["left_out"] for fact in bananas.facts()}
    assert any(why and "a recall scores the" in why for why in found)
    assert any(why and "10 others score better" in why for why in found)
    for words, sentence in (("Paints", "nothing of it matches"), ("Ate the last", "it is archived")):
        fact = next(f for f in bananas.facts(include_archived=True) if words in f.content)
        why = bananas.explain(fact.id, request("banana"))
        assert (why["score"], why["place"], why["left_out"].startswith(sentence)) == (None, None, True)


def test_a_weak_match_is_told_from_none(remember: Remember) -> None:
    """Below the cut-off there is a score, and the option that shows it."""
    memory = remember(
        {"2026-03-01": "- W @Ines: Runs the Lisbon office since May.\n- W @Tom: Paints the fence of an office blue.\n"}
    )
    why = memory.explain(id_of(memory, "Paints"), request("Who runs the Lisbon office since May?"))
    assert why["score"] > 0.0
    assert "--no-cutoff" in why["left_out"]


def product_of(why: Mapping[str, Any]) -> float:
    """The match as its parts make it up: summands times factors."""
    summands = ("words", "context", "entities", "time", "association", "vector")
    other = ("score", "place", "candidates", "base")
    factors = [v for k, v in why.items() if isinstance(v, float) and k not in (*summands, *other)]
    return math.prod(factors) * sum(why.get(name, 0.0) for name in summands)


def test_the_parts_make_up_the_match(remember: Remember) -> None:
    """Superseded and superseding statements: what moved them is a factor, and the parts give the match."""
    memory = remember(
        {
            "2026-01-01": "- W @Router: The firmware of the router is version seven now.\n",
            "2026-02-01": "- W @Router: The firmware of the router is version nine.\n",
        }
    )
    asked = request("Which version of the firmware does the router have now?")
    old, new = (memory.explain(id_of(memory, word), asked) for word in ("seven", "nine"))
    assert old["superseded"] == 0.85
    assert old["superseded_by"] == id_of(memory, "nine")
    assert new["supersedes"] > 1.0
    scale = product_of(new) / new["base"]
    assert product_of(old) / old["base"] == pytest.approx(scale, rel=1e-3)


def test_an_order_of_time_is_a_factor(remember: Remember) -> None:
    """Asked for the first or the last, what moved a fact is told."""
    memory = remember({f"2026-0{n}-01": f"- B @Ana: Repaired the boat, visit {n}.\n" for n in range(1, 4)})
    last = memory.explain(id_of(memory, "visit 3"), request("What did we last do about the boat?"))
    assert last["place"] == 1
    assert last["order"] > 1.0


OPEN = "Who runs the Lisbon office, and which food is forbidden for her?"
CHAIN = {
    "2026-03-01": "- W @Ines: Runs the Lisbon office.\n",
    "2026-03-02": "- W @Ines: Must not eat walnuts.\n",
    "2026-03-03": "- W @Tom: Paints the fence on Sundays.\n",
}


def test_association_names_the_fact_it_is_owed_to(remember: Remember) -> None:
    """A fact that was reached names the one that led there, and that one what it leads to."""
    memory = remember(CHAIN)
    asked = request("What must the head of the Lisbon office not eat?", cutoff=False)
    start, end = id_of(memory, "Runs"), id_of(memory, "walnuts")
    memory.recall(asked)
    told = {fact: memory.explain(fact, asked) for fact in (start, end)}
    owed = {fact: why.get("from") or why.get("leads_to") for fact, why in told.items() if why.get("association")}
    assert owed
    assert owed.items() <= {start: end, end: start}.items()


def test_activation_names_the_fact_it_began_with(remember: Remember) -> None:
    """Where the question names nobody, seeds come from the best facts, and those are named."""
    memory = remember(
        {
            "2026-03-01": "- W @performance: Dropped after the release because of the @slow-endpoint.\n",
            "2026-03-02": "- W @slow-endpoint: Waits for the @database.\n",
            "2026-03-03": "- W @database: Nobody knows it better than @Sarah.\n",
        }
    )
    asked = request("What dropped after the release?", associative_depth=2, cutoff=False)
    why = memory.explain(id_of(memory, "Waits"), asked)
    assert why["association"] > 0.0
    assert why["from"] == id_of(memory, "Dropped")


def test_debug_shows_the_bridges_of_the_recall(remember: Remember) -> None:
    """Every hit that came over an entity by bridging is the end of a bridge that is shown."""
    memory = remember(CHAIN)
    asked = request(OPEN, cutoff=False)
    hits = memory.recall(asked).hits
    told = memory.trace(asked)
    reached = {hit.fact.id for hit in hits if hit.why.get("via")}
    assert reached == {id_of(memory, "walnuts")}
    (bridge,) = [bridge for bridge in told["bridges"] if bridge["to"] in reached]
    assert (bridge["from"], bridge["via"]) == (id_of(memory, "Runs"), ["Ines"])
    assert bridge["worth"] > 0.0
    assert set(told["facts"]) >= {bridge["from"], bridge["to"]}


def test_debug_asks_nothing_again(remember: Remember, monkeypatch: pytest.MonkeyPatch) -> None:
    """The steps are those that the recall took, not those of another one."""
    memory = remember(CHAIN)
    asked = request(OPEN)
    memory.recall(asked)
    monkeypatch.setattr(memory, "answer", None)
    assert memory.trace(asked)["bridges"]


def test_activation_that_took_no_part_is_marked(remember: Remember) -> None:
    """What could not have added to the answer is shown as such."""
    many = "".join(f"- W @Ines: Runs the Lisbon office, note {n}.\n" for n in range(12))
    memory = remember({"2026-03-01": many + "- W @Ines @Porto: Grew up there.\n"})
    asked = request("Which food is forbidden for Ines, who runs the Lisbon office?")
    memory.recall(asked)
    told = memory.trace(asked)
    assert not told["counted"]
    assert "Ines" in told["seeds"]


def test_people_see_bridges(tmp_path: Path, remember: Remember, capsys: pytest.CaptureFixture[str]) -> None:
    """Seed fact, entity and fact, with what the way is worth."""
    remember(CHAIN)
    words = ["--workspace", str(tmp_path / "ws"), "--now", NOW.isoformat(), "recall", OPEN]
    assert main([*words, "--no-cutoff", "--debug"]) == 0
    out = capsys.readouterr().out.partition("Traversal")[2]
    assert "“Must not eat walnuts.”" in out
    assert "“Runs the Lisbon office.” → @Ines" in out
