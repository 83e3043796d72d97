"""Interpreters that will be gone tomorrow: those of `uvx`, `pipx run` and temporary folders."""

import re
import tempfile
from collections.abc import Mapping

from openclaw_memory_plugin.errors import UsageError

_UVX = re.compile(r"/(?:archive|environments|builds)-v\d+/", re.I)
"""Folders of uv's cache, wherever that is."""

_PIPX_RUN = re.compile(
    r"/\.?caches?/(?:[^/]+/)?pipx/[^/]+/|/pipx/\.?caches?/"  # a cache folder's pipx, and pipx's cache folder
    r"|/pipx/[0-9a-f]{12,}/|/\.cache/[0-9a-f]{12,}/",  # the same where the folder above has a name of its own
    re.I,
)
_FOLDERS = re.compile(
    r"(?:/private)?(?:/var)?/tmp/|(?:/private)?/var/folders/|/dev/shm/|/run/user/|.*/appdata/local/temp/", re.I
)


def refuse(python: str, environ: Mapping[str, str]) -> None:
    """
    Check that an interpreter stays.

    Raises:
        UsageError: It belongs to a temporary environment; says what to do instead.
    """
    kind = _kind(python, environ)
    if kind:
        raise UsageError(
            f"{python} belongs to {kind} and will not stay; OpenClaw needs an interpreter that does. Install the"
            " package with `uv tool install openclaw-memory-plugin`, `pipx install openclaw-memory-plugin` or into an"
            " environment of your own, and run install there"
        )


def _kind(python: str, environ: Mapping[str, str]) -> str:
    path = _plain(python)
    if _UVX.search(path) or _is_within(path, environ.get("UV_CACHE_DIR")):
        return "uvx"
    if _PIPX_RUN.search(path):
        return "pipx run"
    named = (tempfile.gettempdir(), *(environ.get(name) for name in ("TMPDIR", "TEMP", "TMP")))
    if _FOLDERS.match(path) or any(_is_within(path, folder) for folder in named):
        return "a temporary folder"
    return ""


def _is_within(path: str, folder: str | None) -> bool:
    return bool(folder) and path.startswith(f"{_plain(folder or '').rstrip('/')}/")


def _plain(path: str) -> str:
    return path.replace("\\", "/")
