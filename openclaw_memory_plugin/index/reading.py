"""
One file -> what the index takes from it. Depends on the file alone, so that helpers can read ahead of the writer.

The readers of Markdown are imported when something new is read: a file is often looked at only to see that it is not.
"""

import functools
import logging
import time
from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from openclaw_memory_plugin.index.ahead import can_help, work_ahead
from openclaw_memory_plugin.workspace import FileState, Workspace
from openclaw_memory_plugin.workspace.files import ABSENT, UNREADABLE

if TYPE_CHECKING:
    from openclaw_memory_plugin.markdown.nouns import Defect, Page

log = logging.getLogger(__name__)

MUCH_TEXT = 500_000
"""Bytes from which on reading is shared: below it the helpers' start takes as long as they save."""


class Entry(NamedTuple):
    """One statement of a file; plain values, which travel between processes."""

    id: str
    kind: str
    content: str
    day: str | None
    line: int
    end_line: int
    section: tuple[str, ...]
    said: dict[str, Any]
    """As `merge.attributes_of` gives it."""
    terms: str | None
    """Under which the fact is found if this remains its only place; None when they are not known yet."""


class Contents(NamedTuple):
    """Everything a file says, as `markdown.nouns.Page` has it."""

    entries: tuple[Entry, ...] = ()
    """In order of lines."""
    title: str | None = None
    aliases: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    language: str = "en"
    defects: "tuple[Defect, ...]" = ()


class Reading(NamedTuple):
    """One file as it was read."""

    state: FileState
    """To be remembered: without a time when the file may yet change within the same tick of its clock."""
    digest: str
    seen: str | None
    """Digest in the index before."""
    contents: Contents = Contents()
    """Empty when it is what it was."""

    @property
    def is_same(self) -> bool:
        """Whether the index knows all of it."""
        return self.digest == self.seen


def readings(
    workspace: Workspace, files: Sequence[FileState], digests: Mapping[str, str]
) -> Generator[Reading | None, None, None]:
    """
    Yield what each of the files says, in order, None for one that is gone; close it to stop early.

    Args:
        digests: Those in the index, by path.
    """
    shared = sum(file.size for file in files) >= MUCH_TEXT and can_help()
    read = functools.partial(_read, workspace, digests, time.time_ns(), shared)
    if not shared:
        yield from map(read, files)
        return
    from openclaw_memory_plugin.index import indexed  # noqa: F401  once, for the helpers to inherit
    from openclaw_memory_plugin.markdown import page, write  # noqa: F401

    yield from work_ahead(read, files)


def _read(
    workspace: Workspace, digests: Mapping[str, str], now_ns: int, with_terms: bool, state: FileState
) -> Reading | None:
    source = workspace.read(state.path)
    if source.digest == ABSENT:
        return None
    settled = state.settled(now_ns) if source.digest != UNREADABLE else state._replace(mtime_ns=0)
    seen = digests.get(state.path)
    if source.digest == seen:
        return Reading(settled, source.digest, seen)
    contents = _contents(_page_of(source.text, state.path), source.defects, with_terms)
    return Reading(settled, source.digest, seen, contents)


def _page_of(text: str, path: str) -> "Page":
    """Read a page; where our reader fails, one file is without facts and `doctor` says so, everything else works."""
    from openclaw_memory_plugin.markdown.nouns import Defect, Page
    from openclaw_memory_plugin.markdown.page import parse_page

    try:
        return parse_page(text, path)
    except Exception as error:
        log.exception("%s cannot be read", path)
        message = f"the reader failed ({type(error).__name__}: {error}), nothing of it was read"
        return Page(defects=(Defect(line=0, message=message, remedy="report the fault with this file's structure"),))


def _contents(page: "Page", defects: "tuple[Defect, ...]", with_terms: bool) -> Contents:
    from openclaw_memory_plugin.index.indexed import terms_of
    from openclaw_memory_plugin.index.merge import attributes_of
    from openclaw_memory_plugin.markdown.write import fact_id

    entries = tuple(
        Entry(
            fact_id(statement.kind, statement.content, statement.heads),
            statement.kind.value,
            statement.content,
            statement.day.isoformat() if statement.day else None,
            statement.line,
            statement.end_line,
            statement.section,
            attributes_of(statement),
            terms_of(statement, page.language) if with_terms else None,
        )
        for statement in page.statements
    )
    return Contents(entries, page.title, page.aliases, page.names, page.language, (*page.defects, *defects))
