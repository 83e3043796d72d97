"""Keep a memory small and honest: archive, restore, forget, undo, the weekly maintenance, and how well it all goes."""

import contextlib
import datetime as dt
import json
import logging
from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from openclaw_memory_hookspecs import Draft, Fact, Kind
from openclaw_memory_plugin.config import Config
from openclaw_memory_plugin.errors import OpenClawMemoryError, UsageError, WorkspaceError
from openclaw_memory_plugin.index import Index
from openclaw_memory_plugin.index.hiding import heads_of
from openclaw_memory_plugin.index.purge import earlier_ids, feedback
from openclaw_memory_plugin.reflect import history
from openclaw_memory_plugin.reflect.history import Applied, Change
from openclaw_memory_plugin.reflect.history.ledger import Entry
from openclaw_memory_plugin.reflect.upkeep import archive, forget, metrics, retention
from openclaw_memory_plugin.reflect.upkeep.forget import Forgotten
from openclaw_memory_plugin.reflect.upkeep.metrics import Measure
from openclaw_memory_plugin.reflect.upkeep.retention import Plan, Scored
from openclaw_memory_plugin.reflect.upkeep.survey import Target, target_of, target_of_archived
from openclaw_memory_plugin.workspace import Workspace, encode_edited, hidden
from openclaw_memory_plugin.workspace.files import read_json
from openclaw_memory_plugin.workspace.hidden import Archived

log = logging.getLogger(__name__)

WEEK = dt.timedelta(days=7)
"""How often the heartbeat maintains."""
SHOWN = 12
"""Snapshots of the measures that are told."""
HINT = "hint.json"
"""What the agent is to be told of the last maintenance, in the state folder until it is."""


@attrs.frozen(kw_only=True)
class Maintained:
    """What upkeep did, or would do."""

    plan: Plan
    archived: tuple[Archived, ...] = ()
    """Empty in a preview."""
    overdue: int = 0
    """Archived facts older than the owner meant to keep them; they leave only by `forget`."""
    measures: tuple[Measure, ...] = ()


