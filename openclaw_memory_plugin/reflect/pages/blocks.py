"""
Managed blocks: the one part of a page that we write, between two marker lines; pure text in, text out.

    <!-- openclaw-memory:begin entity -->
    - Lives in Graz since February 2026. ([memory/2026-02-03.md#L4](../../memory/2026-02-03.md#L4) `5d0f…`)
    <!-- openclaw-memory:sums k3F -->
    <!-- openclaw-memory:end entity -->

Nothing outside is ever changed. The sums, three characters for each line of ours, tell a line that we wrote from one
that somebody put or changed in there: such lines are moved below the block and stay. Markers inside a code fence are
text. A block whose markers are not one pair is left alone and reported.
"""

import base64
import functools
import hashlib
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence

import attrs

from openclaw_memory_plugin.markdown.blocks import outline
from openclaw_memory_plugin.markdown.nouns import Defect

_MARKER = re.compile(r"^[ \t]{0,3}<!--[ \t]*openclaw-memory:(begin|end)[ \t]+([\w-]+)[ \t]*-->[ \t]*\r?$")
_SUMS = re.compile(r"^<!-- openclaw-memory:sums ([A-Za-z0-9+/]*) -->$")
_FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})(.*)$")
_WIDTH = 3


@attrs.frozen(kw_only=True)
class Block:
    """A managed block as it stands in a text."""

    name: str
    start: int
    """Offset of the begin marker's line."""
    end: int
    """Offset just behind the end marker's line, its line break included."""
    line: int
    """1-based line of the begin marker, counting LF only."""
    lines: tuple[str, ...]
    """What stands between the markers, without line breaks and without the sums."""
    strange: tuple[str, ...]
    """Those of `lines` that we did not write as they stand; all of them when the sums are gone."""
    sums: frozenset[str] | None
    """Of the lines that we wrote; None when they are gone."""

    @property
    def summed(self) -> bool:
        """Whether the sums are there."""
        return self.sums is not None

    def wrote(self, line: str) -> bool:
        """Whether a line was written by us, there or not; by chance one in 260,000 others is taken for ours."""
        return self.sums is not None and _sum(line) in self.sums

    def __contains__(self, line: int) -> bool:
        """Whether a 1-based line of the text lies in the block, markers included."""
        return self.line <= line <= self.line + len(self.lines) + 1 + self.summed


@attrs.frozen(kw_only=True)
class Placed:
    """A text with its block brought up to date."""

    text: str
    moved: tuple[str, ...] = ()
    """Lines somebody had put into the block, now below it."""
    defect: Defect | None = None
    """Why the block was left as it is; the text is then the one that came in."""


def find_block(text: str, name: str) -> Block | Defect | None:
    """Find the block `name`; a Defect when its markers are not one pair, None when there are none."""
    begins: list[tuple[int, int, int]] = []
    ends: list[tuple[int, int, int]] = []
    inside: str | None = None
    for number, start, stop, kind, marked in _markers(text):
        if kind == "begin":
            if inside is not None and name in (inside, marked):
                return _defect(name, number, "starts inside another block")
            inside = marked
        elif inside == marked:
            inside = None
        if marked == name:
            (begins if kind == "begin" else ends).append((number, start, stop))
    if not begins and not ends:
        return None
    if len(begins) > 1:
        return _defect(name, begins[1][0], "is there twice")
    if not begins:
        return _defect(name, ends[0][0], "ends without a beginning")
    if not ends:
        return _defect(name, begins[0][0], "has no end")
    if len(ends) > 1:
        return _defect(name, ends[1][0], "ends twice")
    (number, start, body), (_, body_end, end) = begins[0], ends[0]
    if body_end < body:
        return _defect(name, ends[0][0], "ends before it begins")
    return _read(name, text, number, start, body, body_end, end)


def mangled_blocks(text: str) -> Iterator[Defect]:
    """Yield what is wrong with the blocks of a page, whatever their names."""
    for name in dict.fromkeys(marked for _, _, _, _, marked in _markers(text)):
        found = find_block(text, name)
        if isinstance(found, Defect):
            yield found
        elif found is not None and found.strange and not found.summed:
            yield _without_sums(found)


