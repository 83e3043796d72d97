"""How a page of ours points at a fact: a relative link that works in any viewer, and text that is only text."""

import posixpath
import urllib.parse

import attrs

from openclaw_memory_plugin.guard import neutralise


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
            target = self._targets[path] = urllib.parse.quote(relative, safe="/")
        return f"[{where}]({target}{mark}{line})"


def plain(content: str) -> str:
    """Return a statement as it may stand on a page: one line, no angle bracket, nothing that could end a block."""
    return content if content.isascii() and content.isprintable() and not _needs_care(content) else neutralise(content)


def _needs_care(content: str) -> bool:
    return "<" in content or ">" in content or "&" in content or "  " in content
