"""Retrieval measures over citations; a merged duplicate that covers several gold lines counts once."""

import math
from collections.abc import Iterable, Mapping, Sequence

import attrs

PAGE = 14
"""Of a long citation only so many lines after the first one count: a whole page is no citation."""


@attrs.frozen(kw_only=True)
class Judged:
    """The measures of one answer."""

    recall5: float
    recall10: float
    all10: float
    """Whether the first ten hold all gold."""
    ndcg: float
    """nDCG@10 with gain 2^grade - 1."""
    first: float
    """Whether the first hit is a grade-3 answer."""
    answers5: float
    """Recall of grade-3 answers in the first five."""
    f1: float
    """Of precision and recall over all hits, relevant = grade 2 and up."""
    hits: int
    characters: int


Places = Sequence[tuple[str, int, int]]
"""Path, first and last line of each citation of a hit."""


def judge(hits: Sequence[Places], gold: Mapping[str, int], characters: int) -> Judged:
    """Judge an answer, best hit first."""
    lines = {source: _place(source) for source in gold}
    used: set[str] = set()
    got: list[int] = []
    groups: list[set[str]] = []
    for places in hits:
        new = {source for source, place in lines.items() if any(_covers(cited, place) for cited in places)} - used
        used |= new
        got.append(max((gold[source] for source in new), default=0))
        if new:
            groups.append(new)
    grades = [max(gold[source] for source in group) for group in groups]
    grades += [grade for source, grade in gold.items() if source not in used]
    ideal = _gain(sorted(grades, reverse=True)[:10])
    found = [grade > 0 for grade in got]
    answers = sum(grade == 3 for grade in grades)
    relevant = sum(grade >= 2 for grade in got)
    precision = relevant / len(got) if got else 0.0
    recall = relevant / max(1, sum(grade >= 2 for grade in grades))
    return Judged(
        recall5=sum(found[:5]) / len(grades),
        recall10=sum(found[:10]) / len(grades),
        all10=float(sum(found[:10]) == len(grades)),
        ndcg=_gain(got[:10]) / ideal,
        first=float(bool(got) and got[0] == 3),
        answers5=min(1.0, sum(grade == 3 for grade in got[:5]) / answers) if answers else 0.0,
        f1=2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        hits=len(got),
        characters=characters,
    )


def mean(judged: Iterable[Judged]) -> Judged:
    """Return the mean of every measure."""
    rows = list(judged)
    names = [field.name for field in attrs.fields(Judged)]
    return Judged(**{name: sum(getattr(row, name) for row in rows) / max(1, len(rows)) for name in names})


def _place(source: str) -> tuple[str, int]:
    path, _, line = source.rpartition("#L")
    return path, int(line)


def _covers(cited: tuple[str, int, int], place: tuple[str, int]) -> bool:
    path, first, last = cited
    return path == place[0] and first <= place[1] <= min(last, first + PAGE)


def _gain(grades: Sequence[int]) -> float:
    return sum((2.0**grade - 1.0) / math.log2(i + 2) for i, grade in enumerate(grades))
