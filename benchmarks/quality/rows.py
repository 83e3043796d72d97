"""What is compared: bare FTS5, the product's own recall, that with vectors, and that without each of its parts."""

import datetime as dt
import functools
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

import attrs

from openclaw_memory_hookspecs import Fact, Recalled, RecallRequest
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.config import load_config
from openclaw_memory_plugin.embedders import is_installed
from openclaw_memory_plugin.recall import recall
from openclaw_memory_plugin.recall.rank import PARTS
from openclaw_memory_plugin.words.stopwords import STOP_WORDS

from .datasets import Dataset, Question
from .metrics import Judged, Places, judge

K = 10
_CJK = re.compile("[\u3005-\u3007\u3041-\u30ff\u3400-\u9fff]+")

Answer = Callable[[Question, bool], tuple[list[Places], int]]
"""Question, whether to cut off -> the citations of each hit, characters returned."""


@attrs.frozen(kw_only=True)
class Row:
    """One line of the table."""

    name: str
    make: Callable[[Memory, ExitStack], Answer]
    """Gives what answers; the stack ends what it began."""
    vectors: bool = False
    """Whether facts have vectors before the first question, made by the encoder of the extra `semantic`."""
    cuts: bool = True
    """Whether it knows a cut-off."""
    missing: str = ""
    """Why it cannot run here."""


def rows(*, ablation: bool) -> list[Row]:
    """Return what is compared, plain BM25 first."""
    missing = "" if is_installed() else "the extra `semantic` is not installed"
    found = [
        Row(name="FTS5 BM25", make=_bare, cuts=False),
        Row(name="recall", make=_recall),
        Row(name="recall with vectors", make=_recall, vectors=True, missing=missing),
    ]
    if ablation:
        found.append(Row(name="recall by default", make=functools.partial(_recall, depth=None)))
        found.append(Row(name="recall at depth 2", make=functools.partial(_recall, depth=2)))
    for part in sorted(PARTS) if ablation else ():
        found.append(Row(name=f"without {part}", make=functools.partial(_without, part=part)))
    return found


def run(row: Row, datasets: list[Dataset], *, cutoff: bool = False) -> Iterator[tuple[str, Question, Judged]]:
    """Ask every question of every data set; yields data set, question and measures."""
    for dataset in datasets:
        config = load_config(dataset.root)
        vectors = attrs.evolve(config.vectors, provider="universal" if row.vectors else "off")
        with ExitStack() as stack:
            memory = stack.enter_context(Memory.open(dataset.root, config=attrs.evolve(config, vectors=vectors)))
            memory.sync(now=dt.datetime.now(dt.UTC))
            memory.fill_vectors()
            answer = row.make(memory, stack)
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


def cited(facts: Sequence[Fact]) -> tuple[list[Places], int]:
    """Return where facts stand, and how many characters they have."""
    places = [[(place.path, place.line, place.end_line) for place in fact.citations] for fact in facts]
    return [list(each) for each in places], sum(len(fact.content) for fact in facts)


def _facts(answer: Recalled) -> list[Fact]:
    return [hit.fact for hit in answer.hits]


def _recall(memory: Memory, _: ExitStack, **more: int | None) -> Answer:
    """Ask for connections where the question needs them, or for the same `depth` whatever the question."""

    def answer(question: Question, cutoff: bool) -> tuple[list[Places], int]:
        asked = _request(question, cutoff)
        depth = more.get("depth", asked.associative_depth)
        return cited(_facts(memory.recall(attrs.evolve(asked, associative_depth=depth))))

    return answer


def _without(memory: Memory, _: ExitStack, part: str) -> Answer:
    def answer(question: Question, cutoff: bool) -> tuple[list[Places], int]:
        request = _request(question, cutoff)
        found = recall(memory.index, request, memory.plugins.score, memory.config, without=frozenset({part}))
        return cited(_facts(found))

    return answer


def _bare(memory: Memory, _: ExitStack) -> Answer:
    """
    FTS5 as it comes: English stems, accents removed, English stop words dropped, the rest joined by OR.

    What a fact is about counts as its text, as on the line; CJK runs are made pairs, which FTS5 itself cannot find.
    """
    facts = list(memory.facts())
    index = sqlite3.connect(":memory:")
    index.execute("CREATE VIRTUAL TABLE f USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2')")
    texts = (_paired(text_of(fact)) for fact in facts)
    index.executemany("INSERT INTO f (rowid, text) VALUES (?, ?)", enumerate(texts))

    def answer(question: Question, cutoff: bool) -> tuple[list[Places], int]:
        words = re.findall(r"\w+", _paired(question.text).lower())
        chosen = [word for word in words if word not in STOP_WORDS["en"]] or words
        found = index.execute(
            "SELECT rowid FROM f WHERE f MATCH ? ORDER BY bm25(f), rowid LIMIT ?",
            (" OR ".join(f'"{word}"' for word in chosen), K),
        ).fetchall()
        return cited([facts[row[0]] for row in found])

    return answer


def text_of(fact: Fact) -> str:
    """Return a fact in one line, what it is about first."""
    return " ".join(" ".join((*fact.entities, fact.content)).split())


def _paired(text: str) -> str:
    return _CJK.sub(lambda run: " ".join(run[0][i : i + 2] for i in range(max(1, len(run[0]) - 1))) + " ", text)
