"""Days of one memory with everything that happens in them: what must hold afterwards does."""

import importlib
import os
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked child")
def test_ten_days(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hand edits, contradictions, a crash and quiet days; `python -m benchmarks.thirty_days` lives through thirty."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    life = importlib.import_module("benchmarks.thirty_days")
    world = life.run(tmp_path / "ws", days=10)
    assert world.problems == []
    assert world.killed == 1
