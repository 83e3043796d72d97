"""What speaks for and against opinions, read from the accounts in `bank/opinions.md`; for answers, not for beliefs."""

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from openclaw_memory_plugin.markdown.believed import read_entry

_LINE = re.compile(r"[^\n]+")
_ID = re.compile(r"`([0-9a-f]{12})`")


class Speaking(NamedTuple):
    """Ids of the facts that were counted for an opinion and against it, in the order of its account."""

    supporting: tuple[str, ...] = ()
    contradicting: tuple[str, ...] = ()


def evidence(text: str, ids: Collection[str]) -> Mapping[str, Speaking]:
    """Return the evidence of these opinions; those without an account are left out. O(length of the page)."""
    if not ids:
        return {}
    heads = re.compile(rf"^- .*`({'|'.join(map(re.escape, ids))})`[ \t\r]*$", re.MULTILINE)
    found: dict[str, Speaking] = {}
    for head in heads.finditer(text):
        said: dict[str, list[str]] = {"supports": [], "contradicts": []}
        for line in _LINE.finditer(text, head.end() + 1):
            entry = read_entry(line[0])
            if entry is None:
                break
            if entry.verb in said:
                said[entry.verb] += _ID.findall(entry.rest)[:1]
        found.setdefault(head[1], Speaking(*(tuple(dict.fromkeys(sources)) for sources in said.values())))
    return found
