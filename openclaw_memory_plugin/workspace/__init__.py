"""
The folder of Markdown files that is the memory: which files exist, reading, locking and atomic writing.

Paths are relative to the workspace, POSIX separators, exact case; nothing outside it is read or written.
"""

import contextlib
import datetime as dt
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import attrs

from openclaw_memory_plugin.errors import MissingWorkspaceError, WorkspaceError
from openclaw_memory_plugin.workspace.files import (
    ABSENT,
    MAX_BYTES,
    TEMP_PREFIX,
    UNREADABLE,
    Source,
    current_digest,
    decode,
    digest_of,
    encode_edited,
    read_bytes,
    replace,
    sweep_folder,
    sync_folder,
)

if TYPE_CHECKING:
    from filelock import FileLock

__all__ = [
    "ABSENT",
    "MAX_BYTES",
    "TEMP_PREFIX",
    "FileState",
    "Source",
    "Workspace",
    "digest_of",
    "encode_edited",
]

STATE_FOLDER = ".memory"
IGNORE_FILE = ".memoryignore"

RACY_NS = 2_000_000_000
"""File systems exist that tell times this coarsely."""

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
    r"^[.~#]|^_?template(?=[ ._-])|^backup[_-]\d|[._-](?:template|bak|backup|old|orig|tmp)\d*\.(?:md|markdown)$", re.I
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_PLAIN_LOG = re.compile(r"\d{4}-\d\d-\d\d[\w-]*\.md").fullmatch
"""What most files are called, so that the slower questions are asked of few."""


class FileState(NamedTuple):
    """What a scan tells about one file; equal states mean that nothing has to be read."""

    path: str
    size: int
    mtime_ns: int
    inode: int

    def settled(self, now_ns: int) -> "FileState":
        """Return the state to remember: without a time when the file may yet change within the same tick."""
        return self._replace(mtime_ns=0) if self.mtime_ns > now_ns - RACY_NS else self


