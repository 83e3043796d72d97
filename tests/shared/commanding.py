"""The command line, called."""

import json
from collections.abc import Callable
from typing import Any

NOW = ("--now", "2026-03-25T12:00:00+00:00")


Run = Callable[..., tuple[int, str, str]]


def answer(run: Run, *arguments: str) -> Any:
    code, out, err = run(*arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)
