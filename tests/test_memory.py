"""Promises of the façade: what retain and recall do to files, index and accesses, alone and in a crowd."""

import datetime as dt
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import attrs
import pytest

from openclaw_memory_hookspecs import Draft, Fact, Kind, Provenance, RecallRequest, hookimpl
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.config import Config, Recalling
from openclaw_memory_plugin.errors import ConfigError, RetainError, UsageError, WorkspaceError
from openclaw_memory_plugin.names import name_key
from openclaw_memory_plugin.plugins import Plugins

SARAH = Draft(
    text="Sarah announced she leaves next month.",
    kind=Kind.EXPERIENCE,
    entities=("Sarah", "project"),
    salience=0.95,
)


def ask(query: str, now: dt.datetime, **options: Any) -> RecallRequest:
    return RecallRequest(query=query, now=now, **options)


def test_one_bullet_in_one_cited_recall_out(workspace: Path, now: dt.datetime) -> None:
    """A retained fact is found by the next recall, with the line it stands on."""
    with Memory.open(workspace) as memory:
        fact = memory.retain(SARAH, now=now)
        (hit, *_) = memory.recall(ask("When does Sarah leave?", now)).hits
    assert str(fact.source) == "memory/2026-03-25.md#L4"
    assert hit.fact.source == fact.source
    line = (workspace / "memory/2026-03-25.md").read_text(encoding="utf-8").split("\n")[3]
    assert line == "- B(s=0.95) @Sarah @project: Sarah announced she leaves next month."


def test_what_a_day_states_already_is_not_written_again(workspace: Path, now: dt.datetime) -> None:
    """Said twice, by whomever, it is one line; with other attributes, or on another day, it is a further one."""
    log = workspace / "memory/2026-03-25.md"
    with Memory.open(workspace) as memory, Memory.open(workspace) as other:
        first = memory.retain(SARAH, now=now)
        assert other.retain(SARAH, now=now + dt.timedelta(hours=1)) == first
        assert log.read_text().count("Sarah announced") == 1
        assert len(memory.history()) == 1
        memory.retain(attrs.evolve(SARAH, salience=0.5), now=now)
        assert log.read_text().count("Sarah announced") == 2
        assert len(memory.retain(SARAH, now=now + dt.timedelta(days=1)).citations) == 3
        memory.undo(now=now)
        memory.forget(first.id, now=now)
        assert memory.retain(SARAH, now=now).id == first.id
        assert log.read_text().count("Sarah announced") == 1


def test_a_missing_workspace_is_named_with_its_remedy(tmp_path: Path) -> None:
    """Nothing is created for a folder that does not exist."""
    with pytest.raises(WorkspaceError, match=r"no workspace at .*gone.* init"):
        Memory.open(tmp_path / "gone")
    assert not (tmp_path / "gone").exists()


def test_a_broken_configuration_stops_before_anything_is_written(workspace: Path) -> None:
    """A configuration that cannot be used is an error of the caller."""
    (workspace / ".memory").mkdir()
    (workspace / ".memory/config.yaml").write_text("scorrer: x\n")
    with pytest.raises(ConfigError):
        Memory.open(workspace)
    assert not (workspace / ".memory/index.sqlite").exists()


@pytest.mark.parametrize("text", ["", "  \n ", "\x00\x1b"])
def test_nothing_is_not_a_fact(workspace: Path, now: dt.datetime, text: str) -> None:
    """An empty text is refused and writes nothing."""
    before = sorted(path.name for path in (workspace / "memory").iterdir())
    with Memory.open(workspace) as memory, pytest.raises((UsageError, RetainError)):
        memory.retain(Draft(text=text), now=now)
    assert sorted(path.name for path in (workspace / "memory").iterdir()) == before


def test_every_attribute_survives_the_file(workspace: Path, now: dt.datetime) -> None:
    """What a draft says is what the fact says after reading it back from Markdown."""
    draft = Draft(
        text="Would rather meet on Mondays: fewer calls (#habits).",
        kind=Kind.OPINION,
        entities=("Sarah", "Andy Miller"),
        salience=0.8,
        confidence=0.7,
        provenance=Provenance.AGENT,
        private=True,
        pinned=True,
        day=dt.date(2026, 3, 20),
    )
    with Memory.open(workspace) as memory:
        fact = memory.retain(draft, now=now)
    shutil.rmtree(workspace / ".memory")
    with Memory.open(workspace) as memory:
        memory.sync(now=now)
        again = memory.fact(fact.id)
    assert again == fact
    assert (again.content, again.kind) == (draft.text, Kind.OPINION)
    assert (again.salience, again.confidence) == (0.8, 0.7)
    assert (again.provenance, again.private, again.pinned) == (Provenance.AGENT, True, True)
    assert {name_key(name) for name in again.entities} >= {name_key("Sarah"), name_key("Andy Miller")}
    assert again.timestamp == dt.date(2026, 3, 20)


