"""How activation is shared out: whether one entity takes most of what a question stirs."""

import collections
import datetime as dt
from collections.abc import Sequence

from openclaw_memory_hookspecs import RecallRequest
from openclaw_memory_plugin import Memory

from .datasets import Dataset


def strongest(datasets: Sequence[Dataset]) -> tuple[str, float]:
    """Return who receives most of all first hops of all questions, and which share of it, in [0, 1]."""
    received: collections.Counter[tuple[str, str]] = collections.Counter()
    for dataset in datasets:
        with Memory.open(dataset.root) as memory:
            memory.sync(now=dt.datetime.now(dt.UTC))
            for question in dataset.questions:
                request = RecallRequest(query=question.text, now=question.now, associative_depth=1)
                for step in memory.trace(request)["hops"].get("1", ()):
                    received[dataset.name, step["to"]] += step["amount"]
    if not received:
        return "", 0.0
    (_, name), most = max(received.items(), key=lambda item: (item[1], item[0]))
    return name, most / sum(received.values())
