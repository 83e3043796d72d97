"""What a change did to the lines of one text: taken apart, replayed, taken back, also after somebody else edited it."""

import difflib
from collections.abc import Sequence

import attrs

CONTEXT = 3
"""Lines of surroundings kept with every hunk: what finds its place again when lines above it moved."""


@attrs.frozen(kw_only=True)
class Hunk:
    """One run of lines that was replaced. Every line keeps its own ending."""

    start: int
    """0-based line of `old` in the text before."""
    shift: int = 0
    """Lines that the hunks above it added; `start + shift` is the line of `new` in the text after."""
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    """Up to CONTEXT unchanged lines just above."""
    below: tuple[str, ...] = ()


def compare(before: str, after: str) -> tuple[Hunk, ...]:
    """Take a change apart; `forward(before, compare(before, after)) == after` always."""
    old, new = _lines(before), _lines(after)
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    middle = difflib.SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    found = []
    for tag, i1, i2, j1, j2 in middle.get_opcodes():
        if tag == "equal":
            continue
        start, stop = head + i1, head + i2
        found.append(
            Hunk(
                start=start,
                shift=j1 - i1,
                old=tuple(old[start:stop]),
                new=tuple(new[head + j1 : head + j2]),
                above=tuple(old[max(0, start - CONTEXT) : start]),
                below=tuple(old[stop : stop + CONTEXT]),
            )
        )
    return tuple(found)


def forward(text: str, hunks: Sequence[Hunk]) -> str:
    """
    Make the change again on the very text it was made on.

    Raises:
        ValueError: the old lines do not stand where they stood.
    """
    return _splice(text, [(hunk.start, hunk.old, hunk.new) for hunk in hunks])


def backward(text: str, hunks: Sequence[Hunk]) -> str:
    """
    Take the change back on the very text it led to.

    Raises:
        ValueError: the new lines do not stand where they stood.
    """
    return _splice(text, [(hunk.start + hunk.shift, hunk.new, hunk.old) for hunk in hunks])


def merge_backward(text: str, hunks: Sequence[Hunk]) -> str | None:
    """
    Take the change back on a text that was edited since, keeping the edit.

    Each hunk must be found exactly once, by its own lines and as much of its surroundings as still stand. None when
    one is gone or ambiguous: then nothing can be said about what the editor wanted.
    """
    lines = _lines(text)
    for hunk in reversed(hunks):
        place = _find(lines, hunk)
        if place is None:
            return None
        lines[place : place + len(hunk.new)] = hunk.old
    return "".join(lines)


def unified(path: str, hunks: Sequence[Hunk]) -> str:
    """Render the change as a unified diff, with the context that was kept."""
    out = [f"--- {path}\n", f"+++ {path}\n"]
    for hunk in hunks:
        first = hunk.start - len(hunk.above)
        around = len(hunk.above) + len(hunk.below)
        out.append(f"@@ -{first + 1},{len(hunk.old) + around} +{first + hunk.shift + 1},{len(hunk.new) + around} @@\n")
        for sign, lines in ((" ", hunk.above), ("-", hunk.old), ("+", hunk.new), (" ", hunk.below)):
            out.extend(f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n" for line in lines)
    return "".join(out)


def _lines(text: str) -> list[str]:
    """Lines with their endings, cut at LF only."""
    parts = text.split("\n")
    lines = [part + "\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _splice(text: str, edits: Sequence[tuple[int, tuple[str, ...], tuple[str, ...]]]) -> str:
    lines = _lines(text)
    for start, there, instead in reversed(edits):
        if tuple(lines[start : start + len(there)]) != there:
            raise ValueError(f"line {start + 1} is not what the change was made on")
        lines[start : start + len(there)] = instead
    return "".join(lines)


def _find(lines: list[str], hunk: Hunk) -> int | None:
    attempts = [(hunk.above, hunk.below), (hunk.above, ()), ((), hunk.below)]
    if any(line.strip() for line in hunk.new):
        attempts.append(((), ()))
    for above, below in attempts:
        if not above and not below and not hunk.new:
            continue
        places = _occurrences(lines, (*above, *hunk.new, *below))
        if len(places) == 1:
            return places[0] + len(above)
    return None


def _occurrences(lines: list[str], wanted: tuple[str, ...]) -> list[int]:
    if not wanted:
        return []
    size = len(wanted)
    return [
        at for at in range(len(lines) - size + 1) if lines[at] == wanted[0] and tuple(lines[at : at + size]) == wanted
    ]
