"""The folder on disk: what is read, what never is, and writes that neither lose nor mangle anything."""

import datetime as dt
import os
import stat
import subprocess
import sys
import time
import zoneinfo
from pathlib import Path

import pytest

from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.errors import WorkspaceError
from openclaw_memory_plugin.workspace import ABSENT, MAX_BYTES, Workspace, digest_of, encode_edited
from openclaw_memory_plugin.workspace.files import TEMP_PREFIX

POSIX = pytest.mark.skipif(os.name != "posix", reason="POSIX file types and modes")


def put(root: Path, *paths: str, text: str = "- x\n") -> None:
    for path in paths:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())


def found(root: Path, **options: object) -> list[str]:
    return [state.path for state in Workspace(root=root, **options).scan()]  # type: ignore[arg-type]


def test_a_missing_workspace_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    """Whoever opens a workspace that does not exist learns how to make one."""
    with pytest.raises(WorkspaceError, match="init"):
        Workspace(root=tmp_path / "none")


def test_what_is_read(tmp_path: Path) -> None:
    """Core memory, USER.md and everything Markdown below memory/ and bank/, sorted, exact case and blanks kept."""
    paths = [
        *("MEMORY.md", "USER.md", "bank/entities/Jörg.md", "bank/world.md", "memory/2026-03-05 Notizen.md"),
        *("memory/2026-03/2026-03-11.md", "memory/archive/2025.md", "memory/deep/er/Note.MD", "memory/x.markdown"),
    ]
    put(tmp_path, *paths)
    assert found(tmp_path) == sorted(paths)


def test_what_is_not_read(tmp_path: Path) -> None:
    """Instructions, dot folders, dreams, backups, templates, other types and our own files are left alone."""
    put(
        tmp_path,
        *("SOUL.md", "AGENTS.md", "TOOLS.md", "IDENTITY.md", "HEARTBEAT.md", "BOOTSTRAP.md", "notes.md", "DREAMS.md"),
        *("memory/.dreams/a.md", "memory/dreaming/light/a.md", "memory/.obsidian/a.md", "memory/backups/a.md"),
        *("memory/templates/day.md", "memory/template.md", "memory/2026-01-01.bak.md", "memory/2026-01-01.md~"),
        *("memory/2026-01-01.md.bak", "memory/a.txt", "memory/archive/archive-2026-03.jsonl", ".memory/x.md"),
        *("memory/.ocmem-1.tmp", "bank/AGENTS.md", "library/a.md", "memory/_template-day.md", "memory/.hidden.md"),
    )
    assert found(tmp_path) == []


def test_names_that_only_resemble_are_read(tmp_path: Path) -> None:
    """A note about dreams, backups or templates is a note."""
    paths = ["memory/backup.md", "memory/dreams-of-peter.md", "memory/old.md", "memory/review-of-templates.md"]
    put(tmp_path, *paths)
    assert found(tmp_path) == sorted(paths)


def test_nothing_outside_is_looked_into(tmp_path: Path) -> None:
    """An extra folder outside of the workspace is neither read nor swept, and `doctor` names it."""
    (tmp_path / "ws/.memory").mkdir(parents=True)
    (tmp_path / "ws/.memory/config.yaml").write_text("extra_paths: [.., ., ../other, nowhere]\n")
    stale = tmp_path / "other" / f"{TEMP_PREFIX}1.tmp"
    stale.parent.mkdir()
    stale.write_text("x")
    os.utime(stale, (0, 0))
    with Memory.open(tmp_path / "ws") as memory:
        memory.sync()
        assert memory.workspace.sweep() == 0
        assert [(found.path, "not exist" in found.message) for found in memory.doctor()] == [
            ("..", False), (".", False), ("../other", False), ("nowhere", True)
        ]  # fmt: skip
    assert stale.exists()


def test_extra_folders(tmp_path: Path) -> None:
    """Configured folders and files are read, at any depth, those outside are not."""
    put(tmp_path, "library/a.md", "docs/notes/b.md", "docs/other.md", "journal.md")
    put(tmp_path.parent, "outside.md")
    extra = ("library/", "docs/notes", "journal.md", "../outside.md", "/etc")
    assert found(tmp_path, extra=extra) == ["docs/notes/b.md", "journal.md", "library/a.md"]


