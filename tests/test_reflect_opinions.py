"""`bank/opinions.md`: written, read back, edited by hand, settled; and what recall makes of it."""

import datetime as dt
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_hookspecs import Kind, Provenance, RecallRequest
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.errors import UsageError
from openclaw_memory_plugin.reflect.beliefs.account import Belief, Evidence, Verb
from openclaw_memory_plugin.reflect.beliefs.opinions import read_beliefs, render_beliefs
from openclaw_memory_plugin.reflect.pages.blocks import Block, find_block, render_block
from openclaw_memory_plugin.reflect.pages.citing import Cite
from reflecting import NOW, tell

TODAY = NOW.date()


def think(memory: Memory, text: str, who: str, confidence: float, day: int = 1) -> str:
    return tell(memory, text, who, day=day, kind=Kind.OPINION, confidence=confidence)


def page(memory: Memory) -> Path:
    return memory.workspace.root / "bank/opinions.md"


def known(memory: Memory, fact_id: str) -> float | None:
    """What recall gives as the confidence."""
    memory.sync(now=NOW)
    return memory.fact(fact_id).confidence


def test_a_belief_is_written_with_its_account(memory: Memory) -> None:
    """Statement, confidence, last_updated, and every supporting and contradicting fact as a link."""
    opinion = think(memory, "Finds voice notes annoying.", "Peter", 0.9)
    support = tell(memory, "Hates voice notes.", "Peter", day=3)
    against = tell(memory, "Sent ten of them.", "Peter", day=4, contradicts=(opinion,))
    memory.reflect(now=NOW)
    where = [f"[memory/2026-03-0{day}.md#L4](../memory/2026-03-0{day}.md#L4)" for day in (1, 3, 4)]
    assert page(memory).read_text("utf-8").split("\n")[3:8] == [
        f"- O(c=0.83) @Peter: Finds voice notes annoying. `{opinion}`",
        "  - last_updated: 2026-03-04",
        f"  - stated 0.90 on 2026-03-01: {where[0]}",
        f"  - contradicts -1.00 on 2026-03-04: {where[2]} `{against}` (marked)",
        f"  - supports +0.40 on 2026-03-03: {where[1]} `{support}` (the same attitude to the same thing)",
    ]


def test_marks_are_written_with_whole_ids(memory: Memory) -> None:
    """The beginning of an id is enough to say; what stands in the log needs no index to be understood."""
    opinion = think(memory, "Finds voice notes annoying.", "Peter", 0.9)
    tell(memory, "Hates voice notes.", "Peter", day=3, supports=(opinion[:5],))
    assert f"- W(supports={opinion}) @Peter: Hates" in (memory.workspace.root / "memory/2026-03-03.md").read_text()


def test_recall_answers_with_what_is_believed_and_cites_the_log(memory: Memory) -> None:
    """The page's confidence holds; the log stays the source; the log's text stays what was stated."""
    opinion = think(memory, "Finds voice notes annoying.", "Peter", 0.9)
    tell(memory, "Enjoys voice notes.", "Peter", day=3)
    memory.reflect(now=NOW)
    request = RecallRequest(query="voice notes annoying", now=NOW, cutoff=False)
    (fact,) = [hit.fact for hit in memory.recall(request).hits if hit.fact.id == opinion]
    assert (fact.confidence, str(fact.source)) == (0.83, "memory/2026-03-01.md#L4")
    assert (fact.timestamp, fact.last_seen) == (dt.date(2026, 3, 1), dt.date(2026, 3, 1))
    assert "O(c=0.9)" in (memory.workspace.root / "memory/2026-03-01.md").read_text("utf-8")


def test_a_confidence_written_by_hand_holds(memory: Memory) -> None:
    """It is read back, entered into the account, and later evidence starts from it."""
    opinion = think(memory, "Finds voice notes annoying.", "Peter", 0.9)
    memory.reflect(now=NOW)
    page(memory).write_text(page(memory).read_text("utf-8").replace("c=0.90", "c=0.30"), "utf-8")
    assert known(memory, opinion) == 0.3
    assert memory.reflect(now=NOW).moved_lines == ()
    assert "  - set 0.30 on 2026-03-25: (by hand)" in page(memory).read_text("utf-8")
    before = page(memory).read_bytes()
    assert (memory.reflect(now=NOW).written, page(memory).read_bytes()) == ((), before)
    tell(memory, "Hates voice notes.", "Peter", day=26)
    memory.reflect(now=NOW + dt.timedelta(days=2))
    assert known(memory, opinion) == 0.39


