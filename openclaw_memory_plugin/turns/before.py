"""
Before a turn: what the agent should have in front of it, as one block of quoted data.

Same input, same bytes, so that prompt caches hold: no scores, no clock. What is shown unasked does not count as
accessed.
"""

from collections import OrderedDict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from openclaw_memory_hookspecs import Fact, Hit, Note, Provenance, RecallRequest, Turn
from openclaw_memory_plugin.guard import BLOCK_BEGIN, BLOCK_END, BLOCK_PREFACE, neutralise, quote, render_block
from openclaw_memory_plugin.markdown.telling import reserve, tell, told
from openclaw_memory_plugin.words import count_tokens

if TYPE_CHECKING:
    from openclaw_memory_plugin.memory import Memory

CORE_PAGES = ("MEMORY.md", "memory.md", "USER.md")
"""Pages that only the owner's direct session may see."""

_SHOWN_AS_CORE = CORE_PAGES[:2]


MOST_TURNS = 256
"""Turns whose shown facts are remembered until they end."""


class Shown:
    """Which facts were put before the agent, turn by turn, until the turn ends."""

    def __init__(self) -> None:
        self._turns: OrderedDict[tuple[str, str], tuple[Fact, ...]] = OrderedDict()

    def note(self, turn: Turn, facts: tuple[Fact, ...]) -> None:
        """Remember what this turn was shown."""
        self._turns[turn.session_key, turn.run_id] = facts
        if len(self._turns) > MOST_TURNS:
            self._turns.popitem(last=False)

    def take(self, turn: Turn) -> tuple[Fact, ...]:
        """Give what this turn was shown, once."""
        return self._turns.pop((turn.session_key, turn.run_id), ())


class _Block:
    """Lines of a block in the making; each is rendered once, however many come after it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._text = "\n".join((BLOCK_BEGIN, BLOCK_PREFACE, BLOCK_END))

    def take(self, line: str, budget: int) -> bool:
        """Add a line when the rendered block, wrapper included, still has at most `budget` tokens; tell whether."""
        text = f"{self._text}\n{neutralise(line)}"
        if count_tokens(text) > budget:
            return False
        self._text = text
        self.lines.append(line)
        return True


def put_before(memory: "Memory", turn: Turn) -> tuple[Note | None, tuple[Fact, ...]]:
    """
    Render what goes before the agent, and tell which facts were recalled for it.

    Core memory is in it only in the owner's direct session, and only where the host does not show it itself; private
    facts only there too. Core memory has its own budget unless `turn.budget_tokens` is given for everything.
    """
    request = asked(memory, turn)
    if request is None:
        return None, ()
    core = list(_core_lines(memory)) if turn.private and not turn.core_shown else []
    budget = turn.budget_tokens
    if budget is None:
        budget = memory.config.recall.inject_tokens + (memory.config.core.max_tokens if core else 0)
    block = _Block()
    for line in core:
        block.take(line, min(budget, memory.config.core.max_tokens))
    shown = [hit.fact for hit in _recalled(memory, request) if block.take(_line(hit), budget)]
    if not block.lines:
        return None, ()
    text = render_block(block.lines)
    return Note(text=text, tokens=count_tokens(text)), tuple(shown)


def asked(memory: "Memory", turn: Turn) -> RecallRequest | None:
    """
    Return what is recalled for this message, None for nothing.

    Direct matches only: somebody waits, and the agent can ask for what is merely connected.
    """
    if not turn.prompt.strip() or turn.budget_tokens == 0:
        return None
    return RecallRequest(
        query=turn.prompt,
        k=memory.config.recall.inject_k,
        associative_depth=0,
        agent_id=turn.agent_id,
        include_private=turn.private,
        track=False,
        now=turn.now,
    )


def _recalled(memory: "Memory", request: RecallRequest) -> Iterator[Hit]:
    """Hits that this session may see and has not before it already, best first."""
    for hit in memory.recall(request).hits:
        if any(citation.path not in CORE_PAGES for citation in hit.fact.citations):
            yield hit


def _line(hit: Hit) -> str:
    day = hit.fact.last_seen.isoformat() if hit.fact.last_seen else ""
    return quote(told(hit.fact), source=str(hit.fact.source), day=day, note=reserve(hit))


def _core_lines(memory: "Memory") -> Iterator[str]:
    """The statements of core memory, in order of lines; open tasks, struck and untrusted ones are none."""
    from openclaw_memory_plugin.markdown.page import parse_page

    for path in _SHOWN_AS_CORE:
        text = memory.workspace.read(path).text
        if not text:
            continue
        for statement in parse_page(text, path).statements:
            if statement.task is None and not statement.struck and statement.provenance is not Provenance.UNTRUSTED:
                yield quote(
                    tell(statement.content, statement.heads, kind=statement.kind, confidence=statement.confidence),
                    source=f"{path}#L{statement.line}",
                )
        return
