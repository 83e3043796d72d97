"""What a memory does with vectors, as methods of `Memory`: make those that are missing, find facts alike in meaning."""

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from openclaw_memory_plugin.config import Config
from openclaw_memory_plugin.errors import OpenClawMemoryError
from openclaw_memory_plugin.index import Index

if TYPE_CHECKING:
    from openclaw_memory_plugin.plugins import Plugins

UNIVERSAL = "universal"
"""The packaged encoder; its vectors change their length with a release only, which the next question notices."""

BATCH = 64
"""Texts that an embedder gets at once."""

IMPATIENT_SECONDS = 2.0
"""How long one recall may wait for its turn at a locked index, and one heartbeat spend on missing vectors."""

OUTDATED = "the stored vectors are of another embedder, or of another length than it makes now"
MISSING = "no sentence encoder is installed; pip install 'openclaw-memory-plugin[semantic]' brings one"
NOBODY = "no plugin makes vectors, which `vectors.provider: plugin` asks for"


class Meaning:
    """Vectors beside words; `Memory` is one. Where nobody makes vectors, nothing is imported and nothing done."""

    config: Config
    index: Index
    plugins: "Plugins"

    patient: bool = True
    """Whether a recall may wait for an embedder to load; a host that answers people sets it when that is done."""
    unasked: str = "the embedder is still loading; answered by words"
    """What a recall says that may not wait."""
    wanted: bool = False
    """Whether somebody asked outright for vectors, and is told when nobody makes them."""

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
        if not query.strip():
            return {}, None
        if model is None:
            nobody = NOBODY if self.config.vectors.provider == "plugin" else MISSING if self.wanted else None
            return {}, f"answered by words: {nobody}" if nobody else None
        if not self.patient:
            return {}, self.unasked
        try:
            vector = _one(self.plugins, query)
            if vector is None:
                return {}, "answered by words: the embedder gave no vector for the question"
            if self.index.vector_length(model) not in (None, len(vector)):
                with contextlib.suppress(OpenClawMemoryError):  # the next question tries again
                    self.index.give_up_vectors()
                return {}, f"answered by words: {OUTDATED}; `sync` makes them anew"
            facts, known = self.index.vector_coverage(model)
            late = f"{facts - known} facts have no vector yet; `sync` makes them" if known < facts else None
            return self.index.nearest(vector, model), late
        except OpenClawMemoryError as error:
            return {}, f"answered by words: {error}"

    def vector_trouble(self) -> str | None:
        """Try the embedder and say in a sentence what is wrong with vectors; None when nothing is, or none are made."""
        model = self.embedder
        if model is None:
            return NOBODY if self.config.vectors.provider == "plugin" else None
        try:
            vector = _one(self.plugins, "ready")
        except OpenClawMemoryError as error:
            return str(error)
        if vector is not None and self.index.vector_length(model) not in (None, len(vector)):
            return f"{OUTDATED}; run sync, which makes them anew"
        return None


def _one(plugins: "Plugins", text: str) -> Sequence[float] | None:
    """
    Return the vector of one text; None when the embedder abstains.

    Raises:
        OpenClawMemoryError: It failed, or did not answer one vector.
    """
    from openclaw_memory_plugin.index.vectors import VectorShapeError, unit_rows

    vectors = plugins.embed([text])
    if vectors is None:
        return None
    rows: Sequence[Sequence[float]] = unit_rows(vectors)
    if len(rows) != 1:
        raise VectorShapeError(f"{len(rows)} vectors came back for 1 text")
    return rows[0]


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
    length: int | None = None
    if model != UNIVERSAL and not index.without_vectors(1, model):
        _look_anew(index, plugins, model)
    while rows := index.without_vectors(BATCH, model):
        vectors = plugins.embed([content for _, content in rows])
        if vectors is None:
            break
        index.keep_vectors([seq for seq, _ in rows], vectors, model)
        made += len(rows)
        before, length = length, index.vector_length(model)
        if before not in (None, length):
            raise OpenClawMemoryError(f"{model} changes the length of its vectors from {before} to {length} meanwhile")
        if progress is not None:
            facts, known = index.vector_coverage(model)
            progress(known, facts)
        if seconds is not None and time.monotonic() - started > seconds:
            break
    return made


def _look_anew(index: Index, plugins: "Plugins", model: str) -> None:
    """Give the stored vectors up when the embedder makes others now; one that cannot be asked changes nothing."""
    with contextlib.suppress(OpenClawMemoryError):
        vector = _one(plugins, "ready")
        if vector is not None and index.vector_length(model) not in (None, len(vector)):
            index.give_up_vectors()
