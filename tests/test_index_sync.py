"""A sync reads what changed, all of it and nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from openclaw_memory_plugin.index import Index, open_index, sync
from openclaw_memory_plugin.markdown.nouns import Page
from openclaw_memory_plugin.markdown.page import parse_page
from openclaw_memory_plugin.workspace import Workspace


@pytest.fixture
def index(tmp_path: Path) -> Index:
    """An index of one log."""
    log = tmp_path / "memory" / "a.md"
    log.parent.mkdir(parents=True)
    log.write_text("- the boat is blue\n- the cat sleeps\n", encoding="utf-8")
    index = open_index(Workspace(root=tmp_path))
    index.sync()
    return index


def contents(index: Index) -> list[str]:
    """What all facts say, in order."""
    return [fact.content for fact in index.facts()]


def test_change_within_the_same_tick_is_noticed(index: Index, tmp_path: Path) -> None:
    """A file that was rewritten so soon that size and time are what they were is read again."""
    log = tmp_path / "memory" / "a.md"
    status = log.stat()
    log.write_text("- the boat is grey\n- the cat sleeps\n", encoding="utf-8")
    os.utime(log, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert log.stat().st_size == status.st_size
    index.sync()
    assert contents(index) == ["the boat is grey", "the cat sleeps"]


def test_unchanged_files_are_not_read(index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once its time is long past, a file is only looked at."""
    log = tmp_path / "memory" / "a.md"
    os.utime(log, ns=(10**18, 10**18))
    index.sync()
    monkeypatch.setattr(Workspace, "read", lambda self, path: pytest.fail(f"{path} was read"))
    assert index.sync().updated == 0


def test_touched_file_is_not_written_again(index: Index, tmp_path: Path) -> None:
    """A new time with the same bytes changes nothing."""
    os.utime(tmp_path / "memory" / "a.md")
    report = index.sync()
    assert (report.updated, report.facts_added, report.facts_changed) == (0, 0, 0)


def test_moved_deleted_and_replaced_files(index: Index, tmp_path: Path) -> None:
    """Facts follow their files: a moved one cites the new place, a deleted one is gone."""
    log = tmp_path / "memory" / "a.md"
    kept = index.facts()[0].id
    log.rename(tmp_path / "memory" / "b.md")
    index.sync()
    assert [str(fact.source) for fact in index.facts()] == ["memory/b.md#L1", "memory/b.md#L2"]
    assert index.fact(kept).content == "the boat is blue"
    (tmp_path / "memory" / "b.md").unlink()
    report = index.sync()
    assert (report.removed, report.facts_removed) == (1, 2)
    assert index.facts() == []


def test_one_changed_line_touches_one_fact(index: Index, tmp_path: Path) -> None:
    """Of a large file only what changed is written."""
    log = tmp_path / "memory" / "a.md"
    lines = [f"- note {number} on boat {number * 7}" for number in range(200)]
    log.write_text("\n".join(lines), encoding="utf-8")
    index.sync()
    lines[100] = "- something else entirely"
    log.write_text("\n".join(lines), encoding="utf-8")
    report = index.sync()
    assert (report.facts_added, report.facts_removed, report.facts_changed) == (1, 1, 0)


def test_terms_that_no_longer_fit_are_made_anew(index: Index, tmp_path: Path) -> None:
    """Were a fact indexed under other terms than it has now, the words are filled anew instead of corrupted."""
    index.connection.execute("UPDATE facts SET words_check = words_check + 1")
    (tmp_path / "memory" / "a.md").write_text("- the cat sleeps\n- rent is due\n", encoding="utf-8")
    index.sync()
    assert contents(index) == ["the cat sleeps", "rent is due"]
    index.connection.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab (main, words, row)")
    found = {row[0] for row in index.connection.execute("SELECT term FROM temp.vocabulary")}
    assert {"cat", "rent"} <= found
    assert "boat" not in found


def test_progress_is_told(tmp_path: Path) -> None:
    """A caller hears how many files are done of how many."""
    for number in range(3):
        path = tmp_path / "memory" / f"{number}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"- note {number}\n", encoding="utf-8")
    heard: list[tuple[int, int]] = []
    index = open_index(Workspace(root=tmp_path))
    index.sync(progress=lambda done, total: heard.append((done, total)))
    assert heard == [(0, 3), (1, 3), (2, 3), (3, 3)]
    index.close()


