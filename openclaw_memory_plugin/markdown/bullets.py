"""The grammar of a typed bullet: `B(s=0.95) @Sarah @project: Sarah …`, read leniently."""

import functools
import re
import unicodedata

import attrs

from openclaw_memory_hookspecs import Kind
from openclaw_memory_plugin.markdown.attributes import NONE, Attributes, is_time, read_attributes
from openclaw_memory_plugin.names import bare_name, is_name, name_key

KINDS = {kind.letter: kind for kind in Kind if kind.letter}

_HEAD = re.compile(
    r"(?:[(（\[](?P<time>\d\d?[:：.]\d\d)[)）\]]\s*)?(?P<b>[*_]{1,3}|`)?(?P<letter>[WBOSＷＢＯＳ])(?![\w+#.'’-])(?:(?P=b))?\s{0,4}"
    r"(?:[(（](?P<attributes>[^()（）]{0,500})[)）](?:(?P=b))?\s{0,4})?[*_]{0,3}(?P<next>[@＠:：])"
)
"""The head as the documents write it."""
_LOOSE_HEAD = re.compile(
    r"(?:[*_(（\[]{0,4}(?P<time>\d\d?[:：]\d\d)[)）\]*_]{0,4}\s{0,4}[-–—·|]?\s{0,4})?"
    r"(?P<b>[*_]{1,3}|`)?(?P<letter>[WBOSＷＢＯＳ])(?![\w+#.'’-])(?:(?P=b))?\s{0,4}"
    r"(?P<attributes>(?:[(（\[{][^()（）\[\]{}@＠]{0,200}[)）\]}](?:(?P=b))?\s{0,4}){1,4}"
    r"|(?P<unclosed>[(（][^()（）@＠]{0,80})|(?:(?:[cs]|confidence|salience)\s?[=:]\s?[\d.,]{1,8}[\s,;]{1,4}){1,4}"
    r")?[*_]{0,3}(?P<next>[@＠])"
)
"""The same with a bare time, with several or other brackets or none: no guess, because a mark must follow."""
_LOOSE_START = frozenset("WBOSＷＢＯＳ*_`(（[0123456789０１２")
_BRACKETS = re.compile(r"[()（）\[\]{}]+")
_MARK = re.compile(r"(?<![A-Za-z0-9_])[@＠]")
_COLON = re.compile(r"(?<!\d)[:：](?!//)|[:：](?!\d|//)")
_SENTENCE = re.compile(r"[.;!?](?:\s|$)|[。；！？]")
_SEPARATORS = ' \t,，、/&;；·・　*_"“”„'
_CONJUNCTION = re.compile(r"\s+(?:and|und|y|e|et|or|\+)$|(?:和|と|与)$", re.I)
_ENUMERATION = re.compile(r"\s*[,，、&;；]\s*(?:(?:and|und|y|e|et|or)\s+)?|\s+(?:and|und|y|e|et|or)\s+", re.I)
_PACKAGE = re.compile(r"[a-z0-9~_][\w.~-]*/[\w.~-]+$")
_POSSESSIVE = re.compile(r"['’＇]s?$", re.I)
_PLAIN_HEADS = re.compile(r" ?@[A-Za-z][A-Za-z0-9-]*(?: @[A-Za-z][A-Za-z0-9-]*)* ?")
_UNKNOWN = re.compile(
    r"[*_]{0,3}(?P<letter>(?![WBOSＷＢＯＳ])[A-Za-z])[*_]{0,3}(?:\s{0,2}[(（][^()（）]{0,200}[)）])?[*_]{0,3}\s{1,4}[@＠]"
    r"[^\s:：][^:：.!?]{0,200}[:：](?:\s|$)"
)
"""Written as a typed bullet is, but the letter is no kind."""
_PROSE_WORDS = 4
_HEAD_LENGTH = 300


@attrs.frozen(kw_only=True)
class Bullet:
    """The head of a typed bullet, and where its text begins."""

    kind: Kind
    heads: tuple[str, ...]
    """Names before the colon as a person would show them, each once."""
    text: str
    """What follows the colon, with the prose of a head like `@Peter's mother` in front."""
    attributes: Attributes
    time: str | None = None


