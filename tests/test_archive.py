"""Archived facts have a verified copy, are hidden, and come back whole."""

import datetime as dt
import json
import os
from pathlib import Path

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory_hookspecs import Citation, Fact, Kind, Provenance
from openclaw_memory_plugin.errors import RetainError, UsageError, WorkspaceError
from openclaw_memory_plugin.reflect.upkeep import archive
from openclaw_memory_plugin.workspace import Workspace, hidden
from openclaw_memory_plugin.workspace.hidden import Archived
from openclaw_memory_plugin.workspace.lines import TOMBSTONES
from openclaw_memory_plugin.workspace.saying import statement_key
from openclaw_memory_plugin.workspace.tombstones import Tombstones, read_tombstones

NOW = dt.datetime(2026, 3, 14, 9, 30, tzinfo=dt.UTC)
LATER = NOW + dt.timedelta(days=20)


def entry(number: int = 1, *, at: dt.datetime = NOW, content: str | None = None) -> Archived:
    return Archived(
        id=f"{number:012x}",
        content=content or f"The {number}. crate left for Oslo.",
        kind=Kind.EXPERIENCE,
        archived_at=at,
        reason="below 0.35",
        relevance_score=0.32,
        created_at=dt.date(2026, 1, 2),
        last_seen=dt.date(2026, 1, 9),
        entities=("Oslo",),
        heads=("Oslo",),
        source="memory/2026-01-02.md#L4",
        tokens=9,
    )


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(root=tmp_path)


def test_line_is_as_the_documents_say(workspace: Workspace) -> None:
    """One JSON object a line, in the file of the month, with the documents' keys first."""
    archive.put_away(workspace, [entry()])
    (line,) = (workspace.root / "memory/archive/archive-2026-03.jsonl").read_text().splitlines()
    record = json.loads(line)
    assert list(record)[:5] == ["id", "content", "created_at", "relevance_score", "archived_at"]
    assert record["created_at"] == "2026-01-02"
    assert record["archived_at"] == "2026-03-14T09:30:00+00:00"
    assert (record["source"], record["reason"]) == ("memory/2026-01-02.md#L4", "below 0.35")


@settings(max_examples=50)
@given(
    content=st.text(min_size=1).filter(lambda text: text.isprintable()),
    confidence=st.none() | st.floats(0, 1),
    provenance=st.sampled_from(Provenance),
    private=st.booleans(),
)
def test_record_reads_back(content: str, confidence: float | None, provenance: Provenance, private: bool) -> None:
    """What an archive line keeps is read back as it was."""
    before = attrs.evolve(entry(content=content), confidence=confidence, provenance=provenance, private=private)
    _, _, after = hidden._event(json.loads(json.dumps(hidden.archive_record(before))))
    assert after == before


def test_archived_fact_keeps_what_the_fact_says() -> None:
    """An entry made from a fact carries its dates, its source and its attributes."""
    fact = Fact(
        id="abc",
        kind=Kind.OPINION,
        content="Prefers trains.",
        citations=(Citation(path="memory/2026-01-02.md", line=4, end_line=4),),
        entities=("Ann",),
        timestamp=dt.date(2026, 1, 2),
        last_seen=dt.date(2026, 1, 9),
        confidence=0.6,
        private=True,
    )
    made = archive.archived(fact, heads=("Ann",), reason="asked", score=0.4, now=NOW)
    assert (made.source, made.created_at, made.last_seen) == (
        "memory/2026-01-02.md#L4",
        fact.timestamp,
        fact.last_seen,
    )
    assert (made.kind, made.confidence, made.private, made.heads) == (Kind.OPINION, 0.6, True, ("Ann",))


def test_restored_fact_is_shown_again(workspace: Workspace) -> None:
    """Restoring appends; what counts is the later instant, also across months and in another order of files."""
    archive.put_away(workspace, [entry(1), entry(2)])
    assert hidden.read_archive(workspace.root).entries.keys() == {entry(1).id, entry(2).id}
    assert archive.bring_back(workspace, [entry(1).id[:12]], now=LATER)[0].id == entry(1).id
    assert hidden.read_archive(workspace.root).entries.keys() == {entry(2).id}
    assert len((workspace.root / "memory/archive/archive-2026-03.jsonl").read_text().splitlines()) == 2
    archive.put_away(workspace, [entry(1, at=LATER + dt.timedelta(hours=1))])
    assert entry(1).id in hidden.read_archive(workspace.root).entries


