"""Reading a page: the grammar of bullets, what is no fact, what is nobody, and where everything stands."""

import datetime as dt

import pytest

from markdown_pages import one, read
from openclaw_memory_plugin.markdown.page import parse_page

MARKS = {
    "mail peter@example.com": [],
    "josé@example.com": [],
    "install @scope/pkg and @types/node@2": [],
    "clone git@host:x": [],
    "logo@2x.png, 1440p@60Hz, the @2x icon": [],
    "@everyone and @here": [],
    "just @ me at @12": [],
    "in `@code` and ``a ` @b``": [],
    "https://social.example/@fan and social.example/@fan": [],
    "escaped \\@peter": [],
    "@José, @Peter's and (@Ann)": ["José", "Peter", "Ann"],
    "＠Peter met @peter": ["Peter"],
    "@New-York @the @TODO": ["New-York", "the", "TODO"],
    "@C++ is not @C# or @C.": ["C++", "C#", "C"],
    "today@Peter": [],
    "今天@Peter说": ["Peter"],
    "see [[projects/kestrel]] and [[Heron|the bird]]": ["kestrel", "Heron"],
    "![[image.png]] [[photo.jpg]]": [],
    "with @Sarah/@Andy": ["Sarah", "Andy"],
    "@Kestrel, @O'Brien. @mina_k!": ["Kestrel", "O'Brien", "mina_k"],
    "@Node.js. Then": ["Node.js"],
}


@pytest.mark.parametrize("text", MARKS)
def test_marks(text: str) -> None:
    """Marks in running text are people; addresses, packages, sizes, groups and code are nobody."""
    assert [*one(f"- {text}\n").marks] == MARKS[text]


def test_runs_and_tags() -> None:
    """In scripts without blanks the whole run is kept for the index to cut; tags are words behind `#`."""
    statement = one("- 今天@林静在群里说，#复盘 #2 see issue #12 and a#b C# #to-do/x\n")
    assert (statement.marks, statement.runs, statement.tags) == ((), ("林静在群里说",), ("复盘", "to-do/x"))


def test_unicode_forms_are_one() -> None:
    """NFD text is read as NFC, on the same lines."""
    assert one("- W @Ka\u0308the: ha\u0308lt\n") == one("- W @Käthe: hält\n")


UNREAD = {
    "fence": "```\n- W @Ghost: a\n```\n",
    "longer fence": "````\n```\n- W @Ghost: a\n````\n",
    "unclosed fence": "```\n- W @Ghost: a\n",
    "tilde fence": "~~~ x\n- W @Ghost: a\n```\n~~~\n",
    "quote": "> - W @Ghost: a\n> lazy\ncontinued\n",
    "callout": "> [!note] Title\n> text\n",
    "comment": "<!-- - W @Ghost: a -->\n",
    "long comment": "<!--\n- W @Ghost: a\n\n-->\n",
    "front matter": "---\ntitle: W @Ghost\n---\n",
    "managed block": "<!-- openclaw-memory:begin core -->\n- W @Ghost: a\n<!-- openclaw-memory:end core -->\n",
    "reference": "[x]: https://example.org\n",
    "rule": "---\n\n***\n",
    "pre": "<pre>\n- W @Ghost: a\n</pre>\n",
    "bare date": "2026-03-02\n",
    "private": "<private>\n- W @Ghost: a\n</private>\n",
    "blank": " \n\t\n",
    "table head": "| Who | What |\n|---|---|\n",
    "empty bullets": "-\n- \n*\n",
}


@pytest.mark.parametrize("case", UNREAD)
def test_no_facts(case: str) -> None:
    """Code, quotes, comments, front matter, managed blocks and empty things say nothing."""
    assert read(UNREAD[case]).statements == ()


def test_lines_count_line_feeds_only() -> None:
    """Form feeds, NEL, U+2028 and carriage returns move no line; a BOM is no text."""
    page = read("\ufeff# a\x0cb\u2028c\x85d\r\n\r\n- W @x1: one\u2028two\r\n- W @x2: three\r\n")
    assert [(s.line, s.content) for s in page.statements] == [(3, "one two"), (4, "three")]


