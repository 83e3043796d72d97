"""Bridges from fact to fact, on graphs small enough to be reckoned by hand."""

from collections.abc import Iterable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_plugin.recall.bridge import ABOUT, BACK, LEAD, OWN, REACH, Bridge, Held, Link, bridge

Facts = Mapping[int, tuple[float, Mapping[int, float], Sequence[str]]]
"""Fact -> score, words matched with their worth, entities."""


def across(
    facts: Facts,
    *,
    hops: int = 2,
    words: int = 2,
    about: Iterable[tuple[int, str]] = (),
    named: Iterable[int] = (),
    ceiling: float = 2.0,
) -> dict[int, Bridge]:
    """Bridge over `facts`, that are seeds in order of score when they have one; all entities are equally rare."""
    shared: dict[str, list[int]] = {}
    for seq, (_, _, entities) in facts.items():
        for key in entities:
            shared.setdefault(key, []).append(seq)
    subjects = set(about)

    def held(seqs: Iterable[int]) -> dict[int, Held]:
        return {
            seq: Held(id=f"{seq:012x}", score=facts[seq][0], words=facts[seq][1], named=seq in set(named))
            for seq in seqs
        }

    def links(seqs: Iterable[int]) -> dict[int, list[Link]]:
        return {
            seq: [
                Link(
                    key=key,
                    rarity=1.0,
                    sharing=len(shared[key]),
                    facts={other: (other, key) in subjects for other in shared[key] if other != seq},
                )
                for key in facts[seq][2]
            ]
            for seq in seqs
        }

    seeds = sorted((seq for seq in facts if facts[seq][0] > 0), key=lambda seq: -facts[seq][0])
    return bridge(seeds, [1.0] * words, held, links, hops=hops, ceiling=ceiling)


def test_over_one_entity() -> None:
    """A fact that holds nothing of a question gets the share that the first one leaves open."""
    found = across({1: (1.0, {0: 1.0}, ["ines"]), 2: (0.0, {}, ["ines"])})
    assert found[2] == Bridge(worth=0.5 * REACH, start=1, path=("ines",))


def test_nothing_left_open() -> None:
    """A fact that answers the whole question leads nowhere."""
    assert across({1: (1.0, {0: 0.5, 1: 0.5}, ["ines"]), 2: (0.0, {}, ["ines"])}) == {}


def test_words_that_were_missing() -> None:
    """What the far end holds counts for words that the near end lacks, and only for those."""
    found = across({1: (1.0, {0: 1.0}, ["ines"]), 2: (0.0, {0: 0.25, 1: 0.25}, ["ines"])})
    assert found[2].by_words == OWN * 0.25
    assert found[2].worth == 0.5 * REACH + OWN * 0.25


def test_named_facts_need_no_bridge() -> None:
    """A fact about an entity that the query names gains by its words alone."""
    found = across({1: (1.0, {0: 1.0}, ["a"]), 2: (0.0, {1: 0.25}, ["a"]), 3: (0.0, {}, ["a"])}, named={2, 3})
    assert found[2].worth == found[2].by_words == OWN * 0.25
    assert 3 not in found


def test_many_facts_share_the_reach() -> None:
    """Being one of many facts about an entity is worth less."""
    crowd: Facts = {seq: (0.0, {}, ["ines"]) for seq in range(2, 6)}
    assert across({1: (1.0, {0: 1.0}, ["ines"]), **crowd})[2].worth == 0.25 * REACH


def test_facts_about_the_entity() -> None:
    """A fact about the bridging entity counts more than one that mentions it."""
    found = across({1: (1.0, {0: 1.0}, ["a"]), 2: (0.0, {}, ["a"])}, about=[(2, "a")])
    assert found[2].worth == 0.5 * REACH * ABOUT


def test_ceiling() -> None:
    """Without words of its own a fact gets no more than the ceiling of what leads to it."""
    facts: Facts = {1: (0.5, {0: 0.5}, ["a"]), 2: (0.0, {}, ["a"])}
    assert across(facts, words=9, ceiling=0.75)[2].worth == 0.5 * 0.75


