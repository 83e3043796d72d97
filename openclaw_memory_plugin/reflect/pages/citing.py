"""How a page of ours points at a fact: a relative link that works in any viewer, and text that is only text."""

import functools
import posixpath
import re
import urllib.parse

import attrs

from openclaw_memory_plugin.guard import neutralise
from openclaw_memory_plugin.markdown import inline
from openclaw_memory_plugin.markdown.inline import escape

_CLIMB = re.compile(r"^(?:\.\./)+")


@attrs.define
class Cite:
    """Links from one folder of the workspace; paths are worked out once."""

    folder: str
    """Relative to the workspace, POSIX, "" for its root."""
    _targets: dict[str, str] = attrs.field(factory=dict)

    def link(self, where: str) -> str:
        """Link to `path#L12`."""
        path, mark, line = where.rpartition("#")
        target = self._targets.get(path)
        if target is None:
            relative = posixpath.relpath(path, self.folder or ".")
            target = self._targets[path] = urllib.parse.quote(relative, safe="/", errors="surrogateescape")
        return f"[{plain(where)}]({target}{mark}{line})"


def is_link(label: str, target: str) -> bool:
    """Whether label and target of a link point at one file, as a link of ours does: nobody has typed into it."""
    path, _, line = label.rpartition("#L")
    relative, _, anchor = target.rpartition("#L")
    return line.isdecimal() and anchor.isdecimal() and _is_same(path, relative)


@functools.lru_cache(maxsize=4096)
def _is_same(path: str, relative: str) -> bool:
    below = _CLIMB.sub("", relative)
    quoted = urllib.parse.quote(inline.plain(path), safe="/", errors="surrogateescape")
    return below != "" and f"/{quoted}".endswith(f"/{below}")


def plain(text: str) -> str:
    """
    Return indexed text (one line, redacted) as it may stand on a page: no angle bracket, however written, no emphasis.
    """
    if text.isascii() and "<" not in text and ">" not in text and "&" not in text:
        return escape(text)
    return escape(neutralise(text))


def excerpt(text: str, limit: int = 600) -> str:
    """Return `plain` text of at most so many characters: a page points at a long note, it does not repeat it."""
    return plain(text) if len(text) <= limit else f"{plain(text[:limit].rstrip())} …"
