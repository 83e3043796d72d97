"""What `memory/archive/` says, carried into the index: archived facts are hidden, forgotten statements left out."""

import json
import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory_plugin.workspace.hidden import Archive
    from openclaw_memory_plugin.workspace.tombstones import Tombstones

FORGOTTEN = "says what was forgotten; it is not indexed"
"""The defect of a line that states it all the same."""
LEAVE_OR_TEACH = "delete the lines; or retain the statement to have it known again"
"""What to do about it."""

SAID = "SELECT value FROM meta WHERE key = 'archive'"
REMEMBER = "INSERT OR REPLACE INTO meta VALUES ('archive', ?)"
CONCERNED = """
SELECT id, last_seen, archived
FROM facts
WHERE archived = 1 OR id IN (SELECT value FROM json_each(?))
"""
HIDE = "UPDATE facts SET archived = ? WHERE id = ?"
STATED = "SELECT file_id, content, attributes FROM occurrences JOIN facts USING (seq)"
READ_AGAIN = "UPDATE files SET mtime_ns = 0, digest = '' WHERE file_id = ?"
READ_FORGOTTEN_AGAIN = """
UPDATE files
SET mtime_ns = 0, digest = ''
WHERE file_id IN (SELECT file_id FROM defects WHERE message = ?)
"""
HEADS = """
SELECT facts.id, o.attributes
FROM facts
JOIN occurrences AS o USING (seq)
WHERE facts.id IN (SELECT value FROM json_each(?))
"""


class Hidden:
    """Archive and tombstones of a workspace, read when first asked for."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._said: tuple[Archive, Tombstones] | None = None
        self.signature = ""
        """Changes with the files of the archive; empty when there is none."""
        if os.path.isdir(root / "memory" / "archive"):
            from openclaw_memory_plugin.workspace import hidden

            self.signature = hidden.signature(root)

    def hides(self, id: str, last_seen: str | None) -> bool:
        """Tell whether a fact is archived."""
        if not self.signature:
            return False
        import datetime as dt

        archive, _ = self._read()
        return archive.hides(id, dt.date.fromisoformat(last_seen) if last_seen else None)

    def covers(self, content: str, heads: Iterable[str]) -> bool:
        """Tell whether a statement was forgotten."""
        return bool(self.signature) and self._read()[1].covers(content, heads)

    def is_news(self, connection: sqlite3.Connection) -> bool:
        """Tell whether the archive says something that the index has not heard."""
        row = connection.execute(SAID).fetchone()
        return (row[0] if row else "") != self.signature

    def apply(self, connection: sqlite3.Connection) -> None:
        """
        Hide and show facts as the archive says, inside a transaction of the caller.

        Files that state what is forgotten now, or was forgotten before, are marked to be read again.
        """
        row = connection.execute(SAID).fetchone()
        archive, tombstones = self._read()
        for id, last_seen, archived in connection.execute(CONCERNED, (json.dumps(list(archive.entries)),)).fetchall():
            hides = self.hides(id, last_seen)
            if hides != bool(archived):
                connection.execute(HIDE, (int(hides), id))
        if _of_tombstones(row[0] if row else "") != _of_tombstones(self.signature):
            connection.execute(READ_FORGOTTEN_AGAIN, (FORGOTTEN,))
            if tombstones:
                self._find_forgotten(connection)
        connection.execute(REMEMBER, (self.signature,))

    def _find_forgotten(self, connection: sqlite3.Connection) -> None:
        from openclaw_memory_plugin.index import merge

        for file_id, content, attributes in connection.execute(STATED).fetchall():
            said = merge.load(attributes)
            if self.covers(said.get("content", content), said.get("heads", ())):
                connection.execute(READ_AGAIN, (file_id,))

    def _read(self) -> "tuple[Archive, Tombstones]":
        if self._said is None:
            from openclaw_memory_plugin.workspace import hidden
            from openclaw_memory_plugin.workspace.tombstones import read_tombstones

            tombstones = read_tombstones(self._root)
            tombstones.check()
            self._said = (hidden.read_archive(self._root), tombstones)
        return self._said


def heads_of(connection: sqlite3.Connection, ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the names before the colon of facts, as one of their places writes them."""
    from openclaw_memory_plugin.index import merge

    rows = connection.execute(HEADS, (json.dumps(list(ids)),))
    return {id: tuple(merge.load(attributes).get("heads", ())) for id, attributes in rows}


def _of_tombstones(signature: str) -> str:
    """The part of a signature that is about tombstones."""
    from openclaw_memory_plugin.workspace.lines import TOMBSTONES

    name = TOMBSTONES.rpartition("/")[2]
    return next((part for part in signature.split(";") if part.startswith(f"{name}:")), "")
