"""
Where an earlier statement on something that has one value at a time is found, the latest one stands before it.

It need not match the question as well: who asks where somebody lives is told that they moved.
"""

import datetime as dt
import json
from collections.abc import Mapping, Sequence

import attrs

from openclaw_memory_hookspecs import Candidate, Fact, Kind, Provenance
from openclaw_memory_plugin.index.merge import TRUST
from openclaw_memory_plugin.recall.corrected import behind
from openclaw_memory_plugin.recall.match import Match
from openclaw_memory_plugin.recall.slots import Said, replaced

READ = 40
"""So many of the best candidates are read."""


def with_successors(
    candidates: Sequence[Candidate], matches: Sequence[Match], *, day: dt.date
) -> tuple[Candidate, ...]:
    """
    Mark the candidates that no longer hold, and raise what stands in their place to what they had.

    What keeps somebody from harm holds until somebody says explicitly that it does not.

    Args:
        matches: of the candidates, whose rows tell their heads.
        day: what was said later, or was over by then, takes nothing's place.
    """
    from openclaw_memory_plugin.recall.stating import read_state

    heads = {match.row.id: match.row.attributes for match in matches if match.row.attributes}
    said = []
    for candidate in candidates[:READ]:
        fact = candidate.fact
        if _speaks(fact, day):
            state = read_state(fact.content, _heads(heads.get(fact.id)))
            if state is not None:
                last = fact.last_seen.isoformat() if fact.last_seen else ""
                said.append((fact.id, Said(state, last, TRUST[fact.provenance.value])))
    found = replaced(said) if len(said) > 1 else {}
    if not found:
        return tuple(candidates)
    from openclaw_memory_plugin.words.safety import is_safety

    known = {candidate.fact.id: candidate for candidate in candidates}
    moved = dict(known)
    for old, new in found.items():
        if not is_safety(known[old].fact.content):
            moved[old] = behind(moved[old], new, True)
            moved[new] = _before(moved[new], known[old])
    return tuple(sorted(moved.values(), key=lambda candidate: -candidate.base))


def _speaks(fact: Fact, day: dt.date) -> bool:
    return (
        fact.kind is not Kind.OPINION
        and fact.provenance is not Provenance.UNTRUSTED
        and not fact.task
        and not fact.superseded
        and (fact.timestamp is None or fact.timestamp <= day)
        and (fact.valid_to is None or fact.valid_to >= day)
    )


def _heads(attributes: str | None) -> Sequence[str]:
    if attributes is None or '"heads"' not in attributes:
        return ()
    said: Mapping[str, Sequence[str]] = json.loads(attributes)
    return said["heads"]


def _before(candidate: Candidate, old: Candidate) -> Candidate:
    """Raise a statement to what the one that it replaces had."""
    if candidate.base >= old.base:
        return candidate
    parts = dict(candidate.parts)
    if candidate.base > 0.0:
        parts["supersedes"] = parts.get("supersedes", 1.0) * old.base / candidate.base
    return attrs.evolve(candidate, base=old.base, parts=parts, words_found=max(candidate.words_found, old.words_found))
