"""What people see of a change: every line once, none that only programs read."""

import datetime as dt
import re
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commanding import Run, answer
from openclaw_memory_plugin.faces.commands.diffs import diff_lines, without_sums
from openclaw_memory_plugin.faces.commands.render import Pen
from openclaw_memory_plugin.reflect.history import hunks
from openclaw_memory_plugin.reflect.history.ledger import Edit, Entry

SUMS = "<!-- openclaw-memory:sums "
TEXTS = st.lists(st.sampled_from(["a", "b", "", "-- c", "++ d", f"{SUMS}x -->", f"{SUMS}y -->"]), max_size=24).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)


def shown(before: str, after: str) -> list[str]:
    return list(without_sums(hunks.unified("p.md", hunks.compare(before, after)).split("\n")[:-1]))


def ranges(lines: list[str]) -> Iterator[tuple[int, ...]]:
    for line in lines:
        if found := re.match(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@$", line):
            yield tuple(map(int, found.groups()))


@given(before=TEXTS, after=TEXTS)
def test_a_diff_shows_every_change_but_sums_once(before: str, after: str) -> None:
    """No hunk reaches into the next, their counts are right, and nothing is lost but lines of sums."""
    lines = shown(before, after)
    assert not any(line[1:].startswith(SUMS) for line in lines)
    found = list(ranges(lines))
    assert all(one[0] + one[1] <= other[0] and one[2] + one[3] <= other[2] for one, other in pairwise(found))
    body = [line for line in lines if not line.startswith("@@ ")][2:]
    assert sum(gone for _, gone, _, _ in found) == sum(line[0] in " -" for line in body)
    assert sum(there for _, _, _, there in found) == sum(line[0] in " +" for line in body)
    changed = [
        f"{sign}{line.removesuffix(chr(10))}"
        for hunk in hunks.compare(before, after)
        for sign, part in (("-", hunk.old), ("+", hunk.new))
        for line in part
        if not line.startswith(SUMS)
    ]
    assert [line for line in body if line[0] in "+-"] == changed


def test_a_page_of_which_only_sums_changed_is_not_shown() -> None:
    """What was erased is, and so is a page that was made empty."""
    edits = (
        Edit(path="a.md", before="1", after="2", hunks=hunks.compare(f"{SUMS}x -->\n", f"{SUMS}y -->\n")),
        Edit(path="b.md", before="1", after="2", erased=True),
        Edit(path="c.md", before=None, after="2"),
        Edit(path="d.md", before="1", after="2", hunks=hunks.compare("a\n", "b\n")),
    )
    entry = Entry(number=1, at=dt.datetime(2026, 3, 1, tzinfo=dt.UTC), reason="reflect", edits=edits)
    assert diff_lines(entry.diff(), Pen()) == [
        "--- b.md",
        "+++ b.md",
        "(text erased by forget)",
        "--- /dev/null",
        "+++ c.md",
        "--- d.md",
        "+++ d.md",
        "@@ -1,1 +1,1 @@",
        "-a",
        "+b",
    ]
    assert diff_lines("", Pen()) == []


@pytest.mark.parametrize("command", [("reflect", "--dry-run"), ("core", "diff"), ("history", "--diff")])
def test_people_see_no_sums_and_programs_do(run: Run, command: tuple[str, ...]) -> None:
    """The diff for people leaves them out, the one of `--json` is the exact one."""
    answer(run, "retain", "Lives in Graz.", "--entity", "Peter", "--salience", "0.9")
    if command[0] == "history":
        answer(run, "reflect")
    _, text, _ = run(*command)
    assert "Lives in Graz." in text
    assert SUMS not in text
    assert "openclaw-memory:sums" in str(answer(run, *command))
