"""Text becomes the same terms when indexed and when asked."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_plugin.recall.finder import Finder
from openclaw_memory_plugin.words import content_words, count_tokens, fold, language_of, match_expression, terms

HOSTILE = [
    "C++", "C#", ".NET", "a@b.c", "C:\\x", "20.04", "don't", "AND", "NEAR(", "*", "''", "?", "-x", "{x}", "nosuch:x",
    "2026-03-31", "GB/s", "gpt-4o", 'say "hi', "(python`", "", "😀", "\x00", "a" * 100_000,
]  # fmt: skip


def index_of(*texts: str, language: str = "en") -> sqlite3.Connection:
    """Index texts as the product does."""
    index = sqlite3.connect(":memory:")
    index.execute("""CREATE VIRTUAL TABLE words USING fts5 (terms, content = '',
        tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\\]^_`{|}~'")""")
    index.executemany(
        "INSERT INTO words (rowid, terms) VALUES (?, ?)",
        [(number, " ".join(terms(text, language))) for number, text in enumerate(texts)],
    )
    return index


def found(index: sqlite3.Connection, query: str, *languages: str) -> list[int]:
    match = match_expression(content_words(query, languages or ("en",)))
    if not match:
        return []
    rows = index.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words), rowid", (match,))
    return [row[0] for row in rows]


@pytest.mark.parametrize("query", HOSTILE)
def test_no_text_breaks_the_search(query: str) -> None:
    """Whatever somebody types is plain text, operators and quotes too: it finds what says it, if it says anything."""
    hits = found(index_of("nothing of the kind", f"so {query} it is"), query)
    assert hits == ([1] if content_words(query, ("en",)) else [])


@given(st.text(max_size=60))
def test_any_text_finds_itself(text: str) -> None:
    """What was indexed is found by asking for it in the same words, if it has any."""
    index = index_of(text)
    if content_words(text, ("en",)):
        assert found(index, text) == [0]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("closed DEC-0054 today", "DEC-0054"),
        ("closed DEC-0054 today", "0054"),
        ("renamed snake_case_name", "snake"),
        ("bumped @scope/pkg", "@scope/pkg"),
        ("bumped @scope/pkg", "scope"),
        ("pve-01 is down", "pve-01"),
        ("pve-01 is down", "PVE"),
        ("written in C++ mostly", "C++"),
        ("runs on .NET", ".NET"),
        ("mail a@b.c please", "a@b.c"),
        ("runs Ubuntu 20.04", "20.04"),
        ("12 GB/s at peak", "GB/s"),
        ("uses gpt-4o", "gpt-4o"),
        ("HarbourLane is closed", "harbour lane"),
        ("a contract of 8,000 euros", "8000 euros"),
        ("sent an e-mail", "email"),
        ("the adoption agency", "adopting agencies"),
        ("型番はＫＴ－２１、予備", "KT-21"),
    ],
)
def test_identifiers_are_found_whole_and_by_part(text: str, query: str) -> None:
    """An identifier, a number or an inflected word is found however much of it is asked."""
    assert found(index_of("something else", text), query)[:1] == [1]


@pytest.mark.parametrize("other", ["C", "C++", "C#"])
def test_c_and_its_relatives_are_three_things(other: str) -> None:
    """`C`, `C++` and `C#` are not found by one another."""
    names = ["C", "C++", "C#"]
    assert found(index_of(*names), other) == [names.index(other)]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("她怀孕三个月了", "怀孕"),
        ("周三有会议", "会议"),
        ("使用Python3脚本", "python3"),
        ("使用Python3脚本", "脚本"),
        ("湊は紅茶を飲む", "湊"),
        ("朝の会議を嫌がる", "会議"),
        ("회의는 화요일", "회의"),
    ],
)
def test_scripts_without_blanks_are_found_by_short_words(text: str, query: str) -> None:
    """Two characters suffice, one in between function words too, also beside Latin letters."""
    assert found(index_of("別の話", text), query)[:1] == [1]


def test_umlauts_are_found_however_they_are_typed() -> None:
    """`Käthe` is found as Käthe, Kathe and Kaethe, `Größe` as Groesse, as whole words and by no part."""
    index = index_of("Käthe hält die Größe", "the kat and the hal", language="de")
    for query in ("Käthe", "Kathe", "Kaethe", "hält", "Größe", "Groesse"):
        assert found(index, query, "de") == [0]


def test_function_words_are_dropped_unless_nothing_is_left() -> None:
    """A question searches for its content; one of nothing but function words searches for those."""
    assert [word.text for word in content_words("Who is the one that owns it?", ("en",))] == ["one", "owns"]
    assert [word.text for word in content_words("who is it", ("en",))] == ["who", "is", "it"]


def test_a_lone_digit_neither_empties_nor_dominates() -> None:
    """A digit in a question is a word of little weight."""
    weights = {word.text: word.weight for word in content_words("Who read room 2?", ("en",))}
    assert weights["2"] < 0.5 < weights["room"]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Where is the key?", "en"),
        ("Wo ist der Schlüssel?", "de"),
        ("¿Dónde está la llave?", "es"),
        ("Où est la clé de la maison ?", "fr"),
        ("Onde está a chave da casa?", "pt"),
        ("钥匙在哪里？", "zh"),
        ("鍵はどこですか？", "ja"),
        ("열쇠는 어디에 있습니까?", "ko"),
        ("Где ключ?", "ru"),
        ("KT-21", "en"),
        ("", "en"),
    ],
)
def test_languages_are_told_by_script_and_function_words(text: str, language: str) -> None:
    """A short sentence is enough; what says nothing is English."""
    assert language_of(text) == language


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=80), st.sampled_from(["en", "de", "ja"]))
def test_terms_fit_the_word_index(text: str, language: str) -> None:
    """A term holds no blank, quote or control character, whatever the text."""
    for term in terms(text, language):
        assert term
        assert not any(char.isspace() or char == '"' or ord(char) < 32 for char in term)


@given(
    st.lists(
        st.sampled_from(["the", "fox", "Foxes", "runs", "running", "lazy", "dog's", "DEC-0054", "会议", "x"]),
        max_size=12,
    )
)
def test_a_finder_counts_what_the_index_holds(chunks: list[str]) -> None:
    """Looking for a question's words in a text gives the counts of their terms."""
    text = " ".join(chunks)
    words = content_words("fox running dogs DEC-0054 会议", ("en",))
    held = terms(text, "en")
    expected = {i: float(n) for i, w in enumerate(words) if (n := sum(held.count(term) for term in w.alternatives))}
    assert Finder(words, "en", {}).count(text) == expected


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("abcd", 1), ("abcde", 2), ("会议", 2), ("ab会议", 3)])
def test_tokens_are_estimated_from_characters(text: str, tokens: int) -> None:
    """A quarter of the other characters, rounded up, plus one for each CJK character."""
    assert count_tokens(text) == tokens


def test_folding_removes_accents_but_not_voicing_marks() -> None:
    """Latin accents go; the marks that make another sound in Japanese stay."""
    assert fold("Éà ÑØ ß") == "ea no ss"
    assert fold("ガ") == "ガ"
