"""Changes of ours are journalled before they are made, survive a crash, and can be taken back."""

import datetime as dt
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory_hookspecs import Draft
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.errors import ConflictError, UsageError, WorkspaceError
from openclaw_memory_plugin.reflect.history import Change, apply, history, hunks, preview_undo, recover, undo
from openclaw_memory_plugin.reflect.history.ledger import KEEP, Ledger
from openclaw_memory_plugin.workspace import Workspace

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
TEXTS = st.text(alphabet="ab\n\r\x0c", max_size=40)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "bank").mkdir()
    (tmp_path / "bank/world.md").write_bytes(b"# World\n\n- one\n- two\n- three\n")
    return Workspace(root=tmp_path)


def change(workspace: Workspace, path: str, after: bytes | None) -> Change:
    file = workspace.root / path
    return Change(path=path, before=file.read_bytes() if file.exists() else None, after=after)


def read(workspace: Workspace, path: str) -> bytes | None:
    file = workspace.root / path
    return file.read_bytes() if file.exists() else None


@given(before=TEXTS, after=TEXTS)
def test_hunks_lead_forward_and_back(before: str, after: str) -> None:
    """A change taken apart leads from one text to the other and back, whatever the line ends."""
    parts = hunks.compare(before, after)
    assert hunks.forward(before, parts) == after
    assert hunks.backward(after, parts) == before
    assert (parts == ()) == (before == after)


@given(before=TEXTS, after=TEXTS, more=st.text(alphabet="xyz", min_size=1, max_size=9))
def test_reversal_keeps_what_was_appended(before: str, after: str, more: str) -> None:
    """Taking a change back either keeps a line added since, or refuses."""
    parts = hunks.compare(before, after)
    merged = hunks.merge_backward(after + "\n" + more + "\n", parts)
    assert merged is None or more in merged


def test_change_is_written_and_recorded(workspace: Workspace) -> None:
    """Several files change as one entry, whose diff says what was done."""
    changes = [
        change(workspace, "bank/world.md", b"# World\n\n- one\n- 2\n- three\n"),
        change(workspace, "bank/entities/Ann.md", b"# Ann\n"),
    ]
    applied = apply(workspace, changes, reason="reflect", now=NOW)
    assert applied.paths == ("bank/world.md", "bank/entities/Ann.md")
    assert read(workspace, "bank/entities/Ann.md") == b"# Ann\n"
    (entry,) = history(workspace)
    assert entry == applied.entry
    assert (entry.number, entry.at, entry.reason) == (1, NOW, "reflect")
    assert "-- two\n+- 2\n" in entry.diff()
    assert entry.diff().endswith("@@ -0,0 +1,1 @@\n+# Ann\n")


def test_equal_bytes_are_no_change(workspace: Workspace) -> None:
    """Writing what is there already leaves no entry."""
    same = change(workspace, "bank/world.md", read(workspace, "bank/world.md"))
    assert apply(workspace, [same], reason="reflect", now=NOW).entry is None
    assert history(workspace) == ()


def test_undo_restores_every_byte(workspace: Workspace) -> None:
    """Undoing gives the bytes back, removes what was created, and is itself recorded and undone."""
    before = "# Welt\r\n\r\n- caf\udce9\r\n".encode("utf-8", "surrogateescape")
    (workspace.root / "bank/world.md").write_bytes(before)
    apply(
        workspace,
        [change(workspace, "bank/world.md", b"# new"), change(workspace, "bank/x.md", b"x\n")],
        reason="reflect",
        now=NOW,
    )
    assert undo(workspace, now=NOW).paths == ("bank/world.md", "bank/x.md")
    assert read(workspace, "bank/world.md") == before
    assert read(workspace, "bank/x.md") is None
    assert [entry.undone for entry in history(workspace)] == [True, False]
    undo(workspace, 2, now=NOW)
    assert read(workspace, "bank/world.md") == b"# new"
    assert [entry.undone for entry in history(workspace)] == [False, True, False]


