"""
Keep the counts behind names: how each name is written and how often, and which words look like names.

Collected as differences while files are written, and written once per transaction; then it is known which names are
good for something else than before.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator

from openclaw_memory_plugin.index import guessing
from openclaw_memory_plugin.index.holding import Holders
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
ALL_SIGHTINGS = "SELECT key, form, inside, start FROM sightings"
PUT_SIGHTING = """
INSERT INTO sightings (key, form, inside, start)
VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET inside = excluded.inside, start = excluded.start
"""
GUESSED = "SELECT key, name FROM names WHERE inferred AND key IN (SELECT value FROM json_each(:keys))"
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
        self._texts: list[str] = []
        self._lower: set[str] = set()
        self._stale: set[str] = set()

    def count(self, fact: Merged, sign: int) -> None:
        """Add (`sign` 1) or take back (-1) what a fact contributes."""
        for column, written in ((HEADS, fact.heads), (MARKS, fact.marks)):
            for pair in {(name_key(name), bare_name(name)) for name in written} if written else ():
                if pair[0]:
                    self._names[pair][column] += sign
        text = guessing.prose(fact.content)
        self._texts.append(text)
        for pair, place in guessing.capitals(text, fact.language).items():
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

    def write(self) -> set[str]:
        """Write all differences; return the names whose standing changed."""
        guessed = self._write_sightings()
        self._write_names(guessed)
        self._names.clear()
        self._sightings.clear()
        self._texts.clear()
        self._lower.clear()
        stale, self._stale = self._stale, set()
        return stale

    def _write_sightings(self) -> dict[str, str | None]:
        """Return the names now guessed, as written, or None for those no longer; only those that changed."""
        deltas = {pair: delta for pair, delta in self._sightings.items() if delta[0] or delta[1]}
        (stored,) = self._db.execute("SELECT COUNT(*) FROM sightings").fetchone()
        if not deltas and not stored:
            return {}
        pieces = set().union(*map(str.split, self._texts))
        self._lower.update(guessing.lower_words(" ".join(pieces)))
        keys = {key for key, _ in deltas} | self._lower
        before: dict[str, dict[str, tuple[int, int]]] = {}
        for key, form, inside, start in self._sighted(keys, stored):
            before.setdefault(key, {})[form] = (inside, start)
        after = {key: dict(forms) for key, forms in before.items()}
        for (key, form), delta in deltas.items():
            forms = after.setdefault(key, {})
            old = forms.get(form, (0, 0))
            forms[form] = (old[0] + delta[0], old[1] + delta[1])
        if not after:
            return {}
        put = [(key, form, *after[key][form]) for key, form in deltas if after[key][form] != (0, 0)]
        drop = [(key, form) for key, form in deltas if after[key][form] == (0, 0)]
        self._db.executemany(PUT_SIGHTING, put)
        self._db.executemany("DELETE FROM sightings WHERE key = ? AND form = ?", drop)
        guessed = dict(self._db.execute(GUESSED, {"keys": json.dumps(list(after))}))
        holders = Holders(self._db)
        changed: dict[str, str | None] = {}
        for key, forms in after.items():
            name = self._guess(key, before.get(key, {}), forms, guessed.get(key), holders)
            if name != guessed.get(key):
                changed[key] = name
        return changed

    def _sighted(self, keys: set[str], stored: int) -> Iterator[tuple[str, str, int, int]]:
        """Yield the stored sightings of these keys: read all where they are fewer than the keys to ask for."""
        if stored < len(keys):
            yield from (row for row in self._db.execute(ALL_SIGHTINGS) if row[0] in keys)
        else:
            yield from self._db.execute(SIGHTINGS, {"keys": json.dumps(list(keys))})

    def _guess(
        self,
        key: str,
        before: dict[str, tuple[int, int]],
        after: dict[str, tuple[int, int]],
        guessed: str | None,
        holders: Holders,
    ) -> str | None:
        """Return the form under which `key` is a guessed name now, None when it is none."""
        if not _may_be_name(key, after):
            return None
        if " " not in key:
            known = key not in self._lower and _may_be_name(key, before)
            if guessed is None if known else holders.in_lower_case(key):
                return None
        return min(after, key=lambda form: (-after[form][0] - after[form][1], form))

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
        shown = ((key, _display(forms), _display(before[key])) for key, forms in after.items() if forms)
        self._db.executemany(RENAME, ({"key": key, "name": name} for key, name, old in shown if name != old))


def display_name(connection: sqlite3.Connection, key: str) -> str:
    """Return how a name is most often written, its key when nobody writes it."""
    row = connection.execute(DISPLAY, {"key": key}).fetchone()
    return str(row[0]) if row else key


def _display(forms: dict[str, list[int]]) -> str | None:
    """Return what `display_name` will say once these uses are written."""
    return min(forms, key=lambda name: (-sum(forms[name][:INFERRED]), -forms[name][INFERRED], name), default=None)


def _may_be_name(key: str, forms: dict[str, tuple[int, int]]) -> bool:
    inside = sum(uses[0] for uses in forms.values())
    return guessing.may_be_name(key, inside, sum(uses[1] for uses in forms.values()))


def _standing(forms: dict[str, list[int]]) -> tuple[bool, bool, bool, bool]:
    """Return what a name is good for: known at all, marked by a person, for runs, only where capitalised."""
    explicit = any(any(uses[:INFERRED]) for uses in forms.values())
    runs = any(uses[HEADS] or uses[PAGES] for uses in forms.values())
    return bool(forms), explicit, runs, all(name[:1].isupper() for name in forms)