def test_children_and_continuations() -> None:
    """A note takes its children and continuation lines along; the citation spans them."""
    statement = one(
        "- Blocked: contract wants signing\n  - she is away\n    until Monday\n  - her deputy can sign.\n\n  Late.\n"
    )
    assert statement.content == (
        "Blocked: contract wants signing; she is away until Monday; her deputy can sign. Late."
    )
    assert (statement.line, statement.end_line) == (1, 6)


def test_evidence_lines_are_no_text() -> None:
    """Evidence below a typed bullet is not part of the statement, but may date it; other children are part of it."""
    statement = one(
        "O(c=0.60) @Sarah: Would accept it\n  - Evidence: said on 2026-02-03\n  - in winter\n", "bank/opinions.md"
    )
    assert (statement.content, statement.day, statement.end_line) == (
        "Would accept it; in winter",
        dt.date(2026, 2, 3),
        3,
    )


def test_a_typed_child_is_a_fact() -> None:
    """A typed bullet below another bullet is a fact of its own."""
    assert [(s.kind.letter, s.content) for s in read("- Peter:\n  - W @Peter: a\n").statements] == [
        (None, "Peter:"),
        ("W", "a"),
    ]


def test_paragraphs() -> None:
    """A paragraph is one note on one line; CJK lines join without a blank."""
    assert one("One\ntwo\nthree.\n").content == "One two three."
    assert one("今天开会\n决定上线\n").content == "今天开会决定上线"


def test_labels_start_a_note() -> None:
    """Labelled lines of one paragraph are notes of their own."""
    assert [s.line for s in read("**What:** a\n**Where:** b\nand c\n").statements] == [1, 2]


def test_transcripts() -> None:
    """Every turn is a statement without its role; tools are not trusted; session metadata is no fact."""
    page = read(
        "# Session: 2026-03-02\n\n- **Session Key**: agent:main\n- **Session ID**: 1\n- **Source**: telegram\n\n"
        "user: I moved to Bern\nand like it\nassistant: Noted.\ntool: secret order\nassistant: NO_REPLY\n"
    )
    assert [(s.line, s.end_line, s.content, s.provenance.value, s.noise) for s in page.statements] == [
        (7, 8, "I moved to Bern and like it", "owner", False),
        (9, 9, "Noted.", "agent", False),
        (10, 10, "secret order", "untrusted", False),
        (11, 11, "NO_REPLY", "agent", True),
    ]


def test_tables() -> None:
    """A row is a note with its column names, which mark nobody."""
    page = read("| @Who | What |\n|:--|--:|\n| Tom \\| Jerry | mails @mina |\n| | |\nbelow\n\nafter\n")
    assert [(s.line, s.content, s.marks) for s in page.statements] == [
        (3, "@Who: Tom | Jerry; What: mails @mina", ("mina",)),
        (5, "below", ()),
        (7, "after", ()),
    ]


BOXES = {
    "- [ ] a": ("open", "a"),
    "- [x] a": ("done", "a"),
    "* [X] a": ("done", "a"),
    "1. [ ] a": ("open", "a"),
    "- ☐ a": ("open", "a"),
    "- ☑ a": ("done", "a"),
    "- ✅ a": (None, "a"),
    "- ❌ a ✅": (None, "a"),
    "- [a](b)": (None, "[a](b)"),
    "- [ ]": None,
    "- TODO: a": ("open", "TODO: a"),
    "- **FIXME:** a": ("open", "FIXME: a"),
    "- TODO(ana): a": ("open", "TODO(ana): a"),
    "- 待办：a": ("open", "待办：a"),
    "- 要: a": ("open", "要: a"),
    "- W @b: todo: a": ("open", "todo: a"),
    "- TODO: a ✅": ("done", "TODO: a"),
    "- [x] TODO: a": ("done", "TODO: a"),
    "- The todo: a": (None, "The todo: a"),
    "- TODO": (None, "TODO"),
}


@pytest.mark.parametrize("line", BOXES)
def test_boxes(line: str) -> None:
    """A check box or a label tells a task and its state, status signs are no text."""
    found = [(s.task, s.content) for s in read(line).statements]
    assert found == ([] if BOXES[line] is None else [BOXES[line]])


