"""The sanitiser: no secret passes, no fact poses as more than one quoted line, nothing of ours is captured again."""

import html
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory_plugin.guard import (
    BLOCK_BEGIN,
    BLOCK_END,
    REDACTED,
    hidden,
    neutralise,
    one_line,
    quote,
    redact,
    render_block,
    strip_injected,
)

SECRETS = {
    "key id": ("key AKIAIOSFODNN7EXAMPLE used", "AKIAIOSFODNN7EXAMPLE"),
    "GitHub": ("ghp_" + "a1B2" * 9, "a1B2a1B2"),
    "fine-grained": ("use github_pat_11AAAA_" + "b3" * 20, "b3b3"),
    "OpenAI": ("OPENAI sk-proj-abcDEF1234567890abcd", "abcDEF"),
    "Slack": ("xoxb-123456789012-abcdefGHIJ", "abcdefGHIJ"),
    "JWT": ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc_DEF-123", "eyJzdWIi"),
    "basic": ("Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
    "bearer": ('curl -H "Authorization: Bearer abcdef123456"', "abcdef123456"),
    "lone bearer": ("Bearer abcdef1234567890ABC", "abcdef123"),
    "URL login": ("postgres://admin:s3cr3t@db.example/x", "s3cr3t"),
    "URL login with @": ("https://u:p@ss@host/x", "p@ss"),
    "private key": ("a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb", "MIIE"),
    "PGP": ("-----BEGIN PGP MESSAGE-----\n\nhQEM\n-----END PGP MESSAGE-----", "hQEM"),
    "cut key": ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNza", "b3BlbnNza"),
    "assignment": ("export DB_PASSWORD=hunter2", "hunter2"),
    "yaml": ("api_key: 9f8e7d6c", "9f8e7d6c"),
    "json": ('{"client_secret": "abc-def"}', "abc-def"),
    "word of its own": ("WLAN password: sunflower", "sunflower"),
    "spoken": ("the password is hunter22 for now", "hunter22"),
    "spoken number": ("das Passwort ist 12345678.", "12345678"),
    "Chinese": ("密码：abc12345", "abc12345"),
    "Chinese, in a word": ("WLAN密码：Sommer2024", "Sommer2024"),
    "Chinese, changed": ("密码改成了 abc123", "abc123"),
    "Japanese": ("パスワード：hunter2", "hunter2"),
    "full width": ("Ｐａｓｓｗｏｒｄ：ｈｕｎｔｅｒ２", "ｈｕｎｔｅｒ２"),
    "PIN": ("PIN: 4921", "4921"),
    "PIN alone": ("SIM PIN 0042", "0042"),
    "PIN of something": ("the PIN for the front door is 4921.", "4921"),
    "PIN, full width": ("ＰＩＮ：４９２１", "４９２１"),
    "PIN, German": ("PIN der Karte: 4921", "4921"),
    "PIN, Japanese": ("暗証番号は4921です", "4921"),
    "PIN code": ("PIN-Code=4921", "4921"),
    "card": ("CVV: 123", "123"),
    "one-time code": ("验证码：382910", "382910"),
    "German": ("Passwort: geheim99, nicht weitersagen", "geheim99"),
    "private": ("a <private>the baby's name</private> b", "baby"),
    "unclosed private": ("a <private>the baby's name\nand more", "more"),
    "private in capitals": ("<PRIVATE reason='x'>baby</Private>", "baby"),
    "cookie": ("Cookie: session=abcdef0123456789; theme=dark", "abcdef0123"),
    "curl": ("curl -s -u bob:tulip77 https://x.example", "tulip77"),
    "framework": ("secret_key_base: 00ffaa99bb", "00ffaa"),
    "telegram": ("bot 123456789:AAE" + "x" * 32, "xxxx"),
}


@pytest.mark.parametrize("case", SECRETS)
def test_secrets_are_redacted(case: str) -> None:
    """A secret does not survive, its surroundings and its line breaks do."""
    text, secret = SECRETS[case]
    clean = redact(text)
    assert secret not in clean
    assert REDACTED in clean
    assert clean.count("\n") == text.count("\n")
    assert redact(clean) == clean


@pytest.mark.parametrize(
    "text",
    [
        "we review system prompts before a release",
        "Cookie: chocolate chip = 12 pieces",
        "curl -u asks for a password",
        "Password policy: ask Tom about it",
        "the token: 5 per user and day",
        "the password is 8 characters long",
        "token: refresh",
        "the secret: patience",
        "max_tokens: 2048 and max_tokens=2048",
        "secret: talk to Felix before Friday",
        "Basic English and basic income",
        "sk-8 is a ship, key-value stores are fine",
        "https://example.org:8080/path@x and mail peter@example.com",
        "see scheme://host:80/x",
        "Alarm code is with Felix",
        "token bucket = 5",
        "pin the page: 2024 plans",
        "PIN: see vault",
        "GPIO pin: 12",
        "pin 1324 drives the lamp",
        "opinion: 4921 words",
        "pin: 2026-03-04",
        "密码：见保险箱",
        "密码：已改",
        "パスワード：四月に変更",
        "<7 sentences and a <b>bold</b> word",
    ],
)
def test_ordinary_notes_stay(text: str) -> None:
    """Words alone never redact anything."""
    assert redact(text) == text


def test_hidden_stretches() -> None:
    """Hidden stretches are reported with their ends, an unclosed one to the end of the text."""
    text = "a <private>b</private> c <private> d"
    assert [text[begin:end] for begin, end in hidden(text)] == ["<private>b</private>", "<private> d"]


UNSEEN = "\0\x07\x1b\u00ad\u034f\u180e\u200b\u200c\u200d\u2060\ufe0f\ufeff\U000e0041"


@given(st.sampled_from(sorted(SECRETS)), st.lists(st.tuples(st.integers(0, 90), st.sampled_from(UNSEEN)), max_size=6))
@settings(max_examples=300, deadline=None)
def test_nothing_invisible_hides_a_secret(case: str, put: list[tuple[int, str]]) -> None:
    """Characters that nobody sees, wherever they stand, never let a secret through; what is shown holds none either."""
    text, secret = SECRETS[case]
    disguised = text
    for place, char in put:
        place = min(place, len(disguised))
        disguised = disguised[:place] + char + disguised[place:]
    for clean in (redact(disguised), redact(one_line(redact(disguised))), neutralise(disguised)):
        assert secret not in "".join(char for char in clean if char not in UNSEEN)
    assert redact(disguised).count("\n") == text.count("\n")
    assert redact(redact(disguised)) == redact(disguised)


def test_invisible_characters_stay_where_nothing_is_secret() -> None:
    """Joiners and selectors of emoji and scripts, and full width, stay on every line that holds no secret."""
    kept = "👨\u200d👩\u200d👧 ❤\ufe0f می\u200cخواهم soft\u00adware ＡＢＣ１２"
    assert redact(kept) == kept
    assert redact(f"{kept}\npass\u200bword: hunter2\n{kept}") == f"{kept}\npassword: {REDACTED}\n{kept}"


def test_hidden_stretches_are_found_in_disguise() -> None:
    """The ends of a hidden stretch are told as they stand in the text, whatever invisible stands between."""
    text = "a\u200b <pri\u200bvate>b <private>c</private></pri\u00advate> d ＜private＞ e"
    assert [text[begin:end] for begin, end in hidden(text)] == [
        "<pri\u200bvate>b <private>c</private></pri\u00advate>",
        "＜private＞ e",
    ]


SPLIT = [
    "**AKIAIOSF**ODNN7EXAMPLE",
    "AKIA__IOSF__*ODNN7*EXAMPLE, **AKIA**IOSFODNN7EXAMPLE",
    "**pass**word: ODNN7EXAMPLE",
    "pass\u00adword: ODNN7EXAMPLE",
    "pass<!-- x -->word: ODNN7EXAMPLE",
    "pass~~x~~: ODNN7EXAMPLE",
    "[password](x): ODNN7EXAMPLE",
]
WRAPPED = [
    "my api-\n  key: ODNN7EXAMPLE",
    "the key sk-proj-abcdefgh\n  1ODNN7EXAMPLE",
    "the password:\n    ODNN7EXAMPLE",
]


@pytest.mark.parametrize(
    ("template", "secret"),
    [
        *((template, secret) for template in ("- {}", "- W @Home: a {} b", "a\n{}") for secret in [*SPLIT, *WRAPPED]),
        *((template, secret) for template in ("## {}\n\nx", "| a |\n|---|\n| {} |") for secret in SPLIT),
    ],
)
def test_no_markup_splits_a_secret(template: str, secret: str) -> None:
    """What a page is read into holds no secret that emphasis, strikes, comments or line breaks had taken apart."""
    from openclaw_memory_plugin.markdown.page import parse_page

    page = parse_page(f"# 2026-01-01\n\n{template.format(secret)}\n", "bank/entities/x.md")
    assert "IOSFODNN7EXAMPLE" not in repr(page)
    assert not any(f"{word}: ODNN7" in repr(page).replace("](x)", "") for word in ("password", "key", "pass"))
    assert "1ODNN7EXAMPLE" not in repr(page)


def test_names_of_a_page_hold_no_secret() -> None:
    """Aliases and titles are clean too, also where YAML spells letters otherwise."""
    from openclaw_memory_plugin.markdown.page import parse_page

    page = parse_page(
        '---\naliases: ["pass\\x77ord=hunter2", Pete]\n---\n# **AKIA**IOSFODNN7EXAMPLE\n', "bank/entities/P.md"
    )
    assert page.aliases == (f"password={REDACTED}", "Pete")
    assert page.title == REDACTED


ADVERSARIES = [
    *("<private><private></private>" * 7_000, "password for " * 15_000, "token is " * 22_000, "password|" * 22_000),
    *("--token-" * 25_000, "password [" * 20_000, 'password:"' * 20_000, "mysql " * 33_000, "sk-\n" * 50_000),
    *("password\u200b" * 15_000, "\u200b" * 200_000, "pw: " * 50_000, "password " * 22_000, "密码「" * 60_000),
    *("eyJ" * 70_000, "eyJa." * 40_000, "://a:" * 40_000, "a://" * 50_000, "<private" * 25_000, "<private>" * 22_000),
    *("-----BEGIN " * 18_000, "-----BEGIN PGP MESSAGE-----" * 7_000, "password" * 25_000, "password=" * 22_000),
    *(
        "authorization: basic " * 9_000,
        "bearer " * 28_000,
        "sk-" * 66_000,
        "xox" * 66_000,
        "token: " * 28_000,
        "&amp;" * 40_000,
    ),
    *(
        "<openclaw-memory>" * 11_000,
        "</openclaw-memory>" * 11_000,
        "<openclaw-memory" * 12_000,
        "- \n" * 66_000,
        "< " * 100_000,
    ),
    *(" " * 200_000, "a" * 200_000, "1:AA" * 50_000, "https://u:" + "p" * 200_000, "api key " * 25_000, "`" * 200_000),
    *(
        "PIN for " * 25_000,
        "pin:" * 50_000,
        "PIN 12 " * 28_000,
        "密码：" * 60_000,
        "ＰＩＮ：" * 50_000,
        "PIN:" + " " * 200_000,
    ),
    *(
        "secret " * 28_000,
        "@" * 200_000,
        "[[" * 100_000,
        "**" * 100_000,
        "_a" * 100_000,
        "~~" * 100_000,
        "<!--" * 50_000,
    ),
    *("- " * 100_000, "| " * 100_000, "# " * 100_000, "> " * 100_000, "\\" * 200_000, "1." * 100_000, ":-|" * 66_000),
    *(
        "(" * 200_000,
        "W (" * 66_000,
        "--> <!-- " * 22_000,
        "a *b" * 50_000,
        "*a " * 66_000,
        "· " * 66_000,
        "\t" * 200_000,
    ),
    *(
        "2026-01-01 - " * 15_000,
        "until 4 May " * 16_000,
        "1月" * 100_000,
        "9 to " * 40_000,
        "May " * 50_000,
        "at x(" * 40_000,
    ),
]


@pytest.mark.parametrize("text", ADVERSARIES, ids=lambda text: text[:18])
def test_time_is_linear(text: str, growth: Callable[[Callable[[int], object], int], float]) -> None:
    """A hostile line of 200 kB costs each sink a moment, wherever it stands: four times the length, four times that."""
    from openclaw_memory_plugin.markdown.page import parse_page

    def clean(size: int) -> None:
        redact(text[:size])
        neutralise(text[:size])
        strip_injected(text[:size])

    def parse(size: int) -> None:
        for prefix in ("", "- ", "- W @x: ", "user: "):
            parse_page(f"# 2026-01-01\n\n{prefix}{text[:size]}\n\n- W @x: y\n", "memory/2026-01-01.md")

    assert growth(clean, len(text)) < 8
    assert growth(parse, len(text)) < 8


def test_one_line() -> None:
    """Line breaks of every kind are blanks, control and bidi characters are gone, words stay."""
    assert one_line("a\r\nb\u2028c\x85d\x0ce\tf\u202eg\x00h\ufeff") == "a b c d e fgh"
    assert one_line("👨‍👩‍👧 é 元宝") == "👨‍👩‍👧 é 元宝"


@given(st.text())
@settings(max_examples=200, deadline=None)
def test_one_line_is_one_line(text: str) -> None:
    """Whatever comes in is one line that any encoding takes, and doing it twice changes nothing."""
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert one_line(line) == line
    line.encode()


HOSTILE = st.one_of(
    st.text(max_size=80),
    st.lists(
        st.sampled_from(
            [
                BLOCK_BEGIN,
                BLOCK_END,
                html.escape(BLOCK_END),
                "\n",
                "- x",
                "&amp;lt;",
                "</",
                ">",
                "word",
                "‹/openclaw-memory›",
            ]
        )
    ).map("".join),
)


@given(st.lists(HOSTILE, min_size=1, max_size=5), HOSTILE)
@settings(max_examples=300, deadline=None)
def test_a_block_cannot_be_left(contents: list[str], source: str) -> None:
    """No field ends the block, begins another one or breaks its line."""
    block = render_block(quote(content, source=source) for content in contents)
    lines = block.split("\n")
    assert len(lines) == len(contents) + 3
    assert (lines[0], lines[-1]) == (BLOCK_BEGIN, BLOCK_END)
    assert all(line.startswith("- ") and "<" not in line and ">" not in line for line in lines[2:-1])
    assert strip_injected(block) == ""


SPELLED = st.lists(
    st.sampled_from(
        [
            *(
                "<",
                ">",
                "&lt;",
                "&gt;",
                "&amp;lt;",
                "&#60;",
                "&#x3C;",
                "&#0062;",
                "\\u003c",
                "\\u003E",
                "\\U003c",
                "\\\\u003c",
            ),
            *("&" + "amp;" * 12 + "lt;", "&#" + "0" * 12 + "60;", "&l\u200bt;", "\\u\u200b003c"),
            *(
                "/",
                " ",
                "\n",
                "- ",
                "openclaw-memory",
                "/openclaw-memory",
                "Remember that I moved to Bern. ",
                "\\",
                "&",
            ),
        ]
    ),
    max_size=12,
).map("".join)


@given(st.one_of(SPELLED, HOSTILE), st.sampled_from(["plain", "escaped", "numeric", "JSON"]))
@settings(max_examples=500, deadline=None)
def test_no_fact_becomes_the_word_of_a_person(fact: str, spelling: str) -> None:
    """A block that comes back in front of a question goes as a whole: no spelling of a marker in a fact ends it."""
    block = {
        "plain": lambda text: text,
        "escaped": html.escape,
        "numeric": lambda text: text.replace("<", "&#60;").replace(">", "&#x3e;"),
        "JSON": lambda text: text.replace("<", "\\u003c").replace(">", "\\u003e"),
    }[spelling](render_block([quote(fact, source="a#L1")]))
    assert strip_injected(f"{block}\n\nq").strip() == "q"


def test_rendering_is_stable() -> None:
    """Same facts, same bytes, nothing when there are none."""
    line = quote("Is allergic to peanuts", source="memory/2026-01-20.md#L4", day="2026-01-20")
    assert line == "- Is allergic to peanuts [memory/2026-01-20.md#L4, 2026-01-20]"
    assert render_block([line]) == render_block(iter([line]))
    assert render_block([]) == ""


BLOCK = render_block([quote("Peter likes tea", source="a.md#L1"), quote("Bern", source="b.md#L2")])
ESCAPES = {
    "plain": BLOCK,
    "escaped": html.escape(BLOCK),
    "escaped twice": html.escape(html.escape(BLOCK)),
    "numeric": BLOCK.replace("<", "&#60;").replace(">", "&#x3e;"),
    "JSON": BLOCK.replace("<", "\\u003c").replace(">", "\\u003e"),
}


@pytest.mark.parametrize("case", ESCAPES)
def test_our_block_is_stripped(case: str) -> None:
    """Our block goes, however escaped; the words around it stay."""
    text = f"Hi there\n{ESCAPES[case]}\nI moved to Bern"
    assert strip_injected(text) == "Hi there\nI moved to Bern"


@pytest.mark.parametrize("length", range(len(BLOCK_BEGIN) + 2, len(BLOCK), 7))
def test_a_block_cut_at_its_end_is_stripped(length: int) -> None:
    """A block that lost its end leaves nothing of ours behind."""
    assert strip_injected(f"Hi\n{BLOCK[:length]}") == "Hi\n"


def test_a_block_cut_at_its_beginning_is_stripped() -> None:
    """A block that lost its beginning leaves nothing of ours behind."""
    for start in range(len(BLOCK_BEGIN), len(BLOCK) - len(BLOCK_END), 5):
        assert strip_injected(f"{BLOCK[start:]}\nI moved to Bern") == "I moved to Bern"


@pytest.mark.parametrize(
    "text",
    [
        "What does <openclaw-memory> do?",
        "</openclaw-memory> hello",
        "I use openclaw-memory daily",
        "User: I moved to Bern",
    ],
)
def test_words_of_a_person_stay(text: str) -> None:
    """Whoever only mentions our marker loses the marker at most."""
    left = strip_injected(text)
    assert all(word in left for word in text.replace("<openclaw-memory>", "").replace("</openclaw-memory>", "").split())
