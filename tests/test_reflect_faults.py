"""Reflection on a wrong clock, on what cannot be written, on text that is hostile: nothing is lost or promised."""

import contextlib
import datetime as dt
import errno
import functools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import openclaw_memory_plugin.workspace as workspaces
from openclaw_memory_hookspecs import Kind, RecallRequest
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.errors import OpenClawMemoryError, WorkspaceError
from openclaw_memory_plugin.reflect import history
from openclaw_memory_plugin.reflect import reflect as reflecting
from openclaw_memory_plugin.workspace import Workspace
from reflecting import NOW, tell

LONG_AGO = dt.datetime(2003, 1, 1, tzinfo=dt.UTC)
FAR_AHEAD = dt.datetime(2093, 1, 1, tzinfo=dt.UTC)


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


def everything(memory: Memory, fact_id: str) -> dict[str, Callable[[], object]]:
    """One of everything that can be asked of a memory."""
    return {
        "retain": lambda: tell(memory, "Whistles.", "Ana"),
        "recall": lambda: memory.recall(RecallRequest(query="Sings", now=NOW)),
        "dry run": lambda: memory.reflect(dry_run=True, now=NOW),
        "reflect": lambda: memory.reflect(now=NOW),
        "core": lambda: memory.core(now=NOW),
        "opinions": lambda: memory.opinions(now=NOW),
        "pin": lambda: memory.pin(fact_id, now=NOW),
        "archive": lambda: memory.archive(fact_id, now=NOW),
        "restore": lambda: memory.restore(fact_id, now=NOW),
        "maintain": lambda: memory.maintain(preview=False, now=NOW),
        "history": lambda: memory.history(),
        "undo": lambda: memory.undo(now=NOW),
        "look after": lambda: memory.look_after(now=NOW),
        "preview": lambda: memory.forget(fact_id, dry_run=True, now=NOW),
        "forget": lambda: memory.forget(fact_id, now=NOW),
        "doctor": lambda: memory.doctor(now=NOW),
    }


def answers(memory: Memory, fact_id: str) -> list[str]:
    """What raised something that is no error of ours."""
    wrong = []
    for name, ask in everything(memory, fact_id).items():
        try:
            ask()
        except OpenClawMemoryError:
            continue
        except Exception as error:  # what is looked for
            wrong.append(f"{name}: {error!r}")
    return wrong


@pytest.mark.parametrize(
    "path",
    [
        "MEMORY.md",
        "memory/2026-03-01.md",
        "bank/entities/Ana.md",
        "bank/entities",
        "bank",
        "memory/archive",
        "memory/archive/archive-2026-03.jsonl",
        "memory/archive/tombstones.jsonl",
        ".memory/history",
        ".memory/pending.json",
        ".memory/forgetting.json",
        ".memory/reflected.json",
        ".memory/access.jsonl",
    ],
)
def test_a_file_for_a_folder_or_a_folder_for_a_file_is_an_error_of_ours(memory: Memory, path: str) -> None:
    """Whatever stands where something else should, every command answers or says what is wrong."""
    fact_id = tell(memory, "Sings.", "Ana")
    tell(memory, "Dances.", "Ana")
    memory.reflect(now=NOW)
    target = memory.workspace.root / path
    if target.is_dir():
        shutil.rmtree(target)
        target.write_text("x")
    else:
        target.unlink(missing_ok=True)
        target.mkdir(parents=True)
    assert answers(memory, fact_id) == []


