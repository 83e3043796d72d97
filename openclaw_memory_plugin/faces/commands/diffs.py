"""What a person sees of a change: the lines that say something, without those that only programs read."""

import re
from collections.abc import Iterator

from openclaw_memory_plugin.faces.commands.render import Pen, safe
from openclaw_memory_plugin.guard import redact

_HUNK = re.compile(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@$")
_SUMS = "<!-- openclaw-memory:sums "
_COLOURS = {"+": "good", "-": "bad", "@": "name"}


def diff_lines(diff: str, pen: Pen) -> list[str]:
    """Render a unified diff as `hunks.unified` gives it, without lines of sums and without secrets."""
    lines = redact("\n".join(without_sums(diff.split("\n")[:-1]))).split("\n")
    return [pen(_COLOURS[line[0]], safe(line)) if line[:1] in _COLOURS else safe(line) for line in lines if line]


def without_sums(lines: list[str]) -> Iterator[str]:
    """Leave the lines of sums out, the counts adapted; a hunk or a page that has no other change goes with them."""
    header: list[str] = []
    at = 0
    while at < len(lines):
        hunk = _HUNK.match(lines[at])
        if hunk is None:
            fresh = lines[at].startswith("--- ")
            header = [lines[at]] if fresh else [*header, lines[at]]
            at += 1
            if header[-1].startswith("(") or (len(header) == 2 and (at == len(lines) or lines[at].startswith("--- "))):
                yield from header
                header = []
            continue
        body, at = _body(lines, at + 1, int(hunk[2]), int(hunk[4]))
        shown = [line for line in body if not line[1:].startswith(_SUMS)]
        if any(line[0] in "+-" for line in shown):
            yield from header
            header = []
            gone, there = (sum(line[0] in signs for line in shown) for signs in (" -", " +"))
            yield f"@@ -{hunk[1]},{gone} +{hunk[3]},{there} @@"
            yield from shown


def _body(lines: list[str], at: int, gone: int, there: int) -> tuple[list[str], int]:
    """Return the lines of a hunk, which its counts bound, and where the next begins."""
    body: list[str] = []
    while at < len(lines) and (gone > 0 or there > 0 or lines[at].startswith("\\")):
        gone -= lines[at][:1] in (" ", "-")
        there -= lines[at][:1] in (" ", "+")
        body.append(lines[at])
        at += 1
    return body, at
