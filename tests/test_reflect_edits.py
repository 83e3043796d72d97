"""Hands inside our blocks: what somebody made of a line of ours holds, stands once, and nothing of it is lost."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory_hookspecs import Fact, Kind
from openclaw_memory_plugin import Memory
from reflecting import NOW, tell

PAGES = ("bank/entities/Ana.md", "bank/world.md", "bank/experience.md", "bank/opinions.md", "MEMORY.md")


def edit(memory: Memory, path: str, old: str, new: str) -> None:
    page = memory.workspace.root / path
    text = page.read_bytes().decode()
    assert old in text
    page.write_bytes(text.replace(old, new, 1).encode())


def read(memory: Memory, path: str) -> str:
    return (memory.workspace.root / path).read_bytes().decode()


def fact(memory: Memory, content: str) -> Fact:
    (found,) = [fact for fact in memory.facts() if fact.content == content]
    return found


def settled(memory: Memory) -> bool:
    """Whether another reflection, also from a new index, has nothing to write."""
    first = memory.reflect(now=NOW).written
    memory.rebuild()
    return first == memory.reflect(now=NOW).written == ()


@pytest.mark.parametrize("path", ["bank/entities/Sarah.md", "bank/world.md", "MEMORY.md"])
def test_a_line_of_ours_that_somebody_corrects_is_corrected_everywhere(memory: Memory, path: str) -> None:
    """The new words stand below the block, once, as a fact against the old one, which is out of date on every page."""
    old = tell(memory, "Sings in the church choir.", "Sarah", salience=0.7)
    tell(memory, "Lives in Graz.", "Sarah")
    memory.reflect(now=NOW)
    edit(memory, path, "Sings in the church choir.", "Sings in the opera choir.")
    done = memory.reflect(now=NOW)
    assert [where for where, _ in done.moved_lines] == [path]
    bullet = f"- W(s=0.7,contradicts={old}) @Sarah: Sings in the opera choir.\n"
    assert read(memory, path).partition("<!-- openclaw-memory:end")[2].count(bullet) == 1
    assert len([one for one in memory.facts() if "choir" in one.content]) == 2
    assert fact(memory, "Sings in the opera choir.").salience == 0.7
    for page in ("bank/world.md", "MEMORY.md"):
        assert "church choir" not in read(memory, page)
        assert read(memory, page).count("opera choir") == 1
    assert "**No longer so**\n- Sings in the church choir." in read(memory, "bank/entities/Sarah.md")
    assert settled(memory)


def test_an_opinion_that_somebody_corrects_loses_to_the_correction(memory: Memory) -> None:
    """On an entity's page, too: the old one is contradicted, the new one is believed as it was written."""
    old = tell(memory, "Prefers tea.", "Ana", kind=Kind.OPINION, confidence=0.8)
    tell(memory, "Sings.", "Ana")
    memory.reflect(now=NOW)
    edit(memory, "bank/entities/Ana.md", "(c=0.80) Prefers tea.", "(c=0.9) Prefers coffee.")
    memory.reflect(now=NOW)
    believed = {belief.statement: belief.confidence for belief in memory.opinions(now=NOW)}
    assert believed["Prefers coffee."] == 0.9
    assert believed["Prefers tea."] < 0.8
    assert f"- O(c=0.9,contradicts={old}) @Ana: Prefers coffee.\n" in read(memory, "bank/entities/Ana.md")
    assert settled(memory)