def test_an_evidence_line_may_be_turned_round_by_hand(memory: Memory) -> None:
    """`unsure` changed to `contradicts` settles the pair; other lines people add are kept below the block."""
    opinion = think(memory, "Wants written agendas.", "Peter", 0.8)
    tell(memory, "Maybe does not want written agendas.", "Peter", day=3)
    memory.reflect(now=NOW)
    text = page(memory).read_text("utf-8").replace("  - unsure on", "  - contradicts on")
    text = text.replace("- O(c=0.80)", "- Ask him again in May.\n- O(c=0.80)")
    page(memory).write_text(text, "utf-8")
    done = memory.reflect(now=NOW)
    assert done.moved_lines == (("bank/opinions.md", "- Ask him again in May."),)
    assert memory.opinions(opinion, now=NOW)[0].confidence == 0.6
    assert memory.reviews(now=NOW) == ()


def test_a_belief_whose_head_was_erased_does_not_lend_its_account_to_the_one_above(memory: Memory) -> None:
    """Lines that lost their head belong to nobody."""
    first = think(memory, "Finds jazz annoying.", "Ann", 0.8)
    second = think(memory, "Likes tea.", "Bo", 0.7)
    memory.reflect(now=NOW)
    lines = [line for line in page(memory).read_text("utf-8").split("\n") if second not in line]
    page(memory).write_text("\n".join(lines), "utf-8")
    assert len(memory.opinions(first, now=NOW)[0].evidence) == 1


def test_a_hand_written_opinion_is_shown_once_and_moved_in_the_block(memory: Memory) -> None:
    """What stands on the page by hand is not repeated until something moves it; the hand's line never changes."""
    page(memory).parent.mkdir()
    page(memory).write_text("# Opinions\n- O(c=0.70) @Marta: Enjoys planning days. (2026-03-01)\n", "utf-8")
    memory.reflect(now=NOW)
    assert "openclaw-memory" not in page(memory).read_text("utf-8")
    tell(memory, "Hates planning days.", "Marta", day=9)
    memory.reflect(now=NOW)
    text = page(memory).read_text("utf-8")
    assert text.startswith("# Opinions\n- O(c=0.70) @Marta: Enjoys planning days. (2026-03-01)\n")
    assert "- O(c=0.56) @Marta: Enjoys planning days. (2026-03-01) `" in text
    assert memory.reflect(now=NOW).written == ()


def test_a_small_edit_in_the_log_keeps_the_account(memory: Memory) -> None:
    """A corrected typo gives the statement another id; its evidence goes with it."""
    think(memory, "Finds vioce notes really annoying in the morning.", "Peter", 0.9)
    tell(memory, "Enjoys voice notes in the morning.", "Peter", day=3)
    memory.reflect(now=NOW)
    log = memory.workspace.root / "memory/2026-03-01.md"
    log.write_text(log.read_text("utf-8").replace("vioce", "voice"), "utf-8")
    memory.reflect(now=NOW)
    (belief,) = [one for one in memory.opinions(now=NOW) if "voice" in one.statement]
    assert belief.evidence[0].verb is Verb.STATED
    assert page(memory).read_text("utf-8").count("- O(c=") == 1


def test_untrusted_statements_are_no_beliefs(memory: Memory) -> None:
    """What came from the web is not believed."""
    tell(memory, "Loves casinos.", "Peter", kind=Kind.OPINION, provenance=Provenance.UNTRUSTED)
    memory.reflect(now=NOW)
    assert not page(memory).exists()


def test_a_private_opinion_is_believed_and_marked(memory: Memory) -> None:
    """It stands on the page as private, stays so without its log, and loses the mark with that of its fact."""
    opinion = tell(memory, "Fears dogs.", "Peter", kind=Kind.OPINION, private=True, confidence=0.8)
    memory.reflect(now=NOW)
    log, lines = memory.workspace.root / "memory/2026-03-01.md", [line for line in _lines(memory) if opinion in line]
    assert lines == [f"- O(c=0.80,private) @Peter: Fears dogs. `{opinion}`"]
    memory.reflect(now=NOW)
    assert [line for line in _lines(memory) if opinion in line] == lines
    text = log.read_text("utf-8")
    log.write_text(text.replace(",private", ""), "utf-8")
    memory.reflect(now=NOW)
    assert [line for line in _lines(memory) if opinion in line] == [lines[0].replace(",private", "")]
    log.write_text(text, "utf-8")
    memory.reflect(now=NOW)
    log.unlink()
    memory.reflect(now=NOW)
    assert [line for line in _lines(memory) if opinion in line] == lines
    page(memory).write_text(page(memory).read_text("utf-8").replace("c=0.80", "c=0.40"), "utf-8")
    memory.sync(now=NOW)
    assert memory.fact(opinion).private


