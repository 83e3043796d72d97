"""
Memory for OpenClaw agents: Markdown stays the truth, recall is cited, reflection is reversible.

    from openclaw_memory_plugin import Memory, compute_retrieval_score
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openclaw_memory_plugin.builtin import Memory
    from openclaw_memory_plugin.recall.score import compute_retrieval_score

__version__ = "0.1.0"

__all__ = ["Memory", "compute_retrieval_score"]


def __getattr__(name: str) -> Any:
    """Import what is asked for, only then: a cold start pays for nothing else."""
    if name == "Memory":
        from openclaw_memory_plugin.builtin import Memory

        return Memory
    if name == "compute_retrieval_score":
        from openclaw_memory_plugin.recall.score import compute_retrieval_score

        return compute_retrieval_score
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
