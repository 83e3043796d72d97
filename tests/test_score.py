"""Scores let what is important and used rise without turning the match around."""

import datetime as dt
import itertools
import math

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_hookspecs import Candidate, Citation, Fact, Kind, RecallRequest
from openclaw_memory_plugin import compute_retrieval_score
from openclaw_memory_plugin.config import Config, Scoring
from openclaw_memory_plugin.recall.pack import excerpt, pack, strengths_of
from openclaw_memory_plugin.recall.score import access_boost, access_decay, score, score_parts
from openclaw_memory_plugin.words import count_tokens

NOW = dt.datetime(2026, 3, 25, 12, tzinfo=dt.UTC)
REQUEST = RecallRequest(query="who?", now=NOW)


def candidate(number: int = 0, base: float = 1.0, **fact: object) -> Candidate:
    """A candidate whose fact differs from others by its number alone."""
    values: dict[str, object] = {
        "id": f"{number:012x}",
        "kind": Kind.NOTE,
        "content": f"fact number {number}",
        "citations": (Citation(path="memory/2026-03-01.md", line=number + 1, end_line=number + 1),),
        "last_seen": dt.date(2026, 3, 1),
    }
    return Candidate(fact=Fact(**(values | fact)), base=base)  # type: ignore[arg-type]


def test_the_documents_example_gives_0_574() -> None:
    """Salience 0.95, accessed two days ago, five times, no match: 0.3325 + 0.2418."""
    fact = {"salience": 0.95, "last_accessed_at": NOW - dt.timedelta(days=2), "access_count": 5, "entities": ["Sarah"]}
    assert compute_retrieval_score(fact, ["Peter"], NOW) == pytest.approx(0.574, abs=0.0005)
    assert compute_retrieval_score(fact, [], NOW) == pytest.approx(0.574, abs=0.0005)
    assert compute_retrieval_score(fact, ["@sarah"], NOW) == pytest.approx(0.974, abs=0.0005)


def test_naive_times_are_local() -> None:
    """A clock without a zone shows the time here."""
    fact = {"salience": 0.95, "last_accessed_at": dt.datetime(2026, 3, 23, 12), "access_count": 5}
    assert compute_retrieval_score(fact, [], dt.datetime(2026, 3, 25, 12)) == pytest.approx(0.574, abs=0.0005)


def test_an_empty_mapping_is_a_fact_of_middling_salience_never_used() -> None:
    """Everything has a default: 0.35 · 0.5 + 0.25 · 0.25."""
    assert compute_retrieval_score({}, []) == pytest.approx(0.2375)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12))
def test_with_flat_salience_and_no_accesses_the_order_is_that_of_the_match(bases: list[float]) -> None:
    """Both built-in scorers keep it; a scorer that loses to plain BM25 would be a defect."""
    candidates = [candidate(i, base) for i, base in enumerate(bases)]
    scores = score(REQUEST, candidates, Config())
    for i, one in enumerate(bases):
        for j, other in enumerate(bases):
            if one > other:
                assert scores[i] >= scores[j]


@given(st.sampled_from(["half-life", "power"]), st.floats(0, 1e6), st.floats(0, 1e6))
def test_older_accesses_never_count_more(curve: str, one: float, other: float) -> None:
    """Both curves fall, halve at the half-life and stop at the floor, that of a fact never accessed."""
    scoring = Scoring(curve=curve)
    assert access_decay(min(one, other), scoring) >= access_decay(max(one, other), scoring) >= scoring.floor
    assert access_decay(scoring.half_life_days, scoring) == pytest.approx(0.5)
    assert access_decay(None, scoring) == scoring.floor


def test_the_power_law_outlasts_the_half_life() -> None:
    """Past the half-life a true power law keeps more."""
    assert access_decay(12, Scoring(curve="power")) > access_decay(12, Scoring(curve="half-life"))


def test_use_counts_ever_less() -> None:
    """The boost grows with a logarithm: from 1, by less for each further access."""
    steps = [access_boost(n, Scoring()) for n in range(6)]
    assert steps[0] == 1.0
    gains = [b - a for a, b in itertools.pairwise(steps)]
    assert gains == sorted(gains, reverse=True)
    assert all(gain > 0 for gain in gains)


@pytest.mark.parametrize(("days", "time"), [(0, 1.0), (7, 1.0), (8, 0.84), (20, 0.6), (400, 0.1), (-30, 1.0)])
def test_relevance_fades_by_the_day(days: int, time: float) -> None:
    """1 for a week, then 0.02 less a day, at least 0.1; what is dated in the future is of age 0."""
    fact = candidate(last_seen=NOW.date() - dt.timedelta(days=days))
    assert score_parts(REQUEST, fact, Config(scorer="relevance"))["time"] == pytest.approx(0.2 * time)


def test_relevance_does_not_favour_undated_facts() -> None:
    """Having no date is no merit."""
    undated, dated = candidate(last_seen=None), candidate()
    assert score(REQUEST, [undated], Config(scorer="relevance")) <= score(REQUEST, [dated], Config(scorer="relevance"))


def test_relevance_counts_recent_use_half_as_much_again() -> None:
    """ln(n + 1) / 10, times 1.5 within a week, at most 1."""
    recent = candidate(access_count=9, last_accessed_at=NOW - dt.timedelta(days=3))
    assert score_parts(REQUEST, recent, Config(scorer="relevance"))["access"] == pytest.approx(
        0.2 * math.log(10) * 0.15
    )


