"""Read back from the index what all places of a fact say."""

import json
import sqlite3
from collections.abc import Sequence

from openclaw_memory_plugin.index import merge
from openclaw_memory_plugin.index.merge import Merged, Place

PLACES = """
SELECT o.seq, f.path, o.pos, o.day, f.language, o.attributes, t.name, facts.content
FROM occurrences AS o
JOIN files AS f USING (file_id)
JOIN facts ON facts.seq = o.seq
LEFT JOIN introductions AS t ON t.file_id = o.file_id AND t.role = 'title'
WHERE o.seq IN (SELECT value FROM json_each(:seqs))
ORDER BY o.seq, o.file_id, o.pos
"""


def stated(connection: sqlite3.Connection, seqs: Sequence[int]) -> dict[int, Merged]:
    """Return the facts `seqs` as their places in the index state them; those without a place are left out."""
    if not seqs:
        return {}
    places: dict[int, list[Place]] = {}
    for seq, path, pos, day, language, attributes, title, content in connection.execute(
        PLACES, {"seqs": json.dumps(seqs)}
    ):
        said = merge.load(attributes)
        text = said.pop("content", content)
        place = Place(path=path, pos=pos, day=day, language=language, content=text, title=title, said=said)
        places.setdefault(seq, []).append(place)
    return {seq: merge.merged(found) for seq, found in places.items()}
