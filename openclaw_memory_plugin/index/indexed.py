"""What of a fact can be found by words: the one place that decides it, for writing and for taking back."""

from collections.abc import Sequence

from openclaw_memory_plugin.words import terms


def indexed_terms(
    *,
    content: str,
    heads: Sequence[str],
    marks: Sequence[str],
    tags: Sequence[str],
    day: str | None,
    language: str,
) -> str:
    """
    Return the terms under which a fact is found, joined by blanks.

    Depends on its arguments alone: the index calls it again to forget a fact, and it must say the same then. Whoever
    changes it raises `store.VERSION`.

    Args:
        heads: names before the colon, as written; the text itself need not repeat them.
        marks, tags: as written, without sign; only those that the text does not show itself add anything.
        day: first recorded day, YYYY-MM-DD.
    """
    found = terms(content, language)
    if heads:
        found += terms(" ".join(heads), language)
    for word in (*marks, *tags):
        if word not in content:
            found += terms(word, language)
    return " ".join(found)
