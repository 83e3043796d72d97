"""
A peer behind JSON lines on stdio, in its own environment.

First comes `{"folder", "facts": [{"text", "day"}]}` and is answered `{"facts": n}`, then `{"query", "k"}` each answered
`{"hits": [number of the fact]}`, best first. Whatever the peer prints goes to stderr.
"""

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Ask = Callable[[str, int], Sequence[int]]


def serve(fill: Callable[[Path, list[dict[str, Any]]], Ask]) -> None:
    """Answer until stdin ends; `fill` stores the facts in an empty folder and gives what answers questions."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    first = json.loads(sys.stdin.readline())
    ask = fill(Path(first["folder"]), first["facts"])
    print(json.dumps({"facts": len(first["facts"])}), file=answers, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps({"hits": list(ask(asked["query"], asked["k"]))[: asked["k"]]}), file=answers, flush=True)