@pytest.mark.parametrize(
    "text",
    [
        "two\nlines\r\nand\u2028three",
        "- W @Peter: a bullet in a bullet",
        "# not a heading",
        "``` not a fence",
        "<!-- not a comment",
        "[ ] not a task",
        "ends with a colon:",
        "a | table | row |",
        "> quoted",
        "日本語の文です。",
        "emoji 🎉 and `code`",
        "~~struck~~ and **bold**",
        "1. numbered",
        "--- three dashes",
    ],
)
def test_whatever_is_retained_reads_back_as_one_fact(workspace: Path, now: dt.datetime, text: str) -> None:
    """Text that looks like Markdown structure is still one fact on one line, and hides no earlier one."""
    with Memory.open(workspace) as memory:
        memory.sync(now=now)
        before = {fact.id for fact in memory.facts()}
        fact = memory.retain(Draft(text=text, kind=Kind.WORLD, entities=("Peter",)), now=now)
        after = {fact.id for fact in memory.facts()}
    assert fact.kind is Kind.WORLD
    assert fact.source.line == fact.source.end_line
    assert after - before == {fact.id}
    assert before <= after


def test_secrets_are_redacted_before_they_are_written(workspace: Path, now: dt.datetime) -> None:
    """No secret reaches the file."""
    with Memory.open(workspace) as memory:
        memory.retain(Draft(text="The key is AKIAIOSFODNN7EXAMPLE, keep it."), now=now)
    assert b"AKIAIOSFODNN7EXAMPLE" not in (workspace / "memory/2026-03-25.md").read_bytes()


def test_a_users_bytes_stay_as_they_are(workspace: Path, now: dt.datetime) -> None:
    """BOM, CRLF and what stands before survive a retain byte for byte."""
    log = workspace / "memory/2026-03-25.md"
    before = b"\xef\xbb\xbf# 2026-03-25\r\n\r\nA note with caf\xe9 in Latin-1."
    log.write_bytes(before)
    with Memory.open(workspace) as memory:
        memory.retain(SARAH, now=now)
    assert log.read_bytes().startswith(before)
    assert b"\r\n- B(s=0.95) @Sarah" in log.read_bytes()


def test_today_is_the_owners_day(workspace: Path) -> None:
    """At 23:30 in UTC-5 a fact goes to that day's log, not to UTC's."""
    late = dt.datetime(2026, 3, 26, 4, 30, tzinfo=dt.UTC)
    with Memory.open(workspace, config=Config(zone="America/Bogota")) as memory:
        assert str(memory.retain(SARAH, now=late).source).startswith("memory/2026-03-25.md")


def test_returned_facts_count_as_accessed_once_each_recall(workspace: Path, now: dt.datetime) -> None:
    """Only what a recall returned is counted; peeking is not."""
    with Memory.open(workspace) as memory:
        memory.recall(ask("concise replies", now, track=False))
        memory.recall(ask("concise replies", now))
        memory.recall(ask("concise replies", now + dt.timedelta(hours=1)))
        counts = {fact.content: fact.access_count for fact in memory.facts()}
        last = next(fact.last_accessed_at for fact in memory.facts() if fact.access_count)
    assert counts["Prefers concise replies."] == 2
    assert counts["Bought a ladder for the roof."] == 0
    assert last == now + dt.timedelta(hours=1)


def test_deleting_the_index_loses_nothing(workspace: Path, now: dt.datetime) -> None:
    """`rm` of the index gives identical answers, accesses included."""
    with Memory.open(workspace) as memory:
        memory.retain(SARAH, now=now)
        memory.recall(ask("Sarah", now))
        before = (memory.facts(), memory.recall(ask("Peter", now, track=False)))
    for path in (workspace / ".memory").glob("index*"):
        path.unlink()
    with Memory.open(workspace) as memory:
        after = memory.recall(ask("Peter", now, track=False))
        assert (memory.facts(), after) == before


def test_an_edited_file_is_seen_by_the_next_recall(workspace: Path, now: dt.datetime) -> None:
    """No watcher is needed: new lines are found, removed ones are gone."""
    log = workspace / "memory/2026-03-20.md"
    with Memory.open(workspace) as memory:
        assert memory.recall(ask("ladder", now)).hits
        log.write_text(log.read_text().replace("a ladder", "a trampoline"), encoding="utf-8")
        assert not [hit for hit in memory.recall(ask("ladder", now)).hits if "ladder" in hit.fact.content]
        assert memory.recall(ask("trampoline", now)).hits


