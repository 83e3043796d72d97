"""
Rare words as links from fact to fact, where a depth is asked for: notes without names are connected by what they speak
of (`Die Unterlagen liegen im Archivschrank`, `Käthe hat den Schlüssel zum Archivschrank`).
"""

import re
from collections.abc import Collection, Iterable, Mapping

from openclaw_memory_plugin.index.read import Reader, Row, Scope
from openclaw_memory_plugin.recall.bridge import Link
from openclaw_memory_plugin.words import Word, joined_terms, match_expression

MARK = "“"
"""The key of such a link begins with it, as no key of an entity does."""

SEEDS = 3
"""From so many of the best facts words may lead on."""
SHARED = 3
"""A word that more facts hold says nothing about any two of them."""
WORDS = 4
"""So many words of a fact lead on, the rarest and longest."""
RARITY = 0.5
"""What a word connects, against a name that only two facts have."""

_TELLING = r"[^\W\d_]{6,}|[\u4e00-\u9fff]{2}|[\u30a1-\u30fa\u30fc]{2}"
"""As text: few questions need it."""


def word_links(reader: Reader, rows: Iterable[Row], asked: Collection[str], scope: Scope) -> dict[int, list[Link]]:
    """
    Return for each fact the words over which it may lead on, with the facts that share them.

    Args:
        asked: terms of the question; they find their facts themselves.
    """
    terms = {row.seq: _telling(row, asked) for row in rows}
    counts = reader.counts({term for own in terms.values() for term in own})
    found: dict[int, list[Link]] = {}
    shared: dict[str, Mapping[int, bool]] = {}
    for seq, own in terms.items():
        rare = sorted(
            (term for term in own if 2 <= counts.get(term, 0) <= SHARED), key=lambda t: (counts[t], -len(t), t)
        )
        for term in rare[:WORDS]:
            if term not in shared:
                word = Word(text=term, alternatives=(term,))
                shared[term] = dict.fromkeys(reader.hits(match_expression([word]), scope, SHARED), False)
            link = Link(key=f"{MARK}{term}”", rarity=RARITY, facts=shared[term], sharing=counts[term])
            found.setdefault(seq, []).append(link)
    return found


def _telling(row: Row, asked: Collection[str]) -> set[str]:
    terms = joined_terms(row.content, row.language).split()
    return {term for term in terms if term not in asked and re.fullmatch(_TELLING, term)}