@pytest.mark.parametrize("room", range(8))
def test_a_disk_that_fills_up_halves_nothing(memory: Memory, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    """However many files still fit, each is what it was or what it should be, and with space again all goes on."""
    fact_id = tell(memory, "Sings.", "Ana")
    tell(memory, "Dances.", "Ana")
    memory.reflect(now=NOW)
    tell(memory, "Paints.", "Ana", day=2)
    replace, left = workspaces.replace, [room]

    def cramped(*given: object, **more: object) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(*given, **more)  # type: ignore[arg-type]

    with monkeypatch.context() as full:
        full.setattr(workspaces, "replace", cramped)
        assert answers(memory, fact_id) == []
    memory.recover(now=NOW)
    memory.reflect(now=NOW)
    assert {"Dances.", "Paints."} <= {fact.content for fact in memory.facts()}
    assert memory.reflect(now=NOW).written == ()


NAMES = (
    "../../x",
    "CON",
    "a/b",
    "a\\b",
    "ANA",
    "ana",
    "..",
    ".hidden",
    "nul.md",
    "x" * 300,
    "C++",
    "C#",
    "ß",
    "SS",
    "İ",
    "🎉",
)


def test_no_name_leads_out_of_the_folder(memory: Memory) -> None:
    """Paths, device names, emoji, names that differ by case alone: one page each, in its folder, none overwritten."""
    bullets = "".join(f"- W @{name}: fact {number} of {name}.\n" for name in NAMES for number in range(2))
    (memory.workspace.root / "memory/2026-03-01.md").write_text(f"# 2026-03-01\n\n## Retain\n{bullets}")
    done = memory.reflect(now=NOW)
    assert done.problems == ()
    root = memory.workspace.root
    assert {str(path.relative_to(root)) for path in root.parent.rglob("*.md")} == {
        *done.written,
        "memory/2026-03-01.md",
    }
    entities = [path for path in done.written if path.startswith("bank/entities/")]
    assert {path.count("/") for path in entities} == {2}
    assert len({path.casefold() for path in entities}) == len(entities)
    assert not {"CON", "NUL"} & {path.rpartition("/")[2].partition(".")[0].upper() for path in entities}
    assert memory.reflect(now=NOW).written == ()


MANGLED = {
    "twice": lambda text: text + text,
    "nested": lambda text: text.replace(
        "begin entity -->\n", "begin entity -->\n<!-- openclaw-memory:begin entity -->\n"
    ),
    "no end": lambda text: text.replace("<!-- openclaw-memory:end entity -->\n", ""),
    "no beginning": lambda text: text.replace("<!-- openclaw-memory:begin entity -->\n", ""),
    "half an end": lambda text: text.replace("end entity -->", "end ent"),
    "another end": lambda text: text.replace("end entity", "end core"),
    "garbled sums": lambda text: text.replace("sums ", "sums !!").replace("Sings", "Sings well"),
}


@pytest.mark.parametrize("mangle", MANGLED.values(), ids=MANGLED.keys())
def test_a_mangled_block_is_left_alone_and_told(memory: Memory, mangle: Callable[[str], str]) -> None:
    """By the dry run, by the reflection and by doctor, whoever asks; every byte of the page stays."""
    tell(memory, "Sings.", "Ana")
    tell(memory, "Dances.", "Ana")
    memory.reflect(now=NOW)
    page = memory.workspace.root / "bank/entities/Ana.md"
    page.write_text(mangle(page.read_text()))
    before = page.read_bytes()
    tell(memory, "Paints.", "Ana", day=2)
    for found in (memory.reflect(dry_run=True, now=NOW).problems, memory.reflect(now=NOW).problems):
        assert [one.path for one in found] == ["bank/entities/Ana.md"]
    assert page.read_bytes() == before
    assert "bank/entities/Ana.md" in {one.path for one in memory.doctor(now=NOW)}


def test_a_statement_without_a_blank_does_not_hold_up_a_reflection(
    memory: Memory, growth: Callable[[Callable[[int], object], int], float]
) -> None:
    """200,000 letters in a row, as some scripts and some pastes have them, cost as much as their number."""
    log = memory.workspace.root / "memory/2026-03-01.md"

    def reflect(size: int) -> None:
        log.write_text(f"- W @Ana: {'y' * size} 7\n- W @Ana: Sings.\n")
        memory.reflect(now=NOW)

    assert growth(reflect, 200_000) < 8


def test_forgetting_takes_the_fact_out_of_lines_that_name_it(memory: Memory) -> None:
    """A correction that somebody made of it says other words and stays, without the id; it is pointed out."""
    old = tell(memory, "Hides the key in Zanzibar.", "Ana")
    tell(memory, "Sings.", "Ana")
    memory.reflect(now=NOW)
    page = memory.workspace.root / "bank/entities/Ana.md"
    page.write_text(page.read_text().replace("in Zanzibar", "in Oslo"))
    memory.reflect(now=NOW)
    gone = memory.forget(old, now=NOW)
    assert {place.path for place in gone.unlinked} == {"bank/entities/Ana.md"}
    assert old not in page.read_text()
    assert "Hides the key in Oslo." in {fact.content for fact in memory.facts()}
    assert not any(b"Zanzibar" in path.read_bytes() for path in memory.workspace.root.rglob("*") if path.is_file())


def test_reflecting_from_several_processes_at_once_is_reflecting_once(memory: Memory) -> None:
    """Pages, beliefs and history are those of one reflection, whoever was first."""
    for day in range(1, 9):
        tell(memory, f"Number {day} is open.", "Ana", day=day)
    tell(memory, "Prefers tea.", "Ana", kind=Kind.OPINION, confidence=0.8)
    tell(memory, "Loves tea.", "Ana", day=9)
    once = Memory.open(memory.workspace.root)
    code = (
        "import sys, datetime as dt\nfrom openclaw_memory_plugin import Memory\n"
        f"Memory.open(sys.argv[1]).reflect(now=dt.datetime.fromisoformat({NOW.isoformat()!r}))"
    )
    command = [sys.executable, "-c", code, str(memory.workspace.root)]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(3)]
    assert [one.communicate(timeout=120)[1] for one in running] == [b"", b"", b""]
    assert sum(entry.reason == "reflect" for entry in once.history()) == 1
    assert once.reflect(now=NOW).written == ()
    once.close()


@pytest.mark.parametrize("times", [1, 2, 3])
def test_what_is_forgotten_while_it_is_thought_about_stays_forgotten(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """Nobody waits for a reflection that only thinks; what was forgotten meanwhile stands on no page afterwards."""
    gone = [tell(memory, f"Keeps a secret garden {number}.", "Ana") for number in range(4)]
    tell(memory, "Sings.", "Ana")
    plan = reflecting.make_plan

    def meanwhile(*args: Any, **given: Any) -> Any:
        made = plan(*args, **given)
        if len(gone) > 4 - times:
            hurried = functools.partialmethod(Workspace.lock, timeout=0.05)
            with monkeypatch.context() as patch, contextlib.suppress(WorkspaceError):
                patch.setattr(Workspace, "lock", hurried)
                with Memory.open(memory.workspace.root) as other:
                    other.forget(gone[-1], now=NOW)
                gone.pop()
        return made

    monkeypatch.setattr(reflecting, "make_plan", meanwhile)
    memory.reflect(now=NOW)
    left = {int(number) for number in re.findall(r"secret garden (\d)", pages(memory)["bank/entities/Ana.md"])}
    assert left == set(range(len(gone)))
    assert len(gone) == max(4 - times, 2)
