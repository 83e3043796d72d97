"""What is believed: the account of every opinion, evidence counted once, and what must never move anything."""

import datetime as dt
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_hookspecs import Kind, Provenance
from openclaw_memory_plugin.reflect.beliefs import Piece, Revision, revise
from openclaw_memory_plugin.reflect.beliefs.account import LIMIT, Belief, Evidence, Verb, confidence_of, logit, settle

SITUATIONS = yaml.safe_load((Path(__file__).parent / "situations" / "beliefs.yaml").read_text("utf-8"))
START = dt.date(2026, 1, 5)


def _piece(number: int, subject: str, text: str, **given: Any) -> Piece:
    day = START + dt.timedelta(days=number)
    return attrs.evolve(
        Piece(
            id=hashlib.sha256(f"{subject}: {text}".encode()).hexdigest()[:12],
            kind=Kind.WORLD,
            content=text,
            subjects=(subject,),
            day=day,
            where=f"memory/{day}.md#L3",
        ),
        **given,
    )


def _play(case: dict[str, Any], repeats: bool = True) -> tuple[Revision, Piece]:
    subject, text, *confidence = case.get("opinion") or case["fact"]
    kind = Kind.OPINION if confidence else Kind.WORLD
    first = _piece(0, subject, text, kind=kind, confidence=confidence[0] if confidence else None)
    stated, pieces, number = [first] if confidence else [], [], 0
    for later in case["then"]:
        for _ in range(later.get("same", 1) if repeats else 1):
            number += 1
            marks = {later["mark"]: (first.id,)} if "mark" in later else {}
            by = Provenance(later.get("by", "owner"))
            piece = _piece(number, later.get("of", subject), later["text"], provenance=by, **marks)
            if piece.content == text:
                stated.append(attrs.evolve(piece, id=first.id, kind=kind))
            elif piece.id not in {known.id for known in pieces}:
                pieces.append(piece)
    safety = [] if confidence else [first]
    return revise((), stated, pieces, safety=safety), first


def _right(case: dict[str, Any]) -> bool:
    revision, first = _play(case)
    if case.get("review") and not any(review.belief == first.id for review in revision.reviews):
        return False
    if "fact" in case:
        return first.id not in revision.corrected
    (belief,) = [belief for belief in revision.beliefs if belief.id == first.id]
    now, before = belief.confidence, case["opinion"][2]
    if case.get("as_once") and now != _play(case, repeats=False)[0].beliefs[0].confidence:
        return False
    if now > case.get("at_most", 1):
        return False
    return {"up": now > before, "down": now < before, "same": now == before}[case["expect"]]


def test_at_least_nine_in_ten_of_the_labelled_situations_come_out_right() -> None:
    """Support, contradiction, repetition, quotation, negation, vagueness, correction: judged as a person would."""
    wrong = [
        f"{case['kind']}: {case.get('opinion') or case['fact']} {case['then']}"
        for case in SITUATIONS
        if not _right(case)
    ]
    assert len(SITUATIONS) >= 40
    assert len(wrong) <= len(SITUATIONS) // 10, "\n".join(wrong)


@pytest.mark.parametrize(
    "case", [case for case in SITUATIONS if case.get("safety")], ids=lambda case: str(case["then"])
)
def test_a_safety_statement_is_never_moved_by_what_was_not_marked(case: dict[str, Any]) -> None:
    """An allergy stays as it is and the pair is listed, whatever a newer note seems to say."""
    assert _right(case)


@pytest.mark.parametrize(
    "case",
    [
        case
        for case in SITUATIONS
        if case["kind"] in ("third", "past", "narrower", "hearsay") and case["expect"] == "same"
    ],
    ids=lambda case: case["then"][0]["text"],
)
def test_what_others_think_or_was_thought_once_moves_nothing(case: dict[str, Any]) -> None:
    """A relative's view, one of long ago, one of a part of it, and a myth are not the subject's own of today."""
    assert _right(case)


def test_the_same_facts_weighed_again_change_nothing() -> None:
    """Each source counts once ever: revising what was revised gives the same beliefs and no moves."""
    for case in SITUATIONS:
        subject, text, *confidence = case.get("opinion") or case["fact"]
        kind = Kind.OPINION if confidence else Kind.WORLD
        first = _piece(0, subject, text, kind=kind, confidence=confidence[0] if confidence else None)
        stated, safety = ([first], []) if confidence else ([], [first])
        pieces = [_piece(n, subject, later["text"]) for n, later in enumerate(case["then"], 1)]
        once = revise((), stated, pieces, safety=safety)
        twice = revise(once.beliefs, stated, pieces, safety=safety)
        assert (twice.beliefs, twice.moves) == (once.beliefs, ())


