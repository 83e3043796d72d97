"""
The folder of Markdown files that is the memory: which files exist, reading, locking and atomic writing.

Paths are relative to the workspace, POSIX separators, exact case. Bytes of a user are never "fixed": what is edited is
decoded so that it encodes back to the same bytes.
"""

import contextlib
import datetime as dt
import os
import re
import secrets
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from openclaw_memory_plugin.errors import WorkspaceError
from openclaw_memory_plugin.markdown.nouns import Defect

if TYPE_CHECKING:
    from filelock import FileLock

STATE_FOLDER = ".memory"
IGNORE_FILE = ".memoryignore"
TEMP_PREFIX = ".ocmem-"
ABSENT = ""
"""The digest of a file that does not exist."""
MAX_BYTES = 8 * 1024 * 1024
"""What is read of one file; more is cut at a line and reported."""

_STALE_SECONDS = 600.0
_ROOT_FILES = ("MEMORY.md", "memory.md", "Memory.md", "USER.md")
_FOLDERS = ("memory", "bank")
_INSTRUCTIONS = frozenset(
    f"{name}.md"
    for name in ("soul", "agents", "tools", "identity", "heartbeat", "bootstrap", "boot", "dreams", "skill")
)
_SKIPPED_FOLDERS = re.compile(
    r"(?:\..*|dreaming|dreams|node_modules|__pycache__|_?templates?|_?backups?|_?trash)", re.I
)
_SKIPPED_FILES = re.compile(
    r"[.~#].*|_?template(?:[ ._-].*)?\.m\w+|.*[._-]template\.m\w+|.*[._-](?:bak|backup|old|orig|tmp)\d*\.m\w+|backup[._-].*",
    re.I,
)
_INVALID_UTF8 = re.compile("[\udc80-\udcff]")


@attrs.frozen(kw_only=True)
class FileState:
    """What a scan tells about one file; equal states mean that nothing has to be read."""

    path: str
    size: int
    mtime_ns: int
    inode: int


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
    defects: tuple[Defect, ...] = ()

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


