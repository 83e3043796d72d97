"""What makes a bullet typed, and what its attributes say."""

import datetime as dt

import pytest

from markdown_pages import one, read
from openclaw_memory_hookspecs import Kind, Provenance
from openclaw_memory_plugin.markdown.page import parse_page

HEADS = {
    "- W @Peter: x": ("W", ["Peter"]),
    "* W @Peter: x": ("W", ["Peter"]),
    "+ W @Peter: x": ("W", ["Peter"]),
    "・W ＠大野： x": ("W", ["大野"]),
    "• W @Peter: x": ("W", ["Peter"]),
    "W @Peter: x": ("W", ["Peter"]),
    "  - W @Peter: x": ("W", ["Peter"]),
    "\t- W @Peter: x": ("W", ["Peter"]),
    "1. W @Peter: x": ("W", ["Peter"]),
    "- **W** @Peter: x": ("W", ["Peter"]),
    "- **W @Peter:** x": ("W", ["Peter"]),
    "- **O(c=0.9)** @Peter: x": ("O", ["Peter"]),
    "- (14:30) B @Peter: x": ("B", ["Peter"]),
    "- O（c=0.6）@林静：x": ("O", ["林静"]),
    "- O(c=.5) @Peter: x": ("O", ["Peter"]),
    "- Ｗ ＠Peter：x": ("W", ["Peter"]),
    "- W @Sarah @project: x": ("W", ["Sarah", "project"]),
    "- W @Sarah/@Andy: x": ("W", ["Sarah", "Andy"]),
    "- W @Sarah, Andy and Käthe Maßmann: x": ("W", ["Sarah", "Andy", "Käthe Maßmann"]),
    "-W @Sarah: x": ("W", ["Sarah"]),
    "+O(c=0.5) @Sarah: x": ("O", ["Sarah"]),
    "- W @Sarah, @Andy: x": ("W", ["Sarah", "Andy"]),
    "- W @Sarah and @Andy: x": ("W", ["Sarah", "Andy"]),
    "- W @ミナト、@夜間バッチ：x": ("W", ["ミナト", "夜間バッチ"]),
    "- W @Sarah @sarah @SARAH's: x": ("W", ["Sarah"]),
    "- W @Harbour Lane: x": ("W", ["Harbour Lane"]),
    "- W @C++ @C#: x": ("W", ["C++", "C#"]),
    "- W @佐伯さん: x": ("W", ["佐伯"]),
    "- W @José: x": ("W", ["José"]),
    "- **W** **@Peter**: x": ("W", ["Peter"]),
    '- W @"New York": x': ("W", ["New York"]),
    "- W @peter@example.com: x": ("W", []),
    "- W @everyone: x": ("W", []),
    "- W @openclaw/discord: x": ("W", []),
    "- S @warelay: 14:30: x": ("S", ["warelay"]),
}


@pytest.mark.parametrize("line", HEADS)
def test_typed_anywhere(line: str) -> None:
    """A letter, a head with `@` and a colon make a typed bullet, whatever hand wrote it, in any section."""
    letter, heads = HEADS[line]
    statement = one(f"# x\n\n{line}\n")
    assert (statement.kind.letter, [*statement.heads], statement.content[-1]) == (letter, heads, "x")


@pytest.mark.parametrize(
    "line",
    [
        *("- A: x", "- W: x", "- E @Peter: x", "- w @Peter: x", "- W @Peter x", "- W Peter: x", "- [ ] W @Peter: x"),
        *("- [x] O(c=0.5) @Peter: x", "- We @Peter: x", "- W-2 @Peter: x", "- W @Peter said to me. Then: x", "- W"),
    ],
)
def test_untyped_outside_a_retain_section(line: str) -> None:
    """Option letters, unknown letters, check boxes and sentences are notes."""
    assert one(f"# x\n\n{line}\n").kind is Kind.NOTE


@pytest.mark.parametrize(
    "heading",
    [
        *(
            "## Retain",
            "# retain",
            "### 📌 Retain",
            "## Retain (evening)",
            "## Retain:",
            "## **Retain**",
            "## Retain — 21:40",
        ),
        *(
            "## Behalten",
            "## Zapomnij",
            "## Merken",
            "## Retener",
            "## Recordar",
            "## Reter",
            "## Retenir",
            "## 保留",
            "## 保持",
            "## 记住",
        ),
        *("## 記住", "## 記憶", "Retain\n------", "## Retain ##", "## Retain / Behalten", "## 🧠 记忆（晚上）"),
    ],
)
def test_a_letter_is_enough_in_a_retain_section(heading: str) -> None:
    """Under a Retain heading of any level and language a letter and a colon are enough, also below a subheading."""
    for text in (f"{heading}\n\n- W: x\n", f"{heading}\n\n##### later\n- O(c=0.5): x\n"):
        assert one(text).kind is not Kind.NOTE
    assert one("- W: x", "bank/world.md").kind is Kind.WORLD


def test_a_bold_line_is_a_retain_heading() -> None:
    """A paragraph of one bold Retain word works as a heading until the next real one."""
    assert [s.kind for s in read("**Retain**\n- W: a\n## Later\n- W: b\n").statements] == [Kind.WORLD, Kind.NOTE]


@pytest.mark.parametrize(
    "heading", ["## Decision: Retain the plan", "## Retained earnings", "## Not retain", "## 保留意见"]
)
def test_not_a_retain_section(heading: str) -> None:
    """A heading that only uses the word opens no Retain section."""
    assert one(f"{heading}\n- W: x\n").kind is Kind.NOTE


