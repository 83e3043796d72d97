"""mind-mem: one block a fact, the day in `Date`, the text in `Statement`; its deterministic recall as it comes."""

from pathlib import Path
from typing import Any

from mind_mem.init_workspace import init
from mind_mem.recall import recall
from mind_mem.sqlite_index import build_index
from wire import Ask, serve


def fill(folder: Path, facts: list[dict[str, Any]]) -> Ask:
    init(str(folder))
    numbers: dict[str, int] = {}
    blocks = []
    for number, fact in enumerate(facts):
        day = fact["day"] or "2026-01-01"
        name = f"D-{day.replace('-', '')}-{number:05}"
        numbers[name] = number
        blocks.append(f"[{name}]\nDate: {day}\nStatus: active\nStatement: {fact['text']}\n")
    (folder / "decisions" / "DECISIONS.md").write_text("# Decisions\n\n" + "\n---\n\n".join(blocks), encoding="utf-8")
    build_index(str(folder))

    def ask(query: str, k: int) -> list[int]:
        found = (hit["_id"].partition("#")[0] for hit in recall(str(folder), query, limit=k))
        return list(dict.fromkeys(numbers[name] for name in found if name in numbers))

    return ask


serve(fill)
