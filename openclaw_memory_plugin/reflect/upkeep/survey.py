"""Where a statement stands in the workspace: its own lines, what we generated from it, and where else its words are."""

import enum
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import attrs

from openclaw_memory_hookspecs import Fact
from openclaw_memory_plugin.errors import ConflictError
from openclaw_memory_plugin.markdown.nouns import Page, Statement
from openclaw_memory_plugin.markdown.page import parse_page
from openclaw_memory_plugin.markdown.pinning import unlinked
from openclaw_memory_plugin.markdown.write import fact_id
from openclaw_memory_plugin.names import name_key
from openclaw_memory_plugin.reflect.pages.blocks import managed_blocks
from openclaw_memory_plugin.workspace import Source, Workspace, encode_edited
from openclaw_memory_plugin.workspace.hidden import Archived
from openclaw_memory_plugin.workspace.saying import asked_keys, exact, forgotten_keys, holds, letters

MARKER = "<!-- openclaw-memory:"
_ENOUGH = 16
"""Letters from which on the beginning of a statement, beside its id, is taken for the statement."""
_NAME_BEFORE = r"(?<![a-z0-9\u00df-\u024f])(?<![a-z0-9][-_])"
_NAME_AFTER = r"(?![a-z0-9\u00df-\u024f+#]|[-_][a-z0-9])"
"""Around a name in Latin letters, so that it is neither a part of another nor `C` of `C++`."""


class Author(enum.Enum):
    """Who wrote a line."""

    WE = "we"
    """It stands in a managed block as we left it."""
    THEY = "they"
    BOTH = "both"
    """It stands in a managed block, and not as we left it."""


@attrs.frozen(kw_only=True)
class Target:
    """A statement that is looked for."""

    id: str
    content: str
    heads: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    """Ids that it had before small edits."""
    paths: tuple[str, ...] = ()
    """Files that are known to state it."""
    names: tuple[str, ...] = ()
    """Whom or what it is about."""

    @property
    def ids(self) -> tuple[str, ...]:
        """All ids by which it was ever known."""
        return (self.id, *self.earlier)

    @property
    def keys(self) -> frozenset[str]:
        """Under which it is forgotten."""
        return forgotten_keys(self.content, self.heads)


@attrs.frozen(kw_only=True)
class Place:
    """Lines of one file; `str()` of it is `path#L12`."""

    path: str
    line: int
    """First line, 1-based, counting LF only."""
    end_line: int
    """Last line, inclusive."""
    text: str
    """The first line, for people."""

    def __str__(self) -> str:
        return f"{self.path}#L{self.line}"


@attrs.frozen(kw_only=True)
class Survey:
    """All places of some statements."""

    statements: tuple[Place, ...] = ()
    """The statements themselves, duplicates and children included."""
    generated: tuple[Place, ...] = ()
    """Lines of ours, in managed blocks, that repeat them."""
    links: tuple[Place, ...] = ()
    """Statements of others whose attributes call a target their evidence; they stay, and say so no more."""
    mentions: tuple[Place, ...] = ()
    """Other lines that hold the same letters among others, or name the id."""
    ids: tuple[str, ...] = ()
    """The ids under which those statements are known: another spelling is another id."""
    sources: Mapping[str, Source] = attrs.field(factory=dict)
    """The files with such lines, as they were read."""


def target_of(workspace: Workspace, fact: Fact) -> Target:
    """
    Read a fact's statement from where it is cited.

    Raises:
        ConflictError: it does not stand there any more.
    """
    for citation in fact.citations:
        page = parse_page(workspace.read(citation.path).text, citation.path)
        for statement in page.statements:
            if statement.line == citation.line and (
                fact_id(statement.kind, statement.content, statement.heads) == fact.id
            ):
                paths = tuple(dict.fromkeys(one.path for one in fact.citations))
                return Target(
                    id=fact.id, content=statement.content, heads=statement.heads, paths=paths, names=fact.entities
                )
    raise ConflictError(f"{fact.id}: {fact.source} does not say it any more; nothing was changed, run `sync` first")


def target_of_archived(entry: Archived) -> Target:
    """The same for a fact of which only the archive's copy may be left."""
    return Target(id=entry.id, content=entry.content, heads=entry.heads, names=entry.entities)