@attrs.define(kw_only=True)
class Workspace:
    """
    One workspace on disk.

    Raises:
        MissingWorkspaceError: The folder does not exist.
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
            raise MissingWorkspaceError(
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
            except (FileExistsError, NotADirectoryError) as error:
                raise WorkspaceError(f"{folder} is a file where a folder has to be; move it") from error
            except OSError as error:
                raise WorkspaceError(f"{folder} cannot be created: {error.strerror}; check its permissions") from error
        return folder

    def today(self, now: dt.datetime) -> dt.date:
        """Return the owner's day at that instant."""
        return now.astimezone(self.zone).date()

    def extras(self) -> tuple[str, ...]:
        """Return those of `extra` that lie below the root, POSIX; nothing else is ever looked into."""
        paths = (os.path.normpath(extra).replace(os.sep, "/") for extra in self.extra)
        return tuple(
            path for path in paths if path not in (".", "..") and not path.startswith("../") and not os.path.isabs(path)
        )

    def scan(self) -> list[FileState]:
        """
        List every file that is read, sorted by path.

        One stat per file and nothing else: no file is opened, except a `.memoryignore`.
        """
        found: list[FileState] = []
        ignored = self._ignored()
        tops = (*_FOLDERS, *self.extras())
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
            if "/" in extra:
                self._take_extra(extra, found, ignored, tops)
        found.sort()
        return [state for n, state in enumerate(found) if not n or state.path != found[n - 1].path]

    def read(self, path: str) -> Source:
        """
        Read one file, whatever is wrong with it: what cannot be read comes back as a defect, never as an exception.

        A missing file has the digest `ABSENT` and no defect.
        """
        from openclaw_memory_plugin.markdown.nouns import Defect

        try:
            data, cut = read_bytes(self.locate(path))
        except FileNotFoundError:
            return Source(path=path, data=b"", text="", digest=ABSENT, encoding="utf-8")
        except (OSError, WorkspaceError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            defect = Defect(line=0, message=f"cannot be read: {reason}", remedy="check its type and permissions")
            return Source(path=path, data=b"", text="", digest=UNREADABLE, encoding="binary", defects=(defect,))
        text, encoding, defects = decode(data)
        if cut:
            text = text[: text.rfind("\n") + 1]
            defects.append(
                Defect(line=0, message=f"larger than {MAX_BYTES} bytes, the rest is not read", remedy="split the file")
            )
        return Source(
            path=path, data=data, text=text, digest=digest_of(data), encoding=encoding, defects=tuple(defects)
        )

    def write(self, path: str, data: bytes, expected_digest: str | None = None, *, settle: bool = True) -> str:
        """
        Replace a file in one step that survives a crash, and return the new digest.

        The mode is kept, folders are created, equal bytes write nothing. With `expected_digest` (of what was read, or
        `ABSENT`) the file is only replaced when it is still that; hold `lock()` around reading and writing. Without
        `settle` the replacement survives a crash of this process, and one of the machine after `settle()`.

        Raises:
            WorkspaceError: It has changed meanwhile, lies outside the workspace, or cannot be written.
        """
        target = self.locate(path)
        digest = digest_of(data)
        try:
            current = current_digest(target)
            if expected_digest is not None and current != expected_digest:
                raise WorkspaceError(f"{path} was changed by somebody else meanwhile; nothing was written, try again")
            if current != digest:
                replace(
                    target,
                    data,
                    lambda: expected_digest is None or current_digest(target) == expected_digest,
                    settle=settle,
                )
        except OSError as error:
            raise WorkspaceError(
                f"{path} cannot be written: {error.strerror or error}; check its permissions"
            ) from error
        return digest

    def settle(self, paths: Iterable[str]) -> None:
        """Make replacements of these files durable that were written without; one call for each folder."""
        for folder in sorted({os.path.dirname(self.locate(path)) for path in paths}):
            sync_folder(folder)

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
        folders = [self._real, *(os.path.join(self._real, name) for name in (*_FOLDERS, STATE_FOLDER, *self.extras()))]
        removed = 0
        for top in folders[1:]:
            for folder, _, _ in os.walk(top):
                removed += sweep_folder(folder)
        return removed + sweep_folder(folders[0])

    def locate(self, path: str) -> str:
        """
        Return the absolute real path of a relative one; links are followed, and must stay inside.

        Raises:
            WorkspaceError: It leads out of the workspace.
        """
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
                    if child.name[-3:] == ".md" and child.is_file(follow_symlinks=False):
                        _add(child, below, found, ignored)
                    else:
                        self._take(child, below, found, ignored, tops)
            elif name[-3:].lower() == ".md" or name[-9:].lower() == ".markdown":
                _add(entry, prefix, found, ignored)
        except OSError:
            return

    def _follow(self, entry: "os.DirEntry[str]", tops: tuple[str, ...]) -> bool:
        """Whether a link leads to something inside that is not read under its own path anyway."""
        real = os.path.realpath(entry.path)
        if real == self._real or not _inside(real, self._real):
            return False
        own = os.path.relpath(real, self._real).replace(os.sep, "/")
        if own in _ROOT_FILES or own.startswith("."):
            return False
        return not any(_inside(own, top) or _inside(top, own) for top in tops)


def _add(entry: "os.DirEntry[str]", prefix: str, found: list[FileState], ignored: Callable[[str], bool] | None) -> None:
    """Add one Markdown file; runs for every file of every scan."""
    name = entry.name
    if not _PLAIN_LOG(name) and (_SKIPPED_FILES.search(name) or name.lower() in _INSTRUCTIONS):
        return
    path = prefix + name
    if ignored is not None and ignored(path):
        return
    status = entry.stat()
    if stat.S_ISREG(status.st_mode):
        found.append(FileState(path, status.st_size, status.st_mtime_ns, status.st_ino))


def _inside(path: str, folder: str) -> bool:
    """Containment by whole path components of two resolved paths."""
    separator = "/" if "/" in folder or os.sep == "/" else os.sep
    return path == folder or path.startswith(folder if folder.endswith(separator) else folder + separator)


def _entries(folder: str) -> "list[os.DirEntry[str]]":
    """List a folder, without names that are not UTF-8: they can neither be cited nor kept in the index."""
    try:
        with os.scandir(folder) as entries:
            return [entry for entry in entries if entry.name.isascii() or not _SURROGATE.search(entry.name)]
    except OSError:
        return []


def _is_pattern(line: str) -> bool:
    import pathspec

    try:
        pathspec.GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
