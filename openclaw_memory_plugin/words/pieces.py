"""
Rule texts out by their words: bulk reading meets the same ones again and again, and most hold nothing of interest.
"""

from collections.abc import Callable

MOST_PIECES = 60_000
"""Kept at a time."""

LONGEST_PIECE = 64
"""Longer ones are machine output: none comes twice."""


class Rule:
    """Remembers which blank-separated pieces of text cannot hold what is looked for."""

    def __init__(self, may_hold: Callable[[str], bool]) -> None:
        """
        Take the test of one piece.

        Args:
            may_hold: Whether a text with this piece in it may hold it; whatever its other pieces are.
        """
        self._may_hold = may_hold
        self._without: set[str] = set()

    def out(self, text: str) -> bool:
        """Tell whether no piece of `text` holds it; a set look-up a piece where all have been met before."""
        pieces = text.split()
        if self._without.issuperset(pieces):
            return True
        if len(self._without) > MOST_PIECES:
            self._without.clear()
        new = set(pieces).difference(self._without)
        holding = set(filter(self._may_hold, new))
        self._without.update(piece for piece in new - holding if len(piece) <= LONGEST_PIECE)
        return not holding