def test_clock_that_was_put_back_changes_nothing(workspace: Workspace) -> None:
    """What is done last counts, whatever the clock says."""
    archive.put_away(workspace, [entry(1, at=LATER)])
    archive.bring_back(workspace, [entry(1).id], now=NOW)
    assert hidden.read_archive(workspace.root).entries == {}
    archive.put_away(workspace, [entry(1, at=NOW)])
    assert hidden.read_archive(workspace.root).entries.keys() == {entry(1).id}


def test_archiving_twice_is_archiving_once(workspace: Workspace) -> None:
    """A fact that is archived already gets no second line."""
    assert len(archive.put_away(workspace, [entry()])) == 1
    assert archive.put_away(workspace, [entry()]) == ()


def test_fact_stated_again_is_not_hidden(workspace: Workspace) -> None:
    """A fact that somebody writes down on a later day is there again."""
    archive.put_away(workspace, [entry()])
    standing = hidden.read_archive(workspace.root)
    assert standing.hides(entry().id, dt.date(2026, 1, 9))
    assert not standing.hides(entry().id, dt.date(2026, 3, 15))


def test_unknown_and_ambiguous_ids_change_nothing(workspace: Workspace) -> None:
    """An id that is not archived, or begins several, is named; nothing is restored."""
    archive.put_away(workspace, [entry(1), entry(2)])
    with pytest.raises(UsageError, match="beginning of 2 ids"):
        archive.bring_back(workspace, ["0000"], now=LATER)
    with pytest.raises(UsageError, match="beef: is not archived"):
        archive.bring_back(workspace, [entry(1).id, "beef"], now=LATER)
    assert len(hidden.read_archive(workspace.root).entries) == 2


def test_broken_line_is_reported_and_the_others_count(workspace: Workspace) -> None:
    """A line that is not JSON, not an object or not an archived fact is a defect with its line."""
    archive.put_away(workspace, [entry()])
    path = workspace.root / "memory/archive/archive-2026-03.jsonl"
    path.write_text('{"id": "torn\n[1]\n{"id": "x"}\n' + path.read_text() + '{"id": "y", "archived_at": "noon"}\n')
    standing = hidden.read_archive(workspace.root)
    assert list(standing.entries) == [entry().id]
    assert [found.defect.line for found in standing.defects] == [1, 2, 3, 5]
    assert {found.path for found in standing.defects} == {"memory/archive/archive-2026-03.jsonl"}


def test_append_after_a_torn_line_starts_a_new_one(workspace: Workspace) -> None:
    """What a crash cut off does not swallow the next fact."""
    path = workspace.root / "memory/archive/archive-2026-03.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b'{"id": "torn')
    archive.put_away(workspace, [entry()])
    assert hidden.read_archive(workspace.root).entries.keys() == {entry().id}


