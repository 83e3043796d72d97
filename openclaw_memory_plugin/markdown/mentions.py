"""Names and tags marked in running text: `@Peter`, `＠大野`, `[[Heron]]`, `#paused`."""

import functools
import re

import attrs

from openclaw_memory_plugin.markdown.inline import blanked
from openclaw_memory_plugin.names import bare_name, is_name, name_key

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Scripts written without blanks between words, as the inside of a character class."""

_SIGNS = "\u0300-\u036f\u064b-\u065f\u0670\u0900-\u0dff\u200c\u200d"
_PACKAGE = re.compile(r"[@＠][a-z0-9~_][\w.~-]*/[\w.~*-]")
_URL = re.compile(r"(?:\b[A-Za-z][A-Za-z0-9+.-]{1,15}://|\bwww\.|\bmailto:)[^\s<>\"）」』，。]+")
_WIKILINK = re.compile(r"\[\[([^\[\]\n]{1,160})\]\]")
_TAG = re.compile(r"(?<![\w/&#\[(.@])#(?=[^\W_])([\w/-]{1,64})")
_FILE_ENDING = re.compile(r"\.(?!md$)[a-z0-9]{2,4}$", re.I)


@attrs.frozen(kw_only=True)
class Mentions:
    """What one text marks, each once, in order."""

    marks: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    """Targets of wikilinks; they are among the marks, too."""
    tags: tuple[str, ...] = ()


NONE = Mentions()


def find_mentions(text: str) -> Mentions:
    """
    Find the marks, wikilinks and tags of one statement as written, escapes and inline code included.

    Nothing is found in inline code, URLs, mail addresses, package scopes, quantities (`@2x`) and group calls.
    """
    has_mark = "@" in text or "＠" in text
    has_link = "[[" in text
    has_tag = "#" in text
    if not (has_mark or has_link or has_tag):
        return NONE
    text = blanked(text)
    if "://" in text or "www." in text or "mailto:" in text:
        text = _URL.sub(" ", text)
    marks: dict[str, str] = {}
    runs: dict[str, str] = {}
    links: dict[str, str] = {}
    if has_mark:
        _marks(text, marks, runs)
    if has_link:
        for match in _WIKILINK.finditer(text):
            if not text.startswith("!", match.start() - 1) or not match.start():
                name = link_target(match[1])
                if name and is_name(name):
                    links.setdefault(name_key(name), name)
    tags = dict.fromkeys(_tags(text)) if has_tag else {}
    return Mentions(
        marks=tuple({**marks, **links}.values()),
        runs=tuple(runs.values()),
        links=tuple(links.values()),
        tags=tuple(tags),
    )


def link_target(inside: str) -> str:
    """Return the name a wikilink is about: `projects/kestrel#Budget|the bird` -> `kestrel`."""
    target = inside.partition("|")[0].partition("#")[0].strip().rstrip("/")
    target = target.rpartition("/")[2].strip()
    if _FILE_ENDING.search(target):
        return ""
    return bare_name(target.removesuffix(".md"))


def _marks(text: str, marks: dict[str, str], runs: dict[str, str]) -> None:
    for match in _mark(text.isascii()).finditer(text):
        start = match.start()
        if start and (text[start - 1] == "\\" or (text[start - 1] == "/" and _in_address(text, start))):
            continue
        if match["run"]:
            run = match["run"]
            runs.setdefault(run, run)
            continue
        if _PACKAGE.match(text, start):
            continue
        name = bare_name(match["name"].rstrip("-.·'’_"))
        if is_name(name):
            marks.setdefault(name_key(name), name)


@functools.cache
def _mark(ascii: bool) -> re.Pattern[str]:
    """
    Return what finds a mark, either with a run behind it or a name: `Harbour-Lane`, `O'Brien`, `Node.js`, `C++`, `C#`.

    For ASCII text without the letters that it cannot hold, which take long to compile.
    """
    word = r"\w+" if ascii else rf"(?:(?![{UNSPACED}])[\w{_SIGNS}])+"
    name = rf"{word}(?:[-·'’]{word}|\.(?=[a-z0-9]){word}){{0,12}}(?:\+\+|#(?![\w#]))?"
    run = r"(?!)" if ascii else rf"[{UNSPACED}](?:[{UNSPACED}\w·・-])*"
    before = "A-Za-z0-9_" if ascii else r"A-Za-z0-9_\u00c0-\u024f\u0370-\u052f"
    return re.compile(rf"(?<![{before}])[@＠](?:(?P<run>{run})|(?P<name>{name}))")


def _in_address(text: str, position: int) -> bool:
    """Whether the word that a slash before the mark ends is an address: `social.example/@fan`, not `@Sarah/@Andy`."""
    word = text[max(0, position - 200) : position].rpartition(" ")[2]
    return "." in word or "@" not in word.replace("＠", "@")


def _tags(text: str) -> list[str]:
    return [match[1].rstrip("/-") for match in _TAG.finditer(text) if not match[1].isdigit()]