def read_bullet(line: str, *, lone_letter: bool) -> Bullet | None:
    """
    Read the text of a list item as a typed bullet, None when it is none.

    Args:
        lone_letter: Whether a letter and a colon are enough (in a Retain section and in `bank/`); elsewhere an `@` or
            an attribute of ours stands between them.
    """
    match = _HEAD.match(line) or _loose_head(line)
    if match is None:
        return None
    rest = line[match.start("next") :]
    named = match["next"] in "@＠"
    if not (named or lone_letter or (match["attributes"] and _attributes(match).is_known)):
        return None
    colon = _COLON.search(rest, 0, _HEAD_LENGTH)
    if colon is None:
        return None
    heads: tuple[str, ...] = ()
    prose = ""
    if named:
        region = rest[: colon.start()]
        read = _plain_heads(region) if _PLAIN_HEADS.fullmatch(region) else _read_heads(region)
        if read is None:
            return None
        heads, prose = read
    text = rest[colon.end() :]
    if match["b"] and text.startswith(match["b"]) and not line.startswith(match["b"], match.end("letter")):
        text = text[len(match["b"]) :]
    time = match["time"]
    attributes = NONE
    if match["attributes"] is not None:
        if is_time(match["attributes"].replace("：", ":")):
            time = match["attributes"]
        else:
            attributes = _attributes(match)
    return Bullet(
        kind=KINDS[unicodedata.normalize("NFKC", match["letter"])],
        heads=heads,
        text=f"{prose}: {text.strip()}" if prose else text.strip(),
        attributes=attributes,
        time=time,
    )


def unknown_letter(line: str) -> str | None:
    """Return the letter of what is written as a typed bullet, `X @Peter: …`, when it is no kind; else None."""
    match = _UNKNOWN.match(line) if "@" in line or "＠" in line else None
    return match["letter"] if match else None


def _loose_head(line: str) -> re.Match[str] | None:
    """Match a head that is written otherwise but can be nothing else."""
    if line[:1] not in _LOOSE_START or not ("@" in line or "＠" in line):
        return None
    return _LOOSE_HEAD.match(line)


def _attributes(match: re.Match[str]) -> Attributes:
    """Return what stands between the letter and the mark, however it is bracketed."""
    written = match["attributes"]
    opinion = match["letter"] in "OＯ"
    if match.re is _HEAD:
        return read_attributes(written, opinion=opinion)
    read = read_attributes(_BRACKETS.sub(";", written.replace("*", "")).strip("; \t"), opinion=opinion)
    if match["unclosed"] is None:
        return read
    return attrs.evolve(read, problems=(*read.problems, f"{written.strip()} is not closed"))


@functools.lru_cache(maxsize=8192)
def _plain_heads(region: str) -> tuple[tuple[str, ...], str]:
    """Return what `_read_heads` does for marks with nothing but blanks between them: how most heads are written."""
    names = region.replace("@", " ").split()
    if len(names) == 1:
        return (tuple(filter(is_name, map(bare_name, names))), "")
    heads: dict[str, str] = {}
    for name in filter(is_name, map(bare_name, names)):
        heads.setdefault(name_key(name), name)
    return tuple(heads.values()), ""


def _read_heads(region: str) -> tuple[tuple[str, ...], str] | None:
    """Names, each once, and the prose after a possessive; None when the region reads like a sentence."""
    if _SENTENCE.search(region):
        return None
    heads: dict[str, str] = {}
    proses: list[str] = []
    for part in _MARK.split(region)[1:]:
        written = _CONJUNCTION.sub("", part.strip(_SEPARATORS)).strip(_SEPARATORS)
        names = _ENUMERATION.split(written)
        if len(names) > 1 and all(map(_is_proper, names)):
            heads.update({name_key(name): name for name in names if name_key(name) not in heads})
            continue
        token, _, rest = written.partition(" ")
        token, rest = token.strip(_SEPARATORS), rest.strip(_SEPARATORS)
        words = rest.split()
        if len(words) > _PROSE_WORDS:
            return None
        if words and not _POSSESSIVE.search(token) and all(word[0].isupper() or word[0].isdigit() for word in words):
            token = f"{token} {rest}"
        elif words:
            proses.append(f"{token} {rest}")
        if _PACKAGE.match(token):
            continue
        for name in token.split("/"):
            name = bare_name(name.strip(_SEPARATORS))
            if is_name(name):
                heads.setdefault(name_key(name), name)
    return tuple(heads.values()), ", ".join(proses)


def _is_proper(name: str) -> bool:
    """Whether a name without a mark of its own is one all the same: up to three capitalised words."""
    words = name.split()
    return 0 < len(words) <= 3 and all(word[0].isupper() for word in words) and is_name(name)
