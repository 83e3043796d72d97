"""
Merge two names of one entity, in Markdown: the page that stays gets the other name as an alias.

The index then links every mention of either name to one entity, and taking the change back takes the merge back.
"""

import datetime as dt
import re

import attrs

from openclaw_memory_plugin.errors import UsageError
from openclaw_memory_plugin.index import Index
from openclaw_memory_plugin.index.facts import Entity
from openclaw_memory_plugin.markdown.nouns import Defect
from openclaw_memory_plugin.markdown.page import parse_page
from openclaw_memory_plugin.names import name_key, slug
from openclaw_memory_plugin.reflect.history import Applied, Change, apply
from openclaw_memory_plugin.reflect.pages.blocks import Block, find_block
from openclaw_memory_plugin.workspace import ABSENT, Workspace, encode_edited

PAGES = "bank/entities"

_ALIAS_LINE = re.compile(
    r"^(?:[-*+] +)?[*_]{0,3}(?:aliases|alias|aliase|aka|also known as|auch bekannt als|别名|別名|又名|通称)[*_]{0,3}"
    r"\s*[:：].*$",
    re.I | re.M,
)
_TITLE = re.compile(r"\A\ufeff?(?:---\r?\n.*?\n---\r?\n)?\s*^# [^\r\n]*", re.S | re.M)
_FRONT = re.compile(r"\A\ufeff?---\r?\n.*?\n---\r?(?:\n|\Z)", re.S)


@attrs.frozen(kw_only=True)
class Merge:
    """What merging two names did."""

    name: str
    """Of the entity that stays."""
    aliases: tuple[str, ...] = ()
    """Names it is called by from now on; empty when both names were one entity already."""
    page: str | None = None
    """The page that was written."""
    applied: Applied = attrs.field(factory=Applied)


def merge_entities(workspace: Workspace, index: Index, keep: str, other: str, *, now: dt.datetime) -> Merge:
    """
    Make `other` an alias of `keep`.

    Where `keep` has no page it gets one; where `other` has one, what people wrote there moves below a heading of the
    page that stays. One change, which `undo` takes back. Two spellings of one entity are merged already and nothing
    is written.

    Raises:
        UsageError: A name is nobody's or several entities'; the page that would go has front matter; the file of the
            new page is taken.
        ConflictError: A page was edited meanwhile; nothing was changed.
    """
    stays, goes = _one(index, keep), _one(index, other)
    if stays.key == goes.key:
        return Merge(name=stays.name)
    path = stays.page or f"{PAGES}/{slug(stays.name)}.md"
    source = workspace.read(path)
    if not stays.page and source.digest != ABSENT:
        raise UsageError(f"{path} exists and is not the page of {stays.name}; give it another name first")
    text = source.editable if stays.page else f"# {stays.name}\n"
    changes = []
    names, moved = [goes.name], ""
    if goes.page:
        gone = workspace.read(goes.page)
        names += parse_page(gone.text, goes.page).aliases
        moved = _own_lines(gone.editable, goes.page)
        changes.append(Change(path=goes.page, before=gone.data, after=None, before_digest=gone.digest))
    known = {stays.key, *map(name_key, parse_page(text, path).aliases)}
    aliases = [name for name in names if name_key(name) not in known]
    after = encode_edited(_with_section(_with_aliases(text, aliases), goes.name, moved))
    changes.insert(0, Change(path=path, before=source.data, after=after, before_digest=source.digest))
    applied = apply(workspace, changes, reason=f"merge {goes.name} into {stays.name}", now=now)
    return Merge(name=stays.name, aliases=tuple(names), page=path, applied=applied)


def _one(index: Index, name: str) -> Entity:
    """Return the entity of a name, if it is certain who that is."""
    called = index.whom(name)
    if called.ambiguous:
        raise UsageError(
            f"{name!r} is an alias of {' and of '.join(called.candidates)}; name one of them instead, or leave the "
            "alias on one page first"
        )
    return index.entity(name)


def _with_aliases(text: str, aliases: list[str]) -> str:
    """Add names to the page's alias line, or give it one below its title."""
    if not aliases:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    names = ", ".join(aliases)
    line = _ALIAS_LINE.search(text)
    if line:
        end = len(text[: line.end()].rstrip())
        return f"{text[:end]}, {names}{text[end:]}"
    title = _TITLE.search(text) or _FRONT.search(text)
    at = len(text[: title.end()].rstrip()) if title else 0
    below = text[at:].lstrip("\r\n")
    above = text[:at] + newline * 2 if at else ""
    return f"{above}**Aliases:** {names}{newline}{newline + below if below else ''}"


def _own_lines(text: str, path: str) -> str:
    """Return what people wrote on a page that goes, also into our block, without its title and alias line."""
    if _FRONT.match(text):
        raise UsageError(f"{path} has front matter, which cannot be moved; remove it first")
    block = find_block(text, "entity")
    if isinstance(block, Defect):
        raise UsageError(f"{path}#L{block.line}: {block.message}; {block.remedy}")
    if block and block.strange and not block.summed:
        raise UsageError(f"{path}#L{block.line}: what was edited in the managed block cannot be told; delete the block")
    edits = "".join(f"{line}\n" for line in block.strange) if block else ""
    return _without_frame(text, block, edits)


def own_text(text: str) -> str:
    """Return what people wrote on an entity's page: without front matter, title, alias line and our block."""
    block = find_block(text, "entity")
    return _FRONT.sub("", _without_frame(text, None if isinstance(block, Defect) else block)).strip()


def _without_frame(text: str, block: Block | None, instead: str = "") -> str:
    if block:
        text = f"{text[: block.start]}{instead}{text[block.end :]}"
    text = _TITLE.sub("", text, count=1).lstrip("\ufeff")
    return _ALIAS_LINE.sub("", text).strip("\r\n ")


def _with_section(text: str, name: str, lines: str) -> str:
    if not lines:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = re.sub(r"\r?\n", newline, lines)
    return f"{text.rstrip()}{newline * 2}## {name}{newline * 2}{lines}{newline}"