def test_strikes() -> None:
    """What is struck through whole is superseded; struck parts are left out."""
    whole, part, typed = read("- ~~hours are 9 to 17~~\n- ~~9 to 17~~ hours are 10 to 18\n- W @a: ~~b~~\n").statements
    assert (whole.content, whole.struck) == ("hours are 9 to 17", True)
    assert (part.content, part.struck) == ("hours are 10 to 18", False)
    assert (typed.content, typed.struck) == ("b", True)


def test_emphasis_is_no_text() -> None:
    """Emphasis marks go, identifiers, products and code stay."""
    statement = one("- **Bold** _it_ *x* ***y*** snake_case 2*3*4 `a*b*` __init__.py \\*star\\*\n")
    assert statement.content == "Bold it x y snake_case 2*3*4 `a*b*` init.py *star*"


NOISE = [
    *("HEARTBEAT_OK", "NO_REPLY", "08:05 mailbox checked, nothing new", "心跳检查：一切正常", "定期チェック：特になし"),
    *(
        "[cron] check mailbox",
        '{"tool":"exec","status":"ok"}',
        'Traceback (most recent call last): File "a.py", line 1',
    ),
    *("2026-03-02T10:00:00Z INFO started", "payload: " + "QUJD" * 100, "ERROR: main(x.c) failed"),
    *("[USER.md](USER.md)", "[[Peter]] · [[Sarah]]", "![](plan.png)", "[back](../index.md), [next](<b c.md>)."),
    "[https://example.com/a](https://example.com/a)",
]


NO_NOISE = [
    *(
        "Nothing else happened. HEARTBEAT_OK",
        "User: I moved to Bern",
        "we found nothing new in the attic",
        "{not json} is a set",
    ),
    *("Error rates went down by a third", "[09:40] Tom complained about noise", "Information: the heating is on"),
    *("[USER.md](USER.md) says he is left-handed", "see [[Peter]]", "[The best ramen in town](https://example.com)"),
    *("https://example.com/dashboards", "[x] and [y] are open", "[[unfinished"),
]


@pytest.mark.parametrize("text", NOISE)
def test_noise(text: str) -> None:
    """Signals, heartbeat lines, log lines, dumps and links without a word beside them are flagged."""
    assert one(f"- {text}\n").noise


@pytest.mark.parametrize("text", NO_NOISE)
def test_no_noise(text: str) -> None:
    """Words inside a message never flag it."""
    assert not one(f"- {text}\n").noise


def test_masked_repeats_are_noise() -> None:
    """Stamped lines that repeat but for their numbers are flagged; two of a kind, or without a stamp, are not."""
    page = read(
        "- 08:00 disk at 41 %\n- 09:00 disk at 42 %\n- 10:00 disk at 43 %\n- 11:00 tea\n- 12:00 tea\n- a\n- a\n- a\n"
    )
    assert [s.noise for s in page.statements] == [True, True, True, False, False, False, False, False]


def test_sections_and_days() -> None:
    """A statement knows its headings; the nearest dated one, the folder or the line dates what no file name does."""
    page = read("# Log\n## 2026-01-05\n### Morning\n- a\n## Later\n- b (2026-01-07)\n- c\n", "memory/projects/x.md")
    assert [(s.section, str(s.day)) for s in page.statements] == [
        (("Log", "2026-01-05", "Morning"), "2026-01-05"),
        (("Log", "Later"), "2026-01-07"),
        (("Log", "Later"), "None"),
    ]
    assert one("- a\n", "memory/2026-01-05/x.md").day == dt.date(2026, 1, 5)
    assert one("---\nevergreen: true\n---\n# 2026-01-05\n- a\n", "memory/2026-01-05-guide.md").day is None


def test_an_impossible_day_is_reported() -> None:
    """`2026-02-30.md` is undated, with a warning."""
    page = read("- a\n", "memory/2026-02-30.md")
    assert page.statements[0].day is None
    assert [(d.line, "2026-02-30" in d.message) for d in page.defects] == [(0, True)]


def test_times_of_day() -> None:
    """A time before a statement is kept beside it."""
    assert [s.at for s in read("- [09:40] a\n- 10:05 b\n- (21:40) B @x1: c\n- 25:00 d\n- ~11:20 e\n").statements] == [
        *(dt.time(9, 40), dt.time(10, 5), dt.time(21, 40), None, dt.time(11, 20)),
    ]