@pytest.mark.parametrize(
    ("old", "new", "below"),
    [
        ("- Sings.", "- Sings. Loudly", "- W(contradicts={id}) @Ana: Sings. Loudly\n"),
        ("`{id}`", "`{id}` no longer?", "- W(contradicts={id}) @Ana: Sings. no longer?\n"),
        ("- Sings.", "- sings.", "- W @Ana: sings.\n"),
        ("#L4)", "#L40)", ""),
        ("- Sings.", "- **Ana, Bo**: Sing.", "- W(contradicts={id}) @Ana @Bo: Sing.\n"),
        (
            "- Sings.",
            "- Sings [[Carmen]] and **well**.",
            "- W(contradicts={id}) @Ana: Sings [[Carmen]] and **well**.\n",
        ),
        ("`{id}`", "`{id}` and\n  - paints", "- W(contradicts={id}) @Ana: Sings. and\n  - paints\n"),
    ],
    ids=["longer", "behind the id", "another case", "only the citation", "other heads", "markup", "with a detail"],
)
def test_what_an_edit_says_is_kept_and_nothing_else(memory: Memory, old: str, new: str, below: str) -> None:
    """Words and markup are kept as typed; a line in which only our citation was touched leaves nothing behind."""
    fact_id = tell(memory, "Sings.", "Ana")
    tell(memory, "Dances.", "Ana")
    memory.reflect(now=NOW)
    edit(memory, "bank/entities/Ana.md", old.format(id=fact_id), new.format(id=fact_id))
    memory.reflect(now=NOW)
    said = read(memory, "bank/entities/Ana.md").partition("end entity -->\n")[2]
    assert said.startswith("\n" + below.format(id=fact_id) if below else "")
    assert bool(said) == bool(below)
    assert settled(memory)


def test_a_copy_of_our_line_is_a_statement_of_its_own(memory: Memory) -> None:
    """A line that was copied and changed contradicts nothing: the original still stands."""
    tell(memory, "Sings.", "Ana")
    tell(memory, "Dances.", "Ana")
    memory.reflect(now=NOW)
    (line,) = [line for line in read(memory, "bank/entities/Ana.md").split("\n") if line.startswith("- Sings.")]
    edit(memory, "bank/entities/Ana.md", line, f"{line}\n{line.replace('Sings', 'Whistles')}")
    memory.reflect(now=NOW)
    text = read(memory, "bank/entities/Ana.md")
    assert text.endswith("end entity -->\n\n- W @Ana: Whistles.\n")
    assert "No longer so" not in text
    assert settled(memory)


def test_the_edit_of_a_pinned_line_stays_pinned(memory: Memory) -> None:
    """In core memory the corrected line keeps the place that the owner gave it."""
    old = tell(memory, "The door code is with Bo.", "home", pinned=True)
    memory.reflect(now=NOW)
    edit(memory, "MEMORY.md", "is with Bo", "is with Cem")
    memory.reflect(now=NOW)
    assert read(memory, "MEMORY.md").endswith(f"- W(pin,contradicts={old}) @home: The door code is with Cem.\n")
    assert read(memory, "MEMORY.md").count("door code") == 1


def test_crlf_pages_keep_their_line_breaks(memory: Memory) -> None:
    """A corrected line below the block ends like every other line of the page, a BOM stays first."""
    page = memory.workspace.root / "bank/entities/Ana.md"
    page.parent.mkdir(parents=True)
    page.write_bytes(b"\xef\xbb\xbf# Ana\r\n\r\nMine.\r\n")
    tell(memory, "Sings.", "Ana")
    memory.reflect(now=NOW)
    edit(memory, "bank/entities/Ana.md", "- Sings.", "- Sings alto.")
    memory.reflect(now=NOW)
    data = page.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf# Ana\r\n\r\nMine.\r\n")
    assert data.endswith(b"@Ana: Sings alto.\r\n")
    assert data.count(b"\n") == data.count(b"\r\n")
    assert settled(memory)


def opinion_page(memory: Memory) -> tuple[str, str]:
    """An opinion with evidence on its page: its id, and the id of what supports it."""
    opinion = tell(memory, "Finds voice notes annoying.", "Peter", kind=Kind.OPINION, confidence=0.9)
    support = tell(memory, "Hates voice notes.", "Peter", day=3)
    tell(memory, "Prefers trains.", "Ana", kind=Kind.OPINION, confidence=0.6)
    memory.reflect(now=NOW)
    return opinion, support


