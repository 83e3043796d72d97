"""Of what matches, the newest first: a complete scorer plugin."""

from collections.abc import Sequence

from openclaw_memory_hookspecs import Candidate, RecallRequest, hookimpl

QUARTER = 90.0
"""Days after which a fact counts half; a short answer leaves out what counts far less than the newest."""


class NewestFirst:
    """Scores a fact by the last day it was recorded; the match itself only decides between facts of one day."""

    @hookimpl
    def score_candidates(self, request: RecallRequest, candidates: Sequence[Candidate]) -> list[float]:
        today = request.now.date().toordinal()
        return [self._score(candidate, today) for candidate in candidates]

    def _score(self, candidate: Candidate, today: int) -> float:
        day = candidate.fact.last_seen
        age = max(0, today - day.toordinal()) if day else 10_000
        return 1.0 / (1.0 + age / QUARTER) + candidate.base * 1e-6
