"""
The bytes of one file: reading what may be broken, and replacing in one step that survives a crash.

Bytes of a user are never "fixed": what is edited is decoded so that it encodes back to the same bytes.
"""

import contextlib
import os
import re
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from openclaw_memory_plugin.errors import WorkspaceError

if TYPE_CHECKING:
    from openclaw_memory_plugin.markdown.nouns import Defect

TEMP_PREFIX = ".ocmem-"
ABSENT = ""
"""The digest of a file that does not exist."""
UNREADABLE = "unreadable"
"""The digest of one that cannot be read, or must not be: it leads out of the workspace."""
MAX_BYTES = 8 * 1024 * 1024
"""What is read of one file; more is cut at a line and reported."""

_STALE_SECONDS = 600.0
_PADDING = b"\0" * 16
"""So many NUL bytes in a row are no characters of any encoding."""


@attrs.frozen(kw_only=True)
class Source:
    """One file as read."""

    path: str
    data: bytes
    """The bytes on disk, at most `MAX_BYTES` of them."""
    text: str
    """Decoded for reading, without BOM, newlines as they stand; empty when it is not text."""
    digest: str
    """Of all bytes read; `ABSENT` when there is no such file."""
    encoding: str
    """`utf-8`, `utf-8-sig`, `cp1252` (some lines are), `utf-16` or `binary`."""
    defects: "tuple[Defect, ...]" = ()

    @property
    def editable(self) -> str:
        """
        The text for editing: `encode_edited` gives the same bytes back, BOM and broken characters included.

        Raises:
            WorkspaceError: It is not a text file that can be appended to.
        """
        if self.encoding in ("binary", "utf-16") or len(self.data) >= MAX_BYTES:
            raise WorkspaceError(
                f"{self.path} cannot be edited ({self.encoding}); save it as UTF-8 text or move it away"
            )
        return self.data.decode("utf-8", "surrogateescape")


def encode_edited(text: str) -> bytes:
    """Return the bytes of a text that came from `Source.editable`."""
    return text.encode("utf-8", "surrogateescape")


def digest_of(data: bytes) -> str:
    """Return the digest by which two contents are told apart."""
    import hashlib

    return hashlib.blake2b(data, digest_size=16).hexdigest()


def read_bytes(target: str) -> tuple[bytes, bool]:
    """
    Return the bytes of a regular file, and whether there are more than `MAX_BYTES`.

    Raises:
        OSError: It cannot be opened.
        WorkspaceError: It is a pipe, a device or the like; those are never waited for.
    """
    descriptor = os.open(target, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise WorkspaceError("not a regular file")
        data = file.read(MAX_BYTES)
        return data, len(data) == MAX_BYTES and bool(file.read(1))


def decode(data: bytes) -> "tuple[str, str, list[Defect]]":
    """Return text, encoding and what is wrong; only lines that are not UTF-8 are read as Windows-1252."""
    from openclaw_memory_plugin.markdown.nouns import Defect

    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        defect = Defect(line=0, message="encoded as UTF-16", remedy="save it as UTF-8")
        return data.decode("utf-16", "replace"), "utf-16", [defect]
    defects: list[Defect] = []
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        data, padded = _without_padding(data)
        if not data:
            return (
                "",
                "utf-8",
                [Defect(line=0, message="holds nothing but NUL bytes", remedy="restore it from a backup")],
            )
        if data.count(b"\0") * 50 > len(data) or not _mostly_text(data):
            return "", "binary", [Defect(line=0, message="not a text file", remedy="move it out of the memory")]
        message = "holds NUL bytes as a crash leaves them, the text was read" if padded else "holds NUL bytes"
        defects.append(Defect(line=line, message=f"{message}; they count as blanks", remedy="remove them"))
        data = data.replace(b"\0", b" ")
    encoding = "utf-8-sig" if data.startswith(b"\xef\xbb\xbf") else "utf-8"
    try:
        return data.decode("utf-8-sig"), encoding, defects
    except UnicodeDecodeError as error:
        if error.end == len(data) and error.reason == "unexpected end of data":
            line = data.count(b"\n") + 1
            defects.append(Defect(line=line, message="ends in the middle of a character", remedy="save it again"))
            return data[: error.start].decode("utf-8-sig"), encoding, defects
        if not _mostly_text(data):
            return "", "binary", [Defect(line=0, message="not a text file", remedy="move it out of the memory")]
        line = data.count(b"\n", 0, error.start) + 1
    defects.append(
        Defect(line=line, message="not UTF-8, the line is read as Windows-1252", remedy="save the file as UTF-8")
    )
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return "\n".join(map(_decode_line, lines)), "cp1252", defects


def _without_padding(data: bytes) -> tuple[bytes, bool]:
    """
    Return the bytes with long runs of NUL as one blank, none at the ends, and whether there was any.

    A crash leaves them where a file had grown and its text had not reached the disk; what is appended later stands
    behind them. No line feed is among them, so line numbers hold.
    """
    inner = data.strip(b"\0")
    if _PADDING in inner:
        inner = re.sub(_PADDING + b"+", b" ", inner)
    return inner, len(inner) < len(data)


def _decode_line(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace")


def _mostly_text(data: bytes) -> bool:
    sample = data[:8192]
    control = sum(sample.count(bytes((n,))) for n in (*range(1, 9), *range(14, 27)))
    return control * 20 <= len(sample)


def current_digest(target: str) -> str:
    """Return the digest of what is on disk now."""
    try:
        with open(target, "rb") as file:
            return digest_of(file.read())
    except FileNotFoundError:
        return ABSENT


def replace(target: str, data: bytes, unchanged: Callable[[], bool], *, settle: bool = True) -> None:
    """
    Replace a file by way of a synced temporary one beside it, keeping its mode.

    Args:
        unchanged: Asked right before the replacement; False gives up.
        settle: Make the new name durable, too; who replaces many files does so once, with `sync_folder`.

    Raises:
        OSError: It cannot be written.
        WorkspaceError: It was changed meanwhile.
    """
    folder = os.path.dirname(target)
    os.makedirs(folder, exist_ok=True)
    sweep_folder(folder)
    temporary = os.path.join(folder, f"{TEMP_PREFIX}{os.getpid()}-{os.urandom(6).hex()}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        with open(descriptor, "wb") as file:
            with contextlib.suppress(FileNotFoundError):
                os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        if not unchanged():
            raise WorkspaceError(f"{os.path.basename(target)} was changed by somebody else meanwhile; try again")
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    if settle:
        sync_folder(folder)


def sync_folder(folder: str) -> None:
    """Make a rename durable where the system can."""
    flag: int | None = getattr(os, "O_DIRECTORY", None)
    if flag is None:
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | flag)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def sweep_folder(folder: str) -> int:
    """Remove temporary files of ours that a crash left in a folder; return how many."""
    removed = 0
    try:
        names = os.listdir(folder)
    except OSError:
        return 0
    for name in names:
        if name.startswith(TEMP_PREFIX):
            path = os.path.join(folder, name)
            with contextlib.suppress(OSError):
                if time.time() - os.lstat(path).st_mtime > _STALE_SECONDS:
                    os.unlink(path)
                    removed += 1
    return removed


def read_json(path: Path) -> Any:
    """Read a note of ours; None when it is missing, cannot be read, or is no JSON."""
    import json

    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
