"""
From a request to ranked candidates: read the question, gather, put current statements first, load what is left.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from openclaw_memory_hookspecs import Candidate, Fact, RecallRequest
from openclaw_memory_plugin.index.read import Reader, Scope
from openclaw_memory_plugin.recall.called import naming
from openclaw_memory_plugin.recall.connect import Connected, Origin, connect
from openclaw_memory_plugin.recall.corrected import with_corrections
from openclaw_memory_plugin.recall.cues import Cues, read_question
from openclaw_memory_plugin.recall.gather import Gathered, gather
from openclaw_memory_plugin.recall.latest import Ordered, in_order_of_time, newest_first
from openclaw_memory_plugin.recall.match import Match
from openclaw_memory_plugin.recall.successors import successors, with_successors
from openclaw_memory_plugin.recall.times import NEAR_DAYS, Window

if TYPE_CHECKING:
    from openclaw_memory_plugin.index import Index

TROUBLES = 10
"""So many names that nobody has are told of."""

CANDIDATES = 20
"""So many of the best matches more than asked for are scored; all where they differ in nothing but their days."""

DECAY = 0.5
"""What a hop of association hands on when neither the request nor the configuration says."""

ANSWERED = 0.9
"""A fact that holds so much of the question leaves nothing to lead on to; a depth that is asked for always applies."""
TOLD = 0.8
"""The same of a fact that names a time, for a question that asks for one."""
LEADING = 3
"""So many of the best facts are asked whether they do."""

PARTS = frozenset(
    {
        "context",
        "headings",
        "subject",
        "entities",
        "time",
        "opinion",
        "dated",
        "asking",
        "compounds",
        "latest",
        "association",
    }
)
"""What can be left out of a recall to measure what it is worth."""


@attrs.frozen(kw_only=True)
class Ranked:
    """Candidates of one recall, best match first."""

    candidates: tuple[Candidate, ...] = ()
    weighed: int = 0
    """How many facts were weighed in all."""
    cues: Cues = attrs.field(factory=Cues)
    connected: Connected | None = None
    """How association went; None when it was not asked."""
    origins: Mapping[str, Origin] = attrs.field(factory=dict)
    """Id of a candidate -> the fact to which it owes its association."""
    degraded: tuple[str, ...] = ()


def rank(
    index: "Index",
    request: RecallRequest,
    *,
    without: frozenset[str],
    likeness: Mapping[int, float],
    share: float,
    always: frozenset[int] = frozenset(),
) -> Ranked:
    """
    Return what may answer a request; reads only.

    Args:
        without: names among `PARTS` that shall not count.
        likeness: fact -> cosine of its vector and the question's, for those most alike.
        share: of a match that likeness makes up.
        always: facts that become candidates, whatever they match, where the request's filters allow it.
    """
    reader = Reader(index.connection)
    today = index.workspace.today(request.now)
    scope, troubles = _scope(index, request)
    if scope is None:
        return Ranked(degraded=tuple(troubles))
    cues = _cues(reader, request, scope, today)
    tasks = attrs.evolve(scope, task="open")
    if cues.tasks and reader.newest(tasks, 1):
        scope, cues = tasks, attrs.evolve(cues, words=(), timed=frozenset(), edge="last", current=False)
    gathered = gather(
        reader, request, cues, scope=scope, today=today, without=without, likeness=likeness, share=share, always=always
    )
    connected = None
    if "association" not in without and not _answered(request, cues, gathered):
        connected = connect(
            index.connection,
            reader,
            gathered,
            cues=cues,
            scope=scope,
            depth=request.associative_depth,
            decay=DECAY if request.activation_decay is None else request.activation_decay,
            wanted=request.k,
        )
        gathered = connected.gathered
    ordered = _in_time(gathered, cues, today, without)
    chosen = _chosen(ordered, gathered, most=request.k + CANDIDATES if cues.words else None, always=always)
    candidates = _candidates(index, chosen, ordered, gathered, connected)
    if "latest" not in without:
        if cues.edge != "first" and not cues.past:
            day = _day_asked(cues, today)
            newer = successors(reader, chosen, gathered.mentioned, scope=scope, day=day)
            candidates = with_successors(index.connection, request, candidates, newer)
        candidates = with_corrections(index.connection, request, candidates, day=_day_asked(cues, today))
    origins = connected.origins if connected else {}
    return Ranked(
        candidates=candidates,
        weighed=len(ordered.ranked),
        cues=cues,
        connected=connected,
        origins={match.row.id: origins[match.row.seq] for match in chosen if match.row.seq in origins},
        degraded=tuple(troubles),
    )


def _cues(reader: Reader, request: RecallRequest, scope: Scope, today: dt.date) -> Cues:
    """Read the question; one that asks for anything of a time or a scope has no words that would have to be met."""
    cues = read_question(request.query, languages=reader.languages(), today=today)
    if request.around is not None:
        cues = attrs.evolve(cues, windows=(*cues.windows, _near(request.around)))
    if cues.anything and (cues.windows or scope.narrow):
        cues = attrs.evolve(cues, words=(), timed=frozenset())
    return cues


def _chosen(ordered: Ordered, gathered: Gathered, *, most: int | None, always: frozenset[int]) -> tuple[Match, ...]:
    """Return the first matches, all when `most` is None, and those that are always wanted, as time moved them."""
    first = ordered.ranked[:most]
    more = (match for match in ordered.ranked[len(first) :] if match.row.seq in always)
    before = {match.row.seq: match.score for match in gathered.ranked}
    return tuple(_moved(match, before[match.row.seq], ordered) for match in (*first, *more))


def _candidates(
    index: "Index", chosen: Sequence[Match], ordered: Ordered, gathered: Gathered, connected: Connected | None
) -> tuple[Candidate, ...]:
    """Load the chosen facts, each with its match relative to the best one."""
    from openclaw_memory_plugin.index.facts import load

    best = ordered.ranked[0].score if ordered.ranked and ordered.ranked[0].score > 0.0 else 1.0
    facts = {fact.id: fact for fact in load(index.connection, [match.row.seq for match in chosen])}
    ids = {match.row.seq: match.row.id for match in ordered.ranked}
    paths = connected.paths if connected else {}
    named = {cue.id for cue in gathered.entities}
    return tuple(
        Candidate(
            fact=attrs.evolve(fact, superseded=True) if match.row.seq in ordered.corrected else fact,
            base=match.score / best,
            parts=match.parts,
            path=paths.get(match.row.seq, ()),
            words_found=min(1.0, match.found),
            tags_found=_tags_found(gathered, match, named),
            superseded_by=ids.get(ordered.superseded.get(match.row.seq, -1)),
        )
        for match in chosen
        if (fact := facts.get(match.row.id)) is not None
    )


def _scope(index: "Index", request: RecallRequest) -> tuple[Scope | None, list[str]]:
    """Return the request's filters, None when nothing can fit them, and what is to be said of the names among them."""
    ids: list[int | None] = []
    troubles: list[str] = []
    for name in dict.fromkeys(request.entities):
        called = index.whom(name)
        ids.append(called.id)
        troubles += [called.trouble] if called.trouble else []
        if None in ids and len(troubles) >= TROUBLES:
            break
    if None in ids:
        return None, troubles
    scope = Scope(
        salience=request.min_salience,
        archived=request.include_archived,
        private=request.include_private,
        kinds=tuple(kind.value for kind in request.kinds),
        since=request.since.isoformat() if request.since else None,
        until=request.until.isoformat() if request.until else None,
        entities=tuple(dict.fromkeys(id for id in ids if id is not None)),
    )
    return scope, troubles


