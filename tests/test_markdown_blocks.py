"""Block structure: what a CommonMark parser calls code, quote, comment or heading must be that here, too."""

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from openclaw_memory_plugin.markdown.blocks import HEADING, ROW, outline

LINES = (
    st.lists(
        st.sampled_from(
            [
                *(
                    "",
                    "",
                    "n{}",
                    "n{} more words",
                    "- n{}",
                    "- n{} other",
                    "   - n{} nested",
                    "   n{} continued",
                    "1. n{}",
                    "2. n{}",
                ),
                *(
                    "```",
                    "````",
                    "~~~",
                    "```py",
                    "``` n{} ``` open",
                    "  ```",
                    "~~~ x",
                    "    ```",
                    "> n{}",
                    "> ```",
                    ">",
                    "* n{}",
                ),
                *(
                    "# n{}",
                    "### n{} ###",
                    "#n{}",
                    "<!-- n{} -->",
                    "<!--",
                    "n{} -->",
                    "---",
                    "***",
                    "- W @Peter: n{}",
                    "   # n{}",
                ),
            ]
        ),
        max_size=12,
    )
    .filter(lambda lines: lines[:1] != ["---"])
    .map(lambda lines: [line.format(number) for number, line in enumerate(lines, 1)])
)
NUMBER = re.compile(r"n(\d+)")


def oracle(text: str) -> tuple[set[int], set[int]]:
    """Lines that a CommonMark parser puts in fences, quotes and comments, and lines of its ATX headings (top level)."""
    hidden: set[int] = set()
    headings: set[int] = set()
    for token in MarkdownIt("commonmark").parse(text):
        if token.map is None:
            continue
        lines = range(token.map[0] + 1, token.map[1] + 1)
        if token.type in ("fence", "blockquote_open") or (
            token.type == "html_block" and token.content.startswith("<!--")
        ):
            hidden.update(lines)
        elif token.type == "heading_open" and token.level == 0 and token.markup.startswith("#"):
            headings.add(lines[0])
    return hidden, headings


def ours(text: str) -> tuple[set[int], set[int]]:
    """Lines of which text was taken, and lines of ATX headings."""
    taken: set[int] = set()
    headings: set[int] = set()
    source = text.split("\n")
    for block in outline(text).blocks:
        if block.kind is not HEADING:
            taken.update(int(number) for _, line in block.lines for number in NUMBER.findall(line))
        elif re.match(r" *#{1,6}( |$)", source[block.line - 1]):
            headings.add(block.line)
    return taken, headings


@given(LINES)
@settings(max_examples=800, deadline=None)
@example(["- n1", "  ```", "n3", "```"])
@example(["> ```", "n2"])
@example(["```", "~~~", "n3", "````", "n5"])
@example(["<!--", "n2", "", "n4 -->", "n5"])
def test_nothing_is_taken_from_code_quotes_and_comments(lines: list[str]) -> None:
    """No text comes from a line that CommonMark puts into a fence, a quote or a comment."""
    text = "\n".join(lines)
    hidden, _ = oracle(text)
    taken, _ = ours(text)
    assert not taken & hidden, text


@given(LINES)
@settings(max_examples=800, deadline=None)
@example(["n1", "# n2"])
@example(["    ```", "2. n2", "   # n3"])
def test_headings(lines: list[str]) -> None:
    """Every ATX heading of CommonMark outside lists is one here, and none more."""
    text = "\n".join(lines)
    _, expected = oracle(text)
    _, found = ours(text)
    assert found == expected, text


@given(LINES)
@settings(max_examples=400, deadline=None)
def test_no_text_is_lost(lines: list[str]) -> None:
    """Every line with words that CommonMark does not hide belongs to a block."""
    text = "\n".join(lines)
    hidden, _ = oracle(text)
    blocks = outline(text).blocks
    covered = {number for block in blocks for number in range(block.line, block.end + 1)}
    wordy = {
        number for number, line in enumerate(lines, 1) if NUMBER.search(line) and "```" not in line and "--" not in line
    }
    assert not wordy - hidden - covered, text


STRUCTURE = st.lists(
    st.sampled_from(
        [
            "",
            "| a | b |",
            "|---|---|",
            "-|-",
            "| x | y |",
            "f||",
            "---",
            "===",
            "***",
            "- i",
            "> q",
            "# h",
            "<!-- c -->",
            "t",
        ]
    ),
    max_size=8,
)


@given(STRUCTURE)
@settings(max_examples=800, deadline=None)
@example(["f||", "-|-", "---"])
@example(["| a | b |", "|---|---|", "| x | y |", "==="])
def test_tables_may_stand_anywhere(lines: list[str]) -> None:
    """Whatever stands around a table, every row that holds words and follows its rule is one block of one line."""
    found = outline("\n".join(lines))
    rows = [block for block in found.blocks if block.kind is ROW]
    assert all(block.line == block.end and lines[block.line - 1].count("|") for block in rows)
    assert [block.line for block in found.blocks] == sorted(block.line for block in found.blocks)
