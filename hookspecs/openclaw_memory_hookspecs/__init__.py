"""
The contract of OpenClaw memory: every shape that crosses a hook, the hooks, and the marker that implements them.

A plugin needs this package and nothing of the engine:

    from openclaw_memory_hookspecs import Candidate, RecallRequest, hookimpl

    class NewestFirst:
        @hookimpl
        def score_candidates(self, request, candidates):
            return [float(c.fact.last_seen.toordinal()) if c.fact.last_seen else 0.0 for c in candidates]

`__all__` is the public contract; whatever is not in it may change without notice.
"""

import pluggy

from openclaw_memory_hookspecs.shapes import (
    Candidate,
    Citation,
    Draft,
    Fact,
    Heartbeat,
    Hit,
    Kind,
    Message,
    Note,
    Provenance,
    Recalled,
    RecallRequest,
    Turn,
)

PROJECT = "openclaw"
"""The pluggy project: `pluggy.PluginManager(PROJECT)` is a host of these hooks."""

hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a function or method as the implementation of the hook with its name."""

from openclaw_memory_hookspecs import specs  # noqa: E402  the marker above must exist first
from openclaw_memory_hookspecs.specs import Memory  # noqa: E402

__all__ = [
    "PROJECT",
    "Candidate",
    "Citation",
    "Draft",
    "Fact",
    "Heartbeat",
    "Hit",
    "Kind",
    "Memory",
    "Message",
    "Note",
    "Provenance",
    "RecallRequest",
    "Recalled",
    "Turn",
    "hookimpl",
    "specs",
]