@attrs.define(kw_only=True)
class Workspace:
    """
    One workspace on disk.

    Raises:
        WorkspaceError: The folder does not exist.
    """

    root: Path = attrs.field(converter=Path)
    zone: dt.tzinfo | None = None
    """The owner's zone; None is the system's."""
    extra: tuple[str, ...] = ()
    """Further files or folders below the root that are read."""
    _real: str = attrs.field(init=False)
    _lock: "FileLock | None" = attrs.field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        if not os.path.isdir(self.root):
            raise WorkspaceError(
                f"no workspace at {self.root}; create one with `openclaw-memory-plugin --workspace {self.root} init`"
            )
        self._real = os.path.realpath(self.root)

    @property
    def state_dir(self) -> Path:
        """Where derived files live; it need not exist yet, see `make_state_dir`."""
        return self.root / STATE_FOLDER

    def make_state_dir(self) -> Path:
        """Create the state folder, kept out of version control by its own `.gitignore`, and return it."""
        folder = self.state_dir
        marker = folder / ".gitignore"
        if not marker.exists():
            try:
                folder.mkdir(exist_ok=True)
                marker.write_text("*\n", encoding="ascii")
            except OSError as error:
                raise WorkspaceError(f"{folder} cannot be created: {error.strerror}; check its permissions") from error
        return folder

    def today(self, now: dt.datetime) -> dt.date:
        """Return the owner's day at that instant."""
        return now.astimezone(self.zone).date()

    def scan(self) -> list[FileState]:
        """
        List every file that is read, sorted by path.

        One stat per file and nothing else: no file is opened, except a `.memoryignore`.
        """
        found: list[FileState] = []
        ignored = self._ignored()
        tops = (*_FOLDERS, *(os.path.normpath(extra).replace(os.sep, "/") for extra in self.extra))
        inodes: set[int] = set()
        for entry in _entries(self._real):
            if entry.name in _ROOT_FILES and entry.name not in tops:
                before = len(found)
                self._take(entry, "", found, ignored, tops)
                if len(found) > before and found[-1].inode and (found[-1].inode in inodes):
                    found.pop()
                elif len(found) > before:
                    inodes.add(found[-1].inode)
            elif entry.name in tops or entry.name.lower() in _FOLDERS:
                self._take(entry, "", found, ignored, tops)
        for extra in tops[len(_FOLDERS) :]:
            if "/" in extra and not extra.startswith(("../", "/")):
                self._take_extra(extra, found, ignored, tops)
        found.sort(key=_path_of)
        return [state for n, state in enumerate(found) if not n or state.path != found[n - 1].path]

    def read(self, path: str) -> Source:
        """
        Read one file, whatever is wrong with it: what cannot be read comes back as a defect, never as an exception.

        A missing file has the digest `ABSENT` and no defect.
        """
        try:
            data, cut = _read_bytes(self._locate(path))
        except FileNotFoundError:
            return Source(path=path, data=b"", text="", digest=ABSENT, encoding="utf-8")
        except (OSError, WorkspaceError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            defect = Defect(line=0, message=f"cannot be read: {reason}", remedy="check its type and permissions")
            return Source(path=path, data=b"", text="", digest="unreadable", encoding="binary", defects=(defect,))
        text, encoding, defects = _decode(data)
        if cut:
            text = text[: text.rfind("\n") + 1]
            defects.append(
                Defect(line=0, message=f"larger than {MAX_BYTES} bytes, the rest is not read", remedy="split the file")
            )
        return Source(
            path=path, data=data, text=text, digest=digest_of(data), encoding=encoding, defects=tuple(defects)
        )

    def write(self, path: str, data: bytes, expected_digest: str | None = None) -> str:
        """
        Replace a file in one step that survives a crash, and return the new digest.

        The mode is kept, folders are created, equal bytes write nothing. With `expected_digest` (of what was read, or
        `ABSENT`) the file is only replaced when it is still that; hold `lock()` around reading and writing.

        Raises:
            WorkspaceError: It has changed meanwhile, lies outside the workspace, or cannot be written.
        """
        target = self._locate(path)
        digest = digest_of(data)
        try:
            current = _current_digest(target)
            if expected_digest is not None and current != expected_digest:
                raise WorkspaceError(f"{path} was changed by somebody else meanwhile; nothing was written, try again")
            if current != digest:
                _replace(target, data, lambda: expected_digest is None or _current_digest(target) == expected_digest)
        except OSError as error:
            raise WorkspaceError(
                f"{path} cannot be written: {error.strerror or error}; check its permissions"
            ) from error
        return digest

    @contextlib.contextmanager
    def lock(self, timeout: float = 60.0) -> Iterator[None]:
        """
        Hold the workspace's lock across processes; the same object may take it again inside.

        Args:
            timeout: Seconds to wait.

        Raises:
            WorkspaceError: Somebody else held it all that time, or it cannot be created.
        """
        import filelock

        path = self.make_state_dir() / "lock"
        if self._lock is None:
            self._lock = filelock.FileLock(str(path))
        try:
            self._lock.acquire(timeout=timeout, poll_interval=0.02)
        except filelock.Timeout as error:
            raise WorkspaceError(
                f"{path} was held by another process for {timeout:g} s; end that process or try again"
            ) from error
        except OSError as error:
            raise WorkspaceError(f"{path} cannot be locked: {error.strerror or error}") from error
        try:
            yield
        finally:
            self._lock.release()

    def log_path(self, day: dt.date) -> str:
        """
        Return the daily log to write to: the day's own (`YYYY-MM-DD.md`, then `YYYYMMDD.md`, also in a subfolder of
        `memory/`), else the one to create. A log with a suffix keeps its own topic and is not written to.
        """
        names = (f"{day.isoformat()}.md", f"{day:%Y%m%d}.md")
        for name in names:
            if os.path.isfile(os.path.join(self._real, "memory", name)):
                return f"memory/{name}"
        logs = [state.path for state in self.scan() if state.path.startswith("memory/")]
        for name in names:
            for path in logs:
                if path.rpartition("/")[2] == name and "/archive/" not in path:
                    return path
        return f"memory/{names[0]}"

    def sweep(self) -> int:
        """Remove temporary files that a crash left behind; return how many."""
        folders = [self._real, *(os.path.join(self._real, name) for name in (*_FOLDERS, STATE_FOLDER, *self.extra))]
        removed = 0
        for top in folders[1:]:
            for folder, _, _ in os.walk(top):
                removed += _sweep_folder(folder)
        return removed + _sweep_folder(folders[0])

    def _locate(self, path: str) -> str:
        """Absolute real path of a relative one; links are followed, and must stay inside."""
        if "\0" in path:
            raise WorkspaceError(f"{path!r} is no path")
        real = os.path.realpath(os.path.join(self._real, path))
        if not _inside(real, self._real):
            raise WorkspaceError(f"{path} leads out of the workspace {self.root}; it is neither read nor written")
        return real

    def _ignored(self) -> Callable[[str], bool] | None:
        try:
            with open(os.path.join(self._real, IGNORE_FILE), encoding="utf-8-sig", errors="replace") as file:
                lines = file.read(MAX_BYTES).splitlines()
        except OSError:
            return None
        import pathspec

        try:
            spec = pathspec.GitIgnoreSpec.from_lines(lines)
        except ValueError:
            spec = pathspec.GitIgnoreSpec.from_lines(line for line in lines if _is_pattern(line))
        return spec.match_file

    def _take_extra(
        self, extra: str, found: list[FileState], ignored: Callable[[str], bool] | None, tops: tuple[str, ...]
    ) -> None:
        parent, _, name = extra.rpartition("/")
        for entry in _entries(os.path.join(self._real, parent)):
            if entry.name == name:
                self._take(entry, f"{parent}/", found, ignored, tops)

    def _take(
        self,
        entry: "os.DirEntry[str]",
        prefix: str,
        found: list[FileState],
        ignored: Callable[[str], bool] | None,
        tops: tuple[str, ...],
    ) -> None:
        """Add a file, or everything below a folder."""
        name = entry.name
        path = prefix + name
        try:
            if entry.is_symlink() and not self._follow(entry, tops):
                return
            if entry.is_dir():
                if _SKIPPED_FOLDERS.fullmatch(name) or (ignored is not None and ignored(path + "/")):
                    return
                below = path + "/"
                for child in _entries(entry.path):
                    child_name = child.name
                    if child_name[-3:] == ".md" and child.is_file(follow_symlinks=False):
                        self._add(child, below, found, ignored)
                    else:
                        self._take(child, below, found, ignored, tops)
            elif name[-3:].lower() == ".md" or name[-9:].lower() == ".markdown":
                self._add(entry, prefix, found, ignored)
        except OSError:
            return

    def _add(
        self,
        entry: "os.DirEntry[str]",
        prefix: str,
        found: list[FileState],
        ignored: Callable[[str], bool] | None,
    ) -> None:
        name = entry.name
        if not name[0].isdigit() and (
            name.lower() in _INSTRUCTIONS or (prefix and _SKIPPED_FILES.fullmatch(name)) or name[0] in ".~#"
        ):
            return
        if name[-4] in "kKpPdD" and _SKIPPED_FILES.fullmatch(name):
            return
        path = prefix + name
        if ignored is not None and ignored(path):
            return
        status = entry.stat()
        if stat.S_ISREG(status.st_mode):
            found.append(FileState(path=path, size=status.st_size, mtime_ns=status.st_mtime_ns, inode=status.st_ino))

    def _follow(self, entry: "os.DirEntry[str]", tops: tuple[str, ...]) -> bool:
        """Whether a link leads to something inside that is not read under its own path anyway."""
        real = os.path.realpath(entry.path)
        if real == self._real or not _inside(real, self._real):
            return False
        own = os.path.relpath(real, self._real).replace(os.sep, "/")
        if own in _ROOT_FILES or own.startswith("."):
            return False
        return not any(_inside(own, top) or _inside(top, own) for top in tops)


def _path_of(state: FileState) -> str:
    return state.path


def _inside(path: str, folder: str) -> bool:
    """Containment by whole path components of two resolved paths."""
    separator = "/" if "/" in folder or os.sep == "/" else os.sep
    return path == folder or path.startswith(folder if folder.endswith(separator) else folder + separator)


def _entries(folder: str) -> "list[os.DirEntry[str]]":
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _is_pattern(line: str) -> bool:
    import pathspec

    try:
        pathspec.GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _read_bytes(target: str) -> tuple[bytes, bool]:
    """The bytes of a regular file, and whether there are more than we take."""
    descriptor = os.open(target, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise WorkspaceError("not a regular file")
        data = file.read(MAX_BYTES)
        return data, len(data) == MAX_BYTES and bool(file.read(1))


def _decode(data: bytes) -> tuple[str, str, list[Defect]]:
    """Text, encoding and what is wrong with it."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        defect = Defect(line=0, message="encoded as UTF-16", remedy="save it as UTF-8")
        return data.decode("utf-16", "replace"), "utf-16", [defect]
    defects: list[Defect] = []
    if b"\0" in data:
        if data.count(b"\0") * 50 > len(data) or not _mostly_text(data):
            return "", "binary", [Defect(line=0, message="not a text file", remedy="move it out of the memory")]
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        defects.append(Defect(line=line, message="holds NUL bytes, read as blanks", remedy="remove them"))
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


def _decode_line(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace")


def _mostly_text(data: bytes) -> bool:
    sample = data[:8192]
    control = sum(sample.count(bytes((n,))) for n in (*range(1, 9), *range(14, 27)))
    return control * 20 <= len(sample)


def _current_digest(target: str) -> str:
    try:
        with open(target, "rb") as file:
            return digest_of(file.read())
    except FileNotFoundError:
        return ABSENT


def _replace(target: str, data: bytes, unchanged: Callable[[], bool]) -> None:
    folder = os.path.dirname(target)
    os.makedirs(folder, exist_ok=True)
    _sweep_folder(folder)
    temporary = os.path.join(folder, f"{TEMP_PREFIX}{os.getpid()}-{secrets.token_hex(6)}.tmp")
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
    _sync_folder(folder)


def _sync_folder(folder: str) -> None:
    """Make a rename durable where the system can."""
    flag: Any = getattr(os, "O_DIRECTORY", None)
    if flag is None:
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | flag)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _sweep_folder(folder: str) -> int:
    removed = 0
    for entry in _entries(folder):
        if entry.name.startswith(TEMP_PREFIX):
            with contextlib.suppress(OSError):
                if time.time() - entry.stat(follow_symlinks=False).st_mtime > _STALE_SECONDS:
                    os.unlink(entry.path)
                    removed += 1
    return removed