def test_memoryignore(tmp_path: Path) -> None:
    """`.memoryignore` has the patterns of a .gitignore: folders, wildcards, negation; a bad one hurts nobody."""
    put(tmp_path, "memory/a.md", "memory/private/b.md", "memory/c-draft.md", "memory/keep-draft.md", "MEMORY.md")
    put(tmp_path, ".memoryignore", text="\ufeff# mine\nprivate/\n*-draft.md\n!keep-draft.md\n/MEMORY.md\n")
    assert found(tmp_path) == ["memory/a.md", "memory/keep-draft.md"]


def test_upper_and_lower_case_are_two_files_or_one(tmp_path: Path) -> None:
    """MEMORY.md and memory.md are read once when they are one file and twice when they are two."""
    put(tmp_path, "MEMORY.md")
    os.link(tmp_path / "MEMORY.md", tmp_path / "memory.md")
    assert len(found(tmp_path)) == 1
    (tmp_path / "memory.md").unlink()
    put(tmp_path, "memory.md")
    assert len(found(tmp_path)) == len({entry.name for entry in tmp_path.iterdir()})


@POSIX
def test_links(tmp_path: Path) -> None:
    """A link out of the workspace is not read nor written, one inside is once, a linked workspace is read."""
    root, outside = tmp_path / "ws", tmp_path / "ws-evil"
    put(root, "memory/a.md", "notes/n.md")
    put(outside, "secret.md")
    (root / "memory" / "out.md").symlink_to(outside / "secret.md")
    (root / "memory" / "outdir").symlink_to(outside)
    (root / "memory" / "again.md").symlink_to(root / "memory" / "a.md")
    (root / "memory" / "loop").symlink_to(root)
    (root / "memory" / "dead.md").symlink_to(root / "nothing.md")
    (root / "memory" / "notes").symlink_to(root / "notes")
    linked = tmp_path / "linked"
    linked.symlink_to(root)
    assert found(root) == found(linked) == ["memory/a.md", "memory/notes/n.md"]
    workspace = Workspace(root=linked)
    assert workspace.read("memory/a.md").text == "- x\n"
    for path in ("memory/out.md", "../ws-evil/secret.md", "memory/outdir/secret.md", str(outside / "secret.md")):
        source = workspace.read(path)
        assert (source.text, len(source.defects)) == ("", 1)
        with pytest.raises(WorkspaceError, match="out of the workspace"):
            workspace.write(path, b"x")
    assert (outside / "secret.md").read_text() == "- x\n"


@POSIX
def test_pipes_and_devices_do_not_block(tmp_path: Path) -> None:
    """What is not a regular file is not waited for."""
    (tmp_path / "memory").mkdir()
    os.mkfifo(tmp_path / "memory" / "pipe.md")
    (tmp_path / "memory" / "folder.md").mkdir()
    assert found(tmp_path) == []
    assert Workspace(root=tmp_path).read("memory/pipe.md").defects[0].message == "cannot be read: not a regular file"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs permissions that bind")
def test_unreadable_files_are_reported(tmp_path: Path) -> None:
    """A file without permission is a defect, not an exception."""
    put(tmp_path, "memory/a.md")
    (tmp_path / "memory/a.md").chmod(0)
    assert Workspace(root=tmp_path).read("memory/a.md").defects[0].line == 0


DECODING = {
    "utf-8": ("é\n".encode(), "é\n", "utf-8", []),
    "BOM": (b"\xef\xbb\xbf# a\r\n", "# a\r\n", "utf-8-sig", []),
    "cp1252": (b"a\nKreiss\xe4ge \x96 l\xe4uft\r\n\xc3\xa9\n", "a\nKreissäge – läuft\r\né\n", "cp1252", [2]),
    "half a character": ("a\né".encode()[:-1], "a\n", "utf-8", [2]),
    "a NUL": (b"a" * 200 + b"\nb\0c\n", "a" * 200 + "\nb c\n", "utf-8", [2]),
    "NULs behind the text": (b"- a\n- b\n" + b"\0" * 4096, "- a\n- b\n", "utf-8", [3]),
    "a few NULs behind it": (b"- a" + b"\0" * 5, "- a", "utf-8", [1]),
    "NULs before the text": (b"\0" * 4096 + b"- a\n", "- a\n", "utf-8", [1]),
    "text appended to NULs": (b"- a\n- b" + b"\0" * 4096 + b"\n- c\n", "- a\n- b \n- c\n", "utf-8", [2]),
    "nothing but NULs": (b"\0" * 4096, "", "utf-8", [0]),
    "NULs between other bytes": ("abc\n".encode("utf-16-le") * 50, "", "binary", [0]),
    "binary": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" * 20, "", "binary", [0]),
    "random": (bytes(range(256)) * 8, "", "binary", [0]),
    "UTF-16": ("é\n".encode("utf-16"), "é\n", "utf-16", [0]),
    "empty": (b"", "", "utf-8", []),
    "control characters": (b"a\x0cb\xc2\x85c\n", "a\x0cb\x85c\n", "utf-8", []),
}


