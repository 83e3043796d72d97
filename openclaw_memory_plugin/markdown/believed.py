"""
The grammar of `bank/opinions.md`: what is believed, one typed bullet each, with its account below it.

    - O(c=0.72) @Peter: Finds voice notes annoying. `0f3b5c7a9d21`
      - last_updated: 2026-02-03
      - stated 0.9 on 2026-01-12: [memory/2026-01-12.md#L35](../memory/2026-01-12.md#L35)
      - contradicts -1.0 on 2026-02-03: [memory/2026-02-03.md#L7](../memory/2026-02-03.md#L7) `a1…` (marked)

This managed block is the only one that is read: a confidence that differs from the one stated last is a statement of
its own, about the same fact.
"""

import datetime as dt
import re
from collections.abc import Iterator, Sequence

import attrs

from openclaw_memory_plugin.markdown.bullets import read_bullet

PAGE = "bank/opinions.md"
BLOCK = "opinions"
UPDATED = "last_updated"

_HEAD = re.compile(r"- (?P<bullet>[WBOS](?:\([^()]*\))? ?(?:@[^:]*)?:.*?)(?: `(?P<id>[0-9a-f]{12})`)?\s*$")
_NAMED = re.compile(r"- (?P<bullet>.*?) `(?P<id>[0-9a-f]{12})`\s*$")
"""A head that is no typed bullet any more, known by its id."""
_ENTRY = re.compile(
    r"[ \t]+- (?P<verb>[a-z_]+)(?: (?P<amount>[+-]?[0-9.,]+))?(?: on (?P<day>\d{4}-\d\d-\d\d))?(?:: ?(?P<rest>.*))?$"
)
_BEGIN = re.compile(r"[ \t]{0,3}<!--\s*openclaw-memory:begin\s+[\w-]+\s*-->\s*$")
_END = re.compile(r"[ \t]{0,3}<!--\s*openclaw-memory:end\s+[\w-]+\s*-->\s*$")
_CONFIDENCE = re.compile(r"O\((?:[^()]*,)?\s*c\s*=\s*([0-9]*[.,]?[0-9]+)\s*[,;)]")


@attrs.frozen(kw_only=True)
class AccountLine:
    """One line below a belief, as written."""

    verb: str
    amount: str = ""
    day: dt.date | None = None
    rest: str = ""


@attrs.frozen(kw_only=True)
class Account:
    """One belief as the page has it."""

    bullet: str
    """The typed bullet without its list marker."""
    line: int
    """1-based."""
    end_line: int
    id: str | None = None
    """Of the fact that states it; None for one that a person wrote into the block."""
    lines: tuple[AccountLine, ...] = ()

    @property
    def updated(self) -> dt.date | None:
        """The last day on which it moved."""
        return max((line.day for line in self.lines if line.day), default=None)

    @property
    def is_private(self) -> bool:
        """Whether its head says so."""
        bullet = read_bullet(self.bullet, lone_letter=True)
        return bullet is not None and bullet.attributes.private

    @property
    def is_moved(self) -> bool:
        """Whether the page says another confidence than was stated last, or says it alone."""
        written = _CONFIDENCE.match(self.bullet)
        stated = [line.amount for line in self.lines if line.verb == "stated"]
        if not written:
            return False
        if not self.id or not stated:
            return True
        return abs(_number(written[1]) - _number(stated[-1])) > 0.004


def accounts(lines: Sequence[str], first: int = 1) -> tuple[Account, ...]:
    """
    Read the lines of the block, `first` being the number of the first one.

    Lines below a head count for it up to the next head; a second `last_updated` means that the head between was
    removed, and what follows belongs to nothing. A line with an id right above a `last_updated` that is not another
    head's is a head that somebody garbled.
    """
    found: list[Account] = []
    lost = True
    for number, line in enumerate(lines, first):
        head = _HEAD.match(line)
        if head is None and (lost or found[-1].lines):
            below = read_entry(lines[number - first + 1]) if number - first + 1 < len(lines) else None
            head = _NAMED.match(line) if below is not None and below.verb == UPDATED else None
        if head:
            found.append(Account(bullet=head["bullet"], line=number, end_line=number, id=head["id"]))
            lost = False
            continue
        entry = read_entry(line)
        if entry is None or lost:
            continue
        if entry.verb == UPDATED and any(one.verb == UPDATED for one in found[-1].lines):
            lost = True
            continue
        found[-1] = attrs.evolve(found[-1], end_line=number, lines=(*found[-1].lines, entry))
    return tuple(found)


def read_entry(line: str) -> AccountLine | None:
    """Read a line below a belief, None when it is none."""
    match = _ENTRY.match(line.rstrip())
    if match is None:
        return None
    try:
        day = dt.date.fromisoformat(match["day"]) if match["day"] else None
    except ValueError:
        return None
    if match["verb"] == UPDATED and day is None and match["rest"]:
        try:
            day = dt.date.fromisoformat(match["rest"].strip())
        except ValueError:
            return None
    return AccountLine(verb=match["verb"], amount=match["amount"] or "", day=day, rest=match["rest"] or "")


def is_head(line: str) -> bool:
    """Whether a line of the block is a belief with its id."""
    match = _HEAD.match(line)
    return match is not None and match["id"] is not None


def believed(text: str) -> Iterator[Account]:
    """Yield the beliefs in the managed blocks of the page that say more than the logs do."""
    if "openclaw-memory:begin" not in text:
        return
    lines = text.split("\n")
    start: int | None = None
    for number, line in enumerate(lines):
        if start is None and _BEGIN.match(line):
            start = number + 1
        elif start is not None and _END.match(line):
            yield from (one for one in accounts(lines[start:number], start + 1) if one.is_moved)
            start = None


def _number(text: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return -1.0
