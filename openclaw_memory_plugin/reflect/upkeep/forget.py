"""
Erase statements for good, and leave a tombstone so that they do not come back by themselves.

The order makes a crash harmless: what is to be forgotten is noted in `.memory/forgetting.json`, then goes from Markdown
as one change, gets its tombstone, goes from archive, history and access journal and at last from the index file, pages
that SQLite no longer uses included; then the note goes. `resume` carries on from whatever is left of the note.

A statement that the owner retains anew is taught again and its tombstone is taken back. Whatever writes by itself (the
agent, imports, restore, undo) does not bring it back, nor does `git checkout`: sync leaves it out and `doctor` says so.
"""

import datetime as dt
import json
import os
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

import attrs

from openclaw_memory_hookspecs import Provenance
from openclaw_memory_plugin.errors import OpenClawMemoryError, RetainError, WorkspaceError
from openclaw_memory_plugin.index import Index
from openclaw_memory_plugin.index.naming import is_mentioned
from openclaw_memory_plugin.index.purge import erase_ids, others_beside, purge
from openclaw_memory_plugin.markdown.nouns import Statement
from openclaw_memory_plugin.markdown.page import parse_page
from openclaw_memory_plugin.markdown.write import fact_id
from openclaw_memory_plugin.reflect.history import Change, apply, hindrance
from openclaw_memory_plugin.reflect.history.ledger import Ledger
from openclaw_memory_plugin.reflect.upkeep import archive
from openclaw_memory_plugin.reflect.upkeep.survey import Place, Survey, Target, survey, survey_names, without
from openclaw_memory_plugin.workspace import TEMP_PREFIX, Workspace, hidden
from openclaw_memory_plugin.workspace.files import read_json
from openclaw_memory_plugin.workspace.lines import TOMBSTONES
from openclaw_memory_plugin.workspace.saying import statement_key
from openclaw_memory_plugin.workspace.tombstones import EXACT, Tombstones, read_tombstones

NOTE = "forgetting.json"
FORGOTTEN = "not retained: this was forgotten on purpose; only the owner may teach it again"
PAGES = "bank/entities/"
"""Where a page of which nothing is left goes altogether."""


@attrs.frozen(kw_only=True)
class Forgotten:
    """What was, or would be, erased, and what is not ours to erase."""

    targets: tuple[Target, ...]
    erased: tuple[Place, ...] = ()
    """Lines of Markdown: the statements themselves and what we generated from them."""
    unlinked: tuple[Place, ...] = ()
    """Lines of which only the attribute goes that names what is forgotten as evidence."""
    archive_lines: int = 0
    history_entries: tuple[int, ...] = ()
    """Entries of the history that can no longer be undone."""
    mentions: tuple[Place, ...] = ()
    """Other lines that hold the same words; they stay."""
    warnings: tuple[str, ...] = ()


def preview(workspace: Workspace, index: Index, targets: Sequence[Target]) -> Forgotten:
    """Tell what forgetting would erase; reads only."""
    found = survey(workspace, targets)
    return Forgotten(
        targets=tuple(targets),
        erased=found.statements + found.generated,
        unlinked=found.links,
        archive_lines=_in_archive(workspace, targets),
        mentions=found.mentions,
        warnings=(*_hindered(workspace, found), *_warnings(workspace, found, index)),
    )


