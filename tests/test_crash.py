"""Killed at any point, memory holds no half file and has lost no fact; the next start repairs."""

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

PROGRAM = Path(__file__).parents[1] / "benchmarks/crash.py"


def crash() -> ModuleType:
    spec = importlib.util.spec_from_file_location("crash", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked child")
@pytest.mark.parametrize("act", ["retain", "archive", "restore", "forget", "undo", "maintain", "reflect"])
def test_nothing_is_lost_when_killed(act: str) -> None:
    """A few random points of each act; `python -m benchmarks.crash` does two hundred."""
    killed, problems = crash().run(points=4, seed=7, names=(act,))
    assert problems == []
    assert killed[act] > 0
