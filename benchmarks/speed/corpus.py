"""A workspace of any size, the same every time: facts of 25 words and 1 to 4 entities, both drawn by Zipf's law."""

import datetime as dt
import random
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

import attrs

WORDS = 25
FACTS_A_FILE = 50
VOCABULARY = 20_000
_FREQUENT = """
the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which
"""
"""The head of Zipf's curve in English, so that the texts are taken for what they are modelled on."""

_SYLLABLES = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]


@attrs.frozen(kw_only=True)
class Row:
    """One generated fact."""

    entities: tuple[str, ...]
    text: str

    @property
    def bullet(self) -> str:
        """The fact as it stands in a daily log."""
        return f"- W {' '.join('@' + name for name in self.entities)}: {self.text}"


def rows(count: int, seed: int = 20) -> Iterator[Row]:
    """Yield `count` facts; a larger count begins with the facts of no smaller one: entities grow with it."""
    chance = random.Random(seed)
    words = [*_FREQUENT.split(), *map(_word, range(VOCABULARY))][:VOCABULARY]
    names = [_word(i).capitalize() for i in range(VOCABULARY, VOCABULARY + max(20, count // 20))]
    word_weights = list(accumulate(1 / (i + 3) for i in range(len(words))))
    name_weights = list(accumulate(1 / (i + 2) for i in range(len(names))))
    for _ in range(count):
        drawn = chance.choices(words, cum_weights=word_weights, k=WORDS)
        entities = dict.fromkeys(chance.choices(names, cum_weights=name_weights, k=chance.randint(1, 4)))
        yield Row(entities=tuple(entities), text=" ".join(drawn) + ".")


def write_workspace(root: Path, facts: list[Row]) -> int:
    """Write the facts as daily logs, the last one on 2026-01-31; return the number of files."""
    folder = root / "memory"
    folder.mkdir(parents=True, exist_ok=True)
    files = range(0, len(facts), FACTS_A_FILE)
    first = dt.date(2026, 1, 31) - dt.timedelta(days=len(files) - 1)
    for number, start in enumerate(files):
        day = first + dt.timedelta(days=number)
        bullets = "\n".join(row.bullet for row in facts[start : start + FACTS_A_FILE])
        (folder / f"{day}.md").write_text(f"# {day}\n\n## Retain\n{bullets}\n", encoding="utf-8")
    return len(files)


def questions(facts: list[Row], count: int, seed: int = 7) -> list[str]:
    """Return questions of three words and one entity of a fact each."""
    chance = random.Random(seed)
    found = []
    for _ in range(count):
        row = chance.choice(facts)
        found.append(" ".join([*chance.sample(row.text.rstrip(".").split(), 3), chance.choice(row.entities)]))
    return found


def _word(number: int) -> str:
    """Return the word of that number: four syllables, more for larger numbers."""
    size = len(_SYLLABLES)
    syllables = []
    while number or len(syllables) < 4:
        syllables.append(_SYLLABLES[(number * 31 + 7 * len(syllables)) % size])
        number //= size
    return "".join(syllables)
