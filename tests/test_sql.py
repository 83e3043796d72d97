"""The statements of the index: how rows happen to lie never shows, and no answer reads a whole table."""

import importlib
import pkgutil
import re
import sqlite3
from collections.abc import Iterator
from importlib.resources import files

import pytest

import openclaw_memory_plugin.index
from openclaw_memory_plugin.index import graph, read
from openclaw_memory_plugin.index.facts import ABOUT

UNIQUE = {
    *("seq", "rowid", "id", "key", "path", "term", "old"),
    *("pos", "name"),  # within a file, a fact or a key
    *("language", "kind", "day", "entity_id"),  # one row each, grouped
}
"""Columns of which no two rows of the statements ordered by them have the same."""

TOLD = [
    *(read.ABOUT_ALL, read.OF_ENTITY, read.WITHIN, read.NEWEST_WITHIN, read.AROUND, read.ALONE, read.PLACED),
    *(read.FITTING, read.MENTIONED, read.NAMED, read.HEADINGS),
    *(graph.ENTITIES, graph.NEIGHBOURS, graph.NEWEST, graph.MEMBERS, ABOUT),
]
"""Statements on the way of an answer."""

TABLES = {"facts", "f", "mentions", "m", "entities", "e", "aliases", "a", "occurrences", "o", "files", "sections"}


def statements() -> Iterator[tuple[str, str]]:
    """Give every statement of the room that is a constant, with its name."""
    package = openclaw_memory_plugin.index
    for found in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{found.name}")
        for name, value in vars(module).items():
            if isinstance(value, str) and re.search(r"\b(?:SELECT|ORDER BY)\b", value):
                yield f"{found.name}.{name}", value


def plan(statement: str) -> list[str]:
    """Return how SQLite would answer a statement."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(files("openclaw_memory_plugin.index").joinpath("schema.sql").read_text())
    values = dict.fromkeys(re.findall(r":(\w+)", statement), 1)
    return [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)]


@pytest.mark.parametrize("statement", [pytest.param(value, id=name) for name, value in statements()])
def test_every_order_is_complete(statement: str) -> None:
    """Every ORDER BY ends in a unique column, and what is cut off is cut off from an order."""
    bare = statement
    while (inner := re.sub(r"\w*\((?!\s*SELECT)[^()]*\)", "call", bare)) != bare:
        bare = inner
    orders = re.findall(r"ORDER BY\s+(.+?)\s*(?:\bLIMIT\b|\)|\n|$)", bare)
    ends = {order.split(",")[-1].removesuffix(" DESC").strip().rpartition(".")[2] for order in orders}
    assert ends <= UNIQUE
    cut = [part for part in re.split(r"\bSELECT\b", re.sub(r"\(\s*SELECT[^()]*\)", "", bare)) if "LIMIT" in part]
    assert [part for part in cut if "ORDER BY" not in part and not part.lstrip().startswith(("1\n", "1 "))] == []


@pytest.mark.parametrize("statement", TOLD)
def test_an_answer_reads_no_whole_table(statement: str) -> None:
    """Every step of a statement on the way of an answer goes by an index, or over a list it was given or has cut."""
    scanned = {step.split()[1] for step in plan(statement) if step.startswith("SCAN") and "VIRTUAL" not in step}
    assert scanned & TABLES == set()


@pytest.mark.parametrize("statement", TOLD)
def test_what_is_newest_is_the_end_of_an_index(statement: str) -> None:
    """The facts of an entity are read in the order of the index, however many there are; only a few are sorted."""
    steps = plan(statement)
    read_by = [step for step in steps if "mentions_by_entity" in step]
    sorted_at = [number for number, step in enumerate(steps) if "TEMP B-TREE FOR ORDER BY" in step]
    cut_at = [number for number, step in enumerate(steps) if re.match(r"SCAN (?!\w+ VIRTUAL)", step)]
    assert not read_by or not sorted_at or min(cut_at) < min(sorted_at)