def test_a_retain_section_ends() -> None:
    """The next heading of the same level ends it."""
    assert [s.kind for s in read("## Retain\n- W: a\n## Later\n- W: b\n").statements] == [Kind.WORLD, Kind.NOTE]


def test_attributes() -> None:
    """All attributes are read, unknown ones kept as they stand."""
    statement = one(
        "- O(c=0,7; s=0.8,by=untrusted, private,pin,supports=a1,contradicts=b2,contradicts=b3,mood=calm,x) @Peter: t"
    )
    assert (statement.confidence, statement.salience, statement.provenance) == (0.7, 0.8, Provenance.UNTRUSTED)
    assert (statement.private, statement.pinned, statement.extra) == (True, True, ("mood=calm", "x"))
    assert (statement.supports, statement.contradicts) == (("a1",), ("b2", "b3"))


@pytest.mark.parametrize("value", ["nan", "1_0", "", "1.7", "-0.1", "1e-1", "inf", "0x1", "½", "0.5.5", "high", "٠٫٥"])
def test_malformed_numbers(value: str) -> None:
    """What is no decimal in [0, 1] is dropped and reported with its line; kind and text stay."""
    page = read(f"# x\n\n- O(c={value},s=0.8) @Peter: text\n")
    (statement,) = page.statements
    assert (statement.kind, statement.content, statement.confidence, statement.salience) == (
        Kind.OPINION,
        "text",
        None,
        0.8,
    )
    assert [defect.line for defect in page.defects] == [3]


LOOSE = {
    "O(0.8) @Ben": (0.8, None, None),
    "O(0,8) @Ben": (0.8, None, None),
    "O（0.8）@Ben": (0.8, None, None),
    "O(0.8, s=0.9) @Ben": (0.8, 0.9, None),
    "O(c:0.8) @Ben": (0.8, None, None),
    "O（c：0.8）@Ben": (0.8, None, None),
    "O(confidence: 0.8; salience: 0.9) @Ben": (0.8, 0.9, None),
    "O(c 0.8) @Ben": (0.8, None, None),
    "O(c=.8 s=.9) @Ben": (0.8, 0.9, None),
    "O(c=0.8)(s=0.9) @Ben": (0.8, 0.9, None),
    "O (c=0.8) (s=0.9) @Ben": (0.8, 0.9, None),
    "O[c=0.8] @Ben": (0.8, None, None),
    "O{c=0.8} @Ben": (0.8, None, None),
    "O c=0.8 @Ben": (0.8, None, None),
    "**O**(0.8)(s=0.9) @Ben": (0.8, 0.9, None),
    "14:30 O(c=0.8) @Ben": (0.8, None, dt.time(14, 30)),
    "14：30　O ＠Ben": (None, None, dt.time(14, 30)),
    "14:30 - O @Ben": (None, None, dt.time(14, 30)),
    "**14:30** O @Ben": (None, None, dt.time(14, 30)),
}
"""Heads that nobody's documents write, and that can mean nothing else: confidence, salience, time of day."""


@pytest.mark.parametrize("head", LOOSE)
def test_values_are_read_however_they_are_bracketed_and_named(head: str) -> None:
    """A value that can be only one thing is read: without a name, behind a colon, in brackets of its own."""
    statement = one(f"- {head}: x\n")
    assert (statement.kind, statement.heads, statement.content) == (Kind.OPINION, ("Ben",), "x")
    assert (statement.confidence, statement.salience, statement.at) == LOOSE[head]
    assert statement.extra == ()
    assert read(f"- {head}: x\n").defects == ()


@pytest.mark.parametrize(
    "attributes",
    ["(80%)", "(0.8, 0.9)", "(2)", "(1)", "(c=80%)", "(c:1.7)", "(c=0.8)(c=0.9)", "(c=0.8", "(c=0.4)(1.5)"],
)
def test_values_that_may_be_several_things_are_reported(attributes: str) -> None:
    """A value that is not certain is not guessed: kind and text stay, and `doctor` gets a line."""
    page = read(f"- O{attributes} @Ben: x\n")
    (statement,) = page.statements
    assert (statement.kind, statement.heads, statement.content) == (Kind.OPINION, ("Ben",), "x")
    assert [defect.line for defect in page.defects] == [1]


@pytest.mark.parametrize("line", ["14:30 W: x", "14:30 Was @Ben: x", "O(n) is slow, ask @Ben", "O [c=0.8] x @Ben: y"])
def test_a_mark_must_follow_a_loose_head(line: str) -> None:
    """Text that merely begins like a head stays a note."""
    assert one(f"- {line}\n").kind is Kind.NOTE


@pytest.mark.parametrize(
    ("text", "kind", "private"),
    [
        ("- O(n): the scan is linear.\n", Kind.NOTE, False),
        ("- B (private school): not theirs.\n", Kind.NOTE, False),
        ("- W(private=no,s=0.9): Is known to all.\n", Kind.WORLD, False),
        ("- Write `W(private) @Ben: …` to hide it.\n", Kind.NOTE, False),
        ("- O(c=0.8): Prefers tea.\n", Kind.OPINION, False),
        ("- W: Not typed here.\n", Kind.NOTE, False),
    ],
)
def test_only_attributes_of_ours_make_a_letter_typed(text: str, kind: Kind, private: bool) -> None:
    """Outside a Retain section a letter with other parentheses stays a note."""
    (statement,) = parse_page(f"# 2026-03-01\n\n{text}", "memory/2026-03-01.md").statements
    assert (statement.kind, statement.private) == (kind, private)