def _lines(memory: Memory) -> list[str]:
    return page(memory).read_text("utf-8").split("\n")


def test_a_number_beside_the_block_is_set_by_hand(memory: Memory) -> None:
    """It counts once, until it is changed; what happens later moves it, and without it the account stays."""
    opinion = think(memory, "Wants written agendas.", "Peter", 0.8)
    memory.reflect(now=NOW)
    line = "\n- O(c=0.2) @Peter: Wants written agendas.\n"
    page(memory).write_text(page(memory).read_text("utf-8") + line, "utf-8")
    for _ in range(2):
        memory.reflect(now=NOW)
        assert known(memory, opinion) == 0.2
    assert page(memory).read_text("utf-8").count("  - set 0.20: (by hand, below the block)\n") == 1
    tell(memory, "Wants written agendas badly.", "Peter", day=3)
    memory.reflect(now=NOW)
    assert known(memory, opinion) == 0.27
    page(memory).write_text(page(memory).read_text("utf-8").replace("O(c=0.2)", "O(c=0.5)"), "utf-8")
    memory.reflect(now=NOW)
    assert known(memory, opinion) == 0.5
    page(memory).write_text(page(memory).read_text("utf-8").replace(line.replace("0.2", "0.5"), ""), "utf-8")
    memory.reflect(now=NOW)
    assert known(memory, opinion) == 0.5


def test_an_opinion_that_only_the_page_states_is_as_it_stands(memory: Memory) -> None:
    """Somebody writes it there, and later another number: it is believed so, and nothing is written beside it."""
    page(memory).parent.mkdir(parents=True)
    for number in (0.3, 0.9):
        page(memory).write_text(f"# Opinions\n\n- O(c={number}) @Peter: Likes dusk.\n", "utf-8")
        memory.reflect(now=NOW)
        memory.sync(now=NOW)
        assert [fact.confidence for fact in memory.facts()] == [number]


def test_private_evidence_counts(memory: Memory) -> None:
    """What is told in private moves a belief as anything the owner says does; the page shows no word of it."""
    opinion = think(memory, "Prefers written agendas.", "Peter", 0.8)
    tell(memory, "Told me he cannot bear them.", "Peter", day=3, private=True, contradicts=(opinion,))
    memory.reflect(now=NOW)
    assert known(memory, opinion) == 0.6
    assert "bear them" not in page(memory).read_text("utf-8")


def test_what_the_owner_says_of_himself_is_weighed(memory: Memory) -> None:
    """An opinion without a name is the owner's own: what he says of himself later speaks for or against it."""
    own = tell(memory, "I prefer written agendas.", kind=Kind.OPINION, confidence=0.7)
    tell(memory, "I hate written agendas.", kind=Kind.OPINION, confidence=0.7, day=3)
    tell(memory, "Hates written agendas.", "Ana", day=4)
    tell(memory, "I love written agendas.", day=5, provenance=Provenance.AGENT)
    memory.reflect(now=NOW)
    (belief,) = [one for one in memory.opinions(now=NOW) if one.id == own]
    assert [(entry.verb, entry.day.day) for entry in belief.evidence if entry.day] == [
        (Verb.STATED, 1),
        (Verb.CONTRADICTS, 3),
    ]