def test_a_vetoed_fact_is_not_on_disk(workspace: Path, now: dt.datetime) -> None:
    """A plugin's veto comes before the first byte."""

    class No:
        @hookimpl
        def prepare_retain(self) -> bool:
            return False

    plugins = Plugins()
    plugins.register("no", No())
    with Memory.open(workspace, plugins=plugins) as memory, pytest.raises(RetainError, match="plugin no vetoed it"):
        memory.retain(SARAH, now=now)
    assert not (workspace / "memory/2026-03-25.md").exists()


def test_an_observer_that_raises_loses_no_fact(workspace: Path, now: dt.datetime) -> None:
    """`on_retain` comes after the write, sees the stored fact and cannot undo it."""
    seen: list[Fact] = []

    class Watches:
        @hookimpl
        def on_retain(self, fact: Fact) -> None:
            seen.append(fact)
            raise RuntimeError("too late")

    plugins = Plugins()
    plugins.register("watches", Watches())
    with Memory.open(workspace, plugins=plugins) as memory:
        fact = memory.retain(SARAH, now=now)
        assert memory.fact(fact.id) == fact
    assert seen == [fact]


def test_a_failing_plugin_is_said_in_the_answer(workspace: Path, now: dt.datetime) -> None:
    """A scorer with NaN, an observer that raises at the start: named in `degraded`, the built-in scorer answers."""

    class Bad:
        @hookimpl
        def on_start(self) -> None:
            raise RuntimeError("not today")

        @hookimpl
        def score_candidates(self, candidates: Any) -> list[float]:
            return [float("nan")] * len(candidates)

    plugins = Plugins()
    plugins.register("bad", Bad())
    with Memory.open(workspace) as memory:
        plain = memory.recall(ask("Peter", now, track=False))
    with Memory.open(workspace, plugins=plugins) as memory:
        degraded = memory.recall(ask("Peter", now, track=False))
    assert degraded.hits == plain.hits
    assert [sentence.split(":")[0] for sentence in degraded.degraded] == ["plugin bad", "plugin bad"]


def test_the_order_of_flat_facts_is_that_of_the_match(workspace: Path, now: dt.datetime) -> None:
    """With flat salience and no accesses the composite scorer keeps the order of `base`."""
    orders: list[list[str]] = []

    class Watches:
        @hookimpl
        def score_candidates(self, candidates: Any) -> None:
            orders.append([candidate.fact.id for candidate in sorted(candidates, key=lambda c: -c.base)])

    (workspace / "memory/2026-03-21.md").write_text(
        "".join(f"- Note {n}: the harbour {'ferry ' * (n % 4)}and a walk number {n}.\n" for n in range(20))
    )
    plugins = Plugins()
    plugins.register("watches", Watches())
    request = ask("harbour ferry", now, track=False, cutoff=False, k=50, associative_depth=0)
    with Memory.open(workspace, plugins=plugins) as memory:
        hits = memory.recall(request).hits
    assert len(hits) > 10
    assert [hit.fact.id for hit in hits] == orders[0][: len(hits)]


def test_configured_defaults_hold_for_every_caller(workspace: Path, now: dt.datetime) -> None:
    """`recall.k` of the configuration is where the command line starts from."""
    (workspace / ".memory").mkdir()
    (workspace / ".memory/config.yaml").write_text("recall: {k: 1}\n")
    with Memory.open(workspace) as memory:
        assert memory.config == Config(recall=Recalling(k=1))


@pytest.mark.parametrize("query", ["", "🎉", "x" * 100_000, "AND OR NOT NEAR( * ^ \" '", "\x00\ud800", "C:\\x a@b.c"])
def test_any_query_gets_an_answer(workspace: Path, now: dt.datetime, query: str) -> None:
    """Nothing that a person can type is an error."""
    with Memory.open(workspace) as memory:
        answer = memory.recall(ask(query, now))
    assert answer.degraded == ()


def test_the_index_can_be_read_with_sqlite(workspace: Path, now: dt.datetime) -> None:
    """The documents' names hold in plain SQL."""
    with Memory.open(workspace) as memory:
        memory.recall(ask("concise", now))
    connection = sqlite3.connect(workspace / ".memory/index.sqlite")
    try:
        rows = connection.execute("SELECT salience, access_count FROM facts WHERE content LIKE 'Prefers%'").fetchall()
        names = {row[0] for row in connection.execute("SELECT entity FROM fact_entities GROUP BY entity")}
    finally:
        connection.close()
    assert rows == [(0.5, 1)]
    assert {"Peter", "database"} <= names


