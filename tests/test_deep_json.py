"""A line or file of ours that is nested without end costs no more than any other that cannot be read."""

import datetime as dt
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from openclaw_memory_hookspecs import RecallRequest
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.config import load_config, runtime
from openclaw_memory_plugin.errors import ConfigError, OpenClawMemoryError
from openclaw_memory_plugin.faces.install import jobs, openclaw, receipt
from openclaw_memory_plugin.turns.after import COUNTERS, read_counters
from openclaw_memory_plugin.workspace import Workspace

NOW = dt.datetime(2026, 3, 5, 12, tzinfo=dt.UTC)
DEEP = "[" * 100_000
STATE = ["access.jsonl", "capture.json", "pending.json", "forgetting.json", "hint.json", "metrics.jsonl"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "memory/archive").mkdir(parents=True)
    (tmp_path / ".memory/history").mkdir(parents=True)
    (tmp_path / "memory/2026-01-01.md").write_text("## Retain\n- W @Ann: Likes tea.\n- O @Bo: Loves rain.\n")
    return tmp_path


@pytest.mark.parametrize("torn", [False, True], ids=["last", "before others"])
def test_state_that_is_nested_without_end_is_passed_over(root: Path, torn: bool) -> None:
    """Sync, reflect, upkeep and recall do what they do; the journal's line is told of, the others count."""
    with Memory.open(root) as memory:
        memory.sync(now=NOW)
        (fact, _) = memory.facts()
        memory.track([fact.id], now=NOW)
        memory.reflect(now=NOW)
    for name in {*STATE, *(str(path.relative_to(root / ".memory")) for path in (root / ".memory").rglob("*.json"))}:
        with (root / ".memory" / name).open("a" if name.endswith("l") else "w") as file:
            file.write(DEEP + ("\n" if torn else ""))
    with Memory.open(root) as memory:
        memory.track([fact.id], now=NOW)
        memory.sync(now=NOW)
        memory.reflect(now=NOW)
        memory.maintain(now=NOW)
        memory.measures(now=NOW)
        assert memory.history() == ()
        assert read_counters(memory.workspace) == {}
        assert [hit.fact.id for hit in memory.recall(RecallRequest(query="tea", now=NOW)).hits] == [fact.id]
        assert memory.fact(fact.id).access_count == 3
        told = [found.line for found in memory.doctor(now=NOW) if found.path == ".memory/access.jsonl"]
        assert told == [3]
        memory.forget(fact.id, now=NOW)
        assert [one.content for one in memory.facts()] == ["Loves rain."]


def test_an_archive_that_is_nested_without_end_is_a_defect(root: Path) -> None:
    """Its other lines count."""
    (root / "memory/archive/archive-2026-01.jsonl").write_text(f"{DEEP}\n")
    with Memory.open(root) as memory:
        memory.archive(memory.sync(now=NOW) and memory.facts()[0].id, now=NOW)
        assert len(memory.facts()) == 1
        assert [found.line for found in memory.doctor(now=NOW) if "archive" in found.path] == [1]


@pytest.mark.parametrize("name", ["config.json", "config.yaml"])
def test_settings_that_are_nested_without_end_are_an_error(root: Path, name: str) -> None:
    """The file is named, as with any other mistake."""
    file = root / ".memory" / name
    file.write_text(DEEP[:5000])
    with pytest.raises(ConfigError, match=name):
        load_config(root, file)


@pytest.mark.parametrize(
    "read",
    [
        lambda folder: runtime.parse_json5(DEEP, "openclaw.json"),
        lambda folder: receipt.load(folder),
        lambda folder: openclaw.first_json(DEEP[:2000]),
    ],
    ids=["runtime", "receipt", "printed"],
)
def test_what_others_wrote_is_an_error_of_ours(tmp_path: Path, read: Callable[[Path], object]) -> None:
    """Nothing but our own error comes of it, with the file's name."""
    (tmp_path / receipt.NAME).write_text(DEEP)
    with pytest.raises(OpenClawMemoryError):
        read(tmp_path)


def test_jobs_that_cannot_be_read_are_none(tmp_path: Path) -> None:
    """What the bridge kept is best effort."""
    (tmp_path / jobs.KEPT).write_text(DEEP)
    assert jobs.kept_by_bridge(tmp_path) == ()


def test_counters_go_on(root: Path) -> None:
    """They begin anew."""
    (root / COUNTERS).write_text(DEEP)
    assert read_counters(Workspace(root=root)) == {}
    (root / COUNTERS).write_text(json.dumps({"known": 1}))
    assert read_counters(Workspace(root=root)) == {"known": 1}