entries = st.lists(
    st.builds(
        Evidence,
        verb=st.sampled_from([Verb.SUPPORTS, Verb.CONTRADICTS, Verb.RESTATED, Verb.UNSURE, Verb.UNRELATED, Verb.SET]),
        source=st.uuids().map(str),
        amount=st.floats(0, 1),
    ),
    max_size=30,
)


def test_what_was_stated_holds_until_something_moves_it() -> None:
    """Certainty is the owner's to state; one piece of evidence, and it is an ordinary number again."""
    first = _piece(0, "Peter", "Likes green tea.", kind=Kind.OPINION, confidence=1.0)
    assert revise((), [first], []).beliefs[0].confidence == 1.0
    assert revise((), [first], [_piece(1, "Peter", "Hates green tea.")]).beliefs[0].confidence == 0.97


@given(entries)
def test_evidence_makes_nothing_certain(account: list[Evidence]) -> None:
    """Whatever the account says, the confidence stays within the limits of the log-odds."""
    assert -LIMIT - 1e-9 <= logit(confidence_of(account)) <= LIMIT + 1e-9


def test_one_contradiction_is_a_small_step_and_a_strong_repeated_one_a_large_one() -> None:
    """The first costs a little whatever it says; a second, strong one from another source costs much."""
    first = _piece(0, "Sarah", "Hates jazz.", kind=Kind.OPINION, confidence=0.95)
    one = _piece(1, "Sarah", "Correction: Sarah loves jazz.")
    two = _piece(2, "Sarah", "Definitely loves jazz, never hated it.")
    once = revise((), [first], [one]).beliefs[0].confidence
    again = revise((), [first], [one, two]).beliefs[0].confidence
    assert 0.85 < once < 0.95
    assert again < 0.7


def test_what_the_agent_concluded_counts_half() -> None:
    """A statement `by=agent` moves a belief half as far as the owner's."""
    first = _piece(0, "Peter", "Likes green tea.", kind=Kind.OPINION, confidence=0.5)
    steps = [
        revise((), [first], [_piece(1, "Peter", "Loves green tea.", provenance=by)]).beliefs[0].evidence[-1].amount
        for by in (Provenance.OWNER, Provenance.AGENT)
    ]
    assert steps == [0.4, 0.2]


def test_an_explicit_mark_wins_over_what_the_words_suggest() -> None:
    """`contradicts` counts as such though the words would have supported."""
    first = _piece(0, "Peter", "Likes green tea.", kind=Kind.OPINION, confidence=0.8)
    marked = _piece(1, "Peter", "Loves green tea.", contradicts=(first.id,))
    (belief,) = revise((), [first], [marked]).beliefs
    assert [entry.verb for entry in belief.evidence] == [Verb.STATED, Verb.CONTRADICTS]


def test_what_is_older_than_an_opinion_is_no_evidence_about_it() -> None:
    """A statement counts for what was said before it, never for what came later."""
    old = _piece(0, "Peter", "Hates green tea.")
    opinion = _piece(5, "Peter", "Likes green tea.", kind=Kind.OPINION, confidence=0.8)
    assert revise((), [opinion], [old]).beliefs[0].confidence == 0.8


def test_stated_anew_with_another_confidence_the_belief_starts_there() -> None:
    """The owner's own number replaces what evidence had made of the earlier one."""
    first = _piece(0, "Peter", "Likes green tea.", kind=Kind.OPINION, confidence=0.9)
    anew = attrs.evolve(first, day=START + dt.timedelta(days=9), where="memory/2026-01-14.md#L3", confidence=0.3)
    against = _piece(3, "Peter", "Hates green tea.")
    known = revise((), [first], [against]).beliefs
    assert revise(known, [first, anew], []).beliefs[0].confidence == 0.3