@attrs.define
class Upkeep:
    """Upkeep of one workspace. Every public method first brings the index up to date where it needs facts."""

    workspace: Workspace
    index: Index
    config: Config

    def recover(self, now: dt.datetime) -> None:
        """Carry through what a crash interrupted, unless somebody is at work: then it is not a crash."""
        with contextlib.ExitStack() as held:
            try:
                held.enter_context(self.workspace.lock(timeout=0))
            except WorkspaceError:
                return
            try:
                history.recover(self.workspace)
                forget.resume(self.workspace, self.index, now=now)
            except OpenClawMemoryError as error:
                log.warning("a change that was interrupted cannot be carried through yet: %s", error)

    def archive(self, ids: Sequence[str], *, now: dt.datetime, reason: str = "asked for") -> tuple[Archived, ...]:
        """
        Hide facts from recall; the daily logs stay as they are. All or nothing as far as the ids go.

        Raises:
            UsageError: an id is unknown or ambiguous.
            WorkspaceError: the archive cannot be written.
        """
        self.index.sync(now)
        facts = list(dict.fromkeys(self.index.fact(fact_id) for fact_id in ids))
        today = self.workspace.today(now)
        scored = retention.score_all(facts, today=today, now=now)
        return self._put_away(scored, reason=reason, now=now)

    def restore(self, ids: Sequence[str], *, now: dt.datetime) -> tuple[Archived, ...]:
        """
        Show archived facts again. One that stands nowhere in Markdown any more is written to the log of its day.

        Raises:
            UsageError: an id is not archived, or ambiguous.
            RetainError: it was forgotten meanwhile.
        """
        with self.workspace.lock():
            found = archive.bring_back(self.workspace, ids, now=now)
            self.index.sync(now)
            missing = [entry for entry in found if not self._is_known(entry.id)]
            for entry in missing:
                self._write_again(entry, now)
        if missing:
            self.index.sync(now)
        return found

    def targets(self, ids: Sequence[str], *, now: dt.datetime) -> tuple[Target, ...]:
        """
        Find what is to be forgotten, in Markdown or in the archive.

        Raises:
            UsageError: an id is unknown or ambiguous.
        """
        self.index.sync(now)
        return tuple(dict.fromkeys(self._target(fact_id) for fact_id in ids))

    def preview_forget(self, ids: Sequence[str], *, now: dt.datetime) -> Forgotten:
        """Tell what `forget` would erase; nothing changes."""
        return forget.preview(self.workspace, self.index, self.targets(ids, now=now))

    def forget(self, ids: Sequence[str], *, now: dt.datetime) -> Forgotten:
        """
        Erase facts for good and leave tombstones; see `reflect.forget`.

        Raises:
            UsageError: an id is unknown or ambiguous.
            WorkspaceError, ConflictError: nothing was changed.
        """
        return forget.forget(self.workspace, self.index, self.targets(ids, now=now), now=now)

    def history(self) -> tuple[Entry, ...]:
        """All changes of ours to Markdown that are kept, oldest first."""
        return history.history(self.workspace)

    def preview_undo(self, number: int | None = None) -> tuple[Entry, tuple[Change, ...]]:
        """Tell what `undo` would take back; nothing changes."""
        entry, changes = history.preview_undo(self.workspace, number)
        forget.refuse_forgotten(self.workspace, changes)
        return entry, changes

    def undo(self, number: int | None = None, *, now: dt.datetime) -> Applied:
        """
        Take a change of ours back, the last one unless told otherwise.

        Raises:
            UsageError: there is no such change.
            ConflictError: it was edited since.
            RetainError: it would bring back what was forgotten.
        """
        with self.workspace.lock():
            self.preview_undo(number)
            applied = history.undo(self.workspace, number, now=now)
        self.index.sync(now)
        return applied

    def maintain(self, *, now: dt.datetime, preview: bool = False) -> Maintained:
        """
        Put away what is not worth keeping in sight, batch by batch, and take the measures.

        Writes nothing in a preview. What is not chosen is not touched: no file of notes, no row of the index.

        Raises:
            WorkspaceError: the archive cannot be written; the batches before are archived.
        """
        self.index.sync(now)
        scored = self._scored(now)
        plan = retention.plan(scored, self.config.upkeep, today=self.workspace.today(now))
        done: tuple[Archived, ...] = ()
        if plan.chosen and not preview:
            low = f"retention score below {plan.threshold:g}"
            done = self._put_away(plan.prune, reason=low, now=now)
            done += self._put_away(plan.overflow, reason=f"beyond the window of {plan.window}", now=now)
            away = {entry.id for entry in done}
            scored = [one for one in scored if one.fact.id not in away]
        standing = hidden.read_archive(self.workspace.root).entries.values()
        measures = self._measures(scored, standing, now)
        if not preview:
            metrics.keep_snapshot(self.workspace, measures, now=now, maintained=True)
        days = self.config.upkeep.retention_days
        return Maintained(
            plan=plan,
            archived=done,
            overdue=metrics.overdue(standing, retention_days=days, now=now),
            measures=measures,
        )

    def is_due(self, now: dt.datetime) -> bool:
        """Whether a week has passed since the last maintenance; one that lies ahead was a wrong clock's."""
        runs = (snapshot.at for snapshot in metrics.read_snapshots(self.workspace) if snapshot.maintained)
        return not any(now - WEEK < at <= now for at in runs)

    def heartbeat(self, now: dt.datetime) -> str | None:
        """
        Maintain when it is due; give one line for the agent when something was, or could be, put away.

        Facts are archived only when the owner switched `enable_auto_prune` on. The line is given until it is noted
        as given (`note_given`), or the next maintenance has another.
        """
        if self.is_due(now):
            hint = self._maintained(now)
            if hint != self._hint():
                self.workspace.write(f"{self.workspace.state_dir.name}/{HINT}", json.dumps(hint).encode())
        return self._hint()

    def note_given(self) -> None:
        """Note that the agent has the line of `heartbeat` before it."""
        (self.workspace.state_dir / HINT).unlink(missing_ok=True)

    def _hint(self) -> str | None:
        hint = read_json(self.workspace.state_dir / HINT)
        return hint if isinstance(hint, str) else None

    def _maintained(self, now: dt.datetime) -> str | None:
        allowed = self.config.upkeep.enable_auto_prune
        done = self.maintain(now=now, preview=not allowed)
        if allowed:
            count = len(done.archived)
            return f"{count} facts were archived; `restore ID` brings one back." if count else None
        metrics.keep_snapshot(self.workspace, done.measures, now=now, maintained=True)
        count = len(done.plan.chosen)
        return f"{count} facts are hardly worth keeping in sight: see `maintain`." if count else None

    def feedback(self, fact_id: str, *, good: bool, now: dt.datetime) -> Fact:
        """
        Note whether a recalled fact was of use.

        Raises:
            UsageError: the id is unknown or ambiguous.
            WorkspaceError: the journal cannot be written.
        """
        self.index.sync(now)
        fact = self.index.fact(fact_id)
        if not self.index.judge(fact.id, good=good, now=now):
            raise WorkspaceError("the access journal cannot be written; nothing was noted, check its permissions")
        return fact

    def measures(self, *, now: dt.datetime) -> dict[str, Any]:
        """Take the measures without keeping them: each with target and trend, growth by week, those taken before."""
        scored = self._scored(now)
        standing = hidden.read_archive(self.workspace.root).entries.values()
        taken = self._measures(scored, standing, now)
        kept = metrics.read_snapshots(self.workspace)
        moved = metrics.trend(kept, taken)
        return {
            "metrics": {
                one.name: {
                    "value": one.value,
                    "target": one.target,
                    "met": one.met,
                    **({"trend": moved[one.name]} if one.name in moved else {}),
                }
                for one in taken
            },
            "growth": metrics.growth(scored, today=self.workspace.today(now)),
            "archived": len(standing),
            "archived_overdue": metrics.overdue(standing, retention_days=self.config.upkeep.retention_days, now=now),
            "history": [{"at": one.at.isoformat(), **one.values} for one in kept[-SHOWN:]],
        }

    def _scored(self, now: dt.datetime) -> list[Scored]:
        today = self.workspace.today(now)
        return retention.score_all(self.index.facts(), today=today, now=now)

    def _measures(self, scored: Sequence[Scored], away: Iterable[Archived], now: dt.datetime) -> tuple[Measure, ...]:
        good, bad = feedback(self.index.connection)
        return metrics.measure(scored, away, good=good, bad=bad, window=self.config.upkeep.window, now=now)

    def _put_away(self, chosen: Sequence[Scored], *, reason: str, now: dt.datetime) -> tuple[Archived, ...]:
        heads = heads_of(self.index.connection, (one.fact.id for one in chosen))
        entries = [
            archive.archived(one.fact, heads=heads[one.fact.id], reason=reason, score=one.score, now=now)
            for one in chosen
        ]
        done = archive.put_away(self.workspace, entries, batch=self.config.upkeep.batch)
        if done:
            self.index.sync(now)
        return done

    def _target(self, fact_id: str) -> Target:
        try:
            target = target_of(self.workspace, self.index.fact(fact_id))
            return attrs.evolve(target, earlier=earlier_ids(self.index.connection, target.id))
        except UsageError:
            entries = hidden.read_archive(self.workspace.root).entries
            if not any(key.startswith(fact_id) for key in entries):
                raise
            return target_of_archived(archive.find(entries, fact_id))

    def _is_known(self, fact_id: str) -> bool:
        try:
            return self.index.fact(fact_id).id == fact_id
        except UsageError:
            return False

    def _write_again(self, entry: Archived, now: dt.datetime) -> None:
        from openclaw_memory_plugin.markdown.write import append_bullet, write_bullet

        day = entry.last_seen or self.workspace.today(now)
        draft = Draft(
            text=entry.content,
            kind=entry.kind,
            entities=entry.heads,
            salience=None if entry.salience == 0.5 else entry.salience,
            confidence=entry.confidence if entry.kind is Kind.OPINION else None,
            provenance=entry.provenance,
            private=entry.private,
        )
        source = self.workspace.read(self.workspace.log_path(day))
        text, _ = append_bullet(source.editable, write_bullet(draft), day=day)
        change = Change(path=source.path, before=source.data, after=encode_edited(text), before_digest=source.digest)
        history.apply(self.workspace, [change], reason=f"restore {entry.id}", now=now)
