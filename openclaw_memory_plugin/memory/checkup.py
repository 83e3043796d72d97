"""What `doctor` looks for: everything that is not as it should be, each with its remedy."""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from openclaw_memory_plugin.index.naming import Claim
    from openclaw_memory_plugin.memory import Memory
    from openclaw_memory_plugin.workspace import Workspace

FORGETTING = "forgetting.json"
"""What lies in the state folder until a forgetting is carried through."""
JOURNAL_BYTES = 8 * 1024 * 1024
"""Size of the access journal from which `doctor` speaks of it."""


@attrs.frozen(kw_only=True)
class Finding:
    """Something that `doctor` found, and what to do about it."""

    path: str
    """Relative to the workspace; `plugin:NAME` for a plugin."""
    line: int
    """1-based; 0 when it concerns the whole file."""
    message: str
    remedy: str


def findings(memory: "Memory", *, behind: str | None = None) -> list[Finding]:
    """
    Give what is wrong with files, names of entities, index, archive, journal, settings and plugins, in this order.

    Args:
        behind: Why the index is not up to date, which may be the doing of something else that is found; comes first.
    """
    remedy = "see to what it names, then run doctor again"
    return [
        *([Finding(path=".memory", line=0, message=behind, remedy=remedy)] if behind else ()),
        *_files(memory),
        *_names(memory),
        *_index(memory),
        *_vectors(memory),
        *(
            Finding(path=path, line=line, message=message, remedy=remedy)
            for path, line, message, remedy in (*memory.kept_away(), *memory.mangled())
        ),
        *_journal(memory),
        *_settings(memory),
        *_plugins(memory),
    ]


def _files(memory: "Memory") -> Iterator[Finding]:
    for found in memory.index.defects():
        defect = found.defect
        yield Finding(path=found.path, line=defect.line, message=defect.message, remedy=defect.remedy)
    yield from _secrets(memory.workspace)
    yield from sorted(_left_out(memory.workspace), key=lambda finding: finding.path)
    yield from _extras(memory.workspace)


def _secrets(workspace: "Workspace") -> Iterator[Finding]:
    """Read every file for secrets that stand in it: they are kept out of index and answers, but not out of the file."""
    from openclaw_memory_plugin.guard import secrets

    remedy = "take it out of the file, and change it if others may have read it; answers and index do not have it"
    for state in workspace.scan():
        for line, kind in secrets(workspace.read(state.path).text):
            yield Finding(path=state.path, line=line, message=f"{kind} stands in the file", remedy=remedy)


def _extras(workspace: "Workspace") -> Iterator[Finding]:
    for extra in workspace.extra:
        if os.path.normpath(extra).replace(os.sep, "/") not in workspace.extras():
            message = "extra_paths names it, but it is no folder in the workspace; it is not read"
            yield Finding(path=extra, line=0, message=message, remedy="name a folder below the workspace")
        elif not os.path.exists(os.path.join(workspace.root, extra)):
            message = "extra_paths names it, but it does not exist"
            yield Finding(path=extra, line=0, message=message, remedy="create it, or take it from extra_paths")


def _left_out(workspace: "Workspace") -> Iterator[Finding]:
    """Look into every folder for Markdown that a scan passes over; names are escaped so that they can be shown."""
    real = os.path.realpath(workspace.root)
    for top in ("memory", "bank", *workspace.extras()):
        for folder, folders, files in os.walk(os.path.join(real, top)):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in (*folders, *files):
                place = os.path.join(folder, name)
                reason = _reason_to_pass(place, real, is_folder=name in folders)
                if reason is not None:
                    path = os.path.relpath(place, real).encode("utf-8", "backslashreplace").decode()
                    yield Finding(path=path, line=0, message=reason[0], remedy=reason[1])


def _reason_to_pass(place: str, root: str, *, is_folder: bool) -> tuple[str, str] | None:
    """Say why a file or folder is not read, and the remedy; None when it is read or is no Markdown."""
    if any("\ud800" <= char <= "\udfff" for char in os.path.basename(place)):
        return "its name is not UTF-8, it is not read", "rename it"
    is_link = os.path.islink(place)
    if not place.lower().endswith((".md", ".markdown")) and not (is_link and is_folder):
        return None
    if is_link:
        target = os.path.realpath(place)
        if not os.path.exists(target):
            return "is a link that leads nowhere", "remove it"
        if os.path.commonpath([target, root]) != root:
            return "is a link out of the workspace, it is not read", "copy what it leads to into the workspace"
    elif not is_folder and not stat.S_ISREG(os.lstat(place).st_mode):
        return "is no regular file, it is not read", "remove it"
    return None