def test_a_pair_is_settled_and_undone(memory: Memory) -> None:
    """`settle_opinion` writes the decision into the page as one change; unknown ids change nothing."""
    opinion = think(memory, "Wants written agendas.", "Peter", 0.8)
    maybe = tell(memory, "Maybe does not want written agendas.", "Peter", day=3)
    memory.reflect(now=NOW)
    before = page(memory).read_bytes()
    with pytest.raises(UsageError, match="not one piece listed"):
        memory.settle_opinion(opinion, "ffffffffffff", Verb.SUPPORTS, now=NOW)
    with pytest.raises(UsageError, match="there is no opinion"):
        memory.settle_opinion("ffffffffffff", maybe, Verb.SUPPORTS, now=NOW)
    assert page(memory).read_bytes() == before
    assert memory.settle_opinion(opinion[:8], maybe[:8], Verb.CONTRADICTS, now=NOW).confidence == 0.6
    assert known(memory, opinion) == 0.6
    assert memory.reviews(now=NOW) == ()
    memory.undo(now=NOW)
    assert page(memory).read_bytes() == before


def test_a_safety_statement_is_listed_and_stays_in_core_memory(memory: Memory) -> None:
    """A vague newer note about an allergy is shown for review and kept out of core memory; the allergy is in it."""
    allergy = tell(memory, "Is allergic to peanuts and carries a pen.", "Andy")
    vague = tell(memory, "Seems fine with peanuts now.", "Andy", day=9, salience=0.9)
    memory.reflect(now=NOW)
    (pair,) = memory.reviews(now=NOW)
    assert (pair.review.belief, pair.review.source, pair.review.safety) == (allergy, vague, True)
    core = (memory.workspace.root / "MEMORY.md").read_text("utf-8")
    assert "allergic to peanuts" in core
    assert "fine with peanuts" not in core


words = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=40)
statements = words.map(lambda text: " ".join(text.split())).filter(
    lambda text: any(map(str.isalnum, text)) and "`" not in text and "\\" not in text and ":" not in text
)


@given(
    st.lists(
        st.tuples(statements, st.floats(0.05, 0.95).map(lambda c: round(c, 2)), st.sampled_from(list(Verb)[1:6])),
        max_size=4,
        unique_by=lambda one: one[0],
    )
)
def test_what_is_written_is_read_back(drawn: list[tuple[str, float, Verb]]) -> None:
    """`read(render(beliefs)) == beliefs`, whatever is in the statements."""
    beliefs = [
        Belief(
            id=f"{number:012x}",
            kind=Kind.OPINION,
            statement=statement,
            heads=("Peter", "Harbour-Lane"),
            evidence=(
                Evidence(
                    verb=Verb.STATED, source="2026-01-01", amount=confidence, day=dt.date(2026, 1, 1), where="a#L1"
                ),
                Evidence(verb=verb, source="abcdefabcdef", amount=0.0, day=dt.date(2026, 1, 2), where="b#L2", why="w")
                if verb in (Verb.UNSURE, Verb.UNRELATED)
                else Evidence(
                    verb=Verb.SUPPORTS,
                    source="abcdefabcdef",
                    amount=0.4,
                    day=dt.date(2026, 1, 2),
                    where="b#L2",
                    why="w",
                ),
            ),
        )
        for number, (statement, confidence, verb) in enumerate(drawn)
    ]
    text = render_block("opinions", render_beliefs(beliefs, Cite("bank"), lambda _: None))
    block = find_block(text, "opinions")
    assert isinstance(block, Block)
    assert read_beliefs(block, today=TODAY, renamed={}) == tuple(beliefs)


def test_a_new_index_believes_what_the_old_one_did(memory: Memory) -> None:
    """Rebuilt from Markdown and journal, every fact is the same, beliefs included."""
    think(memory, "Finds voice notes annoying.", "Peter", 0.9)
    tell(memory, "Enjoys voice notes.", "Peter", day=3)
    memory.reflect(now=NOW)
    memory.sync(now=NOW)
    kept = memory.facts()
    assert 0.83 in [fact.confidence for fact in kept]
    memory.rebuild()
    assert memory.facts() == kept


@pytest.mark.parametrize("added", [" I asked him", " (she said) and I asked him"])
def test_a_remark_behind_a_line_of_the_account_is_kept(memory: Memory, added: str) -> None:
    """The line counts as what it says, and words that say nothing to us move below the block."""
    think(memory, "Finds voice notes annoying.", "Peter", 0.9)
    memory.reflect(now=NOW)
    page(memory).write_text(page(memory).read_text("utf-8").replace("md#L4)\n", f"md#L4){added}\n", 1), "utf-8")
    done = memory.reflect(now=NOW)
    assert len(done.moved_lines) == 1
    assert added in page(memory).read_text("utf-8").partition("<!-- openclaw-memory:end")[2]
    assert memory.reflect(now=NOW).written == ()