@pytest.mark.parametrize(
    ("written", "confidence"),
    [
        ("O(c=0.2x)", 0.93),
        ("O(c=high)", 0.93),
        ("O(c=1.7)", 0.93),
        ("O(c=)", 0.93),
        ("O(c=nan,s=0.3)", 0.93),
        ("O(c=0.2", 0.2),
        ("O(c=0.3,s=much)", 0.3),
        ("Opinion 0.2", 0.93),
    ],
)
def test_what_cannot_be_read_of_a_belief_stays_as_written_and_is_told(
    memory: Memory, written: str, confidence: float
) -> None:
    """The hand's line keeps its place and the account its evidence; `doctor` names it; corrected, it is taken."""
    opinion, support = opinion_page(memory)
    edit(memory, "bank/opinions.md", "O(c=0.93)", written)
    line = f"- {written} @Peter: Finds voice notes annoying. `{opinion}`"
    number = read(memory, "bank/opinions.md").split("\n").index(line) + 1
    told = [one.line for one in memory.doctor(now=NOW) if one.path == "bank/opinions.md" and "kept" in one.remedy]
    assert told == [number]
    for _ in range(2):
        assert memory.reflect(now=NOW).moved_lines == ()
    assert f"{line}\n" in read(memory, "bank/opinions.md")
    (belief,) = memory.opinions(opinion, now=NOW)
    assert (belief.confidence, belief.heads) == (confidence, ("Peter",))
    assert support in belief.sources()
    edit(memory, "bank/opinions.md", written, "O(c=0.4)")
    memory.reflect(now=NOW)
    assert memory.opinions(opinion, now=NOW)[0].confidence == 0.4
    assert f"- O(c=0.40) @Peter: Finds voice notes annoying. `{opinion}`\n" in read(memory, "bank/opinions.md")
    assert settled(memory)


def test_what_is_written_beside_a_confidence_stays(memory: Memory) -> None:
    """Salience, a pin and attributes of other programs are not ours to drop."""
    opinion, _ = opinion_page(memory)
    edit(memory, "bank/opinions.md", "O(c=0.93)", "O(c=0.93,s=0.9,pin,mood=sour)")
    tell(memory, "Enjoys voice notes.", "Peter", day=20)
    memory.reflect(now=NOW)
    assert f"- O(c=0.88,s=0.9,pin,mood=sour) @Peter: Finds voice notes annoying. `{opinion}`\n" in read(
        memory, "bank/opinions.md"
    )
    assert settled(memory)


@pytest.mark.parametrize(
    ("old", "new"),
    [("stated 0.90", "stated 1.90"), ("stated 0.90", "stated"), ("supports +0.40", "supports +0.4.0")],
)
def test_an_amount_that_cannot_be_read_is_no_evidence(memory: Memory, old: str, new: str) -> None:
    """The line is kept below the block, and what the logs say is entered again."""
    opinion, _ = opinion_page(memory)
    edit(memory, "bank/opinions.md", old, new)
    done = memory.reflect(now=NOW)
    assert [line.partition(" on ")[0].strip() for _, line in done.moved_lines] == [f"- {new}"]
    (belief,) = memory.opinions(opinion, now=NOW)
    assert 0.8 < belief.confidence < 0.95
    assert settled(memory)


def test_a_remark_with_an_id_is_no_belief(memory: Memory) -> None:
    """Between a belief and its account, or within it, the account stays whole and the remark goes below."""
    opinion, support = opinion_page(memory)
    for anchor in ("  - last_updated: 2026-03-03\n", f"`{support}` (the"):
        text = read(memory, "bank/opinions.md")
        line = next(line for line in text.split("\n") if anchor.strip() in line)
        edit(memory, "bank/opinions.md", line, f"- Ask him about `{support}`\n{line}")
        done = memory.reflect(now=NOW)
        assert [line for _, line in done.moved_lines] == [f"- Ask him about `{support}`"]
        (belief,) = memory.opinions(opinion, now=NOW)
        assert (belief.confidence, len(belief.evidence)) == (0.93, 2)