def test_undo_walks_back(workspace: Workspace) -> None:
    """Undo again and again takes back older and older changes, then says that there is nothing left."""
    first = read(workspace, "bank/world.md")
    for text in (b"a\n", b"b\n"):
        apply(workspace, [change(workspace, "bank/world.md", text)], reason="reflect", now=NOW)
    undo(workspace, now=NOW)
    undo(workspace, now=NOW)
    assert read(workspace, "bank/world.md") == first
    with pytest.raises(UsageError, match="nothing to undo"):
        undo(workspace, now=NOW)


def test_undo_keeps_an_edit_made_since(workspace: Workspace) -> None:
    """Lines that a person changed elsewhere on the page stay."""
    apply(workspace, [change(workspace, "bank/world.md", b"# World\n\n- one\n- 2\n- three\n")], reason="r", now=NOW)
    (workspace.root / "bank/world.md").write_bytes(b"# World\n\nMine.\n\n- one\n- 2\n- three\n- four\n")
    undo(workspace, now=NOW)
    assert read(workspace, "bank/world.md") == b"# World\n\nMine.\n\n- one\n- two\n- three\n- four\n"


def test_undo_refuses_when_its_lines_were_edited(workspace: Workspace) -> None:
    """Where our very lines were edited nothing is guessed and nothing changes."""
    apply(workspace, [change(workspace, "bank/world.md", b"# World\n\n- one\n- 2\n- three\n")], reason="r", now=NOW)
    (workspace.root / "bank/world.md").write_bytes(b"# World\n\n- one\n- 2, really\n- three\n")
    with pytest.raises(ConflictError, match=r"bank/world\.md.*edited since"):
        undo(workspace, now=NOW)
    assert read(workspace, "bank/world.md") == b"# World\n\n- one\n- 2, really\n- three\n"
    assert len(history(workspace)) == 1


def test_undo_of_what_was_taken_back_by_hand_moves_on(workspace: Workspace) -> None:
    """A change that a person already took back counts as undone, and the next undo goes on to the one before."""
    first = read(workspace, "bank/world.md")
    apply(workspace, [change(workspace, "bank/world.md", b"a\n")], reason="r", now=NOW)
    apply(workspace, [change(workspace, "bank/world.md", b"b\n")], reason="r", now=NOW)
    (workspace.root / "bank/world.md").write_bytes(b"a\n")
    assert undo(workspace, now=NOW).paths == ()
    assert [entry.undone for entry in history(workspace)] == [False, True, False]
    undo(workspace, now=NOW)
    assert read(workspace, "bank/world.md") == first


def test_unknown_and_undone_entries_are_named(workspace: Workspace) -> None:
    """An entry that is not there, or was undone, is a usage error."""
    apply(workspace, [change(workspace, "bank/world.md", b"x")], reason="r", now=NOW)
    with pytest.raises(UsageError, match="no change 7"):
        undo(workspace, 7, now=NOW)
    undo(workspace, 1, now=NOW)
    with pytest.raises(UsageError, match="undone already"):
        preview_undo(workspace, 1)


def test_edit_made_meanwhile_wins(workspace: Workspace) -> None:
    """When one file is no longer what was read, no file changes."""
    world = change(workspace, "bank/world.md", b"ours\n")
    (workspace.root / "bank/world.md").write_bytes(b"theirs\n")
    with pytest.raises(ConflictError, match=r"bank/world\.md: the file was edited meanwhile"):
        apply(workspace, [change(workspace, "bank/a.md", b"a\n"), world], reason="reflect", now=NOW)
    assert read(workspace, "bank/world.md") == b"theirs\n"
    assert read(workspace, "bank/a.md") is None
    assert history(workspace) == ()


def test_read_only_page_stops_the_whole_change(workspace: Workspace) -> None:
    """A page that its owner made read-only is not replaced, and nothing else is either."""
    (workspace.root / "bank/world.md").chmod(0o444)
    changes = [change(workspace, "bank/a.md", b"a\n"), change(workspace, "bank/world.md", b"ours\n")]
    with pytest.raises(WorkspaceError, match=r"bank/world\.md: the file is read-only; nothing was changed"):
        apply(workspace, changes, reason="reflect", now=NOW)
    assert read(workspace, "bank/a.md") is None


