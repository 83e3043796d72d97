"""Look for a question's words in texts, without the cost of stemming them whole."""

from collections.abc import Mapping, Sequence

from openclaw_memory_plugin.words import Word, fold, terms_by_chunk


class Finder(dict[str, tuple[tuple[int, float], ...]]):
    """
    Looks for the words of a question in texts of one language, without stemming what does not begin like one.

    Item `chunk` is what a blank-separated piece of text holds: numbers of words with what each find is worth.
    """

    def __init__(self, words: Sequence[Word], language: str, loose: Mapping[str, Sequence[tuple[int, float]]]) -> None:
        """Take the words, and terms that stand for one of them less surely: term -> (number of the word, worth)."""
        super().__init__()
        self._known = terms_by_chunk(language)
        self._worth: dict[str, list[tuple[int, float]]] = {}
        self._initial: dict[str, list[tuple[int, float]]] = {}
        for number, word in enumerate(words):
            for term in word.alternatives:
                target = self._initial if word.prefix else self._worth
                target.setdefault(term, []).append((number, 1.0))
        for term, finds in loose.items():
            self._worth.setdefault(term, []).extend(finds)
        starts = {term[:0:-1][:3] if term[0] == "<" else term[:3] for term in self._worth} | self._initial.keys()
        self._starts = sorted(starts)

    def may_hold(self, text: str) -> bool:
        """Tell, at little cost, whether `text` has anything that begins like a word looked for."""
        folded = fold(text)
        return next(filter(folded.__contains__, self._starts), None) is not None

    def count(self, text: str) -> dict[int, float]:
        """Return the number of each word found in `text` and how often."""
        found: dict[int, float] = {}
        folded = fold(text)
        if len(folded) != len(text):
            text = folded
        seen: set[int] = set()
        for start in self._starts:
            at = folded.find(start)
            while at >= 0:
                begin = text.rfind(" ", 0, at) + 1
                end = text.find(" ", at)
                if begin not in seen:
                    seen.add(begin)
                    for number, worth in self[text[begin:] if end < 0 else text[begin:end]]:
                        found[number] = found.get(number, 0.0) + worth
                at = folded.find(start, end) if end > 0 else -1
        return found

    def __missing__(self, chunk: str) -> tuple[tuple[int, float], ...]:
        found: list[tuple[int, float]] = []
        for term in self._known[chunk]:
            if term in self._worth:
                found += self._worth[term]
            if self._initial and term[0] in self._initial:
                found += self._initial[term[0]]
        self[chunk] = tuple(found)
        return self[chunk]