def test_full_disk_leaves_the_archive_as_it_was(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that fails leaves no half line, and the error says that nothing changed."""
    archive.put_away(workspace, [entry(1)])
    path = workspace.root / "memory/archive/archive-2026-03.jsonl"
    before = path.read_bytes()
    monkeypatch.setattr(os, "fsync", _full)
    with pytest.raises(WorkspaceError, match=r"archive-2026-03\.jsonl: cannot be written \(No space left"):
        archive.put_away(workspace, [entry(2)])
    assert path.read_bytes() == before


def test_forgotten_fact_is_not_restored(workspace: Workspace) -> None:
    """A statement with a tombstone does not come back from the archive."""
    archive.put_away(workspace, [entry()])
    key = b"k" * 32
    mark = Tombstones(keys=(key,)).marks([statement_key(entry().content, ["oslo"])])[0]
    lines = [{"key": key.hex()}, {"hash": mark, "forgotten_at": NOW.isoformat()}]
    (workspace.root / TOMBSTONES).write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(RetainError, match="was forgotten"):
        archive.bring_back(workspace, [entry().id], now=LATER)


def test_erase_takes_the_lines_of_one_fact(workspace: Workspace) -> None:
    """Forgetting removes a fact's lines and leaves every other byte, broken lines included."""
    archive.put_away(workspace, [entry(1), entry(2)])
    path = workspace.root / "memory/archive/archive-2026-03.jsonl"
    path.write_bytes(b"not json\n" + path.read_bytes())
    with workspace.lock():
        assert archive.erase(workspace, Tombstones(), [entry(1).id]) == 1
    assert path.read_bytes().startswith(b"not json\n")
    assert hidden.read_archive(workspace.root).entries.keys() == {entry(2).id}


@pytest.mark.parametrize("written", ["**Likes** tea", "likes  tea!", "LIKES\u3000TEA.", "Likes `tea`"])
def test_statement_key_ignores_case_and_markup(written: str) -> None:
    """Case, blanks, width, punctuation and markup do not make another statement."""
    assert statement_key(written, ["@Ann"]) == statement_key("Likes tea.", ["ann"])


@pytest.mark.parametrize("written", ["Likes teas.", "Does not like tea.", "茶が好き", "🙂", "🙃"])
def test_statement_key_tells_statements_apart(written: str) -> None:
    """Other words are another statement, also where there are no letters at all."""
    others = {"Likes tea.", "Likes teas.", "Does not like tea.", "茶が好き", "🙂", "🙃"} - {written}
    assert statement_key(written, []) not in {statement_key(other, []) for other in others}


def test_heads_belong_to_the_statement() -> None:
    """The same words about somebody else are another statement."""
    assert statement_key("Likes tea.", ["Ann"]) != statement_key("Likes tea.", ["Bo"])


def test_signature_changes_with_the_files(workspace: Workspace) -> None:
    """The signature tells whether anything has to be read again."""
    assert hidden.signature(workspace.root) == ""
    archive.put_away(workspace, [entry(1)])
    first = hidden.signature(workspace.root)
    archive.put_away(workspace, [entry(2)])
    assert "" != first != hidden.signature(workspace.root)


def _full(_: int) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    "line",
    [
        '{"id":"aa","content":"x","archived_at":"0001-01-01T00:00:00+14:00"}',
        '{"id":"aa","content":"x","archived_at":"9999-12-31T23:59:59-14:00"}',
        '{"id":"aa","restored_at":"9999-12-31T23:59:59+00:00"}',
        '{"id":"aa","content":"x","archived_at":"2026-03-01T00:00:00","tokens":Infinity}',
        '{"id":"aa","content":"x","archived_at":"2026-03-01T00:00:00","salience":"NaN"}',
        '{"id":"aa","content":"x","archived_at":"2026-03-01T00:00:00","heads":"Bruno"}',
        "[" * 100_000,
    ],
    ids=["too early", "too late", "beyond any clock", "endless", "no number", "no list", "deep"],
)
def test_no_line_stops_the_reading(workspace: Workspace, line: str) -> None:
    """Values that are JSON and yet nonsense are defects; archive and tombstones around them count."""
    archive.put_away(workspace, [entry()])
    path = workspace.root / archive.month_path(NOW)
    path.write_text(line + "\n" + path.read_text())
    standing = hidden.read_archive(workspace.root)
    assert list(standing.entries) == [entry().id]
    assert [found.defect.line for found in standing.defects] == [1]
    assert archive.erase(workspace, Tombstones(), [entry().id]) == 1
    (workspace.root / TOMBSTONES).write_text("[" * 100_000)
    assert [found.defect.line for found in read_tombstones(workspace.root).defects] == [1]


def test_an_archive_that_leads_out_of_the_workspace_is_not_written(tmp_path: Path) -> None:
    """A linked folder is refused like any other page; nothing lands outside."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "ws/memory").mkdir(parents=True)
    (tmp_path / "ws/memory/archive").symlink_to(tmp_path / "outside")
    with pytest.raises(WorkspaceError, match="leads out"):
        archive.put_away(Workspace(root=tmp_path / "ws"), [entry()])
    assert list((tmp_path / "outside").iterdir()) == []
