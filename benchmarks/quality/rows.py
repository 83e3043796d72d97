"""What is compared: bare FTS5, the product's own recall, and that without each of its parts."""

import datetime as dt
import re
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

import attrs

from openclaw_memory_hookspecs import RecallRequest
from openclaw_memory_plugin.memory import Memory
from openclaw_memory_plugin.recall import recall
from openclaw_memory_plugin.recall.rank import PARTS
from openclaw_memory_plugin.stopwords import STOP_WORDS

from .datasets import Dataset, Question
from .metrics import Judged, Places, judge

K = 10

Answer = Callable[[Question, bool], tuple[list[Places], int]]
"""Question, whether to cut off -> the citations of each hit, characters returned."""


@attrs.frozen(kw_only=True)
class Row:
    """One line of the table."""

    name: str
    make: Callable[[Memory], Answer]


def rows(*, ablation: bool) -> list[Row]:
    """Return what is compared, plain BM25 first."""
    found = [Row(name="FTS5 BM25", make=_bare), Row(name="recall", make=_recall)]
    if ablation:
        found += [
            Row(name=f"- {part}", make=lambda memory, part=part: _without(memory, part)) for part in sorted(PARTS)
        ]  # type: ignore[misc]
    return found


def run(row: Row, datasets: list[Dataset], *, cutoff: bool = False) -> Iterator[tuple[str, Question, Judged]]:
    """Ask every question of every data set; yields data set, question and measures."""
    for dataset in datasets:
        with Memory.open(dataset.root) as memory:
            memory.sync(now=dt.datetime.now(dt.UTC))
            answer = row.make(memory)
            for question in dataset.questions:
                hits, characters = answer(question, cutoff)
                yield dataset.name, question, judge(hits, question.gold, characters)


def _request(question: Question, cutoff: bool) -> RecallRequest:
    return RecallRequest(
        query=question.text,
        k=K,
        cutoff=cutoff,
        track=False,
        now=question.now,
        associative_depth=2 if question.associative else None,
    )


def _cited(recalled: Any) -> tuple[list[Places], int]:
    hits = [[(place.path, place.line, place.end_line) for place in hit.fact.citations] for hit in recalled.hits]
    return hits, sum(len(hit.excerpt or hit.fact.content) for hit in recalled.hits)


def _recall(memory: Memory) -> Answer:
    return lambda question, cutoff: _cited(memory.recall(_request(question, cutoff)))


def _without(memory: Memory, part: str) -> Answer:
    def answer(question: Question, cutoff: bool) -> tuple[list[Places], int]:
        request = _request(question, cutoff)
        return _cited(recall(memory.index, request, memory.plugins.score, memory.config, without=frozenset({part})))

    return answer


def _bare(memory: Memory) -> Answer:
    """FTS5 as it comes: English stems, accents removed, English stop words dropped, the rest joined by OR."""
    facts = list(memory.facts())
    index = sqlite3.connect(":memory:")
    index.execute("CREATE VIRTUAL TABLE f USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2')")
    index.executemany("INSERT INTO f (rowid, text) VALUES (?, ?)", ((i, fact.content) for i, fact in enumerate(facts)))
    stops = STOP_WORDS["en"] | {word.replace("'", "") for word in STOP_WORDS["en"]}

    def answer(question: Question, cutoff: bool) -> tuple[list[Places], int]:
        words = re.findall(r"\w+", question.text.lower())
        chosen = [word for word in words if word not in stops] or words
        found = index.execute(
            "SELECT rowid FROM f WHERE f MATCH ? ORDER BY bm25(f), rowid LIMIT ?",
            (" OR ".join(f'"{word}"' for word in chosen), K),
        ).fetchall()
        hits = [facts[row[0]] for row in found]
        cited: list[Places] = [[(p.path, p.line, p.end_line) for p in fact.citations] for fact in hits]
        return cited, sum(len(fact.content) for fact in hits)

    return answer
