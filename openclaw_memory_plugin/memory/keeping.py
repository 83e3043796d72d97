"""What a memory does to stay small and honest, as methods of `Memory`; imported only when it is asked for."""

import datetime as dt
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from openclaw_memory_hookspecs import Fact
from openclaw_memory_plugin.config import Config
from openclaw_memory_plugin.workspace import Workspace

if TYPE_CHECKING:
    from openclaw_memory_plugin.index import Index
    from openclaw_memory_plugin.reflect.history import Applied
    from openclaw_memory_plugin.reflect.history.ledger import Entry
    from openclaw_memory_plugin.reflect.upkeep import Maintained, Upkeep
    from openclaw_memory_plugin.reflect.upkeep.forget import Forgotten
    from openclaw_memory_plugin.workspace.hidden import Archived

UNFINISHED = ("pending.json", "forgetting.json")
"""What lies in the state folder only while a change is being made."""


class Keeping:
    """Archive, restore, forget, undo, maintain and measure; `Memory` is one."""

    workspace: Workspace
    config: Config
    index: "Index"

    @property
    def upkeep(self) -> "Upkeep":
        """The room that does the work."""
        from openclaw_memory_plugin.reflect.upkeep import Upkeep

        return Upkeep(self.workspace, self.index, self.config)

    def recover(self, *, now: dt.datetime | None = None) -> None:
        """Carry through what a crash interrupted; two looks at the disk when nothing was."""
        folder = self.workspace.state_dir
        if any((folder / name).exists() for name in UNFINISHED):
            self.upkeep.recover(now or _now())

    def archive(self, *ids: str, reason: str = "asked for", now: dt.datetime | None = None) -> "tuple[Archived, ...]":
        """
        Hide facts from recall, reversibly; the daily logs stay as they are. Those archived already are left out.

        Raises:
            UsageError: An id is unknown or ambiguous; nothing was changed.
            WorkspaceError: The archive cannot be written.
        """
        return self.upkeep.archive(ids, now=now or _now(), reason=reason)

    def restore(self, *ids: str, now: dt.datetime | None = None) -> "tuple[Archived, ...]":
        """
        Show archived facts again.

        Raises:
            UsageError: An id is not archived, or ambiguous; nothing was changed.
            RetainError: It was forgotten meanwhile; nothing was changed.
        """
        return self.upkeep.restore(ids, now=now or _now())

    def forget(self, *ids: str, dry_run: bool = False, now: dt.datetime | None = None) -> "Forgotten":
        """
        Erase facts for good, from Markdown, index, archive, journals and history, and leave tombstones.

        With `dry_run` nothing changes; the answer tells what would.

        Raises:
            UsageError: An id is unknown or ambiguous; nothing was changed.
            WorkspaceError: A file that states it cannot be written; nothing was changed.
        """
        upkeep = self.upkeep
        moment = now or _now()
        return upkeep.preview_forget(ids, now=moment) if dry_run else upkeep.forget(ids, now=moment)

    def history(self) -> "tuple[Entry, ...]":
        """All changes of ours to Markdown that are kept, each with its diff, oldest first."""
        return self.upkeep.history()

    def undo(self, number: int | None = None, *, now: dt.datetime | None = None) -> "Applied":
        """
        Take a change of ours back, the last one that stands unless told otherwise; edits made since stay.

        Raises:
            UsageError: There is no such change, or it was undone already.
            ConflictError: What it wrote was edited since; nothing was changed.
        """
        return self.upkeep.undo(number, now=now or _now())

    def maintain(self, *, preview: bool = True, now: dt.datetime | None = None) -> "Maintained":
        """
        Put facts away that are not worth keeping in sight; only tells which unless `preview` is False.

        Raises:
            WorkspaceError: The archive cannot be written.
        """
        return self.upkeep.maintain(now=now or _now(), preview=preview)

    def feedback(self, fact_id: str, *, good: bool, now: dt.datetime | None = None) -> Fact:
        """
        Note whether a recalled fact was of use, and return it.

        Raises:
            UsageError: The id is unknown or ambiguous.
        """
        return self.upkeep.feedback(fact_id, good=good, now=now or _now())

    def measures(self, *, now: dt.datetime | None = None) -> dict[str, Any]:
        """Tell how memory is doing: the measures with their targets, growth by week; O(facts)."""
        return self.upkeep.measures(now=now or _now())

    def kept_away(self) -> Iterator[tuple[str, int, str, str]]:
        """Find what is wrong around archive and tombstones: path, line, message, remedy."""
        from openclaw_memory_plugin.workspace import hidden
        from openclaw_memory_plugin.workspace.tombstones import read_tombstones

        root = self.workspace.root
        for found in (*hidden.read_archive(root).defects, *read_tombstones(root).defects):
            yield found.path, found.defect.line, found.defect.message, found.defect.remedy


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)
