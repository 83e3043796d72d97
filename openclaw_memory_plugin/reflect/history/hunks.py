"""What a change did to the lines of one text: taken apart, replayed, taken back, also after somebody else edited it."""

import difflib
import itertools
import re
from collections.abc import Collection, Sequence

import attrs

CONTEXT = 3
"""Lines of surroundings kept with every hunk: what finds its place again when lines above it moved."""

_HEADING = re.compile(r"(#{1,6})(?:\s|$)")
_BEGIN = "<!-- openclaw-memory:begin"
_END = "<!-- openclaw-memory:end"


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

    Each hunk must be found exactly once, by its own lines and as much of its surroundings as still stand; lines that
    were only added may stand apart by now. A heading of ours stays where something else stands under it. None when a
    hunk is gone or ambiguous: then nothing can be said about what the editor wanted.
    """
    lines = _lines(text)
    for hunk in reversed(hunks):
        found = _found(lines, hunk)
        if found is None:
            return None
        place, ours = found
        gone = set(ours) - _still_needed(lines, ours)
        below = [line for at, line in enumerate(lines[place:], place) if at not in gone]
        back = list(hunk.old)
        if back and below and not back[-1].endswith("\n"):
            back[-1] += "\n"
        lines = [*lines[:place], *back, *below]
    return "".join(lines)


def without_frames(text: str, hunks: Sequence[Hunk]) -> str:
    """Return a text without the headings that these hunks wrote and under which nothing stands any more."""
    lines = _lines(text)
    for hunk in reversed(hunks):
        for line in filter(_HEADING.match, reversed(hunk.new)):
            places = _occurrences(lines, (line,))
            if line not in hunk.old and len(places) == 1 and not _holds(lines, places[0]):
                at = places[0]
                del lines[at - 1 if at and not lines[at - 1].strip() else at : at + 1]
    return "".join(lines)


def unified(path: str, hunks: Sequence[Hunk], *, created: bool = False, removed: bool = False) -> str:
    """
    Render the change as a unified diff that `patch -p0` and `git apply -p0` take.

    Args:
        created: there was no file before.
        removed: there is none after.
    """
    named = f"{path}\t" if " " in path else path
    out = [f"--- {'/dev/null' if created else named}\n", f"+++ {'/dev/null' if removed else named}\n"]
    for near in _near(hunks):
        first, last = near[0], near[-1]
        body: list[str] = []
        for hunk, before in zip(near, (None, *near[:-1]), strict=True):
            gap = _between(before, hunk) if before else hunk.above
            for sign, lines in ((" ", gap), ("-", hunk.old), ("+", hunk.new)):
                body += [_shown(sign, line) for line in lines]
        body += [_shown(" ", line) for line in last.below]
        gone = sum(line[0] in " -" for line in body)
        there = sum(line[0] in " +" for line in body)
        start = first.start - len(first.above)
        out += [f"@@ -{_range(start, gone)} +{_range(start + first.shift, there)} @@\n", *body]
    return "".join(out)


def _near(hunks: Sequence[Hunk]) -> list[list[Hunk]]:
    """Put hunks together whose surroundings touch: a patch tells every line once."""
    found: list[list[Hunk]] = []
    for hunk in hunks:
        last = found[-1][-1] if found else None
        if last is not None and hunk.start - last.start - len(last.old) <= 2 * CONTEXT:
            found[-1].append(hunk)
        else:
            found.append([hunk])
    return found


def _between(one: Hunk, other: Hunk) -> tuple[str, ...]:
    """The unchanged lines between two hunks whose surroundings touch."""
    gap = other.start - one.start - len(one.old)
    if gap <= CONTEXT:
        return other.above[len(other.above) - gap :]
    return (*one.below[: gap - CONTEXT], *other.above)


def _range(start: int, count: int) -> str:
    """Where a hunk begins and how long it is; an empty one is behind the line before it."""
    return f"{start + 1 if count else start},{count}"


def _shown(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"


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


def _found(lines: list[str], hunk: Hunk) -> tuple[int, list[int]] | None:
    """Return where a hunk stands and where each of its new lines does, in order; None when that cannot be told."""
    place = _find(lines, hunk)
    if place is not None:
        return place, list(range(place, place + len(hunk.new)))
    if hunk.old:
        return None
    headings = [(line,) for line in hunk.new if _HEADING.match(line)]
    runs = [tuple(run) for frame, run in itertools.groupby(hunk.new, _is_frame) if not frame]
    found: set[int] = set()
    for run in (*headings, *runs):
        places = _occurrences(lines, run)
        if len(places) == 1:
            found.update(range(places[0], places[0] + len(run)))
        elif run in runs:
            return None
    return (min(found), sorted(found)) if runs else None


def _still_needed(lines: list[str], ours: Sequence[int]) -> set[int]:
    """Return which of our lines are headings, with the blank lines beside them, under which somebody else's stand."""
    mine, kept, managed = set(ours), set[int](), False
    for at in ours:
        managed = (managed or _BEGIN in lines[at]) and _END not in lines[at]
        if managed or not _HEADING.match(lines[at]):
            continue
        if _holds(lines, at, mine):
            kept.add(at)
    blank = [at for at in ours if not lines[at].strip()]
    for at in (*blank, *reversed(blank)):
        if {at - 1, at + 1} & kept:
            kept.add(at)
    return kept


def _holds(lines: list[str], at: int, apart_from: Collection[int] = ()) -> bool:
    """Tell whether anything stands under the heading on a line, before the next that is none of its own."""
    heading = _HEADING.match(lines[at])
    for below in range(at + 1, len(lines) if heading else 0):
        other = _HEADING.match(lines[below])
        if heading and other and len(other[1]) <= len(heading[1]):
            break
        if below not in apart_from and lines[below].strip():
            return True
    return False


def _is_frame(line: str) -> bool:
    return not line.strip() or _HEADING.match(line) is not None


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