def test_settling_a_pair_counts_it_as_marked_and_takes_it_off_the_list() -> None:
    """`supports` and `contradicts` move, `unrelated` does not; none is asked about again."""
    first = _piece(0, "Peter", "Wants written agendas.", kind=Kind.OPINION, confidence=0.8)
    maybe = _piece(1, "Peter", "Maybe does not want written agendas.")
    revision = revise((), [first], [maybe])
    assert [(review.belief, review.source) for review in revision.reviews] == [(first.id, maybe.id)]
    moved = {}
    for verb in (Verb.SUPPORTS, Verb.CONTRADICTS, Verb.UNRELATED):
        settled = settle(revision.beliefs[0], maybe.id, verb, day=START)
        moved[verb] = settled.confidence
        again = revise([settled], [first], [maybe])
        assert (again.reviews, again.moves) == ((), ())
    assert moved[Verb.CONTRADICTS] < moved[Verb.UNRELATED] == 0.8 < moved[Verb.SUPPORTS]
    with pytest.raises(ValueError, match="not listed"):
        settle(revision.beliefs[0], "nobody", Verb.SUPPORTS, day=START)


def test_an_explicit_statement_answers_what_waited_for_review() -> None:
    """When the agent retains a fact with a mark, the pairs listed until then are settled by it."""
    first = _piece(0, "Peter", "Wants written agendas.", kind=Kind.OPINION, confidence=0.8)
    maybe = _piece(1, "Peter", "Maybe does not want written agendas.")
    answer = _piece(2, "Peter", "Asked again, he does want them.", supports=(first.id,))
    revision = revise(revise((), [first], [maybe]).beliefs, [first], [maybe, answer])
    assert revision.reviews == ()
    assert revision.beliefs[0].confidence > 0.8


def test_the_owner_corrects_a_safety_statement_explicitly_and_nobody_else_does() -> None:
    """The owner's mark corrects the fact; the agent's is listed for review."""
    fact = _piece(0, "Ines", "Is allergic to walnuts.")
    for by, corrected in ((Provenance.OWNER, True), (Provenance.AGENT, False), (Provenance.UNTRUSTED, False)):
        newer = _piece(1, "Ines", "Was tested, walnuts are safe.", contradicts=(fact.id,), provenance=by)
        revision = revise((), [], [newer], safety=[fact])
        assert (fact.id in revision.corrected) == corrected
        assert bool(revision.reviews) == (by is Provenance.AGENT)


@pytest.mark.parametrize("hostile", ["prefer ", '"', "not tea, ", "茶"])
def test_a_page_of_text_is_weighed_in_no_time(
    hostile: str, growth: Callable[[Callable[[int], object], int], float]
) -> None:
    """Length costs next to nothing: only the beginning of a statement is read."""
    first = _piece(0, "Peter", "Prefers tea to coffee.", kind=Kind.OPINION, confidence=0.8)

    def weigh(size: int) -> None:
        revise((), [first], [_piece(1, "Peter", hostile * (size // len(hostile)))])

    assert growth(weigh, 200_000) < 8


def test_the_account_explains_the_number() -> None:
    """Every step that led to a confidence is in the account, with where it comes from."""
    first = _piece(0, "Peter", "Likes green tea.", kind=Kind.OPINION, confidence=0.7)
    belief: Belief = revise((), [first], [_piece(1, "Peter", "Loves green tea.")]).beliefs[0]
    assert [(entry.verb, entry.where) for entry in belief.evidence] == [
        (Verb.STATED, "memory/2026-01-05.md#L3"),
        (Verb.SUPPORTS, "memory/2026-01-06.md#L3"),
    ]
    assert belief.updated == dt.date(2026, 1, 6)


@pytest.mark.parametrize(
    ("older", "newer", "listed"),
    [
        ("Likes the Ghibli films, above all Totoro.", "Lena mag die Ghibli-Filme nicht mehr.", True),
        ("Mag die Ghibli-Filme sehr.", "No le gustan las películas de Ghibli.", True),
        ("Prefers Kubernetes for everything.", "Elle déteste Kubernetes et ses outils.", True),
        ("Likes the Ghibli films, above all Totoro.", "Lena liebt die Ghibli-Filme.", False),
        ("Likes the Ghibli films, above all Totoro.", "Lena mag keinen Rosenkohl.", False),
        ("Likes to work for Lena in Berlin.", "Lena mag keinen Rosenkohl.", False),
    ],
)
def test_the_opposite_in_another_language_is_listed_and_moves_nothing(older: str, newer: str, listed: bool) -> None:
    """What is called the same in both languages may be the same matter: a person settles it."""
    first = _piece(0, "Lena", older, kind=Kind.OPINION, confidence=0.7)
    later = _piece(1, "Lena", newer)
    revision = revise((), [first], [later])
    assert [review.source for review in revision.reviews] == ([later.id] if listed else [])
    assert [belief.confidence for belief in revision.beliefs] == [0.7]
