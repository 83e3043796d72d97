"""Why a fact has its score, in words that a person knows; programs get the keys."""

from collections.abc import Mapping
from typing import Any

from openclaw_memory_plugin.faces.commands.render import Pen, safe, shown

NAMES = {
    "words": "words of the question",
    "context": "headings, neighbours",
    "entities": "entities asked for",
    "time": "time asked for",
    "vector": "likeness of meaning",
    "association": "connections",
    "subject": "× about whom is asked",
    "opinion": "× an opinion, asked for",
    "dated": "× names a time",
    "changed": "× tells of a change",
    "asking": "× is a question itself",
    "current": "× says it holds now",
    "over": "× held before now",
    "later": "× dated after now",
    "task": "× an open task",
    "noise": "× noise",
    "superseded": "× superseded",
    "supersedes": "× replaces an older one",
    "base": "match as a whole",
    "scored": "made up of",
    "match": "match",
    "salience": "importance",
    "access": "recalled before",
    "keyword": "words found",
    "tags": "names and tags",
    "correction": "above what it replaces",
    "corrects": "retained against another",
    "order": "first or last asked for",
    "superseded_by": "superseded by",
    "superseded_at": "which stands at",
    "from": "reached from",
    "leads_to": "leads on to",
    "via": "by way of",
    "excerpt": "cut to an excerpt",
    "score": "score",
    "place": "place in the order",
    "candidates": "facts weighed",
    "left_out": "left out because",
}
"""What each key of `why` is called; `×` marks a factor."""

_WIDTH = max(map(len, NAMES.values())) + 1


def lines(why: Mapping[str, Any], pen: Pen, indent: str = "  ") -> list[str]:
    """Render the parts of a score, nested ones indented; what is None has nothing to tell."""
    found = []
    for key, value in why.items():
        if value is None:
            continue
        name = safe(NAMES.get(str(key), str(key)))
        if isinstance(value, Mapping):
            found.append(f"{indent}{name}")
            found += lines(value, pen, indent + "  ")
        else:
            found.append(f"{indent}{pen('quiet', name.ljust(_WIDTH))} {safe(shown(value))}")
    return found
