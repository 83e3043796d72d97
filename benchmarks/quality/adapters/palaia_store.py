"""palaia without an embedding provider: one entry a fact, its own hybrid search, which is BM25 then."""

import os
from pathlib import Path
from typing import Any

from palaia.search import SearchEngine
from palaia.services.admin import init_palaia
from palaia.store import Store
from wire import Ask, serve


def fill(folder: Path, facts: list[dict[str, Any]]) -> Ask:
    os.chdir(folder)
    init_palaia(path=str(folder), agent="main")
    store = Store(folder / ".palaia")
    numbers: dict[str, int] = {}
    for number, fact in enumerate(facts):
        numbers.setdefault(store.write(fact["text"], agent="main"), number)
    engine = SearchEngine(store)
    return lambda query, k: [numbers[hit["id"]] for hit in engine.search(query, top_k=k, agent="main")]


serve(fill)