def forget(workspace: Workspace, index: Index, targets: Sequence[Target], *, now: dt.datetime) -> Forgotten:
    """
    Erase statements from Markdown, archive, history, access journal and index.

    Takes the workspace's lock. O(text), and O(size of the index) for its file. A forgetting that was interrupted is
    carried through in the same breath.

    Raises:
        WorkspaceError: the text is gone from Markdown but not yet from everywhere; `resume` carries on with it.
        WorkspaceError: a file that says it is read-only or cannot be written; nothing was changed.
        ConflictError: a file was edited meanwhile; nothing was changed.
    """
    with workspace.lock():
        read_tombstones(workspace.root).check()
        begun = _Note.read(workspace)
        wanted = (*(begun.targets if begun else ()), *targets)
        found = survey(workspace, wanted)
        note = _Note.of(wanted, found)
        if begun is not None:
            note = begun.and_(note)
        note.write(workspace)
        try:
            apply(workspace, _changes(found, note.ids), reason=note.reason, now=now, secret=True)
        except Exception:
            _Note.wipe(workspace)
            if begun is not None:
                begun.write(workspace)
            raise
        entries, removed, named = _erase_copies(workspace, index, note, now)
        _Note.wipe(workspace)
    return Forgotten(
        targets=tuple(targets),
        erased=found.statements + found.generated + named,
        unlinked=found.links,
        archive_lines=removed,
        history_entries=entries,
        mentions=found.mentions,
        warnings=_warnings(workspace, found, index),
    )


def resume(workspace: Workspace, index: Index, *, now: dt.datetime) -> bool:
    """Carry a forgetting through that a crash interrupted; whether there was one. One look at the disk otherwise."""
    if not (workspace.state_dir / NOTE).exists():
        return False
    with workspace.lock():
        note = _Note.read(workspace)
        if note is not None:
            read_tombstones(workspace.root).check()
            found = survey(workspace, note.targets)
            apply(workspace, _changes(found, note.ids), reason=note.reason, now=now, secret=True)
            _erase_copies(workspace, index, note.and_(_Note.of(note.targets, found)), now)
        _Note.wipe(workspace)
    return note is not None


def welcome(
    workspace: Workspace, statement: Statement, *, provenance: Provenance, now: dt.datetime
) -> Callable[[], None]:
    """
    Decide about a statement that is about to be written, given as it will be read back.

    What the owner states is taught again, and what is in the archive comes back from there: the answer does both,
    once the statement is on disk. What anybody else writes stays forgotten. Call both with the workspace's lock held.

    Raises:
        RetainError: it was forgotten and this is not the owner speaking.
        WorkspaceError: it cannot be told what was forgotten, and this is not the owner speaking.
    """
    instant = now.astimezone(dt.UTC).isoformat()
    tombstones = read_tombstones(workspace.root)
    if provenance is not Provenance.OWNER:
        tombstones.check()
    if provenance is not Provenance.OWNER and tombstones.refuses(statement.content, statement.heads):
        raise RetainError(FORGOTTEN)
    marks = _taught(tombstones, statement)
    known = fact_id(statement.kind, statement.content, statement.heads)
    restored = []
    if hidden.may_be_archived(workspace.root, known):
        standing = hidden.read_archive(workspace.root)
        restored = [archive.restoration(standing, known, now)] if known in standing.entries else []

    def take_back() -> None:
        if marks:
            lines = [{"hash": mark, "taught_at": instant} for mark in marks]
            archive.append_records(workspace, TOMBSTONES, lines)
        if restored:
            archive.append_records(workspace, archive.month_path(now), restored)

    return take_back


def refuse_forgotten(workspace: Workspace, changes: Iterable[Change]) -> None:
    """
    Check that a change of ours brings nothing back that was forgotten.

    Raises:
        RetainError: it would.
    """
    tombstones = read_tombstones(workspace.root)
    if not tombstones:
        return
    for change in changes:
        for one in parse_page((change.after or b"").decode("utf-8", "replace"), change.path).statements:
            if tombstones.covers(one.content, one.heads):
                raise RetainError(
                    f"{change.path}: would bring back a statement that was forgotten; nothing was changed"
                )


