"""
Pin and unpin a statement where it stands: `pin` among the attributes of a typed bullet, a comment behind a note. And
take from its attributes what they say of facts that are no more.

Only the line itself changes; kind, text and names stay, and so does the id.
"""

import re
from collections.abc import Collection

COMMENT = "<!-- pin -->"

_COMMENT = re.compile(r"[ \t]*<!--\s*pin\s*-->")
_TYPED = re.compile(
    r"(?P<before>[ \t]*(?:[-*+•・‣–—][ \t]*|\d{1,9}[.)][ \t]+)?(?:[(（\[]\d\d?[:：.]\d\d[)）\]]\s*)?"
    r"(?:[*_]{1,3}|`)?[WBOSＷＢＯＳ])"
    r"(?:[(（](?P<inside>[^()（）]{0,500})[)）])?"
    r"(?=[*_`]{0,3}\s{0,4}[@＠:：(（])"
)
_PIN = re.compile(r"(?P<left>^|[,;、]\s*)pin(?:ned)?\s*(?:=\s*\w+\s*)?(?=[,;、]|$)", re.I)
_LINK = re.compile(r"(?:^|[,;、])\s*(?:supports|contradicts)\s*=\s*(?P<id>[0-9a-f]{12})\s*(?=[,;、]|$)", re.I)
_TIME = re.compile(r"\s*\d\d?[:：.]\d\d\s*")


def is_pinned(text: str) -> bool:
    """Whether the text of a note carries the comment that pins it."""
    return "<!--" in text and _COMMENT.search(text) is not None


def pinned(line: str, *, typed: bool) -> str | None:
    """Return the line with a pin, None when it can carry none (a table row, a time in the place of attributes)."""
    bare = unpinned(line, typed=typed)
    if not typed:
        text = bare.rstrip("\r")
        return None if text.lstrip().startswith("|") else f"{text.rstrip()} {COMMENT}{bare[len(text) :]}"
    match = _TYPED.match(bare)
    if match is None or (match["inside"] and _TIME.fullmatch(match["inside"])):
        return None
    inside = match["inside"]
    if inside is None:
        return f"{bare[: match.end('before')]}(pin){bare[match.end('before') :]}"
    added = f"{inside},pin" if inside.strip() else "pin"
    return f"{bare[: match.start('inside')]}{added}{bare[match.end('inside') :]}"


def unpinned(line: str, *, typed: bool) -> str:
    """Return the line without its pin."""
    if not typed:
        return _COMMENT.sub("", line)
    match = _TYPED.match(line)
    if match is None or match["inside"] is None:
        return line
    return _with_attributes(line, match, _PIN.sub("", match["inside"]))


def unlinked(line: str, ids: Collection[str]) -> str:
    """Return the line of a typed bullet without `supports` and `contradicts` of these facts."""
    match = _TYPED.match(line)
    if match is None or match["inside"] is None or not any(one in match["inside"] for one in ids):
        return line
    return _with_attributes(line, match, _LINK.sub(lambda link: "" if link["id"] in ids else link[0], match["inside"]))


def _with_attributes(line: str, match: re.Match[str], written: str) -> str:
    """Return the line with what is left of its attributes, without parentheses when that is nothing."""
    inside = written.strip().strip(",;、").strip()
    if inside == match["inside"]:
        return line
    if not inside:
        return line[: match.end("before")] + line[match.end("inside") + 1 :]
    return f"{line[: match.start('inside')]}{inside}{line[match.end('inside') :]}"