def test_a_weaker_start() -> None:
    """A path is worth as much as the fact where it begins."""
    found = across({1: (1.0, {0: 1.0}, []), 2: (0.5, {1: 0.5}, ["b"]), 3: (0.0, {}, ["b"])})
    assert found == {3: Bridge(worth=0.25 * REACH, start=2, path=("b",))}


def test_the_start_gains() -> None:
    """That a fact leads to one with the missing words speaks for it."""
    found = across({1: (1.0, {0: 1.0}, ["a"]), 2: (0.0, {1: 0.5}, ["a"])}, named={2})
    assert found[1] == Bridge(worth=OWN * 0.5 * BACK, start=2, path=("a",), back=True)


def test_the_start_stays_ahead() -> None:
    """A fact is never behind one that holds nothing itself and is reached from it."""
    found = across({1: (1.0, {0: 0.5}, ["a"]), 2: (0.0, {}, ["a"])}, about=[(2, "a")], words=9)
    assert found[2].worth > 1.0
    assert 1.0 + found[1].worth == pytest.approx(LEAD * found[2].worth)


def test_chain() -> None:
    """Each further bridge begins with what the one before was worth."""
    chain: Facts = {1: (1.0, {0: 1.0}, ["a"]), 2: (0.0, {}, ["a", "b"]), 3: (0.0, {}, ["b"])}
    assert across(chain, hops=2)[3] == Bridge(worth=(0.5 * REACH) ** 2, start=1, path=("a", "b"))
    assert 3 not in across(chain, hops=1)
    assert across(chain, hops=0) == {}


def test_the_best_path_counts() -> None:
    """A fact that shares many entities is worth its best path, not their sum."""
    one = across({1: (1.0, {0: 1.0}, ["a"]), 2: (0.0, {}, ["a"])})
    many = across({1: (1.0, {0: 1.0}, ["a", "b", "c"]), 2: (0.0, {}, ["a", "b", "c"])})
    assert many[2].worth == one[2].worth


def test_no_words() -> None:
    """A question without words leaves nothing open and leads nowhere."""
    assert across({1: (1.0, {}, ["a"]), 2: (0.0, {}, ["a"])}, words=0) == {}


entities = st.sets(st.sampled_from("abcd"), max_size=3)
random_facts = st.lists(
    st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sets(st.sampled_from([0, 1, 2]), max_size=3), entities), max_size=9
)


def test_ways_of_equal_worth_are_told_apart_by_where_they_begin() -> None:
    """Two facts that lead to a third one equally well, over the same name: it is the one with the lower id."""
    words = {0: 0.2, 1: 0.2, 2: 0.2}
    facts: Facts = {0: (1.0, {}, ["a"]), 1: (0.0, words, ["a"]), 2: (0.5, words, ["a"])}
    found = [across({seq: facts[seq] for seq in order}, words=3) for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0))]
    assert found[0] == found[1] == found[2]
    assert found[0][0].start == 1


@given(random_facts, st.integers(0, 3), st.randoms())
def test_order_is_irrelevant(rows, hops, shuffler) -> None:  # type: ignore[no-untyped-def]
    """In whatever order facts and entities come, the bridges are identical."""
    facts = {seq: (score, dict.fromkeys(words, 0.2), sorted(who)) for seq, (score, words, who) in enumerate(rows)}
    first = across(facts, hops=hops, words=3)
    mixed = list(facts.items())
    shuffler.shuffle(mixed)
    again = across(
        {
            seq: (score, words, shuffler.sample(who, len(who)))
            for seq, (score, words, who) in sorted(mixed, key=lambda item: -facts[item[0]][0])
        },
        hops=hops,
        words=3,
    )
    if len({score for score, _, _ in facts.values()}) == len(facts):
        assert again == first
    assert all(path.worth > 0 and len(path.path) <= hops for path in first.values())
