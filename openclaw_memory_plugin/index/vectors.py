"""
Vectors of facts in the index: which are missing, how they are kept, which are nearest to a question.

Beside each vector (half precision) stands one bit a dimension, its sign. A search compares the signs of all facts,
which are small and read as one block, and the vectors only of the few that come out on top, so that memory and time
stay bounded. numpy is imported by the functions that compute; without it nobody calls them.
"""

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

import attrs

from openclaw_memory_plugin.errors import OpenClawMemoryError

PREFILTER = 400
"""Facts whose vectors are compared exactly."""

STORED = "SELECT value FROM meta WHERE key = 'vectors'"
SET_STORED = "INSERT OR REPLACE INTO meta (key, value) VALUES ('vectors', ?)"
MISSING = """
SELECT f.seq, f.content
FROM facts f
WHERE NOT EXISTS (SELECT 1 FROM embedding_signs s WHERE s.seq = f.seq)
ORDER BY f.seq DESC
LIMIT :limit
"""
NEWEST = "SELECT seq, content FROM facts ORDER BY seq DESC LIMIT :limit"
COUNTS = "SELECT (SELECT COUNT(*) FROM facts), (SELECT COUNT(*) FROM embedding_signs)"
USELESS = "?"
"""Stands for model and length of what is stored when neither is what the embedder makes now."""
KNOWN = "INSERT OR REPLACE INTO embeddings (seq, vector) SELECT :seq, :vector FROM facts WHERE seq = :seq"
KNOWN_SIGNS = "INSERT OR REPLACE INTO embedding_signs (seq, signs) SELECT :seq, :signs FROM facts WHERE seq = :seq"
SIGNS = "SELECT seq, signs FROM embedding_signs ORDER BY seq"
OF_FACTS = """
SELECT seq, vector
FROM embeddings
WHERE seq IN (SELECT value FROM json_each(:seqs))
ORDER BY seq
"""


class VectorShapeError(OpenClawMemoryError):
    """An embedder answered the wrong number of vectors, or vectors that are not finite numbers of one length."""


@attrs.define
class Signs:
    """The signs of all facts in memory, for as long as the index says the same."""

    state: str
    """What `meta` says is stored: model, dimension and how often it was added to."""
    seqs: Any
    """n fact keys, ascending."""
    bits: Any
    """n rows of bytes."""


def missing(db: sqlite3.Connection, limit: int, model: str) -> list[tuple[int, str]]:
    """Return key and content of facts without a vector of this model, newest first, at most `limit`."""
    statement = MISSING if _stored(db)[0].rpartition(":")[0] == model else NEWEST
    return list(db.execute(statement, {"limit": limit}))


def coverage(db: sqlite3.Connection, model: str) -> tuple[int, int]:
    """Return how many facts there are and how many of them have a vector of this model."""
    facts, vectors = db.execute(COUNTS).fetchone()
    return facts, vectors if length(db, model) else 0


def length(db: sqlite3.Connection, model: str) -> int | None:
    """Return how long the stored vectors are; None when there are none, 0 when this model has not made them."""
    name, _ = _stored(db)
    if not name or not db.execute("SELECT 1 FROM embedding_signs LIMIT 1").fetchone():
        return None
    made_by, _, dimension = name.rpartition(":")
    return int(dimension) if made_by == model else 0


def give_up(db: sqlite3.Connection) -> None:
    """Make all stored vectors count as missing, in the caller's transaction; they are dropped when new ones come."""
    db.execute(SET_STORED, (f"{USELESS} {_stored(db)[1] + 1}",))


