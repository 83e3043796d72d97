"""Managed blocks: our lines between two markers, everybody else's bytes untouched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_plugin.markdown.nouns import Defect
from openclaw_memory_plugin.markdown.page import parse_page
from openclaw_memory_plugin.reflect.pages.blocks import Block, find_block, put_block, render_block

LINES = ("- One. (a)", "- Two. (b)", "", "**Close to** Sarah")
HAND = "# Peter\n\n**Aliases:** Pete\n\n- Written by hand\n"

prose = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), max_size=60).filter(
    lambda text: "openclaw-memory" not in text and "```" not in text and "~~~" not in text
)


def _block(text: str, name: str = "entity") -> Block:
    found = find_block(text, name)
    assert isinstance(found, Block)
    return found


def test_a_new_block_goes_behind_what_is_there() -> None:
    """Every byte of the page stays in front of it."""
    placed = put_block(HAND, "entity", LINES)
    assert placed.text == HAND + "\n" + render_block("entity", LINES)
    assert _block(placed.text).lines == LINES


@given(above=prose, below=prose, lines=st.lists(prose.map(lambda text: "- " + " ".join(text.split())), max_size=5))
def test_outside_the_block_no_byte_changes(above: str, below: str, lines: list[str]) -> None:
    """Whatever stands around it, replacing a block replaces the block alone, and twice is once."""
    text = f"{above}\n{render_block('core', LINES)}{below}"
    placed = put_block(text, "core", lines)
    assert placed.defect is None
    assert placed.text == f"{above}\n{render_block('core', lines)}{below}"
    assert put_block(placed.text, "core", lines).text == placed.text


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("last", [True, False])
def test_line_endings_bom_and_a_missing_last_line_break_are_kept(ending: str, bom: str, last: bool) -> None:
    """A page with CRLF and BOM gets its block in CRLF; only a missing last line break is added, once."""
    hand = bom + "# 見出し" + ending + "・手書き" + (ending if last else "")
    text = put_block(hand, "entity", LINES).text
    assert text.startswith(hand)
    assert ("\r\n" in text) == (ending == "\r\n")
    assert text.replace("\r\n", "").count("\n") == (0 if ending == "\r\n" else text.count("\n"))
    assert put_block(text, "entity", LINES).text == text


def test_lines_that_somebody_wrote_into_the_block_move_below_it() -> None:
    """A changed line and a new one are kept, in order; ours are made anew; the next time nothing moves."""
    text = put_block(HAND, "entity", LINES).text + "\nHand-written end.\n"
    edited = text.replace("- Two. (b)", "- Two, but better. (b)\n  - with a detail")
    placed = put_block(edited, "entity", LINES)
    assert placed.moved == ("- Two, but better. (b)", "  - with a detail")
    assert _block(placed.text).lines == LINES
    below = placed.text[_block(placed.text).end :]
    assert below == "\n- Two, but better. (b)\n  - with a detail\n\n\nHand-written end.\n"
    assert put_block(placed.text, "entity", LINES).text == placed.text


def test_a_line_of_ours_that_was_removed_is_no_edit_to_keep() -> None:
    """Deleting a generated line moves nothing; it is made again."""
    text = put_block(HAND, "entity", LINES).text
    placed = put_block(text.replace("- One. (a)\n", ""), "entity", LINES)
    assert (placed.text, placed.moved) == (text, ())


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (lambda text: text.replace("<!-- openclaw-memory:end entity -->\n", ""), "has no end"),
        (lambda text: text.replace("<!-- openclaw-memory:begin entity -->\n", ""), "ends without a beginning"),
        (lambda text: text + render_block("entity", LINES), "is there twice"),
        (lambda text: text + "<!-- openclaw-memory:end entity -->\n", "ends twice"),
        (lambda text: text.replace("- One. (a)", "<!-- openclaw-memory:begin world -->"), "starts inside"),
    ],
)
def test_a_mangled_block_is_reported_and_left_alone(break_it, message: str) -> None:  # type: ignore[no-untyped-def]
    """Markers that are not one pair: not a byte changes, the line and the remedy are named."""
    text = break_it(put_block(HAND, "entity", LINES).text)
    placed = put_block(text, "entity", ["- Something else"])
    assert placed.text == text
    assert placed.defect is not None
    assert message in placed.defect.message
    assert placed.defect.line > 0


def test_without_its_sums_a_changed_block_is_reported_and_an_unchanged_one_is_not() -> None:
    """When it cannot be told what is ours, nothing is overwritten."""
    text = put_block(HAND, "entity", LINES).text
    bare = "\n".join(line for line in text.split("\n") if "sums" not in line)
    assert put_block(bare, "entity", LINES).text == text
    refused = put_block(bare, "entity", ["- Another"])
    assert (refused.text, refused.defect is None) == (bare, False)


def test_markers_in_a_code_fence_are_text() -> None:
    """A page that documents the markers has no block."""
    text = f"# How it works\n\n```\n{render_block('core', LINES)}```\n"
    assert find_block(text, "core") is None
    assert put_block(text, "core", LINES).text == text + "\n" + render_block("core", LINES)


def test_an_unbalanced_fence_inside_the_block_is_a_defect() -> None:
    """A fence somebody opened inside hides the end marker: reported, not overwritten."""
    text = put_block(HAND, "entity", LINES).text.replace("- One. (a)", "```")
    assert isinstance(find_block(text, "entity"), Defect)


def test_what_is_in_a_block_is_not_read_as_facts_and_what_was_moved_out_is() -> None:
    """No echo: our lines are never facts; a line kept below the block is one."""
    text = put_block("# Peter\n", "entity", ["- Lives in Graz. (a) `0123456789ab`"]).text
    assert parse_page(text, "bank/entities/Peter.md").statements == ()
    edited = put_block(text.replace("- Lives", "- Sings in a choir.\n- Lives"), "entity", ["- Lives in Graz. (a)"])
    kept = parse_page(edited.text, "bank/entities/Peter.md").statements
    assert [statement.content for statement in kept] == ["Sings in a choir."]


@pytest.mark.parametrize(
    "hand",
    ["# Peter\n```\nls\n", "# Peter\n~~~~ sh\nls\n~~~\n", "# Peter\n<!-- draft\n", "# Peter\n- a\n  ```\n  ls\n"],
)
def test_a_page_that_would_swallow_the_block_gets_none(hand: str) -> None:
    """Behind a fence or comment that nothing ends the block would not be found again: reported, no byte written."""
    refused = put_block(hand, "entity", LINES)
    assert (refused.text, refused.defect is None) == (hand, False)


@pytest.mark.parametrize("above", ["<!-- draft\n", "- Sings <!-- draft\n", "<!-- draft\n\nof mine\n"])
def test_a_comment_that_was_never_ended_does_not_open_the_block(above: str) -> None:
    """Its end would be the marker's own: the lines of the block are no facts all the same, and what follows is read."""
    text = f"# Peter\n{above}{render_block('entity', ['- Lives in Graz. (a)'])}\n- Plays chess.\n"
    said = [one.content for one in parse_page(text, "bank/entities/Peter.md").statements]
    assert (any("Graz" in one for one in said), "Plays chess." in said) == (False, True)
