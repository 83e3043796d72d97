"""The read side of the entity graph, on real SQLite built from the schema."""

import datetime as dt
import hashlib
import math
import random
import sqlite3
from collections.abc import Iterable, Sequence
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory_plugin.index.graph import (
    ENTITIES_PER_FACT,
    FACTS_PER_ENTITY,
    HUB_FACTS,
    Graph,
    recency,
)
from openclaw_memory_plugin.recall.associate import spread

DAY = dt.date(2026, 3, 1)

Row = tuple[str, tuple[str, ...], int]
"""A fact: its text, who is mentioned, days before `DAY`."""


def fact_id(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


def database(facts: Sequence[Row], *, inferred: Iterable[str] = (), hidden: Iterable[str] = ()) -> sqlite3.Connection:
    """Return an index of these facts, in this order; texts in `hidden` are private."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(files("openclaw_memory_plugin.index").joinpath("schema.sql").read_text())
    ids: dict[str, int] = {}
    counts: dict[str, int] = {}
    for seq, (text, names, age) in enumerate(facts, 1):
        day = DAY - dt.timedelta(days=age)
        connection.execute(
            "INSERT INTO facts (seq, id, kind, content, language, words_check, last_seen, private)"
            " VALUES (?, ?, 'note', ?, 'en', 0, ?, ?)",
            (seq, fact_id(text), text, day.isoformat(), text in set(hidden)),
        )
        for name in names:
            ids.setdefault(name, len(ids) + 1)
            counts[name] = counts.get(name, 0) + 1
            connection.execute(
                "INSERT INTO mentions (seq, entity_id, role, pos, recency) VALUES (?, ?, 1, ?, ?)",
                (seq, ids[name], names.index(name), recency(day, fact_id(text))),
            )
    for name, entity in ids.items():
        df = counts[name]
        idf = 1.0 if df <= 1 else min(1.0, 1 / math.log(df + 1))
        connection.execute(
            "INSERT INTO entities (id, key, name, inferred, fact_count, idf_weight) VALUES (?, ?, ?, ?, ?, ?)",
            (entity, name, name.title(), name in set(inferred), df, idf),
        )
    return connection


def graph(facts: Sequence[Row], named: Iterable[str] = (), **more: object) -> Graph:
    private = bool(more.pop("private", True))
    return Graph(
        connection=database(facts, **more),  # type: ignore[arg-type]
        total=len(facts),
        named=frozenset(named),
        private=private,
    )


def texts(connection: sqlite3.Connection, seqs: Iterable[int]) -> list[str]:
    return [connection.execute("SELECT content FROM facts WHERE seq = ?", (seq,)).fetchone()[0] for seq in seqs]


def test_recency_orders_by_day_then_id() -> None:
    """Later days are greater, then lower ids; no day is least."""
    newest, same_day, older, undated = (
        recency(DAY, "0a" * 6),
        recency(DAY, "0b" * 6),
        recency(DAY - dt.timedelta(days=1), "0a" * 6),
        recency(None, "00" * 6),
    )
    assert newest > same_day > older > undated


def test_neighbours_weigh_common_facts_by_rarity() -> None:
    """A neighbour weighs its common facts times its rarity, whichever way the pair is stored."""
    over = graph([("1", ("a", "b"), 0), ("2", ("b", "a"), 1), ("3", ("a", "c"), 2), ("4", ("c", "d"), 3)])
    idf = 1 / math.log(3)
    assert over.neighbours(["a"]) == {"a": {"b": pytest.approx(2 * idf), "c": pytest.approx(idf)}}
    assert over.neighbours(["b", "d"]) == {
        "b": {"a": pytest.approx(2 / math.log(4))},
        "d": {"c": pytest.approx(idf)},
    }


def test_inferred_names_count_half() -> None:
    """A name that was only guessed weighs half."""
    over = graph([("1", ("a", "b"), 0), ("2", ("a", "c"), 0)], inferred=["c"])
    assert over.neighbours(["a"]) == {"a": {"b": 1.0, "c": 0.5}}
    assert {key: node.rarity for key, node in over.nodes(["b", "c"]).items()} == {"b": 1.0, "c": 0.5}


def test_unknown_entities_have_no_neighbours() -> None:
    """A key that is no entity is passed over."""
    over = graph([("1", ("a", "b"), 0)])
    assert over.neighbours(["nobody"]) == {}
    assert over.nodes(["nobody"]) == {}
    assert over.newest("nobody") == {}


def hub_facts(count: int, hub: str = "hub") -> list[Row]:
    return [(f"{hub} {i}", (hub, f"mate{i % 7}"), i) for i in range(count)]


def test_unnamed_hubs_take_no_part() -> None:
    """An entity in 30 facts and 5 % of all is silent and hands nothing on, unless the query names it."""
    facts = [*hub_facts(HUB_FACTS), ("x", ("hub", "x", "y"), 0)]
    over = graph(facts)
    assert set(over.neighbours(["hub", "x"])) == {"x"}
    assert over.silent == {"hub"}
    assert over.nodes(["hub", "x"]).keys() == {"x"}
    asked = graph(facts, named=["hub"])
    assert {"x", "y", "mate0"} <= set(asked.neighbours(["hub", "x"])["hub"])
    assert asked.silent == set()


def test_hubs_need_a_share() -> None:
    """Thirty facts make no hub where they are less than 5 % of all."""
    connection = database(hub_facts(HUB_FACTS))
    large, small = Graph(connection=connection, total=601), Graph(connection=connection, total=600)
    for over in (large, small):
        over.neighbours(["mate0"])
    assert (large.silent, small.silent) == (set(), {"hub"})


def test_lists_connect_nothing() -> None:
    """A fact that names very many says nothing about any two of them, and hides no other fact."""
    everyone = tuple(f"n{i:05}" for i in range(10_000))
    over = graph([("list", everyone, 0), ("pair", ("n00000", "n00001"), 9)])
    assert set(over.neighbours(["n00000"])["n00000"]) == {"n00001"}
    assert texts(over.connection, over.newest("n00000")) == ["pair"]
    assert over.members([1]) == {1: []}
    assert len(everyone) > ENTITIES_PER_FACT


def test_only_the_newest_facts_are_walked() -> None:
    """Of a busy entity the most recent facts count, whatever the order in which they were stored."""
    facts: list[Row] = [(f"old {i}", ("a", "old"), 100 + i) for i in range(40)]
    facts += [(f"new {i}", ("a", f"new{i % 8}"), i % 4) for i in range(FACTS_PER_ENTITY)]
    for seed in range(3):
        random.Random(seed).shuffle(facts)
        over = graph(facts, named=["a"])
        assert set(over.neighbours(["a"])["a"]) == {f"new{i}" for i in range(8)}
        assert len(over.newest("a")) == FACTS_PER_ENTITY
        assert texts(over.connection, over.newest("a", 64)) == sorted(
            (text for text, _, _ in facts if text.startswith("new")),
            key=lambda text: (int(text.split()[1]) % 4, fact_id(text)[:6]),
        )


def test_private_facts_connect_nothing_for_others() -> None:
    """Where others listen, a private fact is neither walked nor listed."""
    facts: list[Row] = [("open", ("a", "b"), 0), ("secret", ("a", "c"), 0)]
    over = graph(facts, hidden=["secret"], private=False)
    assert set(over.neighbours(["a"])["a"]) == {"b"}
    assert texts(over.connection, over.newest("a")) == ["open"]
    assert set(graph(facts, hidden=["secret"]).neighbours(["a"])["a"]) == {"b", "c"}


def test_members_are_told_by_key() -> None:
    """The entities of facts come by key, hubs left out."""
    over = graph([*hub_facts(HUB_FACTS), ("x", ("z", "hub", "y"), 0)])
    seq = HUB_FACTS + 1
    assert [node.name for node in over.members([seq])[seq]] == ["Y", "Z"]


def test_rows_read_do_not_grow_with_the_corpus() -> None:
    """A walk from a hub does as much work in 20,000 facts as in 2,000."""

    def work(count: int) -> int:
        draw = random.Random(5)
        over = graph(
            [(str(i), ("hub", f"e{draw.randrange(40)}", f"e{draw.randrange(40)}x"), i // 9) for i in range(count)],
            named=["hub"],
        )
        ticks = 0

        def tick() -> int:
            nonlocal ticks
            ticks += 1
            return 0

        over.connection.set_progress_handler(tick, 100)
        spread({"hub": 1.0}, over.neighbours, depth=2, decay=0.5)
        return ticks

    assert work(20_000) <= 1.5 * work(2_000)


names = st.sampled_from("abcdef")
small_facts = st.lists(st.tuples(st.sets(names, min_size=1, max_size=3), st.integers(0, 20)), min_size=1, max_size=12)


def walk(facts: Sequence[Row], seeds: Iterable[str]) -> dict[str, float]:
    seeds = set(seeds)
    over = graph(facts, named=seeds)
    start = dict.fromkeys(seeds, 1.0)
    return dict(spread(start, over.neighbours, depth=3, decay=0.5, silent=over.silent).level)


@settings(max_examples=40, deadline=None)
@given(small_facts, names, st.randoms())
def test_the_order_of_facts_is_irrelevant(pairs, seed, shuffler) -> None:  # type: ignore[no-untyped-def]
    """However facts are ordered, and whatever rows they get, the activations are identical."""
    facts = [(f"fact {i}", tuple(sorted(who)), age) for i, (who, age) in enumerate(pairs)]
    before = walk(facts, [seed])
    facts = [(text, tuple(shuffler.sample(who, len(who))), age) for text, who, age in facts]
    shuffler.shuffle(facts)
    assert walk(facts, [seed]) == before


@settings(max_examples=40, deadline=None)
@given(small_facts, names, st.lists(st.sets(st.sampled_from(["x", "y", "z"]), max_size=2), max_size=5))
def test_deleting_a_hub_lowers_nobody_else(pairs, seed, mates) -> None:  # type: ignore[no-untyped-def]
    """Without a hub's facts, nobody whom they do not name is stirred less."""
    facts: list[Row] = [(f"fact {i}", tuple(sorted(who)), age) for i, (who, age) in enumerate(pairs)]
    hub: list[Row] = [(f"hub {i}", ("hub", f"mate{i % 7}"), i) for i in range(HUB_FACTS)]
    hub += [(f"more {i}", ("hub", *sorted(who)), i) for i, who in enumerate(mates)]
    flooded, clean = walk([*facts, *hub], [seed]), walk(facts, [seed])
    assert "hub" not in flooded
    assert all(clean.get(key, 0.0) >= flooded[key] * (1 - 1e-12) for key in flooded if key in "abcdef")
