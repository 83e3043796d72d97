"""Spreading activation and bridges, on graphs small enough to be reckoned by hand."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_plugin.recall.associate import FAN, Neighbours, spread


def graph(*edges: tuple[str, str] | tuple[str, str, float]) -> Neighbours:
    """Return the neighbours of an undirected graph; weight 1 when not given."""
    weights: dict[str, dict[str, float]] = {}
    for a, b, *weight in edges:
        weights.setdefault(a, {})[b] = weights.setdefault(b, {})[a] = weight[0] if weight else 1.0

    def neighbours(keys: Sequence[str]) -> Mapping[str, Mapping[str, float]]:
        return {key: weights[key] for key in keys if key in weights}

    return neighbours


def levels(*seeds: str, over: Neighbours, depth: int = 3, decay: float = 0.5) -> dict[str, float]:
    return dict(spread(dict.fromkeys(seeds, 1.0), over, depth=depth, decay=decay).level)


def test_chain() -> None:
    """Along a chain each hop halves."""
    assert levels("a", over=graph(("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"))) == {
        "a": 1.0,
        "b": 0.5,
        "c": 0.25,
        "d": 0.125,
    }


def test_depth_and_decay() -> None:
    """Depth 0 is the seeds alone, another decay is a power per hop."""
    chain = graph(("a", "b"), ("b", "c"))
    assert levels("a", over=chain, depth=0) == {"a": 1.0}
    assert levels("a", over=chain, depth=2, decay=0.25) == {"a": 1.0, "b": 0.25, "c": 0.0625}
    assert levels("a", over=chain, depth=2, decay=0.0) == {"a": 1.0}
    assert levels("a", over=chain, depth=2, decay=1.0) == {"a": 1.0, "b": 1.0, "c": 1.0}


def test_from_the_middle() -> None:
    """Edges are read both ways."""
    assert levels("b", over=graph(("a", "b"), ("b", "c")), depth=1) == {"b": 1.0, "a": 0.25, "c": 0.25}


def test_ring() -> None:
    """On a ring both arms meet, add up, and nothing goes back."""
    ring = graph(("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"))
    assert levels("a", over=ring) == {"a": 1.0, "b": 0.25, "d": 0.25, "c": 0.25}


def test_triangle() -> None:
    """On a triangle the second hop strengthens the first, the third returns to a full seed and is lost."""
    triangle = graph(("a", "b"), ("b", "c"), ("c", "a"))
    assert levels("a", over=triangle, depth=2) == {"a": 1.0, "b": 0.375, "c": 0.375}
    assert levels("a", over=triangle, depth=3) == {"a": 1.0, "b": 0.375, "c": 0.375}


def test_star() -> None:
    """A centre splits over its leaves by weight, and only over the ten strongest."""
    assert levels("hub", over=graph(("hub", "x", 3.0), ("hub", "y", 1.0)), depth=1) == {
        "hub": 1.0,
        "x": 0.375,
        "y": 0.125,
    }
    leaves = [("hub", f"leaf{i:02}", 1.0) for i in range(FAN + 2)]
    assert levels("hub", over=graph(*leaves), depth=1) == {"hub": 1.0} | {
        f"leaf{i:02}": pytest.approx(0.05) for i in range(FAN)
    }


def test_leaf_of_a_star() -> None:
    """From a leaf the centre hands on to the other leaves only."""
    star = graph(("hub", "a"), ("hub", "b"), ("hub", "c"))
    assert levels("a", over=star, depth=2) == {"a": 1.0, "hub": 0.5, "b": 0.125, "c": 0.125}


def test_two_parents() -> None:
    """Contributions of two parents add up before the next hop, and never exceed 1."""
    diamond = graph(("s", "p"), ("s", "q"), ("p", "t"), ("q", "t"), ("t", "u"))
    assert levels("s", over=diamond) == {"s": 1.0, "p": 0.25, "q": 0.25, "t": 0.25, "u": 0.125}
    assert levels("p", "q", over=graph(("p", "t"), ("q", "t"), ("t", "u"))) == {"p": 1.0, "q": 1.0, "t": 1.0, "u": 0.5}
    three = graph(("p", "t"), ("q", "t"), ("r", "t"), ("t", "u"))
    assert levels("p", "q", "r", over=three) == {"p": 1.0, "q": 1.0, "r": 1.0, "t": 1.0, "u": 0.5}


def test_neighbouring_seeds() -> None:
    """What a seed receives is lost: it is full already and hands nothing on twice."""
    assert levels("a", "b", over=graph(("a", "b"), ("b", "c"))) == {"a": 1.0, "b": 1.0, "c": 0.25}


def test_weak_ones_stop() -> None:
    """What receives less than 5 % of the strongest of its hop keeps it and hands nothing on."""
    over = graph(("s", "strong", 96.0), ("s", "weak", 4.0), ("strong", "x"), ("weak", "y"))
    assert levels("s", over=over, depth=2) == {
        "s": 1.0,
        "strong": pytest.approx(0.48),
        "weak": pytest.approx(0.02),
        "x": pytest.approx(0.24),
    }


def test_silent_ones_lose_their_share() -> None:
    """A silent entity receives nothing, hands nothing on, and nobody else gets its share."""
    over = graph(("s", "hub", 3.0), ("s", "x"), ("hub", "y"))
    found = spread({"s": 1.0}, over, depth=2, decay=0.5, silent={"hub"})
    assert found.level == {"s": 1.0, "x": 0.125}
    assert [step.target for step in found.steps] == ["x"]


def test_half_a_seed() -> None:
    """A seed that starts lower hands on less."""
    assert spread({"a": 0.5}, graph(("a", "b")), depth=1, decay=0.5).level == {"a": 0.5, "b": 0.25}


def test_paths_and_steps() -> None:
    """The strongest path explains an entity; the steps tell who gave how much to whom."""
    over = graph(("database", "slow-endpoint", 3.0), ("database", "sarah"), ("slow-endpoint", "sarah"))
    found = spread({"database": 1.0}, over, depth=2, decay=0.5)
    assert found.paths == {
        "database": ("database",),
        "slow-endpoint": ("database", "slow-endpoint"),
        "sarah": ("database", "slow-endpoint", "sarah"),
    }
    assert [(s.hop, s.source, s.target, s.amount) for s in found.steps] == [
        (1, "database", "slow-endpoint", 0.375),
        (1, "database", "sarah", 0.125),
        (2, "slow-endpoint", "sarah", 0.1875),
        (2, "sarah", "slow-endpoint", 0.0625),
    ]


def test_equal_paths() -> None:
    """Of paths of equal strength the shorter wins, then the alphabetically first."""
    over = graph(("s", "b"), ("s", "a"), ("a", "t"), ("b", "t"))
    assert spread({"s": 1.0}, over, depth=2, decay=0.5).paths["t"] == ("s", "a", "t")


names = st.sampled_from("abcdefgh")
edge_lists = st.dictionaries(
    st.tuples(names, names).filter(lambda pair: pair[0] < pair[1]), st.integers(1, 9).map(float), max_size=20
)


@given(edge_lists, st.sets(names, min_size=1, max_size=3), st.integers(0, 3), st.floats(0, 1), st.randoms())
def test_order_and_range(edges, seeds, depth, decay, random) -> None:  # type: ignore[no-untyped-def]
    """Activation lies in [0, 1] and depends on no order of edges or seeds; each path starts at a seed."""
    flat = [(a, b, weight) for (a, b), weight in edges.items()]
    first = spread(dict.fromkeys(sorted(seeds), 1.0), graph(*flat), depth=depth, decay=decay)
    random.shuffle(flat)
    again = spread(dict.fromkeys(sorted(seeds, reverse=True), 1.0), graph(*flat), depth=depth, decay=decay)
    assert (first.level, first.paths, first.steps) == (again.level, again.paths, again.steps)
    assert all(0.0 < level <= 1.0 for level in first.level.values())
    assert set(first.level) == set(first.paths)
    for key, path in first.paths.items():
        assert path[0] in seeds
        assert path[-1] == key
        assert len(path) <= depth + 1


@given(edge_lists, st.sets(names, min_size=1, max_size=3), st.floats(0.1, 1))
def test_deeper_is_never_less(edges, seeds, decay) -> None:  # type: ignore[no-untyped-def]
    """One hop more never lowers an activation."""
    over = graph(*((a, b, weight) for (a, b), weight in edges.items()))
    start = dict.fromkeys(seeds, 1.0)
    shallow, deep = (spread(start, over, depth=depth, decay=decay).level for depth in (1, 2))
    assert all(deep[key] >= level for key, level in shallow.items())
