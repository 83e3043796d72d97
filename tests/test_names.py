"""Names: which spellings are one name, which strings are none, which file a name gets."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_plugin.names import bare_name, is_name, name_key, slug

SAME = [
    ("Harbour Lane", "harbour-lane", "Harbour_Lane", "@Harbour  Lane", "HARBOUR‑LANE"),
    ("Käthe", unicodedata.normalize("NFD", "Käthe"), "KÄTHE", "@Käthe's", "Käthe’s"),
    ("佐伯", "佐伯さん", "＠佐伯", "佐伯様", "佐伯 "),
    ("ミナト", "ミナトさん", "ﾐﾅﾄ"),
    ("KT-21", "ＫＴ－２１", "kt 21"),
    ("Straße", "STRASSE"),
    ("Peter", "peter's", "@PETER"),
]


@pytest.mark.parametrize("spellings", SAME, ids=lambda spellings: spellings[0])
def test_spellings_of_one_name(spellings: tuple[str, ...]) -> None:
    """Case, width, Unicode form, joints, possessive and honorific make no second name."""
    assert len({name_key(spelling) for spelling in spellings}) == 1


def test_different_names() -> None:
    """Signs that belong to a name keep it apart, and so do words that only end like an honorific."""
    names = ["C", "C++", "C#", "仕様", "仕", "José", "Jose", "Peter", "Peters", "node.js", "node"]
    assert len({name_key(name) for name in names}) == len(names)


@given(st.text(max_size=40))
def test_a_key_is_stable(name: str) -> None:
    """The Unicode form of a name never decides its key, and a key has no outer blanks."""
    key = name_key(name)
    assert key == name_key(unicodedata.normalize("NFD", name)) or "\u0345" in unicodedata.normalize("NFD", name)
    assert key == key.strip()


@pytest.mark.parametrize(
    "name", ["New-York", "The", "Memory", "Node.js", "元宝", "Ö", "C#", "3D", "router-k2", "v4", "me2you"]
)
def test_explicit_marks_stay(name: str) -> None:
    """No stop-list takes a name that somebody marked."""
    assert is_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "@",
        " ",
        "12",
        "12:00",
        "2x",
        "2x.png",
        "60Hz",
        "1440p",
        "everyone",
        "@Channel",
        "所有人",
        "example.com",
        "a.b.example",
        "-",
        "++",
        "x" * 200,
    ],
)
def test_nobody(name: str) -> None:
    """Groups, quantities, numbers, mail domains, files and signs are nobody."""
    assert not is_name(name)


def test_bare_name() -> None:
    """What is shown keeps its case and loses mark, possessive and honorific."""
    assert [bare_name(n) for n in ("@Peter's", "佐伯さん", " Harbour Lane ", "仕様")] == [
        "Peter",
        "佐伯",
        "Harbour Lane",
        "仕様",
    ]


def test_slugs() -> None:
    """A slug is a file name everywhere: no separators, no device names, no dots at the ends, bounded."""
    assert [slug(n) for n in ("Jörg Maßmann", "a/b:c", "..", "CON", "C++", "ミナトさん")] == [
        *("Jörg-Maßmann", "a-b-c", "_", "CON_", "C++", "ミナト")
    ]
    assert slug("con.txt") == "con_.txt"
    assert len(slug("元" * 300).encode()) <= 120