def survey(workspace: Workspace, targets: Sequence[Target]) -> Survey:
    """
    Look through every file that is read.

    Only those are parsed that are known to state a target, cite its id, or hold its words in a row whatever the
    markup between them. Lines that are merely alike are mentions. O(text).
    """
    wanted = [letters(target.content) for target in targets]
    paths = {path for target in targets for path in target.paths}
    statements: list[Place] = []
    generated: list[Place] = []
    mentions: list[Place] = []
    links: list[Place] = []
    named = {known for target in targets for known in target.ids}
    ids: set[str] = set()
    sources: dict[str, Source] = {}
    for state in workspace.scan():
        source = workspace.read(state.path)
        folded = letters(source.text)
        cited = any(one in source.text for one in named)
        if not cited and state.path not in paths and not any(one in folded for one in wanted):
            continue
        lines = source.text.split("\n")
        own = _own_lines(parse_page(source.text, state.path), targets)
        statements += [_place(source, lines, statement.line, statement.end_line) for statement in own]
        ids.update(fact_id(one.kind, one.content, one.heads) for one in own)
        taken = {number for one in own for number in range(one.line, one.end_line + 1)}
        for number, line, author in _authors(source.text):
            ours = author is Author.WE or (author is Author.BOTH and any(target.id in line for target in targets))
            if number in taken:
                continue
            if author is Author.THEY and (bare := unlinked(line, named)) != line:
                links.append(_place(source, lines, number, number))
                line = bare
            if not _repeats(line, targets, ours=ours):
                continue
            if ours:
                generated.append(_place(source, lines, number, _end_of_item(lines, number)))
            else:
                mentions.append(_place(source, lines, number, number))
        sources[state.path] = source
    return Survey(
        statements=tuple(statements),
        generated=tuple(generated),
        links=tuple(links),
        mentions=tuple(mentions),
        ids=tuple(sorted(ids)),
        sources=sources,
    )


def survey_names(workspace: Workspace, names: Sequence[str]) -> Survey:
    """Find the lines of ours that hold one of these names as whole words; pages of ours about them as a whole."""
    titles = {name_key(name) for name in names}
    held = re.compile("|".join(rf"{_NAME_BEFORE}{re.escape(name.casefold())}{_NAME_AFTER}" for name in names))
    generated: list[Place] = []
    sources: dict[str, Source] = {}
    for state in workspace.scan():
        source = workspace.read(state.path)
        if MARKER not in source.text:
            continue
        lines = source.text.split("\n")
        written = list(_authors(source.text))
        found = [
            _place(source, lines, number, _end_of_item(lines, number))
            for number, line, author in written
            if author is Author.WE and held.search(line.casefold())
        ]
        title = next((line for line in lines if line.strip()), "")
        if title.startswith("# ") and name_key(title[2:]) in titles and not _has_own_text(written):
            found = [_place(source, lines, 1, len(lines))]
        if found:
            generated += found
            sources[state.path] = source
    return Survey(generated=tuple(generated), sources=sources)


def without(source: Source, places: Iterable[Place], links: Iterable[Place], ids: Collection[str]) -> bytes:
    """
    The bytes of a file without some of its lines, and `links` without what they say of `ids`; every other byte stays.

    Raises:
        WorkspaceError: it is not a text file that can be edited.
    """
    gone = {number for place in places for number in range(place.line, place.end_line + 1)}
    linked = {place.line for place in links}
    parts = source.editable.split("\n")
    parts = [unlinked(part, ids) if number in linked else part for number, part in enumerate(parts, start=1)]
    kept = [part for number, part in enumerate(parts, start=1) if number not in gone]
    if len(parts) in gone and kept:
        kept.append("")
    return encode_edited("\n".join(kept))


def _own_lines(page: Page, targets: Sequence[Target]) -> list[Statement]:
    keys = frozenset().union(*(target.keys for target in targets))
    return [one for one in page.statements if not keys.isdisjoint(asked_keys(one.content, one.heads))]


def _authors(text: str) -> Iterator[tuple[int, str, Author]]:
    """Yield line number, line and who wrote it; without the lines that mark our blocks."""
    blocks = list(managed_blocks(text))
    for number, line in enumerate(text.split("\n"), start=1):
        block = next((one for one in blocks if number in one), None)
        if block is None:
            yield number, line, Author.THEY
        elif not line.lstrip().startswith(MARKER):
            edited = block.summed and line.removesuffix("\r") in block.strange
            yield number, line, Author.BOTH if edited else Author.WE


def _has_own_text(written: Sequence[tuple[int, str, Author]]) -> bool:
    """Whether a person wrote anything on a page but its title."""
    return sum(bool(line.strip()) for _, line, author in written if author is not Author.WE) > 1


def _end_of_item(lines: Sequence[str], number: int) -> int:
    """The last line of the item that begins on a line: what is indented deeper belongs to it."""
    depth = _indent(lines[number - 1])
    end = number
    while end < len(lines) and lines[end].strip() and _indent(lines[end]) > depth:
        end += 1
    return end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _repeats(line: str, targets: Sequence[Target], *, ours: bool) -> bool:
    """Whether a line may be said to repeat a target: one of ours in its very words, as it is erased for it."""
    if not ours:
        said = letters(line)
        return any(letters(target.content) in said or target.id in line for target in targets)
    said = f" {exact(line)} "
    return any(
        holds(line, exact(target.content)) or (target.id in line and f" {exact(target.content)[:_ENOUGH]}" in said)
        for target in targets
    )


def _place(source: Source, lines: Sequence[str], line: int, end_line: int) -> Place:
    return Place(path=source.path, line=line, end_line=end_line, text=lines[line - 1].strip())
