"""What tells a workspace from any other folder, so that a mistyped path is not taken for an empty memory."""

import os
from collections.abc import Iterable
from pathlib import Path

SIGNS = (
    ".memory", "memory", "bank", ".memoryignore", "MEMORY.md", "memory.md", "Memory.md", "USER.md", "AGENTS.md",
    "SOUL.md", "IDENTITY.md", "HEARTBEAT.md", "TOOLS.md",
)  # fmt: skip
"""Any of these makes a folder one: ours, those that are read, and those that OpenClaw puts there."""


def is_workspace(root: Path, extra: Iterable[str] = ()) -> bool:
    """Tell whether a folder holds anything that a workspace has; `extra` are further folders that are read."""
    return any(os.path.exists(os.path.join(root, name)) for name in (*SIGNS, *extra))