ALIASES = [
    *(
        "**Aliases:** Pete, PK",
        "Aliase: Pete, PK",
        "别名：Pete、PK",
        "別名：Pete、PK",
        "- Aliases: Pete; PK",
        "aka: Pete / PK",
    ),
    *("*Alias*: Pete, PK", "**Aliases**: Pete, PK"),
]


@pytest.mark.parametrize("line", ALIASES)
def test_aliases(line: str) -> None:
    """An entity page names its entity and the aliases, which are no fact."""
    page = read(f"# Peter\n\n{line}\n\n- Likes tea\n", "bank/entities/Peter.md")
    assert (page.title, page.aliases, [s.content for s in page.statements]) == ("Peter", ("Pete", "PK"), ["Likes tea"])


def test_front_matter() -> None:
    """Aliases come from the front matter, also when its YAML is broken; then its line is reported."""
    page = read("---\naliases: [湊, Minato]\n---\n# ミナト\n", "bank/entities/ミナト.md")
    assert (page.title, page.aliases, page.defects) == ("ミナト", ("湊", "Minato"), ())
    page = read("---\na: b: [c\naliases: [X, Y]\n---\n- fact\n", "bank/entities/Lisbon-office.md")
    assert (page.title, page.aliases, len(page.statements)) == ("Lisbon-office", ("X", "Y"), 1)
    assert [(d.line, "YAML" in d.message) for d in page.defects] == [(2, True)]


def test_secrets_do_not_enter() -> None:
    """A secret is redacted in the statement, and what is private whole says nothing."""
    page = read("- W @db: login is postgres://a:s3cret@h/x\n- <private>the baby's name</private>\n- after\n")
    assert [(s.line, s.content) for s in page.statements] == [
        (1, "login is postgres://a:[REDACTED]@h/x"),
        (3, "after"),
    ]


def test_secrets_over_several_lines_do_not_enter() -> None:
    """What only a column or the line above tells to be a secret is one, too; a redacted name is nobody's."""
    table = "| mail | password |\n|---|---|\n| work | tulip55 |\n\n"
    page = read(f"{table}- WLAN password:\n  - tulip77\n- @AKIAIOSFODNN7EXAMPLE came\n")
    assert [(s.content, s.heads, s.marks) for s in page.statements] == [
        ("mail: work; password: [REDACTED]", (), ()),
        ("WLAN password: [REDACTED]", (), ()),
        ("@[REDACTED] came", (), ()),
    ]
    assert read("- W @sk-proj-abcDEF1234567890abcd: It works.\n").statements[0].heads == ()


def test_languages() -> None:
    """A page knows its dominant language."""
    assert read("- 今天开会决定上线\n").language == "zh"
    assert read("- Der Hund ist nicht im Haus und die Katze auch nicht\n").language == "de"


@pytest.mark.parametrize(
    "text",
    [
        "- W(private): My salary is 9000.\n",
        "- W(private) @Ben: My salary is 9000.\n",
        "W(s=0.9,private): My salary is 9000.\n",
        "* **W(private)**: My salary is 9000.\n",
        "- [ ] W(private): My salary is 9000.\n",
        "- The talk went fine.\n  - W(private) @Ben: My salary is 9000.\n",
        "- B @Ben: The talk went fine.\n  - W (private): My salary is 9000.\n",
        "The talk went fine.\nW(private) @Ben: My salary is 9000.\n",
        "| What | Who |\n|---|---|\n| W(private) @Ben: My salary is 9000. | Ben |\n",
        "1. Then W[private] @Ben: My salary is 9000.\n",
    ],
)
@pytest.mark.parametrize("heading", ["", "## Notes\n\n", "## Retain\n\n"])
def test_what_is_marked_private_is_private_wherever_it_stands(heading: str, text: str) -> None:
    """In a Retain section or not, typed or inside something else: others never see it."""
    page = parse_page(f"# 2026-03-01\n\n{heading}{text}", "memory/2026-03-01.md")
    held = [statement for statement in page.statements if "9000" in statement.content]
    assert held
    assert all(statement.private for statement in held)


def test_a_private_line_inside_a_statement_is_told() -> None:
    """The doctor names the line, and what to do."""
    page = parse_page("- [ ] W(private) @Ben: Earns 9000.\n", "memory/2026-03-01.md")
    ((line, message),) = [(defect.line, defect.message) for defect in page.defects]
    assert line == 1
    assert "private" in message
