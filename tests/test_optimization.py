"""The JSON file of the memory-optimization design is accepted as it is."""

import json
from pathlib import Path
from typing import Any

import pytest

from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.config import Config, load_config
from openclaw_memory_plugin.config.optimization import translate
from openclaw_memory_plugin.errors import ConfigError

THEIRS = {
    "memory_optimization": {
        "window_size": 200,
        "relevance_threshold": 0.6,
        "weights": {"keyword": 0.4, "time": 0.2, "access": 0.2, "tags": 0.2},
        "pruning": {"enable_auto_prune": True, "batch_size": 25, "strategy": "lowest_first"},
        "archive": {"retention_days": 120, "path": "memory/archive"},
        "metrics": {"prune_rate": 0.2, "threshold": 0.9},
    }
}


def load(tmp_path: Path, raw: Any) -> Config:
    file = tmp_path / "memory-optimization.json"
    file.write_text(json.dumps(raw))
    return load_config(tmp_path, file)


def test_their_file_is_read_as_it_is(tmp_path: Path) -> None:
    """Window, threshold, batches, retention and automatic pruning are taken; the rest does no harm."""
    upkeep = load(tmp_path, THEIRS).upkeep
    assert (upkeep.window, upkeep.threshold, upkeep.batch) == (200, 0.6, 25)
    assert (upkeep.enable_auto_prune, upkeep.retention_days) == (True, 120)


@pytest.mark.parametrize(
    ("raw", "upkeep"),
    [
        ({"enableAutoPrune": True}, {"enable_auto_prune": True}),
        ({"retention-days": 30, "deeper": {"retention_days": 10}}, {"retention_days": 30}),
        ({"window": {"enabled": True, "size": 150}}, {"window": 150}),
        ({"window": {"size": 150, "enabled": False}}, {"window": None}),
        ({"max_memory_size": 0}, {"window": None}),
        ({"sliding_window": {"max_size": 200}}, {"window": 200}),
        ({"memory": {"slidingWindow": {"enabled": True, "maxEntries": 90}}}, {"window": 90}),
        ({"scoring": {"keyword_weight": 0.4}, "prune_threshold": 0.6}, {"threshold": 0.6}),
    ],
)
def test_keys_are_found_however_they_are_written(raw: dict[str, Any], upkeep: dict[str, Any]) -> None:
    """Spelling and nesting do not matter; the key nearer to the top wins."""
    assert translate(raw, "x.json") == {"upkeep": upkeep}


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"upkeep": {"window": 3}},
        {"zone": "UTC", "window": 3},
        {"scoring": {"half_life_days": 3}, "window": 3},
        {"recall": None, "window": 3},
        {"colour": "red"},
    ],
)
def test_other_files_are_not_theirs(raw: dict[str, Any]) -> None:
    """A file with one of our sections, or none of their keys, is read strictly."""
    assert translate(raw, "x.json") is None


def test_values_that_cannot_be_are_named(tmp_path: Path) -> None:
    """A value of theirs is checked as one of ours, with the file's name."""
    with pytest.raises(ConfigError, match=r"memory-optimization\.json: upkeep: threshold .* got 60"):
        load(tmp_path, {"relevance_threshold": 60})


def test_a_limit_that_is_not_known_is_told_of(tmp_path: Path) -> None:
    """`doctor` names what sounds like a limit and is not used; what belongs to their implementation does no harm."""
    theirs = {
        "sliding_window": {"max_size": 200, "entries_per_day_limit": 20},
        "score_cache": {"max_size": 1000},
        "weights": {"size": 0.2},
        "strategy": "lowest_first",
    }
    config = load(tmp_path, theirs)
    assert config.upkeep.window == 200
    with Memory.open(tmp_path, config=config) as memory:
        found = [(one.path, one.message.split()[0]) for one in memory.doctor()]
    assert found == [("memory-optimization.json", "sliding_window.entries_per_day_limit")]
    with pytest.raises(ConfigError, match="left_aside"):
        load(tmp_path, {"zone": "UTC", "left_aside": []})
