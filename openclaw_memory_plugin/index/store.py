"""
Open the index file: where it lies, in which journal mode, and what happens when it is not what it should be.

A corrupt or foreign file is replaced, an older version too, a newer one is left alone. A file that cannot be written is
never touched: a private copy is built in the user's cache folder instead.
"""

import contextlib
import logging
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from openclaw_memory_plugin.errors import IndexUnavailableError

log = logging.getLogger(__name__)

VERSION = 4
"""Of schema and terms; indexes of another version are not read."""

APPLICATION_ID = 0x4F434D31
"""`OCM1`: marks a SQLite file as ours."""

BUSY_SECONDS = 10.0
ATTEMPTS = 3
"""Times that a write waits `BUSY_SECONDS` for its turn before it is an error."""

REPLACEMENTS = 3
"""Times that one opening replaces a file that cannot be trusted: other processes may be doing so, too."""

CACHE_KB = 16_000
"""Most memory for pages of the file: enough to keep its indexes while a hundred thousand facts are written."""

PENDING_BYTES = 8 << 20
"""Terms that FTS5 keeps in memory before it writes them: a bulk sync writes them once, with nothing left to merge."""

SMALL_PAGES = 250
WASTE = 20
"""A file of more than `SMALL_PAGES` pages of which one in `WASTE` is free is written anew."""

NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "glusterfs", "lustre", "fuse.sshfs", "9p"})
"""File systems on which shared memory between processes, and so WAL, cannot be relied on."""

SIDECARS = ("-wal", "-shm", "-journal")


class _NewerIndex(Exception):
    """A later release made this index; it is left to that."""


class WordsDrift(Exception):
    """The terms of a fact are not those under which it was indexed: `words` has to be filled anew."""


class Store:
    """One open index file. Not for use by several threads at once."""

    def __init__(self, state_dir: Path, root: Path) -> None:
        """
        Open the index of the workspace `root` in `state_dir`, or where that cannot be written in the cache folder.

        Raises:
            IndexUnavailableError: It can be opened nowhere.
        """
        self.notices: tuple[str, ...] = ()
        """What is not as usual with this file, one sentence each."""
        self.same: tuple[int, object] | None = None
        """What a look at the files found when it last found nothing new, and SQLite's `data_version` then."""
        self._patience: float | None = None
        self._folders = (state_dir, _cache_folder(root))
        self.path, self.connection = self._open_somewhere()
        self._inode = _inode(self.path)

    def is_current(self) -> bool:
        """Tell whether the open file is still the one of that name; another process may have replaced or removed it."""
        return self._inode == _inode(self.path)

    def _open_somewhere(self) -> tuple[Path, sqlite3.Connection]:
        problems: list[str] = []
        for folder in self._folders:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                if not os.access(folder, os.W_OK):
                    raise PermissionError(f"{folder} cannot be written")
                opened = self._open_in(folder)
            except (OSError, sqlite3.OperationalError) as error:
                problems.append(f"{folder}: {error}")
                continue
            if problems:
                self._notice(f"the index is kept in {folder}, because the workspace cannot be written")
            return opened
        raise IndexUnavailableError(
            f"no index can be opened ({'; '.join(problems)}); make one of these folders writable or set XDG_CACHE_HOME"
        )

    def _open_in(self, folder: Path) -> tuple[Path, sqlite3.Connection]:
        path = folder / "index.sqlite"
        deadline = time.monotonic() + BUSY_SECONDS
        replaced = 0
        while True:
            try:
                return path, self._connect(path)
            except _NewerIndex as error:
                if path.name == "index.sqlite":
                    path = folder / f"index.v{VERSION}.sqlite"
                    continue
                reason = str(error)
            except sqlite3.OperationalError as error:
                if is_busy(error) and time.monotonic() < deadline:
                    time.sleep(0.05)
                    continue
                if is_busy(error):
                    raise IndexUnavailableError(f"{path} stayed locked for {BUSY_SECONDS:.0f} seconds") from error
                if not is_corruption(error):
                    raise
                reason = str(error)
            except sqlite3.DatabaseError as error:
                reason = str(error)
            if replaced == REPLACEMENTS:
                raise IndexUnavailableError(f"{path} cannot be used ({reason}), even when new; is the disk full?")
            log.warning("%s: %s; building it anew", path, reason)
            _remove(path)
            replaced += 1

    def _connect(self, path: Path) -> sqlite3.Connection:
        """Open `path` and give it our schema when it has none; raises DatabaseError for what is not ours."""
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("BEGIN")  # one look at all three: another process may be about to make it
            (application,) = connection.execute("PRAGMA application_id").fetchone()
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            is_empty = not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
            connection.execute("COMMIT")
            if version == 0 and is_empty:
                self._prepare(connection, path)
            elif application != APPLICATION_ID:
                raise sqlite3.DatabaseError("not an index of this program")
            elif version > VERSION:
                raise _NewerIndex(f"an index of version {version}")
            elif version < VERSION:
                raise sqlite3.DatabaseError(f"an index of version {version}, {VERSION} is needed")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(f"PRAGMA cache_size = -{CACHE_KB}")
            connection.execute("SELECT 1 FROM files LIMIT 1").fetchone()
            connection.create_function("idf", 1, idf, deterministic=True)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection, path: Path) -> None:
        if _on_network(path):
            self._notice(f"{path} is on a network file system; it is kept without a write-ahead log")
        else:
            connection.execute("PRAGMA journal_mode = WAL")
        from importlib import resources

        schema = resources.files(__package__).joinpath("schema.sql").read_text(encoding="utf-8")
        with self._begin(connection):
            if not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
                for statement in _statements(schema):
                    connection.execute(statement)
                with contextlib.suppress(sqlite3.OperationalError):  # FTS5's manual does not name this option
                    connection.execute("INSERT INTO words (words, rank) VALUES ('hashsize', ?)", (PENDING_BYTES,))
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {VERSION}")

    def _notice(self, text: str) -> None:
        if text not in self.notices:
            self.notices = (*self.notices, text)
            log.info("%s", text)

    @contextlib.contextmanager
    def transaction(self, *, wait: bool = True) -> Iterator[sqlite3.Connection]:
        """
        Write all of it or nothing.

        Args:
            wait: False gives up at once when another process writes; for what leaves the files' states alone.

        Raises:
            IndexUnavailableError: Other processes kept the file locked all the time.
        """
        if wait:
            self.same = None
        else:
            self.connection.execute("PRAGMA busy_timeout = 0")
        try:
            with self._begin(self.connection, ATTEMPTS if wait and self._patience is None else 1) as connection:
                yield connection
        finally:
            if not wait:
                self._wait_for(BUSY_SECONDS if self._patience is None else self._patience)

    @contextlib.contextmanager
    def patience(self, seconds: float) -> Iterator[None]:
        """Let no transaction inside wait longer than this for its turn: for readers, who can do without."""
        before, self._patience = self._patience, seconds
        self._wait_for(seconds)
        try:
            yield
        finally:
            self._patience = before
            self._wait_for(BUSY_SECONDS if before is None else before)

    def _wait_for(self, seconds: float) -> None:
        with contextlib.suppress(sqlite3.ProgrammingError):  # closed meanwhile; it is opened anew with the usual wait
            self.connection.execute(f"PRAGMA busy_timeout = {seconds * 1000:.0f}")

    @contextlib.contextmanager
    def _begin(self, connection: sqlite3.Connection, attempts: int = ATTEMPTS) -> Iterator[sqlite3.Connection]:
        for attempt in range(attempts):
            try:
                connection.execute("BEGIN IMMEDIATE")
                break
            except sqlite3.OperationalError as error:
                if not is_busy(error):
                    raise
                log.debug("attempt %s: %s", attempt + 1, error)
                if attempt + 1 < attempts:
                    time.sleep(0.05 * (attempt + 1))
        else:
            waited = attempts * BUSY_SECONDS if self._patience is None else self._patience
            raise IndexUnavailableError(
                f"the index stayed locked for {waited:g} seconds; end the process that holds it and repeat the command"
            )
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise

    def tidy(self) -> bool:
        """Give back what the file no longer needs, when that is much and nobody else writes; tell whether it did."""
        (free,) = self.connection.execute("PRAGMA freelist_count").fetchone()
        (pages,) = self.connection.execute("PRAGMA page_count").fetchone()
        if pages < SMALL_PAGES or free * WASTE < pages:
            return False
        try:
            self.connection.execute("VACUUM")
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.OperationalError as error:
            log.debug("not vacuumed: %s", error)
            return False
        return True

    def replace(self) -> None:
        """Throw the file away and open a new one; what it held is derived and comes back with the next sync."""
        self.close()
        _remove(self.path)
        self.reopen()

    def reopen(self) -> None:
        """Open the file that has that name now."""
        self.close()
        self.same = None
        self.path, self.connection = self._open_somewhere()
        self._inode = _inode(self.path)
        if self._patience is not None:
            self._wait_for(self._patience)

    def close(self) -> None:
        """Close the file; doing so twice is harmless."""
        with contextlib.suppress(sqlite3.Error):
            self.connection.close()


