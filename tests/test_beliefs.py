"""What is believed: the account of every opinion, evidence counted once, and what must never move anything."""

import datetime as dt
from pathlib import Path
from typing import Any

import attrs
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from openclaw_memory_hookspecs import Kind, Provenance

from openclaw_memory_plugin.reflect.account import LIMIT, Belief, Evidence, Verb, confidence_of, logit, settle
from openclaw_memory_plugin.reflect.beliefs import Piece, Revision, revise

SITUATIONS = yaml.safe_load((Path(__file__).parent / "situations" / "beliefs.yaml").read_text("utf-8"))
START = dt.date(2026, 1, 5)


def _piece(number: int, subject: str, text: str, **given: Any) -> Piece:
    day = START + dt.timedelta(days=number)
    return attrs.evolve(
        Piece(
            id=f"{abs(hash((subject, text))) % 16**12:012x}",
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
    wrong = [f"{case['kind']}: {case.get('opinion') or case['fact']} {case['then']}" for case in SITUATIONS if not _right(case)]
    assert len(SITUATIONS) >= 40
    assert len(wrong) <= len(SITUATIONS) // 10, "\n".join(wrong)


@pytest.mark.parametrize("case", [case for case in SITUATIONS if case.get("safety")], ids=lambda case: str(case["then"]))
def test_a_safety_statement_is_never_moved_by_what_was_not_marked(case: dict[str, Any]) -> None:
    """An allergy stays as it is and the pair is listed, whatever a newer note seems to say."""
    assert _right(case)
