"""The index never drifts: whatever is edited in whatever order, it equals one built from scratch."""

import random
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory_plugin.index import Index, open_index
from openclaw_memory_plugin.workspace import Workspace

TABLES = {
    "facts": "SELECT * FROM facts ORDER BY id",
    "places": """
        SELECT f.path, o.pos, facts.id, o.line, o.end_line, s.heading, o.day
        FROM occurrences o JOIN files f USING (file_id) JOIN facts USING (seq) JOIN sections s USING (section_id)
        ORDER BY f.path, o.pos""",
    "mentions": """
        SELECT facts.id, e.key, m.role, m.pos, m.recency
        FROM mentions m JOIN facts USING (seq) JOIN entities e ON e.id = m.entity_id ORDER BY 1, 2""",
    "entities": """
        SELECT e.key, e.name, f.path, e.inferred, e.fact_count, round(e.idf_weight, 9)
        FROM entities e LEFT JOIN files f USING (file_id) ORDER BY 1""",
    "aliases": "SELECT a.key, e.key FROM aliases a JOIN entities e ON e.id = a.entity_id ORDER BY 1, 2",
    "names": "SELECT * FROM names ORDER BY key, name",
    "sightings": "SELECT * FROM sightings ORDER BY key, form",
    "corrections": """
        SELECT DISTINCT c.target, facts.id, f.path
        FROM corrections c JOIN facts USING (seq) JOIN files f USING (file_id) ORDER BY 1, 2, 3""",
    "defects": "SELECT f.path, line, message FROM defects JOIN files f USING (file_id) ORDER BY 1, 2, 3",
    "terms": "SELECT term, doc, cnt FROM vocabulary ORDER BY term",
    "parked": "SELECT * FROM parked_accesses ORDER BY id",
    "stale": "SELECT key FROM stale_names UNION ALL SELECT seq FROM stale_facts",
}
UNSTABLE = {"seq"}
"""Numbers that depend on the order of events, and of which no answer depends."""


def snapshot(index: Index) -> dict[str, list[Any]]:
    """Return all that the index says, without its internal numbers."""
    connection = sqlite3.connect(index.stats()["index_path"])
    connection.row_factory = sqlite3.Row
    connection.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab (main, words, row)")
    try:
        return {
            name: [{key: row[key] for key in row.keys() if key not in UNSTABLE} for row in connection.execute(query)]  # noqa: SIM118  a Row iterates over its values
            for name, query in TABLES.items()
        }
    finally:
        connection.close()


def rebuilt(root: Path, target: Path) -> dict[str, list[Any]]:
    """Return what an index says that reads a copy of the workspace, journal included, for the first time."""
    shutil.copytree(root, target, ignore=shutil.ignore_patterns("index*"))
    index = open_index(Workspace(root=target))
    index.sync()
    try:
        return snapshot(index)
    finally:
        index.close()


LINES = [
    "- W @Peter: Is in Marrakech for a week.",
    "- W @peter: is in Marrakech for a week.",
    "- B @Sarah @project: Sarah announced that Peter leaves New York.",
    "- O(c=0.9) @Pete: Prefers concise replies from @warelay.",
    "- O(c=0.4,s=0.9) @Pete: Prefers concise replies from @warelay.",
    "- W @Kestrel: flies over Harbour-Lane.",
    "- we saw Kestrel and a kestrel near Harbour Lane",
    "- the boat Linnet sails with Anton Reyes on board",
    "- we met Anton Reyes, and Linnet was late",
    "- every linnet sings",
    "- Linnet was with Peter and Pete",
    "- W @林静：二月在厦门参加婚礼。",
    "- 今天@林静在群里说上线推迟两周",
    "- 林静说阿木在成都",
    "- W ＠阿木: 修表铺搬到青羊区。",
    "- ミナトさんの机は窓側",
    "- C++ is not C, says [[Anton Reyes]]",
    "- ~~Peter likes tea~~",
    "- W(contradicts=0123456789ab) @Peter: likes coffee",
    "- W(contradicts=0123) @Peter: likes coffee",
    "- [ ] call Sarah about v4",
    "- W @v4: is the fourth version",
    "- gpt-4o and v4 and O'Brien were there, d'Alice too",
    "- W @O'Brien: is here",
    "- W(private) @Alice: keeps a diary",
    "- W(by=untrusted,s=0.9) @Alice: keeps a diary",
    "- W(by=agent,s=0.2,contradicts=0123) @Alice: keeps a diary",
    "- O(by=untrusted,c=0.1,contradicts=0123456789ab) @pete: prefers concise replies from @WARELAY.",
]
PAGES = ["", "# Peter\nAliases: Pete, PK\n", "# Sarah\nAliases: Pete\n", "# Pete\n", "# 林静\n别名：静姐\n", "# Peter"]
PATHS = ["memory/2026-01-01.md", "memory/2026-01-02.md", "memory/notes.md", "MEMORY.md"]
PAGE_PATHS = ["bank/entities/Peter.md", "bank/entities/Sarah.md"]

EDITS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(PATHS), st.just(""), st.lists(st.sampled_from(LINES), max_size=5)),
        st.tuples(st.sampled_from(PAGE_PATHS), st.sampled_from(PAGES), st.lists(st.sampled_from(LINES), max_size=2)),
    ),
    min_size=1,
    max_size=7,
)


def write(root: Path, path: str, front: str, lines: list[str]) -> None:
    """Write one file, or remove it when it would be empty."""
    file = root / path
    if not front and not lines:
        file.unlink(missing_ok=True)
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(front + "\n## Retain\n" + "\n".join(lines) + "\n", encoding="utf-8")


@settings(max_examples=40, deadline=None)
@given(edits=EDITS)
def test_incremental_equals_rebuilt(edits: list[tuple[str, str, list[str]]], tmp_path_factory: Any) -> None:
    """After any series of edits, deletions and syncs the index says what a new one says."""
    root = tmp_path_factory.mktemp("edits")
    (root / "w").mkdir()
    index = open_index(Workspace(root=root / "w"))
    for path, front, lines in edits:
        write(root / "w", path, front, lines)
        index.sync()
    assert snapshot(index) == rebuilt(root / "w", root / "again")
    index.close()


@pytest.mark.parametrize("seed", range(3))
def test_edits_of_a_real_workspace_do_not_drift(seed: int, tmp_path: Path) -> None:
    """Moving, cutting and deleting what people wrote leaves no trace of its former state."""
    chance = random.Random(seed)
    root = tmp_path / "w"
    root.mkdir()
    sources = sorted((Path(__file__).parent / "workspaces").glob("*/**/*.md"))
    index = open_index(Workspace(root=root))
    for step in range(25):
        source = chance.choice(sources)
        target = root / chance.choice(["memory", "bank/entities", "memory/sub"]) / chance.choice([source.name, "x.md"])
        target.parent.mkdir(parents=True, exist_ok=True)
        lines = source.read_text(encoding="utf-8-sig", errors="replace").split("\n")
        start = chance.randrange(len(lines))
        target.write_text("\n".join(lines[start : start + 60]), encoding="utf-8")
        if step % 5 == 4:
            chance.choice(sorted(root.glob("**/*.md"))).unlink()
        index.sync()
    assert snapshot(index) == rebuilt(root, tmp_path / "again")
    index.close()