def store(db: sqlite3.Connection, seqs: Sequence[int], rows: Sequence[Sequence[float]], model: str) -> None:
    """
    Keep vectors of facts, in the caller's transaction; facts that are gone meanwhile are passed over.

    Vectors of another model or length than those stored make the stored ones useless: they are dropped.

    Raises:
        VectorShapeError: They are not as many as the facts, not finite, or not of one length.
    """
    matrix = unit_rows(rows)
    import numpy as np

    if len(matrix) != len(seqs):
        raise VectorShapeError(f"{len(matrix)} vectors came back for {len(seqs)} texts")
    name, count = _stored(db)
    if name != f"{model}:{matrix.shape[1]}":
        db.execute("DELETE FROM embeddings")
        db.execute("DELETE FROM embedding_signs")
    db.execute(SET_STORED, (f"{model}:{matrix.shape[1]} {count + 1}",))
    signs = np.packbits(matrix > 0, axis=1)
    for seq, vector, bits in zip(seqs, matrix.astype("<f2"), signs, strict=True):
        db.execute(KNOWN, {"seq": seq, "vector": vector.tobytes()})
        db.execute(KNOWN_SIGNS, {"seq": seq, "signs": bits.tobytes()})


def unit_rows(vectors: Sequence[Sequence[float]]) -> Any:
    """
    Return vectors as a matrix of rows of length one, n x d, float32; a vector of zeros stays one.

    Raises:
        VectorShapeError: They are not finite numbers, or not of one length.
        OpenClawMemoryError: numpy is not installed.
    """
    try:
        import numpy as np
    except ImportError as error:
        raise OpenClawMemoryError(
            "vectors need numpy, which is not there: pip install 'openclaw-memory-plugin[semantic]'"
        ) from error
    try:
        matrix = np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise VectorShapeError(f"vectors must be numbers of one length ({error})") from error
    if matrix.ndim != 2 or matrix.shape[1] == 0 or not np.isfinite(matrix).all():
        raise VectorShapeError(f"vectors must be finite numbers of one length, got shape {matrix.shape}")
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / np.where(lengths == 0, 1, lengths)


def nearest(
    db: sqlite3.Connection, question: Sequence[float], model: str, known: Signs | None
) -> tuple[dict[int, float], Signs | None]:
    """
    Return the facts most like a question as fact key -> cosine, at most `PREFILTER`, and the signs to give next time.

    Empty when nothing is stored, or stored by another model or with another length.
    """
    vector = unit_rows([question])[0]
    import numpy as np

    name, count = _stored(db)
    if name != f"{model}:{len(vector)}":
        return {}, None
    state = f"{name} {count}"
    if known is None or known.state != state:
        known = _read_signs(db, state)
    if not len(known.seqs):
        return {}, known
    bits = np.packbits(vector > 0)
    differing = np.bitwise_count(known.bits ^ bits).sum(axis=1, dtype=np.uint16)
    few = min(PREFILTER, len(differing))
    chosen = known.seqs[np.argpartition(differing, few - 1)[:few]]
    rows = db.execute(OF_FACTS, {"seqs": json.dumps(chosen.tolist())}).fetchall()
    matrix = np.frombuffer(b"".join(row[1] for row in rows), dtype="<f2").reshape(len(rows), -1).astype(np.float32)
    return dict(zip((row[0] for row in rows), (matrix @ vector).tolist(), strict=True)), known


def _stored(db: sqlite3.Connection) -> tuple[str, int]:
    """Return model and dimension of what is stored, and how often it was added to."""
    row = db.execute(STORED).fetchone()
    if row is None:
        return "", 0
    name, _, count = row[0].rpartition(" ")
    return name, int(count)


def _read_signs(db: sqlite3.Connection, state: str) -> Signs:
    """Read all signs into two blocks, row by row: beside them the rows as objects would be the larger part."""
    import array

    import numpy as np

    seqs, bits = array.array("q"), bytearray()
    for seq, signs in db.execute(SIGNS):
        seqs.append(seq)
        bits += signs
    matrix = np.frombuffer(bits, dtype=np.uint8).reshape(len(seqs) or 1, -1)
    return Signs(state=state, seqs=np.frombuffer(seqs, dtype=np.int64), bits=matrix)