@attrs.frozen(kw_only=True)
class _Note:
    """What is being forgotten, as it lies on disk until it is done."""

    targets: tuple[Target, ...]
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    """What no copy may hold."""

    @classmethod
    def of(cls, targets: Sequence[Target], found: Survey) -> "_Note":
        ids = [fact_id for target in targets for fact_id in target.ids]
        texts = [target.content for target in targets] + [place.text for place in found.statements]
        return cls(
            targets=tuple(targets), ids=tuple(dict.fromkeys([*ids, *found.ids])), texts=tuple(dict.fromkeys(texts))
        )

    @classmethod
    def read(cls, workspace: Workspace) -> "_Note | None":
        """None when it is empty or broken: then nothing had been begun."""
        noted = read_json(workspace.state_dir / NOTE)
        try:
            targets = (
                Target(
                    id=str(one["id"]),
                    content=str(one["content"]),
                    heads=tuple(map(str, one["heads"])),
                    paths=tuple(map(str, one["paths"])),
                    names=tuple(map(str, one["names"])),
                )
                for one in noted["targets"]
            )
            return cls(targets=tuple(targets), ids=tuple(map(str, noted["ids"])), texts=tuple(map(str, noted["texts"])))
        except (KeyError, TypeError):
            return None

    @staticmethod
    def wipe(workspace: Workspace) -> None:
        """Overwrite it before it goes: it holds what is to be forgotten."""
        path = workspace.state_dir / NOTE
        try:
            try:
                with open(path, "r+b") as file:
                    file.write(b" " * os.fstat(file.fileno()).st_size)
            finally:
                path.unlink(missing_ok=True)
        except OSError as error:
            raise WorkspaceError(f"{path} cannot be removed ({error.strerror}); remove it by hand") from error

    @property
    def reason(self) -> str:
        return "forget"

    def write(self, workspace: Workspace) -> None:
        listed = [attrs.asdict(target) for target in self.targets]
        noted = {"targets": listed, "ids": list(self.ids), "texts": list(self.texts)}
        workspace.write(f"{workspace.state_dir.name}/{NOTE}", json.dumps(noted).encode())

    def and_(self, other: "_Note") -> "_Note":
        ids, texts = self.ids + other.ids, self.texts + other.texts
        targets = {target.id: target for target in (*other.targets, *self.targets)}
        return _Note(targets=tuple(targets.values()), ids=tuple(dict.fromkeys(ids)), texts=tuple(dict.fromkeys(texts)))


def _changes(found: Survey, ids: Collection[str] = ()) -> list[Change]:
    by_path: dict[str, list[Place]] = {place.path: [] for place in found.links}
    for place in found.statements + found.generated:
        by_path.setdefault(place.path, []).append(place)
    changes = []
    for path, places in by_path.items():
        left = without(found.sources[path], places, (link for link in found.links if link.path == path), ids)
        after = None if not left and path.startswith(PAGES) else left
        changes.append(Change(path=path, before=found.sources[path].data, after=after))
    return changes


def _erase_copies(
    workspace: Workspace, index: Index, note: _Note, now: dt.datetime
) -> tuple[tuple[int, ...], int, tuple[Place, ...]]:
    """Erase what follows Markdown; return history entries, lines of the archive, lines with names that are gone."""
    try:
        tombstones = _bury(workspace, note.targets, now)
        removed = archive.erase(workspace, tombstones, note.ids)
        entries = Ledger(workspace).erase(note.texts, note.ids)
        erase_ids(workspace.state_dir, note.ids, but=NOTE)
        _sweep(workspace.root)
        index.sync(now)
        named = _erase_names(workspace, index, note, now)
        purge(index.connection, note.ids)
    except (OSError, OpenClawMemoryError) as error:
        raise WorkspaceError(
            f"forgetting {', '.join(target.id for target in note.targets)}: the text is gone from Markdown, but not "
            f"from everywhere ({error}); the next sync carries on with it"
        ) from error
    return entries, removed, named


