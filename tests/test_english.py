"""The English stemmer is Snowball's, only faster."""

import random
import re
from pathlib import Path

import snowballstemmer

from openclaw_memory_plugin import english

_ENDINGS = """
' 's 's' s ss us ies ied sses ed eed ing edly eedly ingly y ly li e l ll al ance ence er ic able ible ant ement ment ent
ism ate iti ous ive ize ion sion tion enci anci abli entli izer ization ational ation ator alism aliti alli fulness
ousli ousness iveness iviti biliti bli logi ogi fulli lessli logist icate ative alize iciti ical ful ness tional at bl
iz bb tt
"""


def test_agrees_with_snowball_on_words_that_people_write() -> None:
    """Every lower-case word of the example workspaces and of our own sources has the stem that Snowball gives it."""
    root = Path(__file__).parents[1]
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in root.glob("tests/workspaces/**/*.md")]
    texts += [path.read_text(encoding="utf-8") for path in root.glob("openclaw_memory_plugin/**/*.py")]
    words = {word for text in texts for word in re.findall(r"[a-zà-ÿ']+", text.lower())}
    oracle = snowballstemmer.stemmer("english")
    assert {word: english.stem(word) for word in words} == {word: oracle.stemWord(word) for word in words}


def test_agrees_with_snowball_on_every_rule() -> None:
    """So has every made-up word with one, two or three of the endings that the algorithm knows."""
    chance = random.Random(3)
    oracle = snowballstemmer.stemmer("english")
    starts = ["", "succ", "proc", "inn", "out", "gener", "past", "later", "inter", "y", "ay", "by", "add", "'", "sky"]
    for _ in range(20_000):
        start = chance.choice(starts) or "".join(chance.choices("abcdeghiklmnoprstuwxyz", k=chance.randint(0, 5)))
        word = start + "".join(chance.choices(_ENDINGS.split(), k=chance.randint(0, 3)))
        assert (word, english.stem(word)) == (word, oracle.stemWord(word))
