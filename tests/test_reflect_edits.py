"""Hands inside our blocks: what somebody made of a line of ours holds, stands once, and nothing of it is lost."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from openclaw_memory_hookspecs import Draft, Fact, Kind
from openclaw_memory_plugin import Memory

NOW = dt.datetime(2026, 3, 25, 12, tzinfo=dt.UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    with Memory.open(root) as memory:
        yield memory


def tell(memory: Memory, text: str, *entities: str, day: int = 1, kind: Kind = Kind.WORLD, **given: object) -> str:
    """Retain a fact on a day of March and return its id."""
    draft = attrs.evolve(Draft(text=text, kind=kind, entities=entities, day=dt.date(2026, 3, day)), **given)
    return memory.retain(draft, now=NOW).id


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