def managed_blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a page whose markers are a pair, whatever their names."""
    for name in dict.fromkeys(marked for _, _, _, _, marked in _markers(text)):
        found = find_block(text, name)
        if isinstance(found, Block):
            yield found


def put_block(
    text: str,
    name: str,
    lines: Sequence[str],
    *,
    ours: Callable[[str], bool] = lambda line: False,
    restate: Callable[[str, Block], str | None] = lambda line, block: None,
) -> Placed:
    """
    Write `lines` (no line breaks in them) as the block `name`; at the end of the text when it has none yet.

    `ours` says of a line that is not as we wrote it that it was read as what it says, so that it need not be moved;
    `restate` gives what shall stand below the block for it, "" for nothing, None for the line itself.
    Without lines a missing block stays missing. Writing what is there already changes nothing.
    """
    newline = "\r\n" if "\r\n" in text[:4096] else "\n"
    if stands_already(text, name, lines, newline):
        return Placed(text=text)
    found = find_block(text, name)
    if isinstance(found, Defect):
        return Placed(text=text, defect=found)
    if found is None:
        if not lines:
            return Placed(text=text)
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        longer = text + gap + render_block(name, lines, newline)
        swallows = outline(text).unclosed
        if swallows is not None or not isinstance(find_block(longer, name), Block):
            return Placed(text=text, defect=_swallowed(name, swallows or 0))
        return Placed(text=longer)
    known = set(lines)
    moved = [line for line in found.strange if line.rstrip() not in known and not ours(line)]
    if moved and not found.summed:
        return Placed(text=text, defect=_without_sums(found))
    below = text[found.end :]
    said = [(line, instead) for line in moved if (instead := restate(line, found)) != ""]
    moved = [line for line, _ in said]
    if moved:
        kept = textwrap.dedent("\n".join(line if instead is None else instead for line, instead in said)).split("\n")
        below = newline + newline.join(kept) + newline + (newline + below if below.strip() else below)
    end_break = newline if text[: found.end].endswith("\n") or below else ""
    block = render_block(name, lines, newline).removesuffix(newline) + end_break
    return Placed(text=text[: found.start] + block + below, moved=tuple(moved))


def stands_already(text: str, name: str, lines: Sequence[str], newline: str = "\n") -> bool:
    """Whether a text plainly holds this very block; False also when it takes a closer look to tell."""
    if "```" in text or "~~~" in text or text.count("openclaw-memory:begin") != 1:
        return False
    return text.count("openclaw-memory:end") == 1 and render_block(name, lines, newline) in text


def render_block(name: str, lines: Sequence[str], newline: str = "\n") -> str:
    """Render a whole block, markers, sums and last line break included."""
    sums = "".join(map(_sum, filter(str.strip, lines)))
    whole = (
        f"<!-- openclaw-memory:begin {name} -->",
        *lines,
        f"<!-- openclaw-memory:sums {sums} -->",
        f"<!-- openclaw-memory:end {name} -->",
    )
    return newline.join(whole) + newline


def _read(name: str, text: str, number: int, start: int, body: int, body_end: int, end: int) -> Block:
    inner = text[body:body_end].removesuffix("\n")
    lines = [line.removesuffix("\r") for line in inner.split("\n")] if body_end > body else []
    sums: set[str] | None = None
    for index in range(len(lines) - 1, -1, -1):
        match = _SUMS.match(lines[index])
        if match:
            sums = (sums or set()) | {match[1][at : at + _WIDTH] for at in range(0, len(match[1]), _WIDTH)}
            del lines[index]
    strange = tuple(line for line in lines if line.strip() and _sum(line) not in (sums or ()))
    return Block(
        name=name,
        start=start,
        end=end,
        line=number,
        lines=tuple(lines),
        strange=strange,
        sums=None if sums is None else frozenset(sums),
    )


def _markers(text: str) -> Iterator[tuple[int, int, int, str, str]]:
    """Yield line number, start, end (behind the line break), kind and name of every marker outside code fences."""
    if "openclaw-memory:" not in text:
        return
    fence = ""
    start = 0
    for number, line in enumerate(text.split("\n"), 1):
        stop = min(start + len(line) + 1, len(text))
        if line[:1] not in "<`~ \t" or not line:
            start = stop
            continue
        opening = _FENCE.match(line)
        if opening and not fence:
            if not (opening[1][0] == "`" and "`" in opening[2]):
                fence = opening[1]
        elif opening and opening[1].startswith(fence) and not opening[2].strip():
            fence = ""
        elif not fence:
            marker = _MARKER.match(line)
            if marker:
                yield number, start, stop, marker[1], marker[2]
        start = stop


@functools.lru_cache(maxsize=32768)
def _sum(line: str) -> str:
    digest = hashlib.blake2b(line.rstrip().encode("utf-8", "surrogatepass"), digest_size=3).digest()
    return base64.b64encode(digest)[:_WIDTH].decode()


def _defect(name: str, line: int, what: str) -> Defect:
    return Defect(
        line=line,
        message=f"the managed block {name!r} {what}; nothing was written into this page",
        remedy="restore the pair of marker lines, or delete what is left of the block: it will be made anew",
    )


def _without_sums(block: Block) -> Defect:
    return _defect(block.name, block.line, "has lost its line of sums, so edits in it cannot be told")


def _swallowed(name: str, line: int) -> Defect:
    return Defect(
        line=line,
        message=f"a code fence or comment that nothing ends would swallow the managed block {name!r}; nothing was "
        "written into this page",
        remedy="end it with the same fence, or with -->",
    )
