"""The index file: replaced when it cannot be trusted, left alone when it is not ours to touch."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from openclaw_memory_plugin.errors import IndexUnavailableError
from openclaw_memory_plugin.index import Index, open_index, store
from openclaw_memory_plugin.workspace import Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace of one log with two facts."""
    log = tmp_path / "w" / "memory" / "2026-01-01.md"
    log.parent.mkdir(parents=True)
    log.write_text("## Retain\n- W @Peter: Is in Graz.\n- B @Sarah: Met Peter.\n", encoding="utf-8")
    return tmp_path / "w"


def synced(root: Path) -> Index:
    """Open and sync."""
    index = open_index(Workspace(root=root))
    index.sync()
    return index


def contents(root: Path) -> list[str]:
    """What the index of a workspace holds after a sync."""
    index = synced(root)
    try:
        return [fact.content for fact in index.facts()]
    finally:
        index.close()


FACTS = ["Is in Graz.", "Met Peter."]


@pytest.mark.parametrize("damage", ["garbage", "empty", "half", "foreign", "header", "directory of pages", "sidecars"])
def test_damaged_or_foreign_files_are_replaced(root: Path, damage: str) -> None:
    """Whatever stands in place of the index, the next command answers from a new one."""
    synced(root).close()
    path = root / ".memory" / "index.sqlite"
    data = path.read_bytes()
    if damage == "garbage":
        path.write_bytes(os.urandom(5000))
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "half":
        path.write_bytes(data[: len(data) // 2])
    elif damage == "foreign":
        path.unlink()
        other = sqlite3.connect(path)
        other.execute("CREATE TABLE facts (id)")
        other.commit()
        other.close()
    elif damage == "header":
        path.write_bytes(data[:100] + os.urandom(4000) + data[4100:])
    elif damage == "directory of pages":
        path.write_bytes(data[:4096] + os.urandom(len(data) - 4096))
    else:
        path.write_bytes(os.urandom(9000))
        for suffix in store.SIDECARS:
            (root / ".memory" / f"index.sqlite{suffix}").write_bytes(os.urandom(3000))
    assert contents(root) == FACTS


def test_older_version_is_rebuilt(root: Path) -> None:
    """An index of an older version is never read."""
    index = synced(root)
    index.connection.execute("UPDATE facts SET content = 'stale'")
    index.connection.execute("PRAGMA user_version = 0")
    index.close()
    assert contents(root) == FACTS


def test_newer_version_is_left_alone(root: Path) -> None:
    """An index of a newer version is not touched; ours stands beside it."""
    index = synced(root)
    index.connection.execute(f"PRAGMA user_version = {store.VERSION + 1}")
    index.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    index.close()
    path = root / ".memory" / "index.sqlite"
    before = path.read_bytes()
    assert contents(root) == FACTS
    assert path.read_bytes() == before
    assert (root / ".memory" / f"index.v{store.VERSION}.sqlite").exists()


def test_unwritable_state_folder_is_never_touched(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On read-only media the index is built in the cache folder, said so, and what is there stays as it is."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    synced(root).close()
    folder = root / ".memory"
    before = (folder / "index.sqlite").read_bytes()
    if os.geteuid() == 0:
        monkeypatch.setattr(store.os, "access", lambda path, mode: folder not in (path, *Path(path).parents))
    folder.chmod(0o555)
    try:
        index = synced(root)
        assert [fact.content for fact in index.facts()] == FACTS
        assert len(index.notices) == 1
        index.close()
        assert (folder / "index.sqlite").read_bytes() == before
        assert list((tmp_path / "cache").rglob("index.sqlite"))
    finally:
        folder.chmod(0o755)


def test_nowhere_to_write_is_an_error(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any folder to write to, the error names both and the remedy."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(store.os, "access", lambda path, mode: False)
    with pytest.raises(IndexUnavailableError, match="XDG_CACHE_HOME"):
        open_index(Workspace(root=root))


def test_locked_index_is_an_error_and_loses_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that never gets its turn raises; the next sync makes up for it."""
    index = synced(root)
    monkeypatch.setattr(store, "ATTEMPTS", 2)
    index.connection.execute("PRAGMA busy_timeout = 50")
    other = sqlite3.connect(root / ".memory" / "index.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    (root / "memory" / "2026-01-02.md").write_text("- a new note about boats\n", encoding="utf-8")
    with pytest.raises(IndexUnavailableError, match="locked"):
        index._store._begin(index.connection, attempts=2).__enter__()
    other.execute("ROLLBACK")
    other.close()
    assert index.sync().facts_added == 1
    index.close()


def test_index_removed_under_an_open_one(root: Path) -> None:
    """A process that has the index open notices that it is gone, or another one, and works with the new one."""
    index = synced(root)
    for path in (root / ".memory").glob("index*"):
        path.unlink()
    index.sync()
    assert [fact.content for fact in index.facts()] == FACTS
    assert (root / ".memory" / "index.sqlite").exists()
    index.close()


def test_index_does_not_grow_with_the_edits(root: Path) -> None:
    """A file that was once large and is small again leaves a small index."""
    large = root / "memory" / "large.md"
    large.write_text("\n".join(f"- note {n} on the {n % 97} boats of harbour {n}" for n in range(8000)), "utf-8")
    index = synced(root)
    size = index.stats()["index_bytes"]
    large.write_text("- nothing\n", encoding="utf-8")
    index.sync()
    assert index.stats()["index_bytes"] < size / 3
    index.close()


def test_network_file_system_goes_without_wal(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a network mount the index has no write-ahead log, and that is said once."""
    monkeypatch.setattr(store, "_on_network", lambda path: True)
    index = synced(root)
    assert index.connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal"
    assert len(index.notices) == 1
    index.close()


def test_documents_queries_run_unchanged(root: Path) -> None:
    """The SQL of the design documents works on the file."""
    synced(root).close()
    connection = sqlite3.connect(root / ".memory" / "index.sqlite")
    queries = [
        "SELECT COUNT(*) FROM facts WHERE last_accessed > datetime('now','-7 days')",
        "SELECT entity, COUNT(*) FROM fact_entities GROUP BY entity",
        "SELECT f.content FROM facts f JOIN fact_entities fe ON f.id = fe.fact_id"
        " JOIN entities e ON fe.entity_id = e.id WHERE e.name = 'Peter'",
        "SELECT id, name, fact_count, idf_weight FROM entity_stats ORDER BY fact_count DESC",
        "SELECT entity_id_1, entity_id_2, cooccur_count, cooccur_weight FROM entity_cooccurrence",
    ]
    answers = [connection.execute(query).fetchall() for query in queries]
    assert answers[0] == [(0,)]
    assert sorted(answers[1]) == [("Peter", 2), ("Sarah", 1)]
    assert len(answers[2]) == 2
    assert answers[4] == [(1, 2, 1, pytest.approx(1 / 1.0986122886681098))]
    connection.close()


ASK = "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('SELECT COUNT(*) FROM facts').fetchone()[0])"


def test_opening_it_again_keeps_the_locks(root: Path) -> None:
    """A process may open an index several times: no lock is dropped, so no other process takes the log away from it."""
    first = synced(root)
    open_index(Workspace(root=root)).close()
    database = root / ".memory" / "index.sqlite"
    subprocess.run([sys.executable, "-c", ASK, str(database)], check=True, capture_output=True)
    assert database.with_name("index.sqlite-wal").exists()
    (root / "memory" / "2026-01-02.md").write_text("## Retain\n- W @Peter: Is in Rome.\n", encoding="utf-8")
    first.sync()
    seen = subprocess.run([sys.executable, "-c", ASK, str(database)], check=True, capture_output=True, text=True)
    assert int(seen.stdout) == len(first.facts()) == 3
    first.close()
