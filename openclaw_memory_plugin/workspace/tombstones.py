"""
The forgotten statements, as `memory/archive/tombstones.jsonl` keeps them from coming back.

`{"key": …}` first, then `{"hash": …, "forgotten_at": …, "form": "exact"}` lines, taken back by `{"hash": …,
"taught_at": …}`. A hash is HMAC-SHA-256 of the statement in its exact form, alone or with a name before its colon
(`saying.py`); without `form` it may be one of the statement without blanks and punctuation, so both forms are tried.
Nothing can be read from a hash without guessing the whole statement. Files merged from two machines may hold two keys:
a statement is tried under each.

Reading never fails: a line that is not what it should be is a defect, everything else counts, and of a damaged
tombstone what is left of its hash. Only when it cannot be told at all what was forgotten (the file or its key cannot
be read), asking raises: nothing new is shown or kept until it can.
"""

import re
from collections.abc import Iterable, Mapping, Set
from pathlib import Path
from typing import Any

import attrs

from openclaw_memory_plugin.errors import WorkspaceError
from openclaw_memory_plugin.markdown.nouns import Defect
from openclaw_memory_plugin.workspace.lines import TOMBSTONES, FileDefect, not_ours, records
from openclaw_memory_plugin.workspace.saying import Form, asked_keys, exact, letters, statement_key, worded_keys

EXACT = "exact"
"""The `form` of a hash of a statement's exact form."""
_HASH_CHARS = 64
_HASH_PIECES = re.compile(rf"[0-9a-f]{{16,{_HASH_CHARS}}}")
"""What tells a damaged hash from any other, 64 bits of it."""


@attrs.frozen(kw_only=True)
class Tombstones:
    """The forgotten statements."""

    keys: tuple[bytes, ...] = ()
    hashes: Mapping[str, str] = attrs.field(factory=dict)
    """Hash -> the instant at which it was forgotten (ISO 8601); those taught again are not in it."""
    taught: Set[str] = frozenset()
    """Hashes of what the owner has stated since, forgotten before or not."""
    formless: bool = False
    """Whether some of them may be of statements without blanks and punctuation."""
    pieces: tuple[str, ...] = ()
    """What can be read of damaged hashes; what they may be part of stays forgotten."""
    lost: FileDefect | None = None
    """Why it cannot be told what was forgotten; one of the defects."""
    defects: tuple[FileDefect, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.hashes or self.pieces or self.lost)

    def check(self) -> None:
        """
        Make sure that it can be told what was forgotten.

        Raises:
            WorkspaceError: It cannot.
        """
        if self.lost is not None:
            raise WorkspaceError(
                f"{self.lost.path}: {self.lost.defect.message}, so nothing new is read or kept; "
                f"{self.lost.defect.remedy}"
            )

    def covers(self, content: str, heads: Iterable[str]) -> bool:
        """
        Whether this statement was forgotten; some 30 µs when anything was, nothing otherwise.

        Raises:
            WorkspaceError: It cannot be told.
        """
        self.check()
        return bool(self) and bool(self.about(content, heads))

    def refuses(self, content: str, heads: Iterable[str]) -> bool:
        """
        Whether nobody but the owner may state this: what was forgotten, also when it is said of somebody else now.

        Raises:
            WorkspaceError: It cannot be told.
        """
        names = tuple(heads)
        if not self or self.covers(content, names):
            return bool(self)
        said = self.marks(statement_key(content, names, form) for form in self._forms)
        return bool(self.worded(content)) and self.taught.isdisjoint(said)

    def about(self, content: str, heads: Iterable[str]) -> tuple[str, ...]:
        """The hashes under which this statement is forgotten."""
        names = tuple(heads)
        return self._standing(key for form in self._forms for key in asked_keys(content, names, form))

    def worded(self, content: str) -> tuple[str, ...]:
        """The hashes under which these words are forgotten, whoever they are about."""
        return self._standing(key for form in self._forms for key in worded_keys(content, form))

    @property
    def _forms(self) -> tuple[Form, ...]:
        return (exact, letters) if self.formless or self.pieces else (exact,)

    def _standing(self, keys: Iterable[str]) -> tuple[str, ...]:
        marks = self.marks(keys)
        return tuple(mark for mark in marks if mark in self.hashes or any(piece in mark for piece in self.pieces))

    def marks(self, keys: Iterable[str]) -> tuple[str, ...]:
        """The hashes of these keys, as `saying` gives them, under each of the file's."""
        import hmac

        said = [key.encode() for key in keys]
        return tuple(hmac.digest(key, one, "sha256").hex() for key in self.keys for one in said)


def read_tombstones(root: Path) -> Tombstones:
    """Read the tombstones; none when the file does not exist."""
    keys: list[bytes] = []
    hashes: dict[str, str] = {}
    taught: set[str] = set()
    pieces: list[str] = []
    defects = []
    formless = False
    lost: FileDefect | None = None
    for number, record, defect in records(root, TOMBSTONES):
        message = defect.message if defect else ""
        try:
            if defect is not None:
                pieces += _pieces(record.get("text", ""))
            elif "key" in record:
                keys.append(_key(record["key"]))
            elif "taught_at" in record:
                hashes.pop(str(record["hash"]), None)
                taught.add(str(record["hash"]))
                pieces = [piece for piece in pieces if piece not in str(record["hash"])]
            else:
                hashes[_hash(record["hash"])] = str(record["forgotten_at"])
                taught.discard(record["hash"])
                formless |= record.get("form") != EXACT
        except (KeyError, TypeError, ValueError) as error:
            message = f"not a tombstone: {error!r}"
            pieces += _pieces(str(record.get("hash", "")))
        if message:
            found = FileDefect(path=TOMBSTONES, defect=defect or not_ours(number, message))
            if number == 0 or _may_be_key(record):
                found = lost = FileDefect(path=TOMBSTONES, defect=_lost(number, f"the key is lost ({message})"))
            defects.append(found)
    if not keys and lost is None and (hashes or pieces or defects):
        first = defects.pop(0).defect if defects else not_ours(1, "no line holds it")
        lost = FileDefect(path=TOMBSTONES, defect=_lost(first.line, f"the key is missing ({first.message})"))
        defects.insert(0, lost)
    return Tombstones(
        keys=tuple(keys),
        hashes=hashes,
        taught=taught,
        formless=formless,
        pieces=tuple(pieces),
        lost=lost,
        defects=tuple(defects),
    )


def _key(written: Any) -> bytes:
    key = bytes.fromhex(written)
    if not key:
        raise ValueError("the key is empty")
    return key


def _hash(written: Any) -> str:
    if not isinstance(written, str) or len(written) != _HASH_CHARS:
        raise ValueError(f"{written!r} is no hash")
    return written


def _pieces(text: str) -> list[str]:
    """What can be read of the hashes on a damaged line; one that was taught again stays forgotten, too."""
    return [] if _names_key(text) else _HASH_PIECES.findall(text)


def _may_be_key(record: Mapping[str, Any]) -> bool:
    """Whether a line that cannot be used may have been a key: it says so, or bytes of it are gone."""
    text = str(record.get("text", ""))
    return "key" in record or _names_key(text) or (not _pieces(text) and ("\0" in text or "\ufffd" in text))


def _names_key(text: str) -> bool:
    return '"key"' in text and '"hash"' not in text


def _lost(line: int, message: str) -> Defect:
    remedy = "put the file back from a backup or from version control; or delete it, and what was forgotten may return"
    return Defect(line=line, message=f"it cannot be told what was forgotten: {message}", remedy=remedy)