@pytest.mark.parametrize("survivors", [0, 1, 2])
def test_full_disk_changes_nothing(workspace: Workspace, monkeypatch: pytest.MonkeyPatch, survivors: int) -> None:
    """When the disk fills up at any of the writes, files and history are as before and the message says so."""
    before = read(workspace, "bank/world.md")
    fill_disk_after(monkeypatch, survivors)
    changes = [change(workspace, "bank/world.md", b"ours\n"), change(workspace, "bank/b.md", b"b\n")]
    with pytest.raises(WorkspaceError, match=r"No space left.*nothing was changed"):
        apply(workspace, changes, reason="reflect", now=NOW)
    monkeypatch.undo()
    assert read(workspace, "bank/world.md") == before
    assert read(workspace, "bank/b.md") is None
    assert history(workspace) == ()
    assert recover(workspace) is None


def test_crash_leaves_old_or_new_and_is_carried_through(workspace: Workspace) -> None:
    """Killed at any point each file is old or new, and the next start finishes what had been decided."""
    old = {"bank/world.md": read(workspace, "bank/world.md"), "bank/b.md": None}
    new = {"bank/world.md": b"ours\n", "bank/b.md": b"b\n"}
    seen = set()
    for point in range(1, 60):
        for path, data in old.items():
            (workspace.root / path).unlink(missing_ok=True)
            if data is not None:
                (workspace.root / path).write_bytes(data)
        died = die_at(point, lambda: apply(workspace, changes_to(workspace, new), reason="reflect", now=NOW))
        for path in old:
            assert read(workspace, path) in (old[path], new[path])
        recover(workspace)
        state = {path: read(workspace, path) for path in old}
        assert state in (old, new)
        seen.add(state == new)
        if not died:
            break
    assert not died
    assert seen == {True, False}


def test_file_edited_after_the_crash_is_left_alone(workspace: Workspace) -> None:
    """What a person did after a crash is not overwritten; the rest is carried through."""
    wanted = {"bank/b.md": b"b\n", "bank/world.md": b"ours\n"}
    point = 1
    while not Ledger(workspace).is_pending():
        die_at(point, lambda: apply(workspace, changes_to(workspace, wanted), reason="reflect", now=NOW))
        point += 1
    (workspace.root / "bank/world.md").write_bytes(b"theirs\n")
    entry = recover(workspace)
    assert entry is not None
    assert entry.paths == ("bank/b.md",)
    assert read(workspace, "bank/world.md") == b"theirs\n"
    assert read(workspace, "bank/b.md") == b"b\n"