@pytest.mark.parametrize(
    "text",
    [
        "- opinion: Peter prefers trains\n  - confidence: quite high\n",
        "|Opinion|Confidence|\n|-|-|\n|Tea is best|85 %|\n",
    ],
)
def test_a_confidence_beside_an_opinion_that_cannot_be_read_is_told(memory: Memory, text: str) -> None:
    """Opinions that are written by field names stay notes, and `doctor` says which line to correct."""
    page = memory.workspace.root / "bank/opinions.md"
    page.parent.mkdir()
    page.write_text(f"# Opinions\n\n{text}")
    found = [one for one in memory.doctor(now=NOW) if one.path == "bank/opinions.md"]
    assert [one.line for one in found] == [3 if text.startswith("-") else 5]
    assert "is not a number in [0, 1]" in found[0].message
    assert len(memory.facts()) == 1


def test_core_memory_does_not_repeat_what_a_hand_put_right(memory: Memory) -> None:
    """A note that names nobody can be corrected, too: the hand's line stays, ours goes, until the hand's is deleted."""
    log = memory.workspace.root / "memory/2026-03-01.md"
    log.write_text("# 2026-03-01\n\n- One of us is allergic to peanuts, very badly.\n- Another is allergic to cats.\n")
    memory.reflect(now=NOW)
    edit(memory, "MEMORY.md", "peanuts", "walnuts")
    memory.reflect(now=NOW)
    text = read(memory, "MEMORY.md")
    assert (text.count("walnuts"), text.count("peanuts"), text.count("cats")) == (1, 0, 1)
    assert settled(memory)
    (line,) = [line for line in text.split("\n") if "walnuts" in line]
    edit(memory, "MEMORY.md", line, "")
    memory.reflect(now=NOW)
    assert "peanuts" in read(memory, "MEMORY.md")


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(PAGES), st.integers(0, 30), st.floats(0, 1), st.booleans())
def test_a_word_typed_anywhere_into_a_line_of_ours_is_kept_once(
    path: str, number: int, place: float, breaks: bool
) -> None:
    """In the statement, a name, the citation, the id or the account: it stands on that page, and all settles."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "memory").mkdir()
        with Memory.open(folder) as memory:
            tell(memory, "Sings in the choir.", "Ana", "Bo")
            tell(memory, "Went to Graz.", "Ana", kind=Kind.EXPERIENCE)
            tell(memory, "Prefers tea.", "Ana", kind=Kind.OPINION, confidence=0.8)
            tell(memory, "Loves tea.", "Ana", day=6)
            memory.reflect(now=NOW)
            facts = {fact.content for fact in memory.facts()}
            lines = read(memory, path).split("\n")
            ours = [line for line in lines if line.lstrip().startswith("- ")]
            line = ours[number % len(ours)]
            start = len(line) - len(line.lstrip()) + 2
            at = start + round(place * (len(line) - start))
            edit(memory, path, line, f"{line[:at]} zanzibar{chr(10) if breaks else ' '}{line[at:]}")
            memory.reflect(now=NOW)
            assert read(memory, path).count("zanzibar") == 1
            assert facts <= {fact.content for fact in memory.facts()}
            assert settled(memory)


def test_a_head_that_was_copied_takes_no_evidence_with_it(memory: Memory) -> None:
    """Two heads with one id are one belief, with the account that stands below either."""
    opinion, support = opinion_page(memory)
    before = read(memory, "bank/opinions.md")
    (line,) = [line for line in before.split("\n") if line.startswith("- O") and line.endswith(f"`{opinion}`")]
    edit(memory, "bank/opinions.md", line, f"{line}\n{line}")
    memory.reflect(now=NOW)
    assert read(memory, "bank/opinions.md") == before
    assert support in memory.opinions(opinion, now=NOW)[0].sources()
