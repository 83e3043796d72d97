"""One page as it is and as it shall be: hand-written bytes kept, edits inside our block moved below it."""

from collections.abc import Callable, Collection, Sequence

import attrs

from openclaw_memory_plugin.errors import WorkspaceError
from openclaw_memory_plugin.index.facts import FileDefect
from openclaw_memory_plugin.markdown.nouns import Defect
from openclaw_memory_plugin.reflect.history import Change, hunks
from openclaw_memory_plugin.reflect.pages import entry_ids, loses_too_much
from openclaw_memory_plugin.reflect.pages.blocks import Block, find_block, put_block, stands_already
from openclaw_memory_plugin.workspace import Workspace
from openclaw_memory_plugin.workspace.files import ABSENT, UNREADABLE, Source, encode_edited


@attrs.frozen(kw_only=True)
class Page:
    """A page of the workspace, read for editing."""

    source: Source
    text: str
    """`Source.editable`; "" for one that does not exist."""

    @property
    def path(self) -> str:
        """Relative to the workspace."""
        return self.source.path

    @property
    def exists(self) -> bool:
        """Whether there is such a file."""
        return self.source.digest != ABSENT

    def block(self, name: str) -> Block | Defect | None:
        """Find our block on it."""
        return find_block(self.text, name)


@attrs.frozen(kw_only=True)
class Drafted:
    """What became of a page in a plan."""

    path: str
    change: Change | None = None
    """None when the page stays as it is."""
    moved: tuple[str, ...] = ()
    """Lines that somebody had written into the block; they now stand below it."""
    shifts: bool = False
    """Whether what stands below the block has other line numbers afterwards."""
    problem: FileDefect | None = None
    """Why the page was left alone."""


def open_page(workspace: Workspace, path: str) -> Page | FileDefect:
    """Read a page for editing; a FileDefect when its bytes cannot be kept."""
    source = workspace.read(path)
    if source.digest == UNREADABLE:
        return FileDefect(path=path, defect=source.defects[0])
    try:
        return Page(source=source, text=source.editable if source.digest != ABSENT else "")
    except WorkspaceError:
        defect = Defect(
            line=0,
            message="cannot be edited: no text, or too much of it",
            remedy="save it as UTF-8 text of less than 8 MB",
        )
        return FileDefect(path=path, defect=defect)


def draft(
    page: Page,
    name: str,
    lines: Sequence[str],
    *,
    title: str,
    explained: Callable[[str], bool] = lambda entry: True,
    entries: Callable[[Sequence[str]], Collection[str]] = entry_ids,
    accept_loss: bool = False,
    readable: Callable[[str], bool] = lambda line: False,
    restate: Callable[[str, Block], str | None] = lambda line, block: None,
) -> Drafted:
    """
    Plan the block `name` of a page.

    Args:
        title: first line of a page that does not exist yet.
        explained: whether it is known why an entry is gone; see `pages.loses_too_much`.
        entries: what tells the entries of the block apart.
        readable: of a line in the block that we did not write, whether it was understood.
        restate: what such a line becomes below the block; see `put_block`.
    """
    newline = "\r\n" if "\r\n" in page.text[:4096] else "\n"
    if stands_already(page.text, name, lines, newline):
        return Drafted(path=page.path)
    found = page.block(name)
    if isinstance(found, Block) and not accept_loss:
        before, after = entries(found.lines), entries(lines)
        if loses_too_much(before, set(after), explained):
            gone = len(before) - len(set(before) & set(after))
            return Drafted(
                path=page.path,
                problem=FileDefect(
                    path=page.path,
                    defect=Defect(
                        line=found.line,
                        message=f"would lose {gone} of {len(before)} entries whose facts are no longer in any file",
                        remedy="put the missing log back, or run reflect --accept-loss when they are meant to go",
                    ),
                ),
            )
    text = page.text if page.exists or not lines else f"{title}\n"
    placed = put_block(text, name, lines, ours=readable, restate=restate)
    if placed.defect is not None:
        return Drafted(path=page.path, problem=FileDefect(path=page.path, defect=placed.defect))
    after_bytes = encode_edited(placed.text)
    before_bytes = page.source.data if page.exists else None
    if before_bytes == after_bytes or (before_bytes is None and not lines):
        return Drafted(path=page.path)
    change = Change(path=page.path, before=before_bytes, after=after_bytes, before_digest=page.source.digest)
    below = page.text[found.end :].strip() if isinstance(found, Block) else ""
    shifts = bool(below) and placed.text.count("\n") != page.text.count("\n")
    return Drafted(path=page.path, change=change, moved=placed.moved, shifts=shifts)


def diff_of(changes: Sequence[Change]) -> str:
    """Render changes as one unified diff."""
    return "".join(
        hunks.unified(
            one.path,
            hunks.compare(_text(one.before), _text(one.after)),
            created=one.before is None,
            removed=one.after is None,
        )
        for one in changes
    )


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "surrogateescape")
