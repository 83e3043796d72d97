"""dory-memory: one observation a fact; a query's context lists what was activated, strongest first."""

from pathlib import Path
from typing import Any

from dory import DoryMemory
from wire import Ask, serve


def fill(folder: Path, facts: list[dict[str, Any]]) -> Ask:
    memory = DoryMemory(folder / "dory.db")
    numbers: dict[str, int] = {}
    for number, fact in enumerate(facts):
        node = memory.graph.get_node(memory.observe(fact["text"]))
        numbers.setdefault(node.content, number)

    def ask(query: str, k: int) -> list[int]:
        listed = (line.partition("] ")[2] for line in memory.query(query).splitlines() if line.startswith("- ["))
        return [numbers[text] for text in listed if text in numbers]

    return ask


serve(fill)