def packed(candidates: list[Candidate], **request: object) -> list[str]:
    asked = attrs.evolve(REQUEST, **request)
    answer = pack(asked, candidates, [c.base for c in candidates], lambda i: {}, cutoff=0.7)
    return [hit.excerpt or hit.fact.content for hit in answer.hits]


def test_hits_far_below_the_best_are_left_out_unless_all_are_asked_for() -> None:
    """The cut-off is a share of the best match."""
    found = [candidate(0, 1.0), candidate(1, 0.71), candidate(2, 0.69)]
    assert packed(found) == ["fact number 0", "fact number 1"]
    assert packed(found, cutoff=False) == ["fact number 0", "fact number 1", "fact number 2"]
    assert packed(found, cutoff=False, k=1) == ["fact number 0"]


def test_equal_scores_come_newest_first() -> None:
    """Ties are settled by day, then by id: the order is the same every time."""
    older, newer = candidate(0, last_seen=dt.date(2026, 1, 1)), candidate(1, last_seen=dt.date(2026, 2, 1))
    undated = candidate(2, last_seen=None)
    assert packed([undated, older, newer]) == packed([newer, undated, older])
    assert packed([undated, older, newer])[0] == "fact number 1"


def test_the_same_statement_goes_out_once_and_cites_all_places() -> None:
    """Case and punctuation make no other statement; a changed number does."""
    same = [
        candidate(0, content="Router is .7.1"),
        candidate(1, content="router is 7.1!"),
        candidate(2, content="Router is .9.1"),
    ]
    answer = pack(REQUEST, same, [1.0, 0.9, 0.8], lambda i: {}, cutoff=0.7)
    assert [hit.fact.content for hit in answer.hits] == ["Router is .7.1", "Router is .9.1"]
    assert len(answer.hits[0].fact.citations) == 2


def test_the_same_words_about_somebody_else_are_another_statement() -> None:
    """Facts with the same text but other heads stay apart, each with its own place; spellings of one name do not."""
    text = "Works with Sarah."
    told = [
        candidate(0, content=text, entities=("Tom", "Sarah")),
        candidate(1, content=text, entities=("Ann", "Sarah")),
        candidate(2, content=text, entities=("@tom", "Sarah")),
    ]
    answer = pack(REQUEST, told, [1.0, 0.9, 0.8], lambda i: {}, cutoff=0.7)
    assert [(hit.fact.entities[0], len(hit.fact.citations)) for hit in answer.hits] == [("Tom", 2), ("Ann", 1)]


def test_what_does_not_fit_the_budget_is_skipped() -> None:
    """A long hit never empties the answer: the next ones that fit go out."""
    long = candidate(0, content="word " * 100)
    assert packed([long, candidate(1, 0.9)], budget_tokens=10) == ["fact number 1"]


def test_a_lone_hit_beyond_the_budget_goes_out_as_an_excerpt() -> None:
    """Marked, within the budget; a budget of nothing is nothing."""
    long = candidate(0, content="alpha " * 50 + "beta " * 50)
    (text,) = packed([long], budget_tokens=10)
    assert text.endswith("…")
    assert count_tokens(text) <= 10
    assert packed([long], budget_tokens=0) == []


@given(st.text(min_size=1, max_size=300), st.integers(1, 40))
def test_excerpts_keep_to_their_budget(text: str, tokens: int) -> None:
    """Whatever the text, an excerpt costs no more than it may."""
    assert count_tokens(excerpt(text, tokens)) <= tokens
    assert excerpt(text, 1000) == text


def test_an_excerpt_shows_what_was_asked_for() -> None:
    """It begins near the first word of the question."""
    assert "needle" in excerpt("hay " * 200 + "needle " + "hay " * 200, 20, ["needle"])


@pytest.mark.parametrize("fact", [{"salience": 2}, {"salience": -0.1}, {"salience": "nan"}, {"access_count": -1}])
def test_a_score_is_computed_from_possible_values_only(fact: dict[str, object]) -> None:
    """What no fact may say is an error that names it, as everywhere."""
    with pytest.raises(ValueError, match=r"(salience|access_count) must be"):
        compute_retrieval_score(fact, [])


REVERSED = [candidate(i, base) for i, base in enumerate([1.0, 0.6, 0.4, 0.2, 0.1, 0.05])]


@pytest.mark.parametrize(
    ("scores", "kept"),
    [
        ([1.0 - c.base for c in REVERSED], [5, 4, 3]),
        ([-c.base for c in REVERSED], [5, 4, 3, 2, 1, 0]),
        ([1.0] * 6, [0, 1, 2, 3, 4, 5]),
        (score(REQUEST, REVERSED, Config()), [0]),
    ],
    ids=["reversed", "negative", "equal", "ours"],
)
def test_a_short_answer_goes_by_who_scored(scores: list[float], kept: list[int]) -> None:
    """A plugin's scores decide what is left out too; ours leave that to the match; negative ones leave nothing out."""
    strengths = strengths_of(REQUEST, REVERSED, scores, Config())
    answer = pack(REQUEST, REVERSED, scores, lambda i: {}, cutoff=0.7, strengths=strengths)
    assert [hit.fact.content for hit in answer.hits] == [f"fact number {i}" for i in kept]