def test_the_worked_example_of_the_score() -> None:
    """Salience 0.95, 2 days, 5 accesses and no match are 0.574, from the package's top level."""
    from openclaw_memory_plugin import compute_retrieval_score

    now = dt.datetime(2026, 1, 10, 12, tzinfo=dt.UTC)
    fact = {
        "salience": 0.95,
        "last_accessed_at": now - dt.timedelta(days=2),
        "access_count": 5,
        "entities": ["Sarah"],
    }
    assert compute_retrieval_score(fact, [], now=now) == pytest.approx(0.574, abs=5e-4)


def test_fifty_processes_retaining_at_once_leave_fifty_facts(workspace: Path) -> None:
    """No write is lost in a crowd, no file is left half written, and everybody reads back what it wrote."""
    code = (
        "import sys, datetime as dt\n"
        "from openclaw_memory_hookspecs import Draft\n"
        "from openclaw_memory_plugin import Memory\n"
        "now = dt.datetime(2026, 3, 25, 12, tzinfo=dt.UTC)\n"
        f"with Memory.open({str(workspace)!r}) as memory:\n"
        "    memory.retain(Draft(text=f'Number {sys.argv[1]} was here.', entities=('crowd',)), now=now)\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(n)], cwd=workspace, stderr=subprocess.PIPE) for n in range(50)
    ]
    failures = [(process.wait(), process.communicate()[1]) for process in running]
    assert [failure for failure in failures if failure != (0, b"")] == []
    with Memory.open(workspace) as memory:
        memory.sync()
        found = {fact.content for fact in memory.facts(entities=("crowd",))}
    assert found == {f"Number {n} was here." for n in range(50)}
    assert [path.name for path in (workspace / "memory").iterdir() if path.suffix != ".md"] == []


def test_an_editor_that_saves_meanwhile_loses_nothing(workspace: Path, now: dt.datetime) -> None:
    """A log saved between our reading and writing keeps both: theirs and ours."""
    from openclaw_memory_plugin.memory import retaining
    from openclaw_memory_plugin.workspace import Workspace

    log = workspace / "memory/2026-03-25.md"
    log.write_text("# 2026-03-25\n")

    class Interrupted(Workspace):
        interruptions = 2

        def read(self, path: str) -> Any:
            source = super().read(path)
            if self.interruptions:
                type(self).interruptions -= 1
                log.write_text(log.read_text() + f"- Theirs {self.interruptions}.\n")
            return source

    retaining.write_fact(Interrupted(root=workspace), attrs.evolve(SARAH), now)
    assert "Theirs 1." in log.read_text()
    assert "Theirs 0." in log.read_text()
    assert "Sarah announced" in log.read_text()


def test_a_full_disk_costs_freshness_not_the_answer(workspace: Path, now: dt.datetime) -> None:
    """When the index cannot be written, what it holds is answered, and that is said."""

    class Full:
        def __init__(self, index: Any) -> None:
            self._index = index

        def sync(self, *_: Any) -> None:
            raise sqlite3.OperationalError("database or disk is full")

        def __getattr__(self, name: str) -> Any:
            return getattr(self._index, name)

    with Memory.open(workspace) as memory:
        memory.sync(now=now)
        memory.index = Full(memory.index)  # type: ignore[assignment]
        answer = memory.recall(ask("concise replies", now))
    assert answer.hits[0].fact.content == "Prefers concise replies."
    assert "database or disk is full" in answer.degraded[0]


def test_a_recall_does_not_wait_for_who_holds_the_index(
    workspace: Path, now: dt.datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed file and a locked index: the answer comes soon, from what there is, and says so; later it is whole."""
    monkeypatch.setattr("openclaw_memory_plugin.memory.IMPATIENT_SECONDS", 0.2)
    with Memory.open(workspace) as memory:
        memory.sync(now=now)
        (workspace / "memory/2026-03-21.md").write_text("- The ladder went back to the shop.\n", encoding="utf-8")
        other = sqlite3.connect(workspace / ".memory/index.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        answer = memory.recall(ask("ladder", now))
        waited = time.monotonic() - began
        other.execute("ROLLBACK")
        other.close()
        later = memory.recall(ask("ladder", now))
        (usual,) = memory.index.connection.execute("PRAGMA busy_timeout").fetchone()
    assert waited < usual / 1000 / 2
    assert [hit.fact.content for hit in answer.hits] == ["Bought a ladder for the roof."]
    assert "stayed locked for 0.2 seconds" in answer.degraded[0]
    assert (len(later.hits), later.degraded) == (2, ())
    assert usual == 10_000
