"""Upkeep of a whole memory: archive and restore, undo, maintenance and its schedule, feedback and measures."""

import datetime as dt
import inspect
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from openclaw_memory_hookspecs import Draft, Kind, RecallRequest
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.config import Config, Upkeep
from openclaw_memory_plugin.errors import UsageError, WorkspaceError
from openclaw_memory_plugin.faces import cli
from openclaw_memory_plugin.workspace import hidden

NOW = dt.datetime(2026, 4, 25, 12, tzinfo=dt.UTC)
WEEK = dt.timedelta(days=7)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A hundred old facts of rising salience on ten days, one page kept by hand, one young fact."""
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    for day in range(1, 11):
        facts = [f"- W(s=0.{day % 10}{n}) @Port: Crate {day}{n} went to quay {n}.\n" for n in range(10)]
        (root / f"memory/2026-02-{day:02d}.md").write_text(f"# 2026-02-{day:02d}\n\n## Retain\n" + "".join(facts))
    (root / "memory/2026-04-24.md").write_text("# 2026-04-24\n\n## Retain\n- W(s=0.0) @Port: Paint is dry.\n")
    (root / "MEMORY.md").write_text("# Memory\n\n- The harbour master is Ida.\n")
    return root


@pytest.fixture
def memory(root: Path) -> Iterator[Memory]:
    with opened(root) as memory:
        yield memory


def opened(root: Path, **settings: Any) -> Memory:
    memory = Memory.open(root, config=Config(upkeep=Upkeep(**settings)))
    memory.sync(now=NOW)
    return memory


def pages(root: Path) -> dict[str, bytes]:
    """All Markdown."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*.md")}


def recalled(memory: Memory, query: str, **options: Any) -> list[str]:
    request = RecallRequest(query=query, k=50, cutoff=False, track=False, now=NOW, **options)
    return [hit.fact.id for hit in memory.recall(request).hits]


def test_archived_fact_is_out_of_sight_and_comes_back(memory: Memory, root: Path) -> None:
    """Archived it is found only with the archive included, restored as before; no page changes."""
    before = pages(root)
    fact = memory.facts()[5]
    memory.archive(fact.id, now=NOW)
    assert fact.id not in recalled(memory, fact.content)
    assert fact.id in recalled(memory, fact.content, include_archived=True)
    assert fact.id not in {one.id for one in memory.facts()}
    memory.restore(fact.id, now=NOW + WEEK)
    assert memory.fact(fact.id) == fact
    assert fact.id in recalled(memory, fact.content)
    assert pages(root) == before


def test_rebuilt_index_hides_the_same(memory: Memory) -> None:
    """An index built anew from the files knows what is archived."""
    memory.archive(*(fact.id for fact in memory.facts()[:7]), now=NOW)
    before = memory.facts(), memory.facts(include_archived=True)
    memory.rebuild()
    assert (memory.facts(), memory.facts(include_archived=True)) == before


def test_fact_stated_again_is_in_sight_again(memory: Memory, root: Path) -> None:
    """Retaining an archived statement, on whatever day, brings it back without a word."""
    fact = memory.facts()[5]
    memory.archive(fact.id, now=NOW)
    draft = Draft(text=fact.content, kind=Kind.WORLD, entities=("Port",), day=fact.timestamp)
    assert memory.retain(draft, now=NOW).id == fact.id
    assert fact.id in {one.id for one in memory.facts()}


def test_restore_writes_what_stands_nowhere_any_more(memory: Memory, root: Path) -> None:
    """A fact whose log was deleted comes back from the archive into the log of its day, whole, and can be undone."""
    fact = memory.facts()[5]
    memory.archive(fact.id, now=NOW)
    log = root / fact.source.path
    log.unlink()
    memory.restore(fact.id, now=NOW)
    again = memory.fact(fact.id)
    assert (again.content, again.salience, again.timestamp) == (fact.content, fact.salience, fact.timestamp)
    assert again.source.path == fact.source.path
    memory.undo(now=NOW)
    assert not log.exists()


