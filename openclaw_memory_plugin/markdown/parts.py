"""How the lines of a block become statements: turns and labelled lines apart, continued lines and children joined."""

import datetime as dt
import re
from collections.abc import Iterator

import attrs

from openclaw_memory_plugin.guard import REDACTED
from openclaw_memory_plugin.markdown.blocks import Block
from openclaw_memory_plugin.markdown.mentions import UNSPACED

ROLE = re.compile(
    r"[*_]{0,3}(?P<role>user|assistant|system|tool|human|agent|ai)[*_]{0,3}\s?[:：][*_]{0,3}(?:\s+|$)", re.I
)
_LABEL = re.compile(r"(?:\*\*|__)[^*_\n]{1,60}(?:[:：](?:\*\*|__)|(?:\*\*|__)\s?[:：])")
_STAMP = re.compile(r"[\[(（~]?(?P<h>[01]?\d|2[0-3])[:：](?P<m>[0-5]\d)(?:[:：][0-5]\d)?\s?[\])）]?(?=[\s,:：–—-])")
_BOX = re.compile(r"(?:\[(?P<state>[ xX/-]?)\](?=\s|$)|(?P<sign>[☐☑☒]))\s*")
_TO_DO = re.compile(
    r"[*_]{0,2}(?:todo|to[- ]do|fixme|zu erledigen|por hacer|pendiente|por fazer|pendente|[àa] faire"
    r"|待[办辦](?:事[项項])?|要做?|やること)"
    r"(?:\([^()]{1,40}\))?(?:[:：][*_]{0,2}|[*_]{1,2}[:：])\s*\S",
    re.I,
)
_STATUS = "✅❌✔✖✗✘☑\ufe0f \t"
_TICKS = "✅✔☑"
_NO_STATUS = re.compile(r"^[✅❌✔✖✗✘\ufe0f\s]+|[\s✅❌✔✖✗✘\ufe0f]+$")
_SPEECH = re.compile(r"[^\s:：|][^:：|]{0,40}[:：](?:\s|[^\x00-\x7f/])")
_WIDE = rf"[{UNSPACED}\u3000-\u303f\uff00-\uff60]"
"""As text: few pages need it, and it takes long to compile."""
_ENDS = frozenset(".:;!?,。：；！？，、…")


@attrs.define
class Part:
    """The lines of one statement to be."""

    line: int
    end: int
    lines: list[tuple[bool, str]]
    role: str | None = None


def parts(block: Block) -> Iterator[Part]:
    """Split a paragraph where its lines are turns, labels or stamped entries of their own."""
    lines = block.lines
    if not lines:
        return
    spoken = len(lines) > 1 and all(_SPEECH.match(text) for _, text in lines)
    part: Part | None = None
    for number, (nested, text) in enumerate(lines, block.line):
        role = ROLE.match(text)
        starts = role or spoken or (text[:2] in ("**", "__") and _LABEL.match(text)) or _STAMP.match(text)
        if part is None or starts:
            if part is not None:
                yield part
            part = Part(
                number, number, [(nested, text[role.end() :] if role else text)], role["role"].lower() if role else None
            )
        else:
            part.lines.append((nested, text))
            part.end = number
    if part is not None:
        part.end = max(part.end, block.end if block.end - part.end <= 1 or not lines else part.end)
        yield part


def join(lines: list[tuple[bool, str]]) -> str:
    """One line: continuation lines after a blank, nested items after a semicolon, nothing between CJK characters."""
    if len(lines) == 1:
        return lines[0][1]
    joined = lines[0][1]
    for nested, text in lines[1:]:
        if not text or (text == REDACTED and joined[-1:] not in (":", "：")):
            continue
        if not joined:
            joined = text
            continue
        wide = _is_wide(joined[-1]) and _is_wide(text[0])
        if nested and joined[-1] not in _ENDS:
            joined += "；" if wide else "; "
        elif not wide:
            joined += " "
        joined += text
    return joined


def _is_wide(char: str) -> bool:
    return not char.isascii() and re.match(_WIDE, char) is not None


def read_box(text: str) -> tuple[str | None, str]:
    """Return the state of a check box (`open`, `done`, None without one) and the text behind it."""
    match = _BOX.match(text) if text and text[0] in "[☐☑☒" else None
    if match is None:
        return None, text
    unticked = (match["state"] or "").strip() in ("", "/") and match["sign"] in (None, "☐")
    return "open" if unticked else "done", text[match.end() :]


def read_task(text: str) -> tuple[str | None, str]:
    """Return the state of a task that is told by its box or by a label, and the text behind the box; see `read_box`."""
    task, rest = read_box(text)
    return task or labelled_task(rest), rest


def labelled_task(text: str) -> str | None:
    """Return the state of a task that is told by a label (`TODO:`), None without one."""
    if (":" in text[:64] or "：" in text[:64]) and _TO_DO.match(text):
        return "done" if text.rstrip("\ufe0f \t")[-1] in _TICKS else "open"
    return None


def without_status(text: str) -> str:
    """Return the text without ✅ or ❌ at either end: they are no words."""
    return _NO_STATUS.sub("", text) if text and (text[0] in _STATUS or text[-1] in _STATUS) else text


def is_empty(content: str) -> bool:
    """Tell whether a statement says nothing, or nothing that is not hidden."""
    return not any(map(str.isalnum, content.replace(REDACTED, "")))


def read_time(written: str) -> dt.time | None:
    """Return the time of day written `14:30`, None for anything else."""
    match = re.fullmatch(r"\s*(\d\d?)[:：.](\d\d)\s*", written)
    if not match or int(match[1]) > 23:
        return None
    return dt.time(int(match[1]), int(match[2]))


def stamp(content: str) -> dt.time | None:
    """Return the time of day that a statement begins with."""
    if content[0] not in "0123456789[(（~０１２":
        return None
    match = _STAMP.match(content)
    return dt.time(int(match["h"]), int(match["m"])) if match else None
