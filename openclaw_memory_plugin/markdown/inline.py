"""
Markdown inside a line: code spans, emphasis, strikes, comments, and the escaping that keeps any text itself.

`plain(escape(text)) == text` for every one-line text; every function is linear in the text.
"""

import re
from collections.abc import Callable

_TICKS = re.compile(r"(?<![\\`])`+")
_SPECIAL = re.compile(r"[\\*_~`<]")
_DELIMITER = re.compile(
    r"\\[\\*_~`<@\[#]"
    r"|(?P<run>(?P<char>[*~])(?P=char){0,2}+(?!(?P=char)))"
    r"|(?<![\w_])(?P<open>_{1,3}+)(?=[^\s_])|(?<=[^\s_])(?P<close>_{1,3}+)(?![\w_])"
)
_STRIKE = re.compile(r"~~(?=\S)([^~]{1,4000})(?<=\S)~~")


def code_spans(text: str) -> list[tuple[int, int]]:
    """Return the stretches of inline code as (begin, end), backticks included, in order."""
    if "`" not in text:
        return []
    runs = [(m.start(), m.end()) for m in _TICKS.finditer(text)]
    following: dict[int, list[int]] = {}
    for number in range(len(runs) - 1, -1, -1):
        begin, end = runs[number]
        following.setdefault(end - begin, []).append(number)
    spans: list[tuple[int, int]] = []
    number = 0
    while number < len(runs):
        begin, end = runs[number]
        same = following[end - begin]
        while same and same[-1] <= number:
            same.pop()
        if same:
            number = same[-1]
            spans.append((begin, runs[number][1]))
        number += 1
    return spans


def blanked(text: str) -> str:
    """Return the text with inline code replaced by blanks of the same length."""
    for begin, end in code_spans(text):
        text = f"{text[:begin]}{' ' * (end - begin)}{text[end:]}" if end - begin < 4096 else text[:begin] + text[end:]
    return text


def without_comments(text: str) -> str:
    """Return the text without HTML comments that begin and end in it, those in inline code excepted."""
    if "<!--" not in text or "-->" not in text:
        return text
    return _outside_code(text, _without_comments)


def is_struck(text: str) -> bool:
    """Tell whether all of the text is struck through."""
    return len(text) > 4 and text.startswith("~~") and text.endswith("~~") and "~~" not in text[2:-2]


def without_strikes(text: str) -> str:
    """Return the text without what is struck through."""
    if "~~" not in text:
        return text
    return " ".join(_outside_code(text, lambda part: _STRIKE.sub("", part)).split())


def plain(text: str) -> str:
    """Return the text without emphasis marks and backslash escapes; inline code stays as it is, backticks too."""
    if "*" not in text and "_" not in text and "~" not in text and "\\" not in text:
        return text
    return _outside_code(text, _plain)


def escape(text: str) -> str:
    """Return what has to be written so that `plain` gives the text back: itself, wherever that already holds."""
    if plain(text) == text and without_strikes(text) == text and "<!--" not in text:
        return text
    escaped = _outside_code(text, lambda part: _SPECIAL.sub(r"\\\g<0>", part))
    return escaped if plain(escaped) == text else _SPECIAL.sub(r"\\\g<0>", text)


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    spans = code_spans(text)
    if not spans:
        return change(text)
    parts: list[str] = []
    done = 0
    for begin, end in spans:
        parts += (change(text[done:begin]), text[begin:end])
        done = end
    parts.append(change(text[done:]))
    return "".join(parts)


def _without_comments(text: str) -> str:
    kept: list[str] = []
    done = start = 0
    while (start := text.find("<!--", start)) >= 0:
        if start and text[start - 1] == "\\":
            start += 4
            continue
        close = text.find("-->", start + 4)
        if close < 0:
            break
        kept.append(text[done:start])
        done = start = close + 3
    kept.append(text[done:])
    return "".join(kept)


def _plain(text: str) -> str:
    """Drop delimiters that pair up; a lone one is text."""
    pieces: list[str] = []
    waiting: dict[str, int] = {}
    done = 0
    for match in _DELIMITER.finditer(text):
        pieces.append(text[done : match.start()])
        done = match.end()
        token = match[0]
        if token[0] == "\\":
            pieces.append(token[1])
            continue
        before = text[match.start() - 1] if match.start() else " "
        after = text[done] if done < len(text) else " "
        if match["run"] and (token == "~" or (before == after == " ")):
            pieces.append(token)
            continue
        opened = waiting.get(token)
        if opened is not None and not before.isspace() and not match["open"]:
            pieces[opened] = ""
            pieces.append("")
            del waiting[token]
        else:
            if not after.isspace() and not match["close"] and (token[0] != "*" or len(token) > 1 or not _word(before)):
                waiting[token] = len(pieces)
            pieces.append(token)
    pieces.append(text[done:])
    return "".join(pieces)


def _word(char: str) -> bool:
    return char.isalnum() or char == "_"