def test_old_entries_make_room(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The journal keeps the newest entries and numbers go on."""
    monkeypatch.setattr("openclaw_memory_plugin.reflect.history.ledger.KEEP", 3)
    for number in range(5):
        apply(workspace, [change(workspace, "bank/world.md", b"%d\n" % number)], reason="r", now=NOW)
    assert [entry.number for entry in history(workspace)] == [3, 4, 5]
    assert KEEP == 500


@settings(max_examples=25, deadline=None)
@given(texts=st.lists(st.binary(max_size=30), min_size=1, max_size=4))
def test_any_bytes_come_back(tmp_path_factory: pytest.TempPathFactory, texts: list[bytes]) -> None:
    """Whatever bytes a page holds, undoing all changes gives the first ones back."""
    workspace = Workspace(root=tmp_path_factory.mktemp("w"))
    (workspace.root / "p.md").write_bytes(texts[0])
    steps = [apply(workspace, [change(workspace, "p.md", text)], reason="r", now=NOW) for text in texts[1:]]
    for _ in filter(lambda applied: applied.entry, steps):
        undo(workspace, now=NOW)
    assert read(workspace, "p.md") == texts[0]


def changes_to(workspace: Workspace, wanted: dict[str, bytes]) -> list[Change]:
    return [change(workspace, path, data) for path, data in wanted.items()]


def fill_disk_after(monkeypatch: pytest.MonkeyPatch, writes: int) -> None:
    """Let `fsync` of files fail as on a full disk after so many."""
    real = os.fsync
    left = [writes]

    def fsync(descriptor: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)


def die_at(point: int, act: Callable[[], object]) -> bool:
    """Run in a child that is killed at its n-th step on the file system; whether it was."""
    child = os.fork()
    if child == 0:
        steps = 0

        def count(event: str, _: object) -> None:
            nonlocal steps
            if event in ("open", "os.rename", "os.remove", "os.mkdir", "os.chmod"):
                steps += 1
                if steps == point:
                    os.kill(os.getpid(), signal.SIGKILL)

        try:
            sys.addaudithook(count)
            act()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0


@pytest.mark.parametrize("note", ["pending.json", "forgetting.json", "reflected.json", "history/000001.json"])
@pytest.mark.parametrize("data", ["", "{}", "[5]", "[" * 100_000, '{"number":1,"at":"0001-01-01","edits":[]}'])
def test_a_damaged_note_of_ours_stops_nothing(tmp_path: Path, note: str, data: str) -> None:
    """What cannot be read counts as not there: a fact is kept, reflected on, listed and forgotten all the same."""
    path = tmp_path / ".memory" / note
    path.parent.mkdir(parents=True)
    path.write_text(data)
    with Memory.open(tmp_path) as memory:
        fact = memory.retain(Draft(text="Lives in Graz.", entities=("Ana",)), now=NOW)
        memory.reflect(now=NOW)
        assert [entry.reason for entry in memory.history()] == [f"retain {fact.id}", "reflect"]
        memory.forget(fact.id, now=NOW)
        assert memory.facts() == []
    assert "Graz" not in "".join(file.read_text() for file in tmp_path.rglob("*.md"))


@pytest.mark.parametrize("tool", ["git", "patch"])
def test_a_diff_can_be_applied(tmp_path: Path, tool: str) -> None:
    """Other tools make of it what it shows: new files, removed ones, changes close together, no last newline."""
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not here")
    chance = random.Random(7)
    wanted: dict[str, str | None] = {}
    diff = ""
    for number in range(60):
        before = [chance.choice("abcd") + str(chance.randrange(9)) for _ in range(chance.choice((0, 1, 5, 30)))]
        after = [chance.choice((line, line, line, line, f"{line}!", f"{line}\nnew")) for line in before]
        after = [line for line in after if chance.random() > 0.1] + [str(number)] * chance.randrange(2)
        one, other = ("\n".join(lines) + chance.choice(("", "\n")) if lines else "" for lines in (before, after))
        created, removed = not before or number % 9 == 0, not after or number % 10 == 0
        if created and removed:
            continue
        path = f"pages/{number} of us.md" if number % 7 == 0 else f"pages/{number}.md"
        diff += hunks.unified(
            path,
            hunks.compare("" if created else one, "" if removed else other),
            created=created,
            removed=removed,
        )
        wanted[path] = None if removed else other
        (tmp_path / path).parent.mkdir(exist_ok=True)
        if not created:
            (tmp_path / path).write_text(one)
    command = [tool, *(("apply", "-p0") if tool == "git" else ("-p0", "-s", "-E")), "-"]
    if tool == "patch":
        command.pop()
    subprocess.run(command, cwd=tmp_path, input=diff, text=True, check=True, capture_output=True)
    for path, text in wanted.items():
        there = (tmp_path / path).read_text() if (tmp_path / path).exists() else None
        assert there == text or (not there and not text), path


@pytest.mark.parametrize("tool", ["git", "patch"])
def test_what_a_dry_run_shows_can_be_applied(tmp_path: Path, tool: str) -> None:
    """A reflection's diff makes the pages that the reflection makes, new ones included."""
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not here")
    (tmp_path / "memory").mkdir()
    (tmp_path / "MEMORY.md").write_text("# Mine\n\nA line without end")
    with Memory.open(tmp_path) as memory:
        for name in ("Ann", "Bo"):
            for text in ("Sings.", "Sails.", "Is allergic to nuts."):
                memory.retain(Draft(text=text, entities=(name,)), now=NOW)
        diff = memory.reflect(dry_run=True, now=NOW).diff
        assert "--- /dev/null\n+++ bank/entities/Ann.md\n@@ -0,0 +1," in diff
        copy = tmp_path.parent / f"{tmp_path.name}-copy"
        shutil.copytree(tmp_path, copy)
        command = ["git", "apply", "-p0", "-"] if tool == "git" else ["patch", "-p0", "-s"]
        subprocess.run(command, cwd=copy, input=diff, text=True, check=True, capture_output=True)
        memory.reflect(now=NOW)
    pages = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.md")}
    assert {path.relative_to(copy): path.read_bytes() for path in copy.rglob("*.md")} == pages


def kept(memory: Memory, *texts: str) -> Path:
    """Retain texts in the log of the day and give its path."""
    for text in texts:
        memory.retain(Draft(text=text), now=NOW)
    (path,) = (Path(memory.workspace.root) / "memory").glob("*.md")
    return path


def test_undo_keeps_the_headings_of_what_was_retained_since(tmp_path: Path) -> None:
    """Taking a day's first fact back leaves the day's heading and its section to the facts below it."""
    with Memory.open(tmp_path) as memory:
        log = kept(memory, "First fact of the day.", "Second fact of the day.")
        memory.undo(1, now=NOW)
        assert log.read_text() == f"# {log.stem}\n\n## Retain\n- W: Second fact of the day.\n"
        memory.undo(2, now=NOW)
        assert not log.exists()


@pytest.mark.parametrize(
    ("edited", "left"),
    [
        ("# {}\n\n## Retain\n- W: One.\n- mine\n", "# {}\n\n## Retain\n- mine\n"),
        ("# {}\n\n## Retain\n- mine\n- W: One.\n", "# {}\n\n## Retain\n- mine\n"),
        ("# {}\n\nMine.\n\n## Retain\n- W: One.\n", "# {}\n\nMine.\n\n"),
        ("# {}\n\n## Retain\n- W: One.\n\n## Plans\nMine.\n", "# {}\n\n\n## Plans\nMine.\n"),
    ],
)
def test_undo_of_a_new_page_keeps_what_a_hand_added(tmp_path: Path, edited: str, left: str) -> None:
    """Wherever somebody wrote on a page that we made, their lines stay under their headings."""
    with Memory.open(tmp_path) as memory:
        log = kept(memory, "One.")
        log.write_text(edited.format(log.stem))
        memory.undo(1, now=NOW)
        assert log.read_text() == left.format(log.stem)


@pytest.mark.parametrize("ending", ["", "\n"])
def test_undo_keeps_a_section_that_others_use(tmp_path: Path, ending: str) -> None:
    """A section that we opened on somebody's page stays as long as something else stands in it."""
    with Memory.open(tmp_path) as memory:
        log = tmp_path / "memory" / f"{memory.today(NOW)}.md"
        log.parent.mkdir()
        log.write_text(f"Rain all day.{ending}")
        kept(memory, "One.", "Two.")
        memory.undo(1, now=NOW)
        assert log.read_text() == "Rain all day.\n\n## Retain\n- W: Two.\n"
        memory.undo(2, now=NOW)
        assert log.read_text() == "Rain all day.\n"
        memory.undo(4, now=NOW)
        assert log.read_text() == "Rain all day.\n\n## Retain\n- W: Two.\n"


def test_undo_puts_lines_back_where_they_were(workspace: Workspace) -> None:
    """Lines that a change removed come back in their place, whatever was written elsewhere since."""
    apply(workspace, [change(workspace, "bank/world.md", b"# World\n\n- one\n- three\n")], reason="r", now=NOW)
    (workspace.root / "bank/world.md").write_bytes(b"# World\n\nMine.\n\n- one\n- three\n- four\n")
    undo(workspace, now=NOW)
    assert read(workspace, "bank/world.md") == b"# World\n\nMine.\n\n- one\n- two\n- three\n- four\n"