def _in_time(gathered: Gathered, cues: Cues, today: dt.date, without: frozenset[str]) -> Ordered:
    """Put current statements first where the question asks for what holds, or the first or last one."""
    if "latest" in without:
        return Ordered(ranked=gathered.ranked)
    if cues.edge and not cues.current:
        return Ordered(ranked=in_order_of_time(gathered.ranked, newest=cues.edge == "last"))
    asks = bool(cues.windows or cues.current or cues.future or cues.opinion)
    if not asks and not (cues.single and gathered.entities):
        return Ordered(ranked=gathered.ranked)
    asked = _day_asked(cues, today, ahead=True)
    words = naming(cues, gathered.entities)
    return newest_first(
        gathered.ranked,
        gathered.mentioned,
        named=frozenset(cue.id for cue in gathered.entities),
        naming=words,
        headed=not asks,
        notes=cues.current or cues.future or not asks,
        single=cues.current or cues.future or cues.single,
        names=frozenset(term for number in words for term in cues.words[number].alternatives),
        day=_day_asked(cues, today),
        holds_on=None if cues.future and not cues.current else asked,
    )


def _day_asked(cues: Cues, today: dt.date, *, ahead: bool = False) -> dt.date:
    """Return the last day that is asked about; one to come only where `ahead`."""
    asked = max((window.last for window in cues.windows), default=today)
    return asked if ahead else min(today, asked)


def _moved(match: Match, before: float, ordered: Ordered) -> Match:
    """Return a match with the factor by which time moved it among its parts."""
    if match.score == before or before <= 0.0:
        return match
    factor = match.score / before
    name = "order"
    if match.row.seq in ordered.superseded:
        name, factor = "superseded", factor * match.parts.get("superseded", 1.0)
    elif match.row.seq in ordered.superseded.values():
        name = "supersedes"
    return attrs.evolve(match, parts={**match.parts, name: factor})


def _answered(request: RecallRequest, cues: Cues, gathered: Gathered) -> bool:
    """
    Tell whether association can be spared: nobody asked for it, and there is nothing to lead on from or to, or the
    question names itself all that it is about.
    """
    if request.associative_depth is not None:
        return False
    return (
        gathered.bare
        or cues.comparing
        or any(match.found >= (TOLD if "dated" in match.parts else ANSWERED) for match in gathered.ranked[:LEADING])
    )


def _tags_found(gathered: Gathered, match: Match, named: set[int]) -> float:
    mentioned = gathered.mentioned.get(match.row.seq)
    return len(named & mentioned.keys()) / len(mentioned) if mentioned else 0.5


def _near(day: dt.date) -> Window:
    reach = dt.timedelta(days=NEAR_DAYS)
    return Window(first=day - reach, last=day + reach)


def why(candidate: Candidate, scored: Mapping[str, float], newer: Fact | None, origin: Origin | None) -> dict[str, Any]:
    """
    Return what a hit's score is made of, without parts that are nothing.

    Args:
        scored: summands of the built-in scorer; empty when another one scored.
        newer: the statement that takes its place.
        origin: the fact to which it owes its association.
    """
    parts: dict[str, Any] = {name: round(value, 4) for name, value in candidate.parts.items() if value}
    parts["base"] = round(candidate.base, 4)
    if scored:
        parts["scored"] = {name: round(value, 4) for name, value in scored.items()}
    if newer is not None and candidate.fact.superseded:
        parts["superseded_by"] = newer.id
        parts["superseded_at"] = str(newer.source)
    if origin is not None and candidate.parts.get("association"):
        parts["leads_to" if origin.back else "from"] = origin.id
    if candidate.path:
        parts["via"] = list(candidate.path)
    return parts
