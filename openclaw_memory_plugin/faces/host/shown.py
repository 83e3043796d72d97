"""
What the host itself puts before the agent: MEMORY.md after the other pages of the workspace, up to two limits.

Lengths are the host's: UTF-16 units, blanks at the end apart. A file is only read when its bytes may be too many.
"""

import os
from pathlib import Path

FILE_CHARS = 20_000
"""What the host shows of one file when its configuration does not say."""
TOTAL_CHARS = 60_000
"""What it shows of all together."""
USER_CHARS = 4_000
"""What it shows of USER.md at most, whatever its configuration says."""

CORE = "MEMORY.md"
_AHEAD = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "BOOTSTRAP.md")
_MISSING = "[MISSING] Expected at: "
"""Stands with the path for each file ahead that is not there; USER.md is left out."""


def shows_whole(root: Path, *, file_chars: int | None, total_chars: int | None) -> bool:
    """Tell whether the host has room for all of MEMORY.md; False when there is no file of exactly that name."""
    limit = file_chars or FILE_CHARS
    total = total_chars or TOTAL_CHARS
    try:
        with os.scandir(root) as entries:
            sizes = {entry.name: entry.stat().st_size for entry in entries if entry.name in (CORE, *_AHEAD)}
    except OSError:
        return False
    if CORE not in sizes:
        return False
    absent = sum(len(_MISSING) + len(str(root / name)) for name in _AHEAD if name not in sizes and name != "USER.md")
    if sizes[CORE] <= limit and absent + sum(sizes.values()) <= total:
        return True
    core = _chars(root / CORE)
    ahead = sum(
        min(_chars(root / name), limit, USER_CHARS if name == "USER.md" else limit) for name in sizes if name != CORE
    )
    return core <= min(limit, total - absent - ahead)


def _chars(path: Path) -> int:
    """Length of a file as the host counts; 0 when it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    return len(text.rstrip().encode("utf-16-le")) // 2
