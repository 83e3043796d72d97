"""How memory is doing: the documents' five measures with their targets, growth, and a history so that trends show."""

import datetime as dt
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from openclaw_memory_plugin.reflect.upkeep.retention import Scored
from openclaw_memory_plugin.words import count_tokens
from openclaw_memory_plugin.workspace import Workspace
from openclaw_memory_plugin.workspace.hidden import Archived

HISTORY = "metrics.jsonl"
WEEKS = 8
"""Weeks of growth that are told."""
KEPT = 400
"""Snapshots kept."""


@attrs.frozen(kw_only=True)
class Measure:
    """One number, what it should be, and whether it is."""

    name: str
    value: float | None
    """None when there is nothing to measure yet."""
    target: str | None = None
    """As `<= 200`; None when none is set."""

    @property
    def met(self) -> bool | None:
        """None when there is no value or no target."""
        if self.value is None or self.target is None:
            return None
        sign, _, bound = self.target.partition(" ")
        limit = float(bound)
        return {"<=": self.value <= limit, "<": self.value < limit, ">": self.value > limit}[sign]


@attrs.frozen(kw_only=True)
class Snapshot:
    """The measures at one moment, as they are kept."""

    at: dt.datetime
    values: Mapping[str, float | None]
    maintained: bool = False
    """Whether upkeep ran then."""


def measure(
    scored: Sequence[Scored],
    archived: Iterable[Archived],
    *,
    good: int,
    bad: int,
    window: int | None,
    now: dt.datetime,
) -> tuple[Measure, ...]:
    """
    Take the documents' five measures over the facts outside the archive.

    - `memory_size`: facts.
    - `avg_relevance_score`: mean retention score.
    - `retrieval_accuracy`: `good / (good + bad)` of the feedback.
    - `prune_rate`: share of the facts that the last seven days put into the archive.
    - `token_efficiency`: share of all value that was kept, by share of all tokens that was kept; value is the
      retention score. 1 when nothing is archived, more when what was archived was worth less than its length.
    """
    away = list(archived)
    recent = sum(1 for entry in away if now - dt.timedelta(days=7) < entry.archived_at <= now)
    size = len(scored)
    mean = sum(one.score for one in scored) / size if size else None
    judged = good + bad
    return (
        Measure(name="memory_size", value=size, target=None if window is None else f"<= {window}"),
        Measure(name="avg_relevance_score", value=_rounded(mean), target="> 0.45"),
        Measure(name="retrieval_accuracy", value=_rounded(good / judged) if judged else None, target="> 0.8"),
        Measure(name="prune_rate", value=_rounded(recent / (size + recent)) if size + recent else 0.0, target="< 0.2"),
        Measure(name="token_efficiency", value=_rounded(_efficiency(scored, away)), target="> 0.95"),
    )


def growth(scored: Iterable[Scored], *, today: dt.date) -> list[dict[str, Any]]:
    """Facts first recorded in each of the last weeks, oldest first: `{"week": "2026-W09", "facts": 12}`."""
    weeks = Counter(
        f"{day.isocalendar().year}-W{day.isocalendar().week:02d}" for one in scored if (day := one.fact.timestamp)
    )
    names = []
    for back in range(WEEKS - 1, -1, -1):
        year, week, _ = (today - dt.timedelta(weeks=back)).isocalendar()
        names.append(f"{year}-W{week:02d}")
    return [{"week": name, "facts": weeks.get(name, 0)} for name in names]


def overdue(archived: Iterable[Archived], *, retention_days: int, now: dt.datetime) -> int:
    """How many archived facts are older than the owner meant to keep them; they are only reported."""
    limit = now - dt.timedelta(days=retention_days)
    return sum(entry.archived_at < limit for entry in archived)


def keep_snapshot(workspace: Workspace, measures: Iterable[Measure], *, now: dt.datetime, maintained: bool) -> None:
    """Append the measures to `.memory/metrics.jsonl`; the oldest make room. Takes the workspace's lock."""
    record = {
        "at": now.astimezone(dt.UTC).isoformat(timespec="seconds"),
        **({"maintained": True} if maintained else {}),
        **{one.name: one.value for one in measures},
    }
    path = workspace.state_dir / HISTORY
    with workspace.lock():
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
        lines = [*lines[1 - KEPT :], json.dumps(record)]
        workspace.write(f"{workspace.state_dir.name}/{HISTORY}", ("\n".join(lines) + "\n").encode())


def read_snapshots(workspace: Workspace) -> tuple[Snapshot, ...]:
    """All measures kept, oldest first; lines that cannot be read are left out."""
    try:
        lines = (workspace.state_dir / HISTORY).read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return ()
    found = []
    for line in lines:
        try:
            record = json.loads(line)
            at = dt.datetime.fromisoformat(record.pop("at")).astimezone(dt.UTC)
            maintained = bool(record.pop("maintained", False))
            values = {str(key): None if value is None else float(value) for key, value in record.items()}
            found.append(Snapshot(at=at, values=values, maintained=maintained))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
            continue
    return tuple(sorted(found, key=lambda snapshot: snapshot.at))


def trend(snapshots: Sequence[Snapshot], measures: Iterable[Measure]) -> dict[str, float]:
    """How much each measure moved since the last snapshot; those without a value on both sides are left out."""
    if not snapshots:
        return {}
    before = snapshots[-1].values
    return {
        one.name: round(one.value - past, 4)
        for one in measures
        if one.value is not None and (past := before.get(one.name)) is not None
    }


def _efficiency(scored: Sequence[Scored], away: Sequence[Archived]) -> float | None:
    kept_value = sum(one.score for one in scored)
    kept_tokens = sum(count_tokens(one.fact.content) for one in scored)
    value = kept_value + sum(entry.relevance_score for entry in away)
    tokens = kept_tokens + sum(entry.tokens or count_tokens(entry.content) for entry in away)
    if not kept_tokens or not value:
        return None
    return (kept_value / value) / (kept_tokens / tokens)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
