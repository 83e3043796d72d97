"""Which facts no longer hold because a later one says something else of the same thing, as recall sees it too."""

import datetime as dt
from collections.abc import Collection

from openclaw_memory_plugin.index import reflection as rows
from openclaw_memory_plugin.index.merge import TRUST, load
from openclaw_memory_plugin.recall.slots import Said, may_replace, replaced
from openclaw_memory_plugin.recall.stating import read_state
from openclaw_memory_plugin.reflect.gather import Facts

_ANYBODY = ("anybody",)


def outdated(facts: Facts, *, today: dt.date, safety: Collection[int], corrected: Collection[str]) -> frozenset[str]:
    """
    Return the ids of the facts in whose place later ones stand.

    What is pinned or keeps somebody from harm stands. What is from elsewhere, yet to come, over or corrected takes
    nothing's place.
    """
    day = today.isoformat()
    asked = [fact for fact in facts.all if may_replace(fact, day) and fact.id not in corrected]
    texts = rows.contents(facts.connection, (fact.seq for fact in asked))
    telling = [fact for fact in asked if read_state(texts[fact.seq], _ANYBODY) is not None]
    facts.fetch(fact.seq for fact in telling)
    said = []
    for fact in telling:
        places = facts.places(fact.seq)
        heads = load(places[0].attributes).get("heads", ()) if places else ()
        state = read_state(texts[fact.seq], heads)
        if state is not None:
            said.append((fact.id, Said(state, fact.last_seen or "", TRUST[fact.provenance])))
    found = replaced(said)
    return frozenset(old for old in found if not facts.by_id[old].pinned and facts.by_id[old].seq not in safety)
