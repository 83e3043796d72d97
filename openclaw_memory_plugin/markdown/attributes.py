"""The attributes of a typed bullet, `(c=0.95,s=0.8,by=agent,private,pin)`: read leniently, written strictly."""

import functools
import re
import unicodedata

import attrs

from openclaw_memory_hookspecs import Draft, Provenance

_SPLIT = re.compile(r"[,;、]\s*(?=[A-Za-z_][\w-]*\s*(?:[=:,;、]|$))|;|\s+(?=(?:c|s|confidence|salience)\s?[=:])")
_LOOSELY_NAMED = re.compile(r"(c|s|confidence|salience)(?:\s*:|\s)\s*(\S+)", re.I)
_NUMBER = re.compile(r"[+-]?[\d.,][\d.,\s]*%?")
_DECIMAL = re.compile(r"(?:\d{1,20}(?:[.,]\d{0,40})?|[.,]\d{1,40})")
_TIME = re.compile(r"[01]?\d[:.][0-5]\d|2[0-3][:.][0-5]\d")
_PRIVATE_HEAD = re.compile(
    r"(?<![\w`])[WBOSＷＢＯＳ][*_]{0,3}\s{0,4}[(（\[{](?:[^()（）\[\]{}]{0,200}[,;、])?\s{0,4}[Pp]rivate\s{0,4}"
    r"(?:[,;、][^()（）\[\]{}]{0,200})?[)）\]}][*_]{0,3}\s{0,4}[@＠:：]"
)
_ID = re.compile(r"[0-9A-Za-z_.:#/-]{1,200}")


@attrs.frozen(kw_only=True)
class Attributes:
    """What stood between the parentheses."""

    confidence: float | None = None
    salience: float | None = None
    provenance: Provenance = Provenance.OWNER
    private: bool = False
    pinned: bool = False
    supports: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    """What could not be taken, each quoting the value."""

    @property
    def is_known(self) -> bool:
        """Whether something of it is an attribute of ours: `(private)`, not the `(n)` of `O(n): linear`."""
        return attrs.evolve(self, extra=(), problems=()) != NONE


NONE = Attributes()


@functools.lru_cache(maxsize=4096)
def read_attributes(text: str, *, opinion: bool = False) -> Attributes:
    """
    Read the text between the parentheses.

    A number is a plain decimal in [0, 1], point or comma; anything else keeps the rest and becomes a problem.

    Args:
        opinion: A fraction without a name is then the confidence, when no other is given; an opinion has no other
            number that is written alone.
    """
    reading = _Reading()
    for part in _SPLIT.split(text if text.isascii() else unicodedata.normalize("NFKC", text)):
        if written := part.strip():
            reading.take(written)
    reading.take_unnamed(opinion=opinion)
    return reading.attributes()


class _Reading:
    """What has been read of the text so far."""

    def __init__(self) -> None:
        self.values: dict[str, float] = {}
        self.lists: dict[str, list[str]] = {"supports": [], "contradicts": []}
        self.flags = {"private": False, "pin": False}
        self.provenance = Provenance.OWNER
        self.extra: list[str] = []
        self.problems: list[str] = []

    def take(self, written: str) -> None:
        """Take one attribute, whatever it is."""
        key, separator, value = (piece.strip() for piece in written.partition("="))
        if not separator and (loose := _LOOSELY_NAMED.fullmatch(written)):
            key, separator, value = loose[1], "=", loose[2]
        name = _LONG_NAMES.get(key.lower(), key.lower())
        if name in ("c", "s") and separator:
            self._take_number(key, name, value)
        elif name == "by" and separator:
            try:
                self.provenance = Provenance(value.lower())
            except ValueError:
                self.problems.append(f"by={value} is not owner, agent or untrusted")
        elif name in self.flags:
            self.flags[name] = value.lower() not in ("no", "false", "0", "off")
        elif name in self.lists and separator and _ID.fullmatch(value):
            self.lists[name].append(value)
        else:
            self.extra.append(written)

    def _take_number(self, key: str, name: str, value: str) -> None:
        number = read_unit(value)
        if number is None:
            self.problems.append(f"{key}={value} is not a number in [0, 1]")
        elif self.values.setdefault(name, number) != number:
            self.problems.append(f"{key} is given twice, {value} is not taken")

    def take_unnamed(self, *, opinion: bool) -> None:
        """Take a lone fraction for the confidence of an opinion; report other numbers that have no name."""
        for alone in [written for written in self.extra if _NUMBER.fullmatch(written)]:
            number = read_unit(alone)
            if opinion and number is not None and not alone.isdigit() and "c" not in self.values:
                self.values["c"] = number
                self.extra.remove(alone)
            elif opinion or not alone.isdigit():
                self.problems.append(f"{alone} has no name such as c= or s=, it is not taken")

    def attributes(self) -> Attributes:
        """Return what was read."""
        return Attributes(
            confidence=self.values.get("c"),
            salience=self.values.get("s"),
            provenance=self.provenance,
            private=self.flags["private"],
            pinned=self.flags["pin"],
            supports=tuple(self.lists["supports"]),
            contradicts=tuple(self.lists["contradicts"]),
            extra=tuple(self.extra),
            problems=tuple(self.problems),
        )


def holds_private(text: str) -> bool:
    """Tell whether `W(private) @Ben:` or the like stands anywhere in a text, also where it is not read as typed."""
    return "rivate" in text and _PRIVATE_HEAD.search(text) is not None


def read_unit(text: str) -> float | None:
    """Return a strict decimal in [0, 1], point or comma; None for anything else."""
    if not _DECIMAL.fullmatch(text) or not text.isascii():
        return None
    number = float(text.replace(",", "."))
    return number if 0.0 <= number <= 1.0 else None


def is_time(text: str) -> bool:
    """Tell whether the parentheses held a time of day instead."""
    return _TIME.fullmatch(text.strip()) is not None


def write_attributes(draft: Draft) -> str:
    """Return the attributes of a draft with their parentheses, "" when all are default."""
    parts = []
    if draft.confidence is not None:
        parts.append(f"c={write_unit(draft.confidence)}")
    if draft.salience is not None:
        parts.append(f"s={write_unit(draft.salience)}")
    if draft.provenance is not Provenance.OWNER:
        parts.append(f"by={draft.provenance.value}")
    if draft.private:
        parts.append("private")
    if draft.pinned:
        parts.append("pin")
    parts += [f"supports={fact}" for fact in draft.supports]
    parts += [f"contradicts={fact}" for fact in draft.contradicts]
    return f"({','.join(parts)})" if parts else ""


def write_unit(number: float) -> str:
    """Return a number of [0, 1] as the shortest plain decimal that reads back as the same float (20 places at most)."""
    text = repr(float(number))
    if "e" in text:
        text = f"{number:.20f}".rstrip("0").rstrip(".")
    return text.removesuffix(".0")


_LONG_NAMES = {"confidence": "c", "salience": "s", "pinned": "pin"}
