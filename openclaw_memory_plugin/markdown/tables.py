"""Rows of a Markdown table."""

import re

from openclaw_memory_plugin.markdown.inline import code_spans

_DELIMITERS = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*+\|?[ \t]*$")
_CELL = re.compile(r"(?<!\\)\|")


def begins_table(head: str, delimiters: str) -> bool:
    """Tell whether two lines are the head of a table and the dashes below it, with as many cells."""
    if "|" not in head or len(delimiters) > 2000 or not _DELIMITERS.match(delimiters):
        return False
    return len(cells(head)) == len(cells(delimiters))


def cells(row: str) -> list[str]:
    """Return the cells of a table row, outer pipes dropped, escaped ones kept as text."""
    text = row.strip().removeprefix("|")
    if text.endswith("|") and not text.endswith("\\|"):
        text = text[:-1]
    spans = code_spans(text)
    parts: list[str] = []
    done = 0
    for match in _CELL.finditer(text):
        if spans and any(begin < match.start() < end for begin, end in spans):
            continue
        parts.append(text[done : match.start()])
        done = match.end()
    parts.append(text[done:])
    return [part.strip().replace("\\|", "|") for part in parts]