@pytest.mark.parametrize(("bound", "least"), [("GROUP_FACTS", 20), ("GROUP_SECONDS", -1)])
def test_large_workspaces_are_written_in_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, least: int
) -> None:
    """Transactions stay short, by facts and by time, files whole, and the result is the same."""
    monkeypatch.setattr(sync, bound, least)
    monkeypatch.setattr(sync, "REMEMBERED_FACTS", 30)
    (tmp_path / "memory").mkdir()
    for number in range(12):
        lines = [f"- W @Peter: met Linnet{number} at gate {line}" for line in range(8)]
        path = tmp_path / "memory" / f"2026-01-{number + 1:02}.md"
        path.write_text("## Retain\n" + "\n".join(lines), encoding="utf-8")
    index = open_index(Workspace(root=tmp_path))
    statements: list[str] = []
    index.connection.set_trace_callback(statements.append)
    index.sync()
    assert statements.count("BEGIN IMMEDIATE") > 4
    assert index.entity("Peter").fact_count == 96
    assert len(index.facts()) == 96
    index.close()


def test_a_page_that_the_reader_cannot_take_stops_nothing(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of ours costs the facts of one file, and `doctor` tells which."""
    (tmp_path / "memory" / "bad.md").write_text("- the dog barks\n", encoding="utf-8")

    def read(text: str, path: str) -> Page:
        if "bad" in path:
            raise IndexError("list index out of range")
        return parse_page(text, path)

    monkeypatch.setattr("openclaw_memory_plugin.markdown.page.parse_page", read)
    index.sync()
    assert contents(index) == ["the boat is blue", "the cat sleeps"]
    (found,) = index.defects()
    assert (found.path, "IndexError" in found.defect.message) == ("memory/bad.md", True)


def test_what_another_process_has_just_written_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two that begin with the same new files, the later one stops reading them, and nobody waits for it."""
    for number in range(12):
        path = tmp_path / "memory" / f"{number:02}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"- note {number} of @Peter\n", encoding="utf-8")
    read: list[str] = []

    def reads(text: str, path: str) -> Page:
        read.append(path)
        return parse_page(text, path)

    monkeypatch.setattr("openclaw_memory_plugin.markdown.page.parse_page", reads)
    first, second = (open_index(Workspace(root=tmp_path)) for _ in range(2))
    report = second.sync(progress=lambda done, total: first.sync() if done == 0 else None)
    assert (report.updated, len(read)) == (0, 13)
    assert contents(second) == [f"note {number} of @Peter" for number in range(12)]
    assert second.entity("Peter").fact_count == 12
    first.close()
    second.close()


def test_a_file_that_is_what_it_was_needs_no_reader(index: Index, tmp_path: Path) -> None:
    """A command that looks at a touched file imports nothing that reads Markdown."""
    index.close()
    os.utime(tmp_path / "memory" / "a.md")
    script = """
import sys
from pathlib import Path
from openclaw_memory_plugin.index import open_index
from openclaw_memory_plugin.workspace import Workspace
assert open_index(Workspace(root=Path(sys.argv[1]))).sync().updated == 0
readers = ("openclaw_memory_plugin.markdown.page", "openclaw_memory_plugin.words")
print([name for name in sys.modules if name.startswith(readers)])
"""
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_what_another_process_writes_between_two_groups_is_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new fact that gets a further place meanwhile is linked to what stands there, too."""
    monkeypatch.setattr(sync, "GROUP_FACTS", 1)
    (tmp_path / "memory").mkdir()
    for number in range(3):
        (tmp_path / "memory" / f"{number}.md").write_text(f"- note {number} on tides\n", encoding="utf-8")
    page = tmp_path / "bank" / "entities" / "Zed.md"
    page.parent.mkdir(parents=True)
    first, second = (open_index(Workspace(root=tmp_path)) for _ in range(2))

    def meanwhile() -> None:
        if not page.exists() and first.connection.execute("SELECT 1 FROM facts").fetchone():
            page.write_text("# Zed\n\n- note 0 on tides\n", encoding="utf-8")
            first.sync()
            more = "".join(f"- more {number} on tides\n" for number in range(9))
            (tmp_path / "memory" / "2.md").write_text(more, encoding="utf-8")

    original = sync._Run._transact
    monkeypatch.setattr(sync._Run, "_transact", lambda run, news, gone: (meanwhile(), original(run, news, gone))[1])
    second.sync()
    linked = {fact.content: fact.entities for fact in second.facts()}
    second.rebuild()
    assert {fact.content: fact.entities for fact in second.facts()} == linked
    assert linked["note 0 on tides"] == ("Zed",)
    first.close()
    second.close()
