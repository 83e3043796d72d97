"""
Which facts a reflection looks at, and in which order.

A fact is taken when it was recalled within 30 days, is very salient, or is new since the last reflection; the hundred
most important ones get the attention, what else is new only has its pages brought up to date.
"""

import datetime as dt
import heapq
import json
import logging
import math
from collections.abc import Collection, Iterable, Sequence

import attrs

from openclaw_memory_plugin.errors import WorkspaceError
from openclaw_memory_plugin.index.reflection import Standing
from openclaw_memory_plugin.workspace import Workspace
from openclaw_memory_plugin.workspace.files import read_json

log = logging.getLogger(__name__)

LIMIT = 100
ACCESSED_DAYS = 30
SALIENT = 0.8
STATE = "reflected.json"


@attrs.frozen(kw_only=True)
class Selection:
    """What one reflection takes."""

    chosen: tuple[Standing, ...]
    """At most LIMIT, the most important first."""
    waiting: tuple[Standing, ...]
    """What else is new: the next ones in the same order, then the rest in that of the index."""
    eligible: int
    total: int
    """All standing facts."""


@attrs.frozen(kw_only=True)
class Remembered:
    """What the last reflection saw; losing it only means looking at everything once more."""

    ids: frozenset[str] = frozenset()
    """All facts there were."""
    fresh: frozenset[str] = frozenset()
    """Those that were new then."""
    pending: frozenset[str] = frozenset()
    """Those that had to wait; their turn comes when something else is new, too."""
    skipped: frozenset[str] = frozenset()
    """Those that only reflections on what was recorded since some day have passed over."""
    at: dt.datetime | None = None

    def has_weighed(self, fact_id: str) -> bool:
        """Whether a fact was looked at as evidence before; what came of it is on the opinions page."""
        return fact_id in self.ids and fact_id not in self.pending and fact_id not in self.skipped

    def new(self, ids: Collection[str]) -> frozenset[str]:
        """
        Tell which of these facts are new.

        While nothing has changed these are the same ones again, so that a reflection done twice does nothing twice.
        What was passed over is new until its turn has come.
        """
        now = frozenset(ids)
        if now == self.ids:
            return (self.fresh - self.pending) | self.skipped
        return (now - self.ids) | ((self.pending | self.skipped) & now)


def priority(fact: Standing) -> float:
    """Importance of a fact to a reflection, higher is better. Source: `salience · (1 + 0.1 · ln(1 + accesses))`."""
    return fact.salience * (1 + 0.1 * math.log1p(fact.access_count))


def select(
    facts: Sequence[Standing],
    *,
    now: dt.datetime,
    since: dt.date | None,
    new: Collection[str],
    limit: int = LIMIT,
    ordered: int = 0,
) -> Selection:
    """
    Choose what to reflect on; ties go to the later and then to the smaller id. O(n log limit).

    Args:
        ordered: how many of those that wait are put in order, too.
        since: take what was recorded from this day on; None takes `new`.
        new: ids of the facts that no reflection has seen.
    """
    recently = (now - dt.timedelta(days=ACCESSED_DAYS)).astimezone(dt.UTC).strftime("%Y-%m-%d %H:%M:%S")
    first = since.isoformat() if since else None
    eligible = []
    for fact in facts:
        if fact.noise:
            continue
        is_new = fact.id in new if first is None else (fact.last_seen or "") >= first
        if is_new or fact.salience > SALIENT or (fact.last_accessed_at or "") >= recently:
            eligible.append((-priority(fact), _backwards(fact.last_seen), fact.id, is_new, fact))
    best = heapq.nsmallest(limit + ordered, eligible)
    taken = {item[2] for item in best}
    later = (item[4] for item in eligible if item[3] and item[2] not in taken)
    return Selection(
        chosen=tuple(item[4] for item in best[:limit]),
        waiting=(*(item[4] for item in best[limit:] if item[3]), *later),
        eligible=len(eligible),
        total=len(facts),
    )


def read_remembered(workspace: Workspace) -> Remembered:
    """Read what the last reflection saw; nothing when there was none or the note is damaged."""
    noted = read_json(workspace.state_dir / STATE)
    try:
        return Remembered(
            ids=frozenset(map(str, noted["ids"])),
            fresh=frozenset(map(str, noted["fresh"])),
            pending=frozenset(map(str, noted["pending"])),
            skipped=frozenset(map(str, noted.get("skipped", ()))),
            at=dt.datetime.fromisoformat(noted["at"]),
        )
    except (ValueError, KeyError, TypeError):
        return Remembered()


def write_remembered(workspace: Workspace, remembered: Remembered) -> None:
    """
    Note what this reflection saw, as far as that can be written: the pages are, and they are what counts.

    Only ids are noted: nothing that could have to be forgotten.
    """
    workspace.make_state_dir()
    noted = {
        "at": remembered.at.isoformat() if remembered.at else None,
        "ids": _sorted(remembered.ids),
        "fresh": _sorted(remembered.fresh),
        "pending": _sorted(remembered.pending),
        "skipped": _sorted(remembered.skipped),
    }
    try:
        workspace.write(f"{workspace.state_dir.name}/{STATE}", json.dumps(noted, separators=(",", ":")).encode())
    except WorkspaceError as error:
        log.warning("the next reflection looks at everything once more: %s", error)


def _sorted(ids: Iterable[str]) -> list[str]:
    return sorted(ids)


def _backwards(day: str | None) -> int:
    """A key that sorts later days first, no day last."""
    return -dt.date.fromisoformat(day).toordinal() if day else 0
