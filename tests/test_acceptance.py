"""The acceptance checks of the design documents, their tests 1 to 6; adapted where their arithmetic was wrong."""

import datetime as dt
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from openclaw_memory_plugin import compute_retrieval_score
from openclaw_memory_plugin.faces import cli

NOW = "2026-03-25T12:00:00+00:00"
Run = Callable[..., str]

CHAIN = (
    ("Performance complaints start in the database.", "performance", "database"),
    ("The database is what the slow endpoint waits for.", "database", "slow-endpoint"),
    ("The slow endpoint was written by Sarah.", "slow-endpoint", "Sarah"),
    ("Sarah learnt query planning in Graz.", "Sarah", "Graz"),
)
"""Performance leads to the database, that to the slow endpoint, that to Sarah."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


@pytest.fixture
def run(root: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run one command line in a new workspace and return what it prints."""

    def run(*words: str, code: int = 0, now: str = NOW) -> str:
        assert cli.main([*words, "--workspace", str(root), "--now", now]) == code
        return capsys.readouterr().out

    run("init")
    return run


@pytest.fixture
def chain(run: Run) -> Run:
    """The same, with a chain of connected facts and what surrounds it."""
    for text, *entities in CHAIN:
        marks = [word for name in entities for word in ("--entity", name)]
        run("retain", text, *marks, "--salience", "0.6")
    for number in range(12):
        run("retain", f"Crate {number} is on quay {number}.", "--entity", f"quay-{number}", "--salience", "0.6")
    return run


def query(root: Path, statement: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(root / ".memory/index.sqlite") as connection:
        return connection.execute(statement).fetchall()


def test_1_schema_is_visible(root: Path, run: Run) -> None:
    """The documents' columns with their types and defaults, and their queries run unchanged."""
    run("retain", "The database is slow.", "--entity", "performance")
    (schema,) = query(root, "SELECT sql FROM sqlite_master WHERE name = 'facts'")[0]
    for column in (
        r"salience\s+REAL DEFAULT 0\.5",
        r"last_accessed_at\s+DATETIME",
        r"access_count\s+INTEGER DEFAULT 0",
    ):
        assert re.search(column, str(schema)), column
    recent = "SELECT COUNT(*) FROM facts WHERE last_accessed > datetime('now','-7 days')"
    for days_ago, counted in ((30, 0), (8, 0), (6, 1)):
        run("recall", "slow database", now=(dt.datetime.now(dt.UTC) - dt.timedelta(days=days_ago)).isoformat())
        assert query(root, recent) == [(counted,)]
    assert query(root, "SELECT entity, COUNT(*) FROM fact_entities GROUP BY entity") == [("performance", 1)]
    assert query(
        root,
        "SELECT f.content FROM facts f JOIN fact_entities fe ON f.id = fe.fact_id"
        " JOIN entities e ON fe.entity_id = e.id WHERE e.name = 'performance'",
    ) == [("The database is slow.",)]
    assert query(root, "SELECT name, fact_count, idf_weight FROM entity_stats") == [("performance", 1, 1.0)]
    assert query(root, "SELECT entity_id_1, entity_id_2, cooccur_count, cooccur_weight FROM entity_cooccurrence") == []


def test_2_retain_prints_the_bullet(root: Path, run: Run) -> None:
    """A retained fact is said back as the bullet that stands in the log of the day."""
    out = run(
        "retain", "Sarah is leaving next month", "--type", "B", "--entity", "Sarah", "--entity", "project",
        "--salience", "0.95",
    )  # fmt: skip
    assert "✓ Retained: B(s=0.95) @Sarah @project: Sarah is leaving" in out
    log = (root / "memory/2026-03-25.md").read_text()
    assert "\n- B(s=0.95) @Sarah @project: Sarah is leaving next month\n" in log


def test_3_recall_bumps_the_counters(root: Path, run: Run) -> None:
    """Each recall counts once for the facts that it returned; with --no-track it does not."""
    run("retain", "Sarah is leaving next month.", "--type", "B", "--entity", "Sarah")
    run("retain", "The ferry is blue.", "--entity", "ferry")
    assert "Sarah is leaving" in run("recall", "Is Sarah leaving?")
    run("recall", "Is Sarah leaving?")
    run("recall", "Is Sarah leaving?", "--no-track")
    assert query(root, "SELECT content, access_count, last_accessed_at FROM facts ORDER BY access_count DESC") == [
        ("Sarah is leaving next month.", 2, "2026-03-25 12:00:00"),
        ("The ferry is blue.", 0, None),
    ]


def test_4_recall_by_association(chain: Run) -> None:
    """Direct matches first, then what two hops lead to, each with the way that led there."""
    out = chain("recall", "performance", "--associative-depth", "2", "--min-salience", "0.3")
    direct, _, connected = out.partition("2-hop connections")
    assert "Direct matches" in direct
    assert "Performance complaints" in direct
    assert "(via @database → @slow-endpoint)" in connected
    assert "written by Sarah" in connected
    debug = chain("recall", "performance", "--associative-depth", "2", "--min-salience", "0.3", "--debug")
    assert [line.strip() for line in debug[debug.index("Traversal") :].splitlines()] == [
        "Traversal",
        "seeds: @performance",
        "hop 1",
        "@performance → @database 0.500",
        "hop 2",
        "@database → @slow-endpoint 0.250",
        "Final activation",
        "1.000 @performance",
        "0.500 @database",
        "0.250 @slow-endpoint",
    ]


def test_5_score_of_the_worked_example() -> None:
    """Salience 0.95, two days, five accesses, no match: 0.574, in naive local time as in the documents."""
    now = dt.datetime(2026, 3, 25, 12)
    fact = {"salience": 0.95, "last_accessed_at": now - dt.timedelta(days=2), "access_count": 5, "entities": ["Sarah"]}
    assert round(compute_retrieval_score(fact, ["performance"], now=now), 3) == 0.574


def test_6_reflect_tells_what_it_did(chain: Run, root: Path) -> None:
    """How many facts of how many, the top priorities, and the core memory line."""
    chain("retain", "Sarah is leaving next month.", "--type", "B", "--entity", "Sarah", "--salience", "0.95")
    out = chain("reflect", "--agent-id", "test-agent", "--debug")
    assert re.search(r"\b17 of 17 facts\b", out)
    priorities = out[out.index("Top priorities") :].splitlines()
    assert "Sarah is leaving next month." in priorities[1]
    assert re.search(r"Core memory updated: [\d,]+ tokens \(was 0\)", out)
    assert "Sarah is leaving next month." in (root / "MEMORY.md").read_text()
