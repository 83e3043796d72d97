"""
Find known names in running text. Pure: names and text in, names and places out.

Scripts with blanks are matched by whole words, scripts without by substring; of overlapping names the longest that
begins first wins.
"""

import functools
import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator

import attrs

from openclaw_memory_plugin.names import name_key

UNSPACED = (
    "\u3005-\u3007\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\u0e01-\u0e3a\u0e40-\u0e4e\U00020000-\U000323af"
)
"""
Scripts whose words are not set apart by blanks, or carry their particles (Korean), as a character class; those that
`words.terms` cuts into pairs.
"""

# As text: they take long to compile, and few workspaces need them.
_UNSPACED_RUN = f"[{UNSPACED}]+"
_MASKED = rf"`[^`]*`|\w[\w+.-]*://\S+|[^\s@{UNSPACED}]+@[^\s@]+\.\w+|@[\w.-]+/[\w./-]+|[^\s{UNSPACED}]{{65,}}"
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc-\u30ff]+")
_MAY_MASK = re.compile("[`@]|://|\\S{65}")
_JOINTS = frozenset(" -_‐‑‒–・\u00ad")
_AS_ATOMS = bytes(ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else 32 for code in range(256))
"""For `bytes.translate`: leaves lower-case words of ASCII, in a third of the time."""
_AS_BLANK = str.maketrans(dict.fromkeys("-_‐‑‒–・\u00ad", " "))


@attrs.frozen(kw_only=True)
class Found:
    """One known name in a text."""

    key: str
    written: str
    """As it stands there, in NFKC."""
    start: int
    """Offset in the text's NFKC form."""
    end: int


@attrs.frozen(kw_only=True)
class _Name:
    key: str
    atoms: tuple[str, ...]
    joints: tuple[str, ...]
    capital: bool


class Names:
    """The known names of a workspace, ready for searching texts."""

    def __init__(self, written: Iterable[tuple[str, str]], run_keys: Iterable[str] = ()) -> None:
        """
        Take `(key, written form)` pairs, several per key allowed, and the keys that a run after an `@` may stand for.
        """
        forms: dict[str, list[str]] = {}
        for key, form in written:
            forms.setdefault(key, []).append(form)
        self.keys = forms.keys()
        self._runs = frozenset(run_keys)
        self._by_atom: dict[str, list[_Name]] = {}
        self._by_char: dict[str, list[str]] = {}
        for key, written_forms in forms.items():
            if is_unspaced(key):
                if len(key) > 1:
                    self._by_char.setdefault(key[0], []).append(key)
                continue
            name = _spaced_name(key, written_forms)
            if name is not None:
                self._by_atom.setdefault(name.atoms[0], []).append(name)
        self._ascii_atoms = frozenset(atom.encode() for atom in self._by_atom if atom.isascii())
        for candidates in self._by_atom.values():
            candidates.sort(key=lambda candidate: (-len(candidate.atoms), candidate.key))
        for keys in self._by_char.values():
            keys.sort(key=lambda unspaced: (-len(unspaced), unspaced))

    def find(self, text: str) -> list[Found]:
        """Return the known names in `text`, in order, not overlapping; O(length)."""
        plain = normal(text)
        found: list[Found] = []
        if self._by_char and not plain.isascii():
            found += self._unspaced(plain)
        if self._by_atom:
            taken = [(hit.start, hit.end) for hit in found]
            for hit in self._spaced(plain):
                if not any(start < hit.end and hit.start < end for start, end in taken):
                    found.append(hit)
        if len(found) > 1:
            found.sort(key=lambda hit: hit.start)
        return found

    def of_run(self, run: str) -> str | None:
        """Return the key of the longest name that begins `run`, the text after an `@` in a script without blanks."""
        plain = normal(run).casefold()
        for length in range(len(plain), 0, -1):
            key = plain[:length]
            if key in self._runs:
                return key
        key = name_key(run)
        return key if key in self._runs else None

    def _unspaced(self, text: str) -> Iterator[Found]:
        folded = text.casefold()
        if len(folded) != len(text):
            folded = text
        folded = folded.translate(_AS_BLANK)
        i, size = 0, len(folded)
        while i < size:
            for key in self._by_char.get(folded[i], ()):
                end = i + len(key)
                if folded.startswith(key, i) and _whole_katakana(folded, i, end):
                    yield Found(key=key, written=text[i:end], start=i, end=end)
                    i = end - 1
                    break
            i += 1

    def _may_name(self, text: str) -> bool:
        """Tell quickly whether a text holds a word with which a name begins."""
        if text.isascii() and "+" not in text and "#" not in text:
            return not self._ascii_atoms.isdisjoint(text.encode().translate(_AS_ATOMS).split())
        return not self._by_atom.keys().isdisjoint(_atom(text.isascii()).findall(text.casefold()))

    def _spaced(self, text: str) -> Iterator[Found]:
        if not self._may_name(text):
            return
        atoms = [
            (match.group().casefold(), match.start(), match.end()) for match in _atom(text.isascii()).finditer(text)
        ]
        masks: list[tuple[int, int]] | None = None
        i, count = 0, len(atoms)
        while i < count:
            for name in self._by_atom.get(atoms[i][0], ()):
                last = i + len(name.atoms) - 1
                if last >= count or not _matches(text, atoms, i, name):
                    continue
                start, end = atoms[i][1], atoms[last][2]
                if name.capital and not text[start].isupper():
                    continue
                if not _bounded(text, start, end):
                    continue
                if masks is None:
                    masks = _masks(text)
                if any(a <= start < b for a, b in masks):
                    continue
                yield Found(key=name.key, written=text[start:end], start=start, end=end)
                i = last
                break
            i += 1


