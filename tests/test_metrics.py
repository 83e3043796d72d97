"""Five measures with their targets, growth by week, and a history in which trends show."""

import datetime as dt
from pathlib import Path

import pytest

from openclaw_memory_hookspecs import Citation, Fact, Kind
from openclaw_memory_plugin.faces.commands.render import Pen
from openclaw_memory_plugin.faces.commands.upkeep import MEASURES, measure_lines
from openclaw_memory_plugin.reflect.upkeep import metrics
from openclaw_memory_plugin.reflect.upkeep.metrics import Measure
from openclaw_memory_plugin.reflect.upkeep.retention import Scored
from openclaw_memory_plugin.workspace import Workspace
from openclaw_memory_plugin.workspace.hidden import Archived

NOW = dt.datetime(2026, 3, 14, 12, tzinfo=dt.UTC)


def scored(score: float, content: str = "Four words are here.", day: dt.date = dt.date(2026, 3, 10)) -> Scored:
    citation = Citation(path="memory/2026-03-10.md", line=1, end_line=1)
    return Scored(fact=Fact(id="x", kind=Kind.NOTE, content=content, citations=(citation,), timestamp=day), score=score)


def away(score: float, *, tokens: int = 5, days: int = 1) -> Archived:
    at = NOW - dt.timedelta(days=days)
    return Archived(id="y", content="z", kind=Kind.NOTE, archived_at=at, relevance_score=score, tokens=tokens)


def taken(
    live: list[Scored], archived: list[Archived], *, good: int = 0, bad: int = 0, window: int | None = None
) -> dict[str, Measure]:
    measures = metrics.measure(live, archived, good=good, bad=bad, window=window, now=NOW)
    return {one.name: one for one in measures}


def test_measures_and_targets_are_the_documents() -> None:
    """Every measure carries its target and whether it is met."""
    found = taken([scored(0.5), scored(0.3)], [away(0.1)], good=9, bad=1, window=200)
    assert {name: (one.target, one.met) for name, one in found.items()} == {
        "memory_size": ("<= 200", True),
        "avg_relevance_score": ("> 0.45", False),
        "retrieval_accuracy": ("> 0.8", True),
        "prune_rate": ("< 0.2", False),
        "token_efficiency": ("> 0.95", True),
    }
    assert found["retrieval_accuracy"].value == 0.9
    assert found["prune_rate"].value == pytest.approx(1 / 3, abs=1e-4)


def test_nothing_to_measure_is_no_value() -> None:
    """Without facts, feedback or window there is no number and nothing is missed."""
    found = taken([], [])
    assert {name: (one.value, one.met) for name, one in found.items()} == {
        "memory_size": (0, None),
        "avg_relevance_score": (None, None),
        "retrieval_accuracy": (None, None),
        "prune_rate": (0.0, True),
        "token_efficiency": (None, None),
    }


def test_token_efficiency_is_value_kept_per_token_kept() -> None:
    """Archiving what is worth less than its length raises it, archiving what is worth more lowers it."""
    live = [scored(0.5)]
    assert taken(live, [])["token_efficiency"].value == 1.0
    assert (taken(live, [away(0.1)])["token_efficiency"].value or 0) > 1
    assert (taken(live, [away(0.9)])["token_efficiency"].value or 2) < 0.95


def test_growth_is_told_by_week() -> None:
    """The last eight weeks, oldest first, each fact in the week in which it was first recorded."""
    days = [dt.date(2026, 3, 10), dt.date(2026, 3, 9), dt.date(2026, 2, 24), dt.date(2025, 1, 1)]
    weeks = metrics.growth([scored(0.5, day=day) for day in days], today=NOW.date())
    assert [week["week"] for week in weeks][-3:] == ["2026-W09", "2026-W10", "2026-W11"]
    assert [week["facts"] for week in weeks] == [0, 0, 0, 0, 0, 1, 0, 2]


def test_overdue_is_only_counted() -> None:
    """Archived facts older than the retention are counted, nothing else."""
    assert metrics.overdue([away(0.1, days=91), away(0.1, days=89)], retention_days=90, now=NOW) == 1


def test_history_is_kept_and_trends_show(tmp_path: Path) -> None:
    """Snapshots are kept in order, broken lines apart, and the trend is the difference to the last one."""
    workspace = Workspace(root=tmp_path)
    before = [Measure(name="memory_size", value=10), Measure(name="retrieval_accuracy", value=None)]
    metrics.keep_snapshot(workspace, before, now=NOW - dt.timedelta(days=7), maintained=True)
    (tmp_path / ".memory/metrics.jsonl").open("a").write("torn {\n")
    metrics.keep_snapshot(workspace, [Measure(name="memory_size", value=12)], now=NOW, maintained=False)
    kept = metrics.read_snapshots(workspace)
    assert [(one.values["memory_size"], one.maintained) for one in kept] == [(10.0, True), (12.0, False)]
    assert metrics.trend(kept, [Measure(name="memory_size", value=15)]) == {"memory_size": 3}


def test_history_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest snapshots make room."""
    monkeypatch.setattr(metrics, "KEPT", 3)
    workspace = Workspace(root=tmp_path)
    for day in range(5):
        measures = [Measure(name="memory_size", value=day)]
        metrics.keep_snapshot(workspace, measures, now=NOW + dt.timedelta(days=day), maintained=True)
    assert [one.values["memory_size"] for one in metrics.read_snapshots(workspace)] == [2, 3, 4]


def test_people_read_what_each_measure_says_and_what_to_do() -> None:
    """A missed target is no alarm: beside it stands what may be done, a met one only says what it is."""
    found = taken([scored(0.5), scored(0.3)], [away(0.1)], good=9, bad=1, window=200)
    told = {one.name: {"value": one.value, "target": one.target, "met": one.met} for one in found.values()}
    lines = measure_lines(told, Pen(colour=True))
    assert len(lines) == 2 * len(MEASURES) == 2 * len(found)
    for name, below in zip(found, lines[1::2], strict=True):
        meaning, advice = MEASURES[name]
        assert meaning in below
        assert (advice in below) == (found[name].met is False)
    assert not any("\x1b[31m" in line for line in lines)
