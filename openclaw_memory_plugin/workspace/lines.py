"""Lines of ours under `memory/archive/`: one JSON object each, and what is wrong with those that are none."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

from openclaw_memory_plugin.markdown.nouns import Defect

FOLDER = "memory/archive"
TOMBSTONES = f"{FOLDER}/tombstones.jsonl"


@attrs.frozen(kw_only=True)
class FileDefect:
    """A line of ours under `memory/archive/` that could not be used."""

    path: str
    defect: Defect


def records(root: Path, path: str) -> Iterator[tuple[int, dict[str, Any], Defect | None]]:
    """Yield line number, JSON object and what is wrong with it; then the object holds the line as `text`."""
    try:
        data = (root / path).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        yield 0, {}, Defect(line=0, message=f"cannot be read ({error.strerror})", remedy="make the file readable")
        return
    for number, line in enumerate(data.decode("utf-8-sig", "replace").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            yield number, {"text": line}, not_ours(number, f"not JSON: {line[:60]!r}")
            continue
        if isinstance(record, dict):
            yield number, record, None
        else:
            yield number, {"text": line}, not_ours(number, f"not a JSON object: {line[:60]!r}")


def not_ours(line: int, message: str) -> Defect:
    """Say what is wrong with a line."""
    return Defect(line=line, message=message, remedy="correct or delete the line; the others count")