def _names(memory: "Memory") -> Iterator[Finding]:
    """Look for names that more than one entity page claims."""
    claims = memory.index.claimed()
    if not claims:
        return
    from openclaw_memory_plugin.index.naming import rings

    in_rings: set[tuple[str, str]] = set()
    for ring in rings(claims):
        pages = [claims[key][0] for key in ring]
        in_rings.update(zip(ring, (*ring[1:], ring[0]), strict=True))
        way = " → ".join(page.title for page in (*pages, pages[0]))
        yield Finding(
            path=pages[0].path,
            line=_line_with(memory.workspace, pages[0].path, pages[1 % len(pages)].title),
            message=f"aliases go round in a ring, so each page stays alone: {way}",
            remedy="take the aliases away, or make one entity of them with `entity merge`",
        )
    for key, pages in claims.items():
        titled = [page for page in pages if page.is_title]
        aliased = [page for page in pages if not page.is_title and (page.title_key, key) not in in_rings]
        if len(titled) > 1:
            yield _dispute(memory, titled, "is the title here and of", "give one of the pages another title")
        if titled:
            for page in aliased:
                remedy = "take the alias away, or make one entity of them with `entity merge`"
                yield _dispute(memory, [page, titled[0]], "is an alias here, but the title of", remedy)
        elif len(aliased) > 1:
            remedy = "leave the alias on one page, and write whole names of the others"
            yield _dispute(memory, aliased, "is nobody's alias, because it is one here and of", remedy)


def _dispute(memory: "Memory", pages: "Sequence[Claim]", what: str, remedy: str) -> Finding:
    here, *others = pages
    named = " and ".join(f"{page.title} ({page.path})" for page in others)
    line = _line_with(memory.workspace, here.path, here.name)
    return Finding(path=here.path, line=line, message=f"{here.name!r} {what} {named}", remedy=remedy)


def _line_with(workspace: "Workspace", path: str, name: str) -> int:
    """Return the first line below the title that holds a name, else that of the title, 0 when it is not to be found."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
    lines = enumerate(workspace.read(path).text.split("\n"), 1)
    held = [(line.startswith("# "), number) for number, line in lines if word.search(line)]
    return min(held)[1] if held else 0


def _vectors(memory: "Memory") -> Iterator[Finding]:
    from openclaw_memory_plugin.config import PATH

    trouble = memory.vector_trouble()
    if trouble is not None:
        remedy = "see to it, or set vectors.provider to off; recall answers by words meanwhile"
        yield Finding(path=PATH, line=0, message=trouble, remedy=remedy)


def _settings(memory: "Memory") -> Iterator[Finding]:
    for file, key in memory.config.left_aside:
        remedy = "say it in .memory/config.yaml as the README's configuration calls it, or leave it"
        yield Finding(
            path=file, line=0, message=f"{key} is no setting that is known here; it is not used", remedy=remedy
        )


def _index(memory: "Memory") -> Iterator[Finding]:
    if (memory.workspace.state_dir / FORGETTING).exists():
        message = "what was to be forgotten is gone from Markdown, but not from everywhere yet"
        remedy = "end what else reads the index, then run sync"
        yield Finding(path=f".memory/{FORGETTING}", line=0, message=message, remedy=remedy)
    for notice in memory.index.notices:
        remedy = "nothing to do when this is meant; else see to the permissions of .memory"
        yield Finding(path=".memory", line=0, message=notice, remedy=remedy)


def _journal(memory: "Memory") -> Iterator[Finding]:
    from openclaw_memory_plugin.index.journal import foreign_lines

    path = memory.workspace.state_dir / "access.jsonl"
    size = path.stat().st_size if path.exists() else 0
    if size > JOURNAL_BYTES:
        message = f"the access journal has grown to {size // 1024 // 1024} MiB"
        yield Finding(path=".memory/access.jsonl", line=0, message=message, remedy="run sync, which shortens it")
    elif path.is_file():
        strange = foreign_lines(memory.workspace.state_dir)
        if strange:
            more = f", and {len(strange) - 1} more lines are neither" if strange[1:] else ""
            message = f"no line of the access journal{more}; it is passed over"
            remedy = "delete it, or leave it: the next compaction does"
            yield Finding(path=".memory/access.jsonl", line=strange[0], message=message, remedy=remedy)


def _plugins(memory: "Memory") -> Iterator[Finding]:
    for state in memory.plugins.states:
        if state.problem:
            remedy = f"update {state.distribution or 'it'}, or block it with OPENCLAW_MEMORY_BLOCK={state.name}"
            yield Finding(path=f"plugin:{state.name}", line=0, message=state.problem, remedy=remedy)
