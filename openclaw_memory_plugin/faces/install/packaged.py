"""The bridge as the package holds it, and as a copy that OpenClaw accepts."""

import hashlib
import os
import shutil
from importlib import resources
from pathlib import Path


def write_copy(target: Path) -> None:
    """Write the bridge as files of its own: the runtime refuses hard links and folders that others may write to."""
    fresh = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    fresh.chmod(0o755)
    for name, data in _files():
        (fresh / name).write_bytes(data)
        (fresh / name).chmod(0o644)
    shutil.rmtree(target, ignore_errors=True)
    fresh.rename(target)


def _files() -> list[tuple[str, bytes]]:
    folder = resources.files("openclaw_memory_plugin.faces").joinpath("bridge")
    return sorted(
        (item.name, item.read_bytes())
        for item in folder.iterdir()
        if item.is_file() and item.name.endswith((".js", ".json"))
    )


def digest_of(folder: Path | None) -> str:
    """Digest of a bridge's files; of the packaged ones for None."""
    if folder is None:
        files = _files()
    elif folder.is_dir():
        files = sorted((item.name, item.read_bytes()) for item in folder.iterdir() if item.is_file())
    else:
        return ""
    total = hashlib.sha256()
    for name, data in files:
        total.update(f"{name}\0{len(data)}\0".encode() + data)
    return total.hexdigest()
