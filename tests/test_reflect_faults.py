"""Reflection on a wrong clock, on what cannot be written, on text that is hostile: nothing is lost or promised."""

import datetime as dt
import shutil
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from openclaw_memory_hookspecs import Draft, Kind
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.errors import WorkspaceError
from openclaw_memory_plugin.reflect import history

NOW = dt.datetime(2026, 3, 25, 12, tzinfo=dt.UTC)
LONG_AGO = dt.datetime(2003, 1, 1, tzinfo=dt.UTC)
FAR_AHEAD = dt.datetime(2093, 1, 1, tzinfo=dt.UTC)


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


def pages(memory: Memory) -> dict[str, str]:
    """All pages that a reflection keeps."""
    root = memory.workspace.root
    found = [*root.glob("bank/**/*.md"), *root.glob("MEMORY.md")]
    return {str(path.relative_to(root)): path.read_text("utf-8") for path in found}


@pytest.mark.parametrize("fresh", [False, True], ids=["remembering", "without .memory"])
def test_a_clock_that_is_late_takes_nothing_away(memory: Memory, fresh: bool) -> None:
    """Reflecting as of long ago, twice, leaves core memory and pages as they are; so does the clock put right."""
    for day in range(1, 13):
        tell(memory, f"Number {day} is open." if day % 2 else f"Prefers walk {day}.", "Ana", day=day)
    tell(memory, "The fair begins.", "Ana", day=30)
    memory.reflect(now=NOW)
    before = pages(memory)
    assert "Prefers walk 12." in before["MEMORY.md"]
    assert "The fair begins." not in before["MEMORY.md"]
    if fresh:
        memory.close()
        shutil.rmtree(memory.workspace.root / ".memory")
    with Memory.open(memory.workspace.root) as again:
        for now in (LONG_AGO, LONG_AGO, NOW):
            again.reflect(now=now)
            assert pages(again) == before


def test_a_clock_that_was_ahead_does_no_lasting_harm(memory: Memory) -> None:
    """What was out of date far ahead is back in core memory with the clock put right."""
    tell(memory, "Is in Rome (20 March - 2 April 2026).", "Ana")
    tell(memory, "Sings.", "Ana")
    memory.reflect(now=NOW)
    before = pages(memory)
    memory.reflect(now=FAR_AHEAD)
    assert "Rome" not in pages(memory)["MEMORY.md"]
    memory.reflect(now=NOW)
    assert pages(memory) == before


def test_a_hand_on_a_late_clock_is_the_last_word(memory: Memory) -> None:
    """A confidence written into the block while the clock is late stands after what was stated before it."""
    tell(memory, "Prefers tea.", "Ana", kind=Kind.OPINION, confidence=0.9, day=10)
    memory.reflect(now=NOW)
    page = memory.workspace.root / "bank/opinions.md"
    page.write_text(page.read_text().replace("O(c=0.90)", "O(c=0.20)"))
    memory.reflect(now=LONG_AGO)
    memory.reflect(now=NOW)
    (belief,) = memory.opinions(now=NOW)
    assert (belief.confidence, belief.updated) == (0.2, dt.date(2026, 3, 10))


def test_a_dry_run_tells_what_cannot_be_written(memory: Memory) -> None:
    """Read-only pages are named, like what a real reflection then says; writable again, both agree."""
    tell(memory, "Sings.", "Ana")
    tell(memory, "Dances.", "Ana")
    memory.reflect(now=NOW)
    tell(memory, "Paints.", "Ana", day=2)
    page = memory.workspace.root / "bank/entities/Ana.md"
    page.chmod(0o444)
    dry = memory.reflect(dry_run=True, now=NOW)
    assert [(one.path, one.defect.message) for one in dry.problems] == [
        ("bank/entities/Ana.md", "the file is read-only, so nothing would be changed")
    ]
    with pytest.raises(WorkspaceError, match=r"Ana\.md: the file is read-only; nothing was changed"):
        memory.reflect(now=NOW)
    page.chmod(0o644)
    dry = memory.reflect(dry_run=True, now=NOW)
    assert (dry.problems, dry.written) == ((), memory.reflect(now=NOW).written)


def test_every_preview_tells_what_cannot_be_written(memory: Memory) -> None:
    """Core memory, undo and forget look at the files that they speak of, too."""
    fact = tell(memory, "Sings.", "Ana")
    memory.reflect(now=NOW)
    tell(memory, "Dances.", "Ana", day=2)
    core, log = (memory.workspace.root / path for path in ("MEMORY.md", "memory/2026-03-02.md"))
    core.chmod(0o444)
    view = memory.core(now=NOW)
    assert view.problem is not None
    assert view.problem.defect.message == "the file is read-only"
    assert "MEMORY.md: the file is read-only, so nothing would be forgotten" in str(
        memory.forget(fact, dry_run=True, now=NOW).warnings
    )
    log.chmod(0o444)
    with pytest.raises(WorkspaceError, match="read-only"):
        memory.upkeep.preview_undo()


def test_a_file_where_a_folder_should_be_is_told_before_and_after(memory: Memory) -> None:
    """Where `bank` is a file the dry run names the same pages as the reflection, which writes what it can."""
    tell(memory, "Sings.", "Ana")
    (memory.workspace.root / "bank").write_text("not a folder\n")
    dry = memory.reflect(dry_run=True, now=NOW)
    assert {one.path for one in dry.problems} == {"bank/experience.md", "bank/opinions.md", "bank/world.md"}
    done = memory.reflect(now=NOW)
    assert (done.problems, done.written) == (dry.problems, ("MEMORY.md",))


def test_a_folder_that_is_not_ours_to_write_is_told(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder without permission is named in the dry run, and the reflection changes nothing."""
    tell(memory, "Sings.", "Ana")
    (memory.workspace.root / "bank").mkdir()
    bank = str((memory.workspace.root / "bank").resolve())
    allowed = history.os.access
    monkeypatch.setattr(history.os, "access", lambda path, mode: str(path) != bank and allowed(path, mode))
    dry = memory.reflect(dry_run=True, now=NOW)
    assert [(one.path, one.defect.message) for one in dry.problems] == [
        ("bank/world.md", "nothing can be written in bank, so nothing would be changed")
    ]
    with pytest.raises(WorkspaceError, match="nothing can be written in bank; nothing was changed"):
        memory.reflect(now=NOW)
    assert not (memory.workspace.root / "MEMORY.md").exists()
