"""What `doctor` looks for: everything that is not as it should be, each with its remedy."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from openclaw_memory_plugin.memory import Memory

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


def findings(memory: "Memory") -> list[Finding]:
    """Give what is wrong with files, their names, archive, index, journal and plugins, in this order."""
    return [
        *_files(memory),
        *_index(memory),
        *(
            Finding(path=path, line=line, message=message, remedy=remedy)
            for path, line, message, remedy in memory.kept_away()
        ),
        *_journal(memory),
        *_plugins(memory),
    ]


def _files(memory: "Memory") -> Iterator[Finding]:
    for found in memory.index.defects():
        defect = found.defect
        yield Finding(path=found.path, line=defect.line, message=defect.message, remedy=defect.remedy)
    for path in memory.workspace.misnamed():
        yield Finding(path=path, line=0, message="its name is not UTF-8, it is not read", remedy="rename it")


def _index(memory: "Memory") -> Iterator[Finding]:
    for notice in memory.index.notices:
        remedy = "nothing to do when this is meant; else see to the permissions of .memory"
        yield Finding(path=".memory", line=0, message=notice, remedy=remedy)


def _journal(memory: "Memory") -> Iterator[Finding]:
    path = memory.workspace.state_dir / "access.jsonl"
    size = path.stat().st_size if path.exists() else 0
    if size > JOURNAL_BYTES:
        message = f"the access journal has grown to {size // 1024 // 1024} MiB"
        yield Finding(path=".memory/access.jsonl", line=0, message=message, remedy="run sync, which shortens it")


def _plugins(memory: "Memory") -> Iterator[Finding]:
    for state in memory.plugins.states:
        if state.problem:
            remedy = f"update {state.distribution or 'it'}, or block it with OPENCLAW_MEMORY_BLOCK={state.name}"
            yield Finding(path=f"plugin:{state.name}", line=0, message=state.problem, remedy=remedy)
