"""
After a turn: keep what the user stated, count the facts that the reply used.

What was left out, and why, is counted in `.memory/capture.json`.
"""

import hashlib
import json
import logging
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from openclaw_memory_hookspecs import Fact, Turn
from openclaw_memory_plugin.errors import OpenClawMemoryError
from openclaw_memory_plugin.turns.capture import capture
from openclaw_memory_plugin.turns.used import used_facts
from openclaw_memory_plugin.workspace import Workspace

if TYPE_CHECKING:
    from openclaw_memory_plugin.memory import Memory

log = logging.getLogger(__name__)

COUNTERS = ".memory/capture.json"


def keep_statements(memory: "Memory", turn: Turn) -> tuple[Fact, ...]:
    """
    Retain what the user stated in this turn; count what is left out.

    What already stands in today's log is not written again; on another day it is, as further evidence. What was
    forgotten comes back only when the user wishes it to be remembered.
    """
    from openclaw_memory_plugin.workspace.tombstones import read_tombstones

    captured = capture(turn)
    if captured.kept:
        memory.freshen(turn.now)
    counts = Counter(captured.dropped)
    known = _stated_today(memory, turn) if captured.kept else frozenset()
    tombstones = read_tombstones(memory.workspace.root)
    written: list[Fact] = []
    for kept in captured.kept:
        if _plain(kept.draft.text) in known:
            counts["known"] += 1
            continue
        try:
            if kept.category != "wish" and tombstones.refuses(kept.draft.text, kept.draft.entities):
                counts["forgotten"] += 1
                continue
            written.append(memory.retain(kept.draft, now=turn.now))
        except OpenClawMemoryError as error:
            log.info("not captured: %s", error)
            counts["refused"] += 1
        else:
            counts[f"kept_{kept.category}"] += 1
    _count(memory.workspace, counts)
    return tuple(written)


def count_used(memory: "Memory", turn: Turn, shown: Iterable[Fact]) -> None:
    """Count those of the shown facts as accessed that the reply used, once a turn whoever reports it again."""
    reply = "\n".join(message.text for message in turn.messages if message.role == "assistant")
    used = used_facts(reply, turn.prompt, shown)
    if used:
        memory.track([fact.id for fact in used], now=turn.now, turn=_key(turn))


def read_counters(workspace: Workspace) -> dict[str, int]:
    """What was kept (`kept_…`) and left out so far, by reason; empty when nothing was or the file is unreadable."""
    try:
        raw = json.loads((workspace.root / COUNTERS).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return {str(key): value for key, value in raw.items() if isinstance(value, int)} if isinstance(raw, dict) else {}


def _count(workspace: Workspace, counts: Counter[str]) -> None:
    """Add to the counters, best effort."""
    try:
        with workspace.lock():
            total = Counter(read_counters(workspace))
            total.update(counts)
            workspace.write(COUNTERS, json.dumps(dict(sorted(total.items())), indent=2).encode() + b"\n")
    except OpenClawMemoryError as error:
        log.warning("what was left out could not be counted: %s", error)


def _key(turn: Turn) -> str | None:
    """Name a turn, the same in every process that hears of it; None when the host does not number turns."""
    if not turn.run_id:
        return None
    return hashlib.blake2b(f"{turn.session_key}\0{turn.run_id}".encode(), digest_size=8).hexdigest()


def _stated_today(memory: "Memory", turn: Turn) -> frozenset[str]:
    today = memory.today(turn.now)
    return frozenset(_plain(fact.content) for fact in memory.facts() if fact.last_seen == today)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!。")
