"""What a memory does to understand what it holds, as methods of `Memory`; imported only when it is asked for."""

import datetime as dt
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

import attrs

from openclaw_memory_hookspecs import Draft, Fact
from openclaw_memory_plugin.config import Config
from openclaw_memory_plugin.workspace import Workspace

if TYPE_CHECKING:
    from openclaw_memory_plugin.index import Index
    from openclaw_memory_plugin.reflect.beliefs.account import Belief, Verb
    from openclaw_memory_plugin.reflect.brief import Brief
    from openclaw_memory_plugin.reflect.deciding import CoreView, Pair
    from openclaw_memory_plugin.reflect.reflect import Reflection

QuietWork: TypeAlias = tuple["Brief", str | None]
"""What a quiet moment came to: what to ask the agent, and what to tell it."""


class Reflecting:
    """Reflect, explain and settle opinions, look after core memory; `Memory` is one."""

    workspace: Workspace
    config: Config
    index: "Index"

    def reflect(
        self,
        *,
        since: dt.date | None = None,
        dry_run: bool = False,
        accept_loss: bool = False,
        now: dt.datetime | None = None,
    ) -> "Reflection":
        """
        Revise entity pages, `bank/world.md`, `bank/experience.md`, beliefs and core memory; one change, undoable.

        Args:
            since: Look at what was recorded from this day on; None for what is new since the last reflection.
            dry_run: Write nothing, give the unified diff.
            accept_loss: Also rewrite pages that would lose more than a quarter of their entries.

        Raises:
            ConflictError: Somebody kept editing the pages; nothing was changed.
            WorkspaceError: A page is read-only or cannot be written; nothing was changed.
        """
        from openclaw_memory_plugin.reflect.reflect import reflect

        return reflect(
            self.workspace,
            self.index,
            self.config,
            now=now or _now(),
            since=since,
            dry_run=dry_run,
            accept_loss=accept_loss,
        )

    def look_after(self, *, scheduled: bool = False, heard: bool = True, now: dt.datetime | None = None) -> "Brief":
        """
        Use a quiet moment: reflect when it is due, and return what only the agent can settle, if anything.

        The same is returned until it is noted as given.

        Args:
            heard: Whether the agent gets what is returned; otherwise nothing is.

        Raises:
            ConflictError: Somebody kept editing the pages; nothing was changed.
            WorkspaceError: A page cannot be written; nothing was changed.
        """
        from openclaw_memory_plugin.reflect.beat import look_after

        return look_after(self.workspace, self.index, self.config, now=now or _now(), scheduled=scheduled, heard=heard)

    def note_given(self, brief: "Brief", *, now: dt.datetime | None = None) -> None:
        """
        Note that the agent has a brief before it: it is not given again today, nor any of it for ever.

        Raises:
            WorkspaceError: It cannot be written.
        """
        from openclaw_memory_plugin.reflect.given import note_given

        note_given(self.workspace, brief, now=now or _now())

    def opinions(self, about: str | None = None, *, now: dt.datetime | None = None) -> "tuple[Belief, ...]":
        """
        Return opinions with every step that led to their confidence: one by id, those about a name, or all.

        Raises:
            UsageError: There is no such opinion.
        """
        from openclaw_memory_plugin.reflect.deciding import beliefs

        return beliefs(self.workspace, self.index, self.config, now=now or _now(), about=about)

    def reviews(self, *, now: dt.datetime | None = None) -> "tuple[Pair, ...]":
        """Return the pairs of statements that wait for somebody to settle them."""
        from openclaw_memory_plugin.reflect.deciding import reviews

        return reviews(self.workspace, self.index, self.config, now=now or _now())

    def settle_opinion(
        self, opinion: str, source: str, verb: "Verb | str", *, now: dt.datetime | None = None
    ) -> "Belief":
        """
        Settle a listed pair: the source supports the opinion, contradicts it, or has nothing to do with it.

        Raises:
            UsageError: There is no such opinion, or no such pair.
            ConflictError: The page was edited meanwhile; nothing was changed.
        """
        from openclaw_memory_plugin.reflect.beliefs.account import Verb
        from openclaw_memory_plugin.reflect.deciding import decide

        return decide(self.workspace, self.index, self.config, opinion, source, Verb(verb), now=now or _now())

    def core(self, *, accept: bool = False, now: dt.datetime | None = None) -> "CoreView":
        """
        Show what core memory would become: the proposal that waits, else what a reflection would write now.

        With `accept` the waiting proposal is written.

        Raises:
            UsageError: Nothing waits to be accepted.
            ConflictError: The page was edited meanwhile; nothing was changed.
        """
        from openclaw_memory_plugin.reflect.deciding import accept_core, core_view

        view = accept_core if accept else core_view
        return view(self.workspace, self.index, self.config, now=now or _now())

    def with_known_marks(self, draft: Draft, *, now: dt.datetime) -> Draft:
        """
        Return a draft whose `supports` and `contradicts` name known facts by their whole ids.

        Raises:
            UsageError: One of them is unknown or ambiguous.
        """
        if not draft.supports and not draft.contradicts:
            return draft
        self.index.sync(now)

        def known(ids: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(dict.fromkeys(self.index.fact(fact_id).id for fact_id in ids))

        return attrs.evolve(draft, supports=known(draft.supports), contradicts=known(draft.contradicts))

    def mangled(self) -> Iterator[tuple[str, int, str, str]]:
        """Find managed blocks that cannot be told or hold what cannot be taken: path, line, message, remedy."""
        from openclaw_memory_plugin.reflect.beliefs import opinions
        from openclaw_memory_plugin.reflect.pages.blocks import Block, find_block, mangled_blocks

        for state in self.workspace.scan():
            text = self.workspace.read(state.path).text
            block = find_block(text, opinions.BLOCK) if state.path == opinions.PAGE else None
            written = opinions.malformed(block) if isinstance(block, Block) else ()
            for defect in (*mangled_blocks(text), *written):
                yield state.path, defect.line, defect.message, defect.remedy

    def pin(self, fact_id: str, *, on: bool = True, now: dt.datetime | None = None) -> Fact:
        """
        Keep a fact in core memory, first of all, or let it take its chance again.

        Raises:
            UsageError: The id is unknown or ambiguous, or its line can carry no pin; nothing was changed.
        """
        from openclaw_memory_plugin.reflect.deciding import pin

        return pin(self.workspace, self.index, fact_id, on=on, now=now or _now())


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)
