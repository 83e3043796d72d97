"""
Keep the counts behind names: how each name is written and how often, and which words look like names.

Collected as differences while files are written, and written once per transaction. Every change of what a name is
good for puts it into `stale_names`.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable

from openclaw_memory_plugin.index import guessing
from openclaw_memory_plugin.index.merge import Merged
from openclaw_memory_plugin.names import bare_name, name_key

NAMES = """
SELECT key, name, heads, marks, pages, links, inferred
FROM names
WHERE key IN (SELECT value FROM json_each(:keys))
"""
PUT_NAME = """
INSERT INTO names (key, name, heads, marks, pages, links, inferred)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET heads = excluded.heads, marks = excluded.marks, pages = excluded.pages,
  links = excluded.links, inferred = excluded.inferred
"""
SIGHTINGS = """
SELECT key, form, inside, start
FROM sightings
WHERE key IN (SELECT value FROM json_each(:keys))
"""
PUT_SIGHTING = """
INSERT INTO sightings (key, form, inside, start)
VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET inside = excluded.inside, start = excluded.start
"""
DISPLAY = """
SELECT name
FROM names
WHERE key = :key
ORDER BY heads + marks + links + pages DESC, inferred DESC, name
LIMIT 1
"""
RENAME = """
UPDATE entities
SET name = :name
WHERE key = :key AND file_id IS NULL AND name <> :name
"""

HEADS, MARKS, PAGES, LINKS, INFERRED = range(5)
_COLUMN = {"title": PAGES, "alias": PAGES, "link": LINKS}


class Counts:
    """Differences of one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self._names: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        self._sightings: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
        self._stale: set[str] = set()

    def count(self, fact: Merged, sign: int) -> None:
        """Add (`sign` 1) or take back (-1) what a fact contributes."""
        for column, written in ((HEADS, fact.heads), (MARKS, fact.marks)):
            for pair in {(name_key(name), bare_name(name)) for name in written}:
                if pair[0]:
                    self._names[pair][column] += sign
        for pair, place in guessing.sightings(fact.content, fact.language).items():
            self._sightings[pair][0 if place == guessing.INSIDE else 1] += sign

    def introduce(self, role: str, key: str, name: str, sign: int) -> None:
        """Add or take back a title, alias or wikilink of a file."""
        self._names[key, name][_COLUMN[role]] += sign

    def stale(self, keys: Iterable[str]) -> None:
        """Have everything about these names linked anew."""
        self._stale.update(keys)

    def unlink(self, seq: int) -> None:
        """Take a fact that is about to be deleted out of the statistics of its entities."""
        self._db.execute(
            "UPDATE entities SET fact_count = fact_count - 1, idf_weight = idf(fact_count - 1)"
            " WHERE id IN (SELECT entity_id FROM mentions WHERE seq = ?)",
            (seq,),
        )
        self._db.execute(
            "DELETE FROM entities WHERE fact_count = 0 AND file_id IS NULL"
            " AND id IN (SELECT entity_id FROM mentions WHERE seq = ?)",
            (seq,),
        )
        self._db.execute("DELETE FROM mentions WHERE seq = ?", (seq,))

    def write(self) -> None:
        """Write all differences, and leave the names whose standing changed in `stale_names`."""
        guessed = self._write_sightings()
        self._write_names(guessed)
        self._db.executemany("INSERT OR IGNORE INTO stale_names VALUES (?)", ((key,) for key in self._stale))
        self._names.clear()
        self._sightings.clear()
        self._stale.clear()

    def _write_sightings(self) -> dict[str, str | None]:
        """Return the names now guessed, as written, or None for those no longer; only those that changed."""
        deltas = {pair: delta for pair, delta in self._sightings.items() if delta[0] or delta[1]}
        if not deltas:
            return {}
        keys = {key for key, _ in deltas}
        before: dict[str, dict[str, tuple[int, int]]] = {}
        for key, form, inside, start in self._db.execute(SIGHTINGS, {"keys": json.dumps(list(keys))}):
            before.setdefault(key, {})[form] = (inside, start)
        after: dict[str, dict[str, tuple[int, int]]] = {}
        put, drop = [], []
        for (key, form), delta in deltas.items():
            forms = after.get(key)
            if forms is None:
                forms = after[key] = dict(before.get(key, ()))
            old = forms.get(form, (0, 0))
            now = forms[form] = (old[0] + delta[0], old[1] + delta[1])
            if now == (0, 0):
                drop.append((key, form))
                del forms[form]
            else:
                put.append((key, form, *now))
        self._db.executemany(PUT_SIGHTING, put)
        self._db.executemany("DELETE FROM sightings WHERE key = ? AND form = ?", drop)
        guessed = {}
        for key, forms in after.items():
            old_forms = before.get(key, {})
            if len(forms) + len(old_forms) > (key in forms) + (key in old_forms):
                was, now_guessed = _guess(key, old_forms), _guess(key, forms)
                if was != now_guessed:
                    guessed[key] = now_guessed
        return guessed

    def _write_names(self, guessed: dict[str, str | None]) -> None:
        keys = {key for (key, _), delta in self._names.items() if any(delta)} | guessed.keys()
        if not keys:
            return
        before: dict[str, dict[str, list[int]]] = {key: {} for key in keys}
        for key, name, *uses in self._db.execute(NAMES, {"keys": json.dumps(list(keys))}):
            before[key][name] = uses
        after = {key: {name: list(uses) for name, uses in forms.items()} for key, forms in before.items()}
        for (key, name), delta in self._names.items():
            if key in after:
                uses = after[key].setdefault(name, [0, 0, 0, 0, 0])
                for column in range(4):
                    uses[column] += delta[column]
        for key, form in guessed.items():
            for uses in after[key].values():
                uses[INFERRED] = 0
            if form is not None:
                after[key].setdefault(form, [0, 0, 0, 0, 0])[INFERRED] = 1
        put, drop = [], []
        for key, forms in after.items():
            for name, uses in list(forms.items()):
                if not any(uses):
                    drop.append((key, name))
                    del forms[name]
                elif before[key].get(name) != uses:
                    put.append((key, name, *uses))
            if _standing(before[key]) != _standing(forms):
                self._stale.add(key)
        self._db.executemany(PUT_NAME, put)
        self._db.executemany("DELETE FROM names WHERE key = ? AND name = ?", drop)
        for key, forms in after.items():
            if forms:
                self._db.execute(RENAME, {"key": key, "name": display_name(self._db, key)})


def display_name(connection: sqlite3.Connection, key: str) -> str:
    """Return how a name is most often written, its key when nobody writes it."""
    row = connection.execute(DISPLAY, {"key": key}).fetchone()
    return str(row[0]) if row else key


def _guess(key: str, forms: dict[str, tuple[int, int]]) -> str | None:
    """Return the form under which `key` is a guessed name, None when it is none."""
    capital = {form: uses for form, uses in forms.items() if form != key}
    if not capital:
        return None
    inside = sum(uses[0] for uses in capital.values())
    start = sum(uses[1] for uses in capital.values())
    lower = forms.get(key, (0, 0))[0]
    if not guessing.is_guess(key, inside, start, lower):
        return None
    return min(capital, key=lambda form: (-capital[form][0] - capital[form][1], form))


def _standing(forms: dict[str, list[int]]) -> tuple[bool, bool, bool, bool]:
    """Return what a name is good for: known at all, marked by a person, for runs, only where capitalised."""
    explicit = any(any(uses[:INFERRED]) for uses in forms.values())
    runs = any(uses[HEADS] or uses[PAGES] for uses in forms.values())
    return bool(forms), explicit, runs, all(name[:1].isupper() for name in forms)