def test_undo_takes_the_last_retain_back(memory: Memory, root: Path) -> None:
    """A retained bullet is undone, and what a person wrote around it since stays."""
    memory.retain(Draft(text="The ferry is blue.", entities=("Ferry",)), now=NOW)
    log = root / "memory/2026-04-25.md"
    log.write_text(log.read_text() + "- W: Mine.\n")
    memory.undo(now=NOW)
    assert "ferry" not in log.read_text()
    assert "- W: Mine.\n" in log.read_text()
    assert [fact.content for fact in memory.facts() if "ferry" in fact.content] == []


def test_maintenance_is_a_preview_unless_told_otherwise(memory: Memory, root: Path) -> None:
    """A preview tells what would go and writes nothing."""
    told = memory.maintain(now=NOW)
    assert (len(told.plan.chosen), told.archived) == (20, ())
    assert not (root / "memory/archive").exists()
    assert not (root / ".memory/metrics.jsonl").exists()


def test_maintenance_archives_the_least_worth_and_touches_nothing_else(memory: Memory, root: Path) -> None:
    """A fifth at most goes, the least worth first; pages, other rows of the index and accesses stay as they are."""
    before_pages, before = pages(root), {fact.id: fact for fact in memory.facts()}
    done = memory.maintain(preview=False, now=NOW)
    gone = {entry.id for entry in done.archived}
    assert len(gone) == 20
    assert max(before[one].salience for one in gone) <= min(
        fact.salience for fact in memory.facts() if fact.source.path.startswith("memory/2026-02")
    )
    assert {fact.id: fact for fact in memory.facts()} == {key: fact for key, fact in before.items() if key not in gone}
    assert pages(root) == before_pages
    assert done.plan.deferred == 38


def test_maintenance_ends_when_nothing_is_left_to_archive(memory: Memory, root: Path) -> None:
    """Run after run less goes, until nothing does; then the archive is not touched any more."""
    runs = [len(memory.maintain(preview=False, now=NOW + WEEK * n).archived) for n in range(9)]
    assert runs[0] == 20
    assert sorted(runs, reverse=True) == runs
    assert runs[-1] == 0
    before = hidden.signature(root)
    memory.maintain(preview=False, now=NOW + WEEK * 10)
    assert hidden.signature(root) == before
    assert "The harbour master is Ida." in {fact.content for fact in memory.facts()}


