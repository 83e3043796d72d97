"""Writing: what is written reads back as the same fact, and nothing else in a file moves."""

import datetime as dt

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from openclaw_memory_hookspecs import Draft, Kind, Provenance
from openclaw_memory_plugin.errors import UsageError
from openclaw_memory_plugin.markdown.inline import escape, plain
from openclaw_memory_plugin.markdown.page import parse_page
from openclaw_memory_plugin.markdown.parts import labelled_task
from openclaw_memory_plugin.markdown.write import append_bullet, clean_names, clean_text, fact_id, write_bullet
from openclaw_memory_plugin.names import name_key

DAY = dt.date(2026, 3, 2)
PATH = "memory/2026-03-02.md"

HOSTILE = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            [
                *(
                    "@Peter",
                    ":",
                    "：",
                    " ",
                    "\n",
                    "\r\n",
                    "\u2028",
                    "**",
                    "*",
                    "_",
                    "__",
                    "`",
                    "``",
                    "~~",
                    "\\",
                    "<!--",
                    "-->",
                ),
                *(
                    "<private>",
                    "</private>",
                    "- ",
                    "W ",
                    "O(c=0.5)",
                    "[ ] ",
                    "[[x]]",
                    "#",
                    "|",
                    "> ",
                    "```",
                    "---",
                    "x",
                ),
                *(
                    "(14:30) ",
                    "\u202e",
                    "\ufeff",
                    "\x00",
                    "é",
                    "e\u0301",
                    "元",
                    "✅",
                    "password=hunter22",
                    "AKIA" + "A" * 16,
                ),
                *(
                    "<!-- openclaw-memory:begin x -->",
                    "<openclaw-memory>",
                    "\ud800",
                    "1.",
                    "word",
                    "2026-01-01",
                    "until 4 May",
                ),
            ]
        ),
        max_size=14,
    ).map("".join),
)
UNIT = st.floats(0, 1, allow_nan=False).map(lambda number: round(number, 9))
NAME = st.one_of(
    st.sampled_from(["Peter", "Harbour Lane", "C++", "C#", "元宝", "José", "O'Brien", "佐伯さん"]), st.text(max_size=20)
)
IDS = st.lists(st.text("0123456789abcdef", min_size=12, max_size=12), max_size=2, unique=True).map(tuple)
DRAFTS = st.builds(
    Draft,
    text=HOSTILE,
    kind=st.sampled_from([Kind.WORLD, Kind.EXPERIENCE, Kind.OPINION, Kind.OBSERVATION]),
    entities=st.lists(NAME, max_size=3).map(tuple),
    salience=st.none() | UNIT,
    confidence=st.none() | UNIT,
    provenance=st.sampled_from(list(Provenance)),
    private=st.booleans(),
    pinned=st.booleans(),
    supports=IDS,
    contradicts=IDS,
)


@given(DRAFTS)
@settings(max_examples=400, deadline=None)
@example(Draft(text="W @Peter: no", entities=("Peter",)))
@example(Draft(text="~~gone~~"))
@example(Draft(text="a ~~gone~~ b"))
@example(Draft(text="[] 0"))
@example(Draft(text="TODO: call the landlord"))
@example(Draft(text="**x** `a*b*` **y**"))
@example(Draft(text="\\* \\\\ \\_"))
def test_reading_gives_back_what_was_written(draft: Draft) -> None:
    """parse(write(draft)) == draft, for any text and any attributes, on exactly one line."""
    try:
        bullet = write_bullet(draft)
    except UsageError:
        return
    assert "\n" not in bullet
    text, line = append_bullet("", bullet, day=DAY)
    (read,) = parse_page(text, PATH).statements
    assert read.content == clean_text(draft.text)
    assert read.line == read.end_line == line
    assert [*map(name_key, read.heads)] == [*map(name_key, clean_names(draft.entities))]
    assert (read.kind, read.salience, read.confidence) == (draft.kind, draft.salience, draft.confidence)
    assert (read.provenance, read.private, read.pinned) == (draft.provenance, draft.private, draft.pinned)
    assert (read.supports, read.contradicts, read.extra) == (draft.supports, draft.contradicts, ())
    assert (read.struck, read.task, read.noise) == (False, labelled_task(read.content), False)


@given(HOSTILE)
@settings(max_examples=400, deadline=None)
def test_escaping_is_undone_by_reading(text: str) -> None:
    """plain(escape(text)) == text for every clean text."""
    assert plain(escape(clean_text(text))) == clean_text(text)


@given(HOSTILE)
@settings(max_examples=200, deadline=None)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    """A stored statement is stored unchanged when it is retained again."""
    assert clean_text(clean_text(text)) == clean_text(text)


def test_strict_form() -> None:
    """Attributes come in their documented order, numbers as short decimals."""
    draft = Draft(
        text="Sarah announced she leaves next month.",
        kind=Kind.EXPERIENCE,
        entities=("Sarah", "project"),
        confidence=1.0,
        salience=0.95,
        provenance=Provenance.AGENT,
        private=True,
        pinned=True,
        supports=("aa",),
        contradicts=("bb",),
    )
    assert write_bullet(draft) == (
        "- B(c=1,s=0.95,by=agent,private,pin,supports=aa,contradicts=bb) @Sarah @project:"
        " Sarah announced she leaves next month."
    )
    assert write_bullet(Draft(text="x", salience=1e-07)) == "- W(s=0.0000001): x"


