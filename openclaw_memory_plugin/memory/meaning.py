"""What a memory does with vectors, as methods of `Memory`: make those that are missing, find facts alike in meaning."""

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from openclaw_memory_plugin.config import Config
from openclaw_memory_plugin.errors import OpenClawMemoryError
from openclaw_memory_plugin.index import Index

if TYPE_CHECKING:
    from openclaw_memory_plugin.plugins import Plugins

BATCH = 64
"""Texts that an embedder gets at once."""

IMPATIENT_SECONDS = 2.0
"""How long one recall may wait for its turn at a locked index, and spend on vectors that are missing."""


class Meaning:
    """Vectors beside words; `Memory` is one. Where nobody makes vectors, nothing is imported and nothing done."""

    config: Config
    index: Index
    plugins: "Plugins"

    patient: bool = True
    """Whether a recall may wait for an embedder to load; a host that answers people sets it when that is done."""

    @property
    def embedder(self) -> str | None:
        """Who makes vectors here: a plugin's name, else the built-in model's, else None."""
        if self.config.vectors.provider == "off":
            return None
        from openclaw_memory_plugin.embedders import model_of, provider_of

        others = self.plugins.implementing("embed_texts")
        if others:
            return others[0]
        return model_of(self.config.vectors) if provider_of(self.config.vectors) in ("universal", "ollama") else None

    def fill_vectors(self, *, seconds: float | None = None, progress: Callable[[int, int], None] | None = None) -> int:
        """
        Make the vectors that are missing, newest facts first.

        Args:
            seconds: Stop after the batch that exceeds them; None makes all.
            progress: Told how many facts have theirs, and how many there are.

        Returns:
            How many were made.

        Raises:
            OpenClawMemoryError: The embedder failed or answered no vectors; what was made before is kept.
        """
        model = self.embedder
        return fill(self.index, self.plugins, model, seconds=seconds, progress=progress) if model else 0

    def likeness(self, query: str) -> tuple[Mapping[int, float], str | None]:
        """
        Tell how alike facts and a question are: key in the index -> cosine, only for those most alike.

        Returns:
            Also what the answer goes without, in a sentence; None when nothing.
        """
        model = self.embedder
        if model is None or not query.strip():
            return {}, None
        if not self.patient:
            return {}, "the embedder is still loading; answered by words"
        try:
            vectors = self.plugins.embed([query])
            if vectors is None or not len(vectors):  # an array knows no truth
                return {}, None
            facts, known = self.index.vector_coverage()
            late = f"{facts - known} facts have no vector yet; `sync` makes them" if known < facts else None
            return self.index.nearest(vectors[0], model), late
        except OpenClawMemoryError as error:
            return {}, f"answered by words: {error}"


def fill(
    index: Index,
    plugins: "Plugins",
    model: str,
    *,
    seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Make the vectors that are missing in an index, as `Meaning.fill_vectors` says."""
    started = time.monotonic()
    made = 0
    while rows := index.without_vectors(BATCH, model):
        vectors = plugins.embed([content for _, content in rows])
        if vectors is None:
            break
        index.keep_vectors([seq for seq, _ in rows], vectors, model)
        made += len(rows)
        if progress is not None:
            facts, known = index.vector_coverage()
            progress(known, facts)
        if seconds is not None and time.monotonic() - started > seconds:
            break
    return made
