"""Tell a statement that was edited from one that went and another one that came. Pure."""

from collections.abc import Callable, Sequence

EDIT_SIMILARITY = 0.8
"""From this likeness on, a statement that replaces another at its place is an edit of it."""

COMPARED = 600
"""Characters that are compared of what stands between the first and the last difference of two texts."""

LARGEST = 40_000
"""Pairs of statements up to which edits are looked for; beyond it the file was replaced."""


def edits_between(
    old: Sequence[tuple[str, str]], new: Sequence[tuple[str, str]], known: Callable[[str], bool]
) -> list[tuple[str, str]]:
    """
    Return (old id, new id) of statements that were rewritten where they stood, each at most once.

    Args:
        old, new: (id, content) of all statements of a file, in order.
        known: whether an id was known elsewhere before, and so inherits nothing.
    """
    import difflib

    before = [id for id, _ in old]
    after = [id for id, _ in new]
    gone, come = set(before) - set(after), set(after) - set(before)
    if not gone or not come or len(gone) * len(come) > LARGEST:
        return []
    edits = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "replace":
            continue
        candidates = [item for item in new[c:d] if item[0] in come and not known(item[0])]
        for old_id, old_content in old[a:b]:
            if old_id not in gone:
                continue
            for candidate in candidates:
                if likeness(old_content, candidate[1]) >= EDIT_SIMILARITY:
                    edits.append((old_id, candidate[0]))
                    candidates.remove(candidate)
                    break
    return edits


def likeness(one: str, two: str) -> float:
    """Return how much two texts have in common, in [0, 1], as far as `EDIT_SIMILARITY` can depend on it."""
    import difflib

    start = _common(one, two)
    end = _common(one[start:][::-1], two[start:][::-1])
    total = len(one) + len(two)
    one, two = one[start : len(one) - end], two[start : len(two) - end]
    shared = start + end
    if 2 * (shared + min(len(one), len(two))) >= EDIT_SIMILARITY * total:
        blocks = difflib.SequenceMatcher(None, one[:COMPARED], two[:COMPARED], autojunk=False).get_matching_blocks()
        shared += sum(block.size for block in blocks)
    return 2 * shared / total if total else 1.0


def _common(one: str, two: str) -> int:
    """Return the length of the common beginning."""
    return next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