def test_batches_are_as_configured_and_each_is_on_disk(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk fills up in the third batch, the first two are archived and nothing is half written."""
    from openclaw_memory_plugin.reflect.upkeep import archive

    written = archive.append_records
    calls = []

    def failing(*args: Any) -> None:
        calls.append(len(args[2]))
        if len(calls) == 3:
            raise WorkspaceError("archive: cannot be written (No space left on device); nothing was changed")
        written(*args)

    monkeypatch.setattr(archive, "append_records", failing)
    with opened(root, batch=6) as memory:
        with pytest.raises(WorkspaceError, match="No space left"):
            memory.maintain(preview=False, now=NOW)
        memory.sync(now=NOW)
        assert calls == [6, 6, 6]
        assert len(memory.facts()) == 102 - 12
        assert len(hidden.read_archive(root).entries) == 12


def test_heartbeat_maintains_once_a_week_and_only_when_allowed(root: Path) -> None:
    """Without the switch it only says how many could go; with it they go; between two weeks nothing happens."""
    with opened(root) as memory:
        assert memory.upkeep.heartbeat(NOW) == "20 facts are hardly worth keeping in sight: see `maintain`."
        assert memory.upkeep.heartbeat(NOW + WEEK / 4) == "20 facts are hardly worth keeping in sight: see `maintain`."
        memory.upkeep.note_given()
        assert memory.upkeep.heartbeat(NOW + WEEK / 2) is None
        assert hidden.read_archive(root).entries == {}
    with opened(root, enable_auto_prune=True) as memory:
        assert memory.upkeep.heartbeat(NOW + WEEK) == "20 facts were archived; `restore ID` brings one back."
        memory.upkeep.note_given()
        assert memory.upkeep.heartbeat(NOW + WEEK * 1.5) is None
    assert len(hidden.read_archive(root).entries) == 20


def test_measures_show_where_they_come_from(memory: Memory) -> None:
    """Each maintenance leaves the measures of its day, oldest first."""
    for week in range(3):
        memory.maintain(preview=False, now=NOW + WEEK * week)
    kept = memory.measures(now=NOW + WEEK * 3)["history"]
    assert [one["at"][:10] for one in kept] == ["2026-04-25", "2026-05-02", "2026-05-09"]
    assert [one["memory_size"] for one in kept] == [82, 66, 53]


def test_window_keeps_memory_at_its_size(root: Path) -> None:
    """With a window the runs go on until no more facts are in sight than it holds."""
    with opened(root, window=60, threshold=0.0, max_share=1.0) as memory:
        memory.maintain(preview=False, now=NOW)
        assert len(memory.facts()) == 60
        assert memory.measures(now=NOW)["metrics"]["memory_size"] == {
            "value": 60,
            "target": "<= 60",
            "met": True,
            "trend": 0,
        }


def test_feedback_is_the_accuracy_and_survives_a_lost_index(memory: Memory) -> None:
    """Judgements of recalled facts are counted, also after the index is built anew."""
    first, second = memory.facts()[:2]
    for _ in range(4):
        memory.feedback(first.id, good=True, now=NOW)
    memory.feedback(second.id[:10], good=False, now=NOW)
    assert memory.measures(now=NOW)["metrics"]["retrieval_accuracy"]["value"] == 0.8
    memory.rebuild()
    assert memory.measures(now=NOW)["metrics"]["retrieval_accuracy"]["value"] == 0.8
    with pytest.raises(UsageError, match="no fact has the id"):
        memory.feedback("beef", good=True, now=NOW)


def test_broken_archive_line_is_reported_and_everything_else_works(memory: Memory, root: Path) -> None:
    """A line that is not JSON: doctor names it, the archive and recall go on."""
    fact = memory.facts()[0]
    memory.archive(fact.id, now=NOW)
    path = root / "memory/archive/archive-2026-04.jsonl"
    path.write_text("{ torn\n" + path.read_text())
    memory.sync(now=NOW)
    assert fact.id not in {one.id for one in memory.facts()}
    (found,) = [one for one in memory.doctor() if "archive" in one.path]
    assert (found.path, found.line) == ("memory/archive/archive-2026-04.jsonl", 1)
    assert memory.restore(fact.id, now=NOW)


def test_opening_does_not_wait_for_somebody_at_work(memory: Memory, root: Path) -> None:
    """While another process makes a change, opening the memory neither waits for it nor meddles."""
    (root / ".memory/pending.json").write_text("{}")
    with memory.workspace.lock():
        began = time.monotonic()
        Memory.open(root).close()
        assert time.monotonic() - began < inspect.signature(memory.workspace.lock).parameters["timeout"].default / 2
        assert (root / ".memory/pending.json").exists()
    Memory.open(root).close()
    assert not (root / ".memory/pending.json").exists()


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("archive", "no fact has the id {!r}; `facts` lists them"),
        ("restore", "{}: is not archived; `facts --include-archived` lists what is"),
        ("forget", "no fact has the id {!r}; `facts` lists them"),
        ("feedback", "no fact has the id {!r}; `facts` lists them"),
    ],
)
@pytest.mark.parametrize("fact_id", ["beef", ""])
def test_command_line_names_an_unknown_id(
    root: Path, capsys: pytest.CaptureFixture[str], command: str, complaint: str, fact_id: str
) -> None:
    """An unknown id: exit 2, the reason on standard error, nothing changed."""
    before = pages(root)
    more = {"forget": ["--yes"], "feedback": ["good"]}.get(command, [])
    assert cli.main(["--workspace", str(root), command, fact_id, *more]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert complaint.format(fact_id) in said.err
    assert pages(root) == before
    assert not (root / "memory/archive").exists()


def test_command_line_asks_before_it_erases(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a terminal forget wants --yes, and shows with --dry-run what it would erase."""
    with opened(root) as memory:
        fact = memory.facts()[0]
    assert cli.main(["--workspace", str(root), "forget", fact.id]) == 2
    assert "--yes" in capsys.readouterr().err
    assert cli.main(["--workspace", str(root), "--json", "forget", fact.id, "--dry-run"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["dry_run"], told["erased"][0]["source"]) == (True, str(fact.source))
    assert cli.main(["--workspace", str(root), "--json", "forget", fact.id, "--yes"]) == 0
    assert json.loads(capsys.readouterr().out)["ids"] == [fact.id]


def test_command_line_of_upkeep(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every command of upkeep answers for people and for programs."""

    def run(*words: str) -> Any:
        assert cli.main(["--workspace", str(root), "--now", NOW.isoformat(), *words]) == 0
        out = capsys.readouterr().out
        return json.loads(out) if "--json" in words else out

    fact_id = run("--json", "facts")["facts"][0]["id"]
    assert run("--json", "archive", fact_id, "--reason", "old")["archived"][0]["reason"] == "old"
    assert run("--json", "restore", fact_id)["restored"][0]["id"] == fact_id
    assert run("archive", fact_id).startswith("✓ Archived: ")
    assert run("restore", fact_id).startswith("✓ Restored: ")
    run("retain", "The ferry is blue.")
    assert run("--json", "history")["changes"][-1]["paths"] == ["memory/2026-04-25.md"]
    assert "+- W: The ferry is blue." in run("history", "1")
    assert "+- W: The ferry is blue." in run("--json", "history", "--diff")["changes"][-1]["diff"]
    assert run("--json", "undo", "--dry-run")["paths"] == ["memory/2026-04-25.md"]
    assert "memory/2026-04-25.md" in run("undo")
    assert "Would archive 20 of 102 facts" in run("maintain")
    told = run("--json", "maintain", "--apply")
    assert (told["applied"], len(told["archived"])) == (True, 20)
    assert run("--json", "feedback", run("--json", "facts")["facts"][0]["id"], "good")["verdict"] == "good"
    stats = run("--json", "stats")
    assert stats["metrics"]["memory_size"]["value"] == 82
    assert {"growth", "index_bytes", "hubs", "archived"} <= stats.keys()
    assert "avg_relevance_score" in run("stats")


def test_a_clock_that_ran_ahead_does_not_stop_the_weekly_upkeep(memory: Memory) -> None:
    """A run that lies in the future is none of the last week."""
    memory.upkeep.maintain(now=NOW + dt.timedelta(days=3650))
    assert memory.upkeep.is_due(NOW)
    memory.upkeep.maintain(now=NOW)
    assert not memory.upkeep.is_due(NOW + dt.timedelta(days=6))
    assert memory.upkeep.is_due(NOW + dt.timedelta(days=7))


def test_the_keys_of_answers_are_those_of_the_readme(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever reads the JSON of a command finds every key documented."""
    readme = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
    table = {
        name: row
        for row in readme.splitlines()
        if row.startswith("| `")
        for name in row.split("|")[1].replace("`", "").strip().split(", ")
    }
    for words in ("reflect", "opinion show", "opinion review", "core diff", "history", "maintain", "undo"):
        assert cli.main(["--workspace", str(root), "--json", *words.split()]) == 0
        for key in json.loads(capsys.readouterr().out):
            assert f"`{key}`" in table[words], (words, key)