def _erase_names(workspace: Workspace, index: Index, note: _Note, now: dt.datetime) -> tuple[Place, ...]:
    """Erase lines of ours with names of which nothing is known any more; a reflection writes what is left of them."""
    names = dict.fromkeys(name for target in note.targets for name in target.names)
    gone = [name for name in names if not is_mentioned(index.connection, name)]
    if not gone:
        return ()
    found = survey_names(workspace, gone)
    if found.generated:
        changes = _changes(found)
        apply(workspace, changes, reason=note.reason, now=now, secret=True)
        Ledger(workspace).erase_paths({change.path for change in changes if change.after is None})
        index.sync(now)
    return found.generated


def _sweep(root: Path) -> None:
    """Remove what killed processes left half written; whoever writes holds the lock, and now we do."""
    for folder, _, names in os.walk(root):
        for name in names:
            if name.startswith(TEMP_PREFIX):
                os.unlink(os.path.join(folder, name))


def _bury(workspace: Workspace, targets: Sequence[Target], now: dt.datetime) -> Tombstones:
    """Append the tombstones that are missing; those of these targets alone come back."""
    standing = read_tombstones(workspace.root)
    instant = now.astimezone(dt.UTC).isoformat()
    if not standing.keys:
        import secrets

        archive.append_records(workspace, TOMBSTONES, [{"key": secrets.token_hex(32)}])
        standing = read_tombstones(workspace.root)
    ours = {mark: instant for target in targets for mark in _buried(standing, target)}
    missing = [{"hash": mark, "forgotten_at": instant, "form": EXACT} for mark in ours if mark not in standing.hashes]
    if missing:
        archive.append_records(workspace, TOMBSTONES, missing)
    return Tombstones(keys=standing.keys, hashes=ours)


def _buried(standing: Tombstones, target: Target) -> Sequence[str]:
    """The hashes of what is forgotten, under the last of the keys."""
    return attrs.evolve(standing, keys=standing.keys[-1:]).marks(sorted(target.keys))


def _taught(standing: Tombstones, statement: Statement) -> tuple[str, ...]:
    """
    The hashes to take back for what the owner states: all under which it or its words alone were forgotten.

    When those were forgotten of somebody else they stay so, and this statement is known as one of the owner's.
    """
    found = standing.about(statement.content, statement.heads)
    alone = standing.worded(statement.content)
    if found or not alone:
        return tuple(dict.fromkeys((*found, *alone)))
    return standing.marks([statement_key(statement.content, statement.heads)])


def _in_archive(workspace: Workspace, targets: Sequence[Target]) -> int:
    ids = [fact_id for target in targets for fact_id in target.ids]
    total = 0
    for path in hidden.archive_paths(workspace.root):
        try:
            lines = (workspace.root / path).read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            continue
        total += sum(any(f'"{fact_id}"' in line for fact_id in ids) for line in lines)
    return total


def _hindered(workspace: Workspace, found: Survey) -> tuple[str, ...]:
    paths = dict.fromkeys(place.path for place in (*found.statements, *found.generated, *found.links))
    reasons = ((path, hindrance(workspace, path)) for path in (*paths, TOMBSTONES))
    return tuple(
        f"{path}: {reason}, so nothing would be forgotten; make it writable first" for path, reason in reasons if reason
    )


def _warnings(workspace: Workspace, found: Survey, index: Index) -> tuple[str, ...]:
    warnings = []
    root = workspace.root.resolve()
    repository = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), None)
    if repository is not None:
        warnings.append(
            f"{repository} is under version control: what was committed stays in its history, which is not ours to "
            "rewrite; use `git filter-repo` and force the copies elsewhere to follow"
        )
    warnings += [
        f".memory/{name} belongs to another version of this program and may hold it; delete that file"
        for name in others_beside(index.connection, workspace.state_dir)
    ]
    if found.mentions:
        places = ", ".join(map(str, found.mentions[:5])) + (" …" if len(found.mentions) > 5 else "")
        warnings.append(
            f"the same words, or its id, also stand in {places}, which say more than that; edit them by hand"
        )
    return tuple(warnings)