@pytest.mark.parametrize("text", ["", "  \n", "\u202e", "<private>", "AKIA" + "A" * 16])
def test_nothing_to_say_is_an_error(text: str) -> None:
    """A text without a letter or digit, or of secrets only, is refused, not written."""
    with pytest.raises(UsageError):
        write_bullet(Draft(text=text))


@pytest.mark.parametrize("name", ["", "@", "everyone", "12", "a@b.com"[1:], "🙂"])
def test_impossible_names_are_an_error(name: str) -> None:
    """An entity that cannot be a name is refused with its value."""
    with pytest.raises(UsageError, match="cannot be an entity"):
        write_bullet(Draft(text="x", entities=(name,)))


def test_a_new_log_gets_title_and_section() -> None:
    """An empty file becomes a dated log with a Retain section."""
    assert append_bullet("", "- W: x", day=DAY) == ("# 2026-03-02\n\n## Retain\n- W: x\n", 4)


CASES = {
    "end of file": ("# d\n\n## Retain\n- W: a\n", "# d\n\n## Retain\n- W: a\n- W: x\n", 5),
    "no final newline": ("## Retain\n- W: a", "## Retain\n- W: a\n- W: x\n", 3),
    "CRLF": (
        "## Retain\r\n- W: a\r\n\r\n## Later\r\nb\r\n",
        "## Retain\r\n- W: a\r\n- W: x\r\n\r\n## Later\r\nb\r\n",
        3,
    ),
    "CRLF without final newline": ("## Retain\r\n- W: a", "## Retain\r\n- W: a\r\n- W: x\r\n", 3),
    "a lone CR at the end": ("## Retain\n- W: a\r", "## Retain\n- W: a\r\n- W: x\n", 3),
    "BOM": ("\ufeff## Retain\n- W: a\n", "\ufeff## Retain\n- W: a\n- W: x\n", 3),
    "localised": ("# d\n## 保留\n- W: a\n\n### 下一步\nb\n", "# d\n## 保留\n- W: a\n- W: x\n\n### 下一步\nb\n", 4),
    "the last of several": ("## Retain\na\n## b\n## Behalten\nc\n", "## Retain\na\n## b\n## Behalten\nc\n- W: x\n", 6),
    "empty section": ("# d\n\n## Retain\n", "# d\n\n## Retain\n- W: x\n", 4),
    "none": ("# d\n\ntext\n", "# d\n\ntext\n\n## Retain\n- W: x\n", 6),
    "none and no final newline": ("text", "text\n\n## Retain\n- W: x\n", 4),
    "not in a fence": ("a\n```\n## Retain\n```\n", "a\n```\n## Retain\n```\n\n## Retain\n- W: x\n", 7),
    "not a decision": ("## Decision: Retain it\na\n", "## Decision: Retain it\na\n\n## Retain\n- W: x\n", 5),
    "before an unclosed fence": ("a\n```\ncode\n", "a\n\n## Retain\n- W: x\n\n```\ncode\n", 4),
    "before an unclosed comment": ("a\n\n<!-- b\n", "a\n\n## Retain\n- W: x\n\n<!-- b\n", 4),
    "apart from an indented line": ("\n  b<private>\n", "## Retain\n- W: x\n\n---\n\n\n  b<private>\n", 2),
    "before an unclosed private": ("a\n\n<private>\nb\n", "a\n\n## Retain\n- W: x\n\n<private>\nb\n", 4),
}


@pytest.mark.parametrize("case", CASES)
def test_appending(case: str) -> None:
    """The bullet goes to the end of the last Retain section, every other byte stays, and it can be read."""
    before, after, line = CASES[case]
    text, at = append_bullet(before, "- W: x", day=DAY)
    assert (text, at) == (after, line)
    assert ("x", line) in [(s.content, s.line) for s in parse_page(text, PATH).statements]


@given(
    HOSTILE.map(lambda t: t.lstrip("\ufeff \t")),
    st.sampled_from(["", "## Retain\n", "\ufeff# d\r\n\r\n## 保留\r\n- W: a"]),
)
@settings(max_examples=300, deadline=None)
def test_appending_keeps_every_line(tail: str, head: str) -> None:
    """Whatever a file holds, its lines stay in order and the new bullet can be read on the reported line."""
    before = head + tail
    text, line = append_bullet(before, "- W @Peter: xyzzy", day=DAY)
    if before.strip("\ufeff \t\r\n"):
        rest = iter(text.split("\n"))
        assert all(
            any(kept.rstrip("\r") == line.rstrip("\r") for kept in rest) for line in before.split("\n") if line.strip()
        )
    found = [s for s in parse_page(text, PATH).statements if s.content == "xyzzy"]
    assert [(s.line, s.heads) for s in found] == [(line, ("Peter",))]


def test_ids() -> None:
    """An id depends on kind, text and heads, not on case, Unicode form, blanks or the order of heads."""
    one = fact_id(Kind.WORLD, "Käthe  has it", ("Peter", "Sarah"))
    assert len(one) == 12
    assert one == fact_id(Kind.WORLD, "Ka\u0308the has It", ("sarah", "@Peter"))
    assert (
        len({one, fact_id(Kind.NOTE, "Käthe has it", ("Peter", "Sarah")), fact_id(Kind.WORLD, "Käthe has it", ())}) == 3
    )