def normal(text: str) -> str:
    """Return `text` in the form in which it is searched."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def atoms_of(key: str) -> tuple[str, ...]:
    """Return the words of a name's key, and its runs in scripts without blanks."""
    atoms = tuple(_atom(key.isascii()).findall(key))
    return atoms if key.isascii() else atoms + tuple(re.findall(_UNSPACED_RUN, key))


def is_unspaced(text: str) -> bool:
    """Tell whether `text` holds characters of a script without blanks."""
    return not text.isascii() and re.search(_UNSPACED_RUN, text) is not None


@functools.cache
def _atom(ascii: bool) -> re.Pattern[str]:
    """Return what finds the words of a text in scripts with blanks."""
    return re.compile(rf"[^\W_{'' if ascii else UNSPACED}]+(?:\+\+|\#(?!\w))?")


@functools.lru_cache(maxsize=65536)
def _shape(key: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    matches = list(_atom(key.isascii()).finditer(key))
    joints = tuple(key[a.end() : b.start()] for a, b in itertools.pairwise(matches))
    return tuple(match.group() for match in matches), joints


def _spaced_name(key: str, written: list[str]) -> _Name | None:
    atoms, joints = _shape(key)
    if not atoms:
        return None
    capital = len(atoms) == 1 and all(name.lstrip("@＠")[:1].isupper() for name in written)
    return _Name(key=key, atoms=atoms, joints=joints, capital=capital)


def _matches(text: str, atoms: list[tuple[str, int, int]], i: int, name: _Name) -> bool:
    for offset, (atom, joint) in enumerate(zip(name.atoms[1:], name.joints, strict=True), start=1):
        if atoms[i + offset][0] != atom:
            return False
        between = text[atoms[i + offset - 1][2] : atoms[i + offset][1]]
        if joint == " ":
            if not between or not all(char in _JOINTS or char.isspace() for char in between):
                return False
        elif between.casefold() != joint:
            return False
    return True


def _bounded(text: str, start: int, end: int) -> bool:
    """Tell whether what stands at [start, end) is a word of its own and no part of an identifier, number or domain."""
    before = text[start - 1] if start else " "
    if before == "_" or (before in ".'’" and start > 1 and (text[start - 2].isalnum()) and not _elided(text, start)):
        return False
    after = text[end] if end < len(text) else " "
    if after == "_" or after in "+#":
        return False
    rest = text[end + 1 : end + 2]
    if after == ".":
        return not rest.isalnum()
    if after in "'’" and rest.isalnum():
        return rest in "sS" and not text[end + 2 : end + 3].isalnum()
    return True


def _elided(text: str, start: int) -> bool:
    """Tell whether an article is elided before the word: `d'Alice`, `qu'Alice`."""
    return bool(re.search(r"(?:^|\W)(?:[cdjlmnst]|qu)['’]$", text[max(0, start - 4) : start], re.I))


def _masks(text: str) -> list[tuple[int, int]]:
    """Return the spans of code, addresses and machine output, in which nobody is named."""
    if not _MAY_MASK.search(text):
        return []
    return [match.span() for match in re.finditer(_MASKED, text)]


def _whole_katakana(text: str, start: int, end: int) -> bool:
    """Tell whether a name in katakana is a word of its own: one script change is the only boundary it has."""
    if not _KATAKANA.fullmatch(text, start, end):
        return True
    around = text[start - 1 : start] + text[end : end + 1]
    return not _KATAKANA.search(around)
