"""Opinions that people write into `bank/opinions.md` by field names instead of as typed bullets."""

import re

import attrs

from openclaw_memory_plugin.markdown.attributes import read_unit
from openclaw_memory_plugin.markdown.blocks import Block
from openclaw_memory_plugin.markdown.inline import plain

_KEY_VALUE = re.compile(
    r"[`*_]{0,3}(?P<key>opinion|statement|confidence|updated|last[_ ]updated)[`*_]{0,3}\s*[:：]\s*(?P<value>.+)", re.I
)


@attrs.frozen(kw_only=True)
class Opinion:
    """One opinion with the fields beside it."""

    text: str
    confidence: float
    updated: str
    """As written; may hold an ISO date."""


def read_opinion(block: Block) -> Opinion | None:
    """
    Read a table row with the columns Opinion and Confidence, or an item `opinion: …` with `confidence: …` below it.

    None when there is no opinion or its confidence is no decimal in [0, 1]: then it is an ordinary note.
    """
    values = _values(block)
    text = _text(values)
    confidence = read_unit(values.get("confidence", ""))
    if not text or confidence is None:
        return None
    updated = next((value for key, value in values.items() if "updated" in key), "")
    return Opinion(text=text, confidence=confidence, updated=updated)


def unread_confidence(block: Block) -> str | None:
    """Return the confidence that stands beside an opinion and is no decimal in [0, 1]; None when there is none such."""
    values = _values(block)
    written = values.get("confidence", "")
    return written if written.strip("-–— ") and _text(values) and read_unit(written) is None else None


def _values(block: Block) -> dict[str, str]:
    pairs = list(block.cells)
    for _, line in block.lines:
        match = _KEY_VALUE.fullmatch(line)
        if match:
            pairs.append((match["key"], match["value"]))
    return {plain(key).strip().lower(): plain(value).strip("` ") for key, value in pairs}


def _text(values: dict[str, str]) -> str | None:
    return values.get("opinion") or values.get("statement")