def is_corruption(error: sqlite3.Error) -> bool:
    """Tell whether `error` means that the file's content cannot be trusted, and not that it may not be used now."""
    if isinstance(error, sqlite3.OperationalError):
        text = str(error)
        return (
            "no such table" in text or "no such column" in text or "malformed" in text or "vtable constructor" in text
        )
    if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError):
        return False
    return isinstance(error, sqlite3.DatabaseError)


def is_busy(error: sqlite3.OperationalError) -> bool:
    """Tell whether `error` means that another process has the file."""
    return "locked" in str(error) or "busy" in str(error)


def idf(facts: int) -> float:
    """Return the weight of an entity in `facts` facts: min(1, 1/ln(facts + 1)), 1 for one that is in one or none."""
    import math

    return min(1.0, 1.0 / math.log(facts + 1)) if facts > 1 else 1.0


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _remove(path: Path) -> None:
    """Remove an index with everything beside it, the file last: who finds it alone starts with a clean one."""
    from filelock import FileLock

    with FileLock(str(path.with_name(".index.repair.lock")), timeout=60):
        for suffix in (*SIDECARS, ""):
            path.with_name(path.name + suffix).unlink(missing_ok=True)


def _cache_folder(root: Path) -> Path:
    import zlib

    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "openclaw-memory" / f"{root.name}-{zlib.crc32(str(root.resolve()).encode()):08x}"


def _on_network(path: Path) -> bool:
    """Tell whether `path` lies on a network mount; False where the system does not say."""
    try:
        with open("/proc/mounts", encoding="utf-8", errors="replace") as mounts:
            entries = [line.split()[1:3] for line in mounts]
    except OSError:
        return False
    target = str(path.resolve())
    best, kind = "", ""
    for mount, filesystem in entries:
        mount = mount.replace("\\040", " ")
        if len(mount) >= len(best) and (target == mount or target.startswith(mount.rstrip("/") + "/")):
            best, kind = mount, filesystem
    return kind in NETWORK


def _statements(script: str) -> Iterator[str]:
    """Split a script into statements, so that they can run inside a transaction of ours."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
