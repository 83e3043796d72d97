"""What an installation found and changed, kept beside the bridge so that it can be taken back exactly."""

import base64
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from openclaw_memory_plugin.errors import OpenClawMemoryError

NAME = "receipt.json"


@attrs.frozen(kw_only=True)
class Receipt:
    """Enough to undo: the configuration's bytes, the values of the changed keys, the scheduled jobs removed."""

    before: bytes | None
    """The configuration file as it was; None when there was none."""
    keys: Mapping[str, Any]
    """Dotted key -> its value before, None when it had none."""
    after: str = ""
    """Digest of the configuration as the installation left it."""
    jobs: tuple[Mapping[str, Any], ...] = ()
    """Scheduled jobs of the replaced memory, as the runtime listed them."""
    python: str = ""
    version: str = ""


def digest(path: Path) -> str:
    """Digest of a file; empty when it does not exist."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""


def load(folder: Path) -> Receipt | None:
    """
    Read the receipt of an installation, None when there is none.

    Raises:
        OpenClawMemoryError: It cannot be read.
    """
    path = folder / NAME
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        before = None if raw["before"] is None else base64.b64decode(raw["before"])
        return Receipt(**{**raw, "before": before, "jobs": tuple(raw["jobs"])})
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise OpenClawMemoryError(
            f"{path} cannot be read ({error}); remove it and run `openclaw plugins uninstall` yourself"
        ) from error


def save(folder: Path, receipt: Receipt) -> None:
    """Write the receipt in one step, readable by the owner only."""
    folder.mkdir(parents=True, exist_ok=True)
    raw = attrs.asdict(receipt)
    raw["before"] = None if receipt.before is None else base64.b64encode(receipt.before).decode()
    replace_file(folder / NAME, json.dumps(raw, indent=2).encode(), mode=0o600)


def restore(config: Path, before: bytes | None) -> None:
    """Make a configuration file what it was; None is that it did not exist."""
    if before is None:
        config.unlink(missing_ok=True)
    else:
        replace_file(config, before)


def replace_file(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Replace a file in one step; its mode stays, or becomes the one given."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    temporary.write_bytes(data)
    if mode is None and path.exists():
        mode = path.stat().st_mode & 0o7777
    if mode is not None:
        temporary.chmod(mode)
    os.replace(temporary, path)
