"""The quality benchmark measures as its judge does."""

import importlib.util
from pathlib import Path

import pytest

_SPEC = importlib.util.spec_from_file_location(
    "quality_metrics", Path(__file__).parents[1] / "benchmarks/quality/metrics.py"
)
assert _SPEC is not None
assert _SPEC.loader is not None
metrics = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(metrics)
judge, mean = metrics.judge, metrics.mean

GOLD = {"a.md#L3": 3, "a.md#L9": 2, "b.md#L1": 1}


def test_a_hit_counts_when_its_lines_hold_the_gold_line() -> None:
    """Best first and complete is perfect; nothing is nothing."""
    perfect = judge([[("a.md", 3, 3)], [("a.md", 8, 9)], [("b.md", 1, 1)]], GOLD, 30)
    assert (perfect.recall5, perfect.all10, perfect.first, perfect.answers5) == (1.0, 1.0, 1.0, 1.0)
    assert perfect.ndcg == pytest.approx(1.0)
    nothing = judge([], GOLD, 0)
    assert (nothing.recall10, nothing.ndcg, nothing.f1) == (0.0, 0.0, 0.0)


def test_a_merged_duplicate_counts_once() -> None:
    """One hit that cites two gold lines is one answer, and not half of it is missed."""
    judged = judge([[("a.md", 3, 3), ("a.md", 9, 9)]], {"a.md#L3": 3, "a.md#L9": 3}, 10)
    assert (judged.recall5, judged.ndcg) == (1.0, 1.0)


def test_a_whole_page_is_no_citation() -> None:
    """Lines far behind the first one of a citation do not count."""
    assert judge([[("a.md", 1, 500)]], {"a.md#L100": 3}, 10).recall10 == 0.0


def test_the_mean_is_over_questions() -> None:
    """Each question weighs the same."""
    one, none = judge([[("a.md", 3, 3)]], {"a.md#L3": 3}, 10), judge([], {"a.md#L3": 3}, 0)
    assert mean([one, none]).ndcg == 0.5
