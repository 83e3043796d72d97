"""Read the graph of entities: who shares facts with whom, in rows whose number does not depend on the corpus."""

import datetime as dt


def recency(last_seen: dt.date | None, fact_id: str) -> int:
    """
    Return what orders the facts of one entity: later days are greater, within a day lower ids are greater.

    Stored with every mention, so that the newest facts of an entity are the end of an index range. Depends on the
    fact alone, never on the order in which files were read; undated facts come last.
    """
    day = last_seen.toordinal() if last_seen else 0
    return (day << 24) | (0xFFFFFF - int(fact_id[:6], 16))