@pytest.mark.parametrize("case", DECODING)
def test_decoding(tmp_path: Path, case: str) -> None:
    """Every file is read as far as it can be; what is wrong is reported with its line."""
    data, text, encoding, lines = DECODING[case]
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/a.md").write_bytes(data)
    source = Workspace(root=tmp_path).read("memory/a.md")
    assert (source.text, source.encoding, [d.line for d in source.defects]) == (text, encoding, lines)
    assert source.digest == digest_of(data)
    if encoding not in ("binary", "utf-16"):
        assert encode_edited(source.editable) == data
    else:
        with pytest.raises(WorkspaceError, match="cannot be edited"):
            _ = source.editable


def test_huge_files_are_cut_at_a_line(tmp_path: Path) -> None:
    """Of an endless file the first lines are read, and the rest is reported."""
    put(tmp_path, "memory/a.md", text="- line\n" * (MAX_BYTES // 7 + 100))
    source = Workspace(root=tmp_path).read("memory/a.md")
    assert source.text.endswith("- line\n")
    assert len(source.text) <= MAX_BYTES
    assert "larger than" in source.defects[0].message


def test_missing_files(tmp_path: Path) -> None:
    """A file that is not there has the digest ABSENT and no defect."""
    source = Workspace(root=tmp_path).read("memory/a.md")
    assert (source.text, source.digest, source.defects) == ("", ABSENT, ())


def test_writing_compares_before_it_replaces(tmp_path: Path) -> None:
    """An edit of somebody else since the reading is never overwritten; equal bytes are not written at all."""
    workspace = Workspace(root=tmp_path)
    digest = workspace.write("memory/new/a.md", b"one\n", ABSENT)
    assert digest == workspace.read("memory/new/a.md").digest
    before = os.stat(tmp_path / "memory/new/a.md")
    assert workspace.write("memory/new/a.md", b"one\n", digest) == digest
    assert os.stat(tmp_path / "memory/new/a.md").st_mtime_ns == before.st_mtime_ns
    (tmp_path / "memory/new/a.md").write_bytes(b"theirs\n")
    for expected in (digest, ABSENT):
        with pytest.raises(WorkspaceError, match="changed by somebody else"):
            workspace.write("memory/new/a.md", b"two\n", expected)
    assert (tmp_path / "memory/new/a.md").read_bytes() == b"theirs\n"
    assert [entry.name for entry in (tmp_path / "memory/new").iterdir()] == ["a.md"]


@POSIX
def test_writing_keeps_mode_and_links(tmp_path: Path) -> None:
    """A replaced file keeps its mode, and a link to it inside the workspace stays a link."""
    put(tmp_path, "bank/core.md")
    (tmp_path / "bank/core.md").chmod(0o640)
    (tmp_path / "MEMORY.md").symlink_to("bank/core.md")
    Workspace(root=tmp_path).write("MEMORY.md", b"new\n")
    assert (tmp_path / "MEMORY.md").is_symlink()
    assert (tmp_path / "bank/core.md").read_bytes() == b"new\n"
    assert stat.S_IMODE(os.stat(tmp_path / "bank/core.md").st_mode) == 0o640


def test_a_failing_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk fails, the old file is whole, no temporary one stays, and the error says so."""
    put(tmp_path, "memory/a.md")

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(WorkspaceError, match="No space left"):
        Workspace(root=tmp_path).write("memory/a.md", b"new\n")
    assert [(e.name, e.read_bytes()) for e in (tmp_path / "memory").iterdir()] == [("a.md", b"- x\n")]


def test_leftovers_of_a_crash_are_swept(tmp_path: Path) -> None:
    """Temporary files are ours by their prefix, never read, and removed when they are old."""
    put(tmp_path, f"memory/{TEMP_PREFIX}1-old.tmp", f"memory/{TEMP_PREFIX}2-new.tmp", f".memory/{TEMP_PREFIX}3.tmp")
    old = time.time() - 3600
    os.utime(tmp_path / f"memory/{TEMP_PREFIX}1-old.tmp", (old, old))
    os.utime(tmp_path / f".memory/{TEMP_PREFIX}3.tmp", (old, old))
    assert found(tmp_path) == []
    assert Workspace(root=tmp_path).sweep() == 2
    assert [entry.name for entry in (tmp_path / "memory").iterdir()] == [f"{TEMP_PREFIX}2-new.tmp"]


ADD_LINES = """
import sys
from openclaw_memory_plugin.workspace import Workspace, encode_edited
workspace = Workspace(root=sys.argv[1])
for _ in range(10):
    with workspace.lock():
        source = workspace.read("memory/a.md")
        workspace.write("memory/a.md", encode_edited(source.editable + "- x\\n"), source.digest)
"""


def test_no_write_is_lost_between_processes(tmp_path: Path) -> None:
    """Processes that read, change and write under the lock lose nothing."""
    command = [sys.executable, "-c", ADD_LINES, str(tmp_path)]
    workers = [subprocess.Popen(command, cwd=tmp_path) for _ in range(4)]
    assert [worker.wait(60) for worker in workers] == [0, 0, 0, 0]
    assert (tmp_path / "memory/a.md").read_bytes() == b"- x\n" * 40


def test_a_held_lock_is_a_clear_error(tmp_path: Path) -> None:
    """Whoever cannot get the lock in time is told which file and for how long; the same object may nest it."""
    one, two = Workspace(root=tmp_path), Workspace(root=tmp_path)
    with one.lock(), one.lock(), pytest.raises(WorkspaceError, match=r"lock was held by another process for 0\.1 s"):
        two.lock(timeout=0.1).__enter__()
    with two.lock(timeout=0.1):
        pass
    assert (tmp_path / ".memory/.gitignore").read_text() == "*\n"


LOGS = {
    "none": ([], "memory/2026-03-02.md"),
    "its own": (["memory/2026-03-02.md", "memory/20260302.md"], "memory/2026-03-02.md"),
    "compact": (["memory/20260302.md"], "memory/20260302.md"),
    "in a folder": (["memory/2026-03/2026-03-02.md"], "memory/2026-03/2026-03-02.md"),
    "a suffix is another topic": (["memory/2026-03-02-standup.md"], "memory/2026-03-02.md"),
    "not the archive": (["memory/archive/2026-03-02.md"], "memory/2026-03-02.md"),
}


@pytest.mark.parametrize("case", LOGS)
def test_which_log(tmp_path: Path, case: str) -> None:
    """A fact goes to the day's own log, wherever that is kept, else to a new one."""
    paths, expected = LOGS[case]
    put(tmp_path, *paths)
    assert Workspace(root=tmp_path).log_path(dt.date(2026, 3, 2)) == expected


def test_today_is_the_owners_day(tmp_path: Path) -> None:
    """23:30 in New York is that day's log, whatever UTC says."""
    workspace = Workspace(root=tmp_path, zone=zoneinfo.ZoneInfo("America/New_York"))
    assert workspace.today(dt.datetime(2026, 3, 3, 4, 30, tzinfo=dt.UTC)) == dt.date(2026, 3, 2)


def test_a_scan_imports_nothing_heavy(tmp_path: Path) -> None:
    """A scan without `.memoryignore` pays for neither pathspec nor filelock nor hashlib's friends."""
    import subprocess

    code = (
        "import sys; from pathlib import Path; from openclaw_memory_plugin.workspace import Workspace;"
        f"Workspace(root=Path({str(tmp_path)!r})).scan();"
        "print([m for m in ('pathspec', 'filelock', 'yaml') if m in sys.modules])"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )
