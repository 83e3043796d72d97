"""
Write what one file says into the index, and everything that follows from it, inside a transaction of the caller.

A fact is the sum of its places (`merge`), and every derived count is the sum over facts; so a change is written as the
difference between what a fact contributed before and what it contributes now. Links between facts and entities are not
made here: the writer knows in the end whose links must be made anew (`entities`).
"""

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import attrs

from openclaw_memory_plugin.index import merge
from openclaw_memory_plugin.index.counts import Counts
from openclaw_memory_plugin.index.edits import edits_between
from openclaw_memory_plugin.index.hiding import FORGOTTEN, LEAVE_OR_TEACH
from openclaw_memory_plugin.index.indexed import LEARN_WORDS, terms_of
from openclaw_memory_plugin.index.merge import Merged, Place
from openclaw_memory_plugin.index.places import stated
from openclaw_memory_plugin.index.reading import Contents, Entry
from openclaw_memory_plugin.index.store import WordsDrift
from openclaw_memory_plugin.markdown.nouns import Defect
from openclaw_memory_plugin.names import bare_name, name_key
from openclaw_memory_plugin.workspace import FileState

OF_FILE = """
SELECT o.pos, facts.id, o.seq, o.day, o.attributes, o.line, o.end_line, facts.content
FROM occurrences AS o
JOIN facts ON facts.seq = o.seq
WHERE o.file_id = :file_id
ORDER BY o.pos
"""
FILE = """
SELECT f.file_id, f.language, t.name
FROM files AS f
LEFT JOIN introductions AS t ON t.file_id = f.file_id AND t.role = 'title'
WHERE f.path = ?
"""
KNOWN = "SELECT id, seq, content FROM facts WHERE id IN (SELECT value FROM json_each(:ids))"
PARKED = """
SELECT id, access_count, last_accessed_at
FROM parked_accesses
WHERE id IN (SELECT value FROM json_each(:ids))
"""
INSERT_FACT = """
INSERT INTO facts (
  content, language, timestamp, last_seen, valid_from, valid_to, salience, confidence, provenance, private, pinned,
  task, superseded, noise, archived, words_check, seq, id, kind, access_count, last_accessed_at
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
UPDATE_FACT = """
UPDATE facts
SET content = ?, language = ?, timestamp = ?, last_seen = ?, valid_from = ?, valid_to = ?, salience = ?,
  confidence = ?, provenance = ?, private = ?, pinned = ?, task = ?, superseded = ?, noise = ?, archived = ?,
  words_check = ?
WHERE seq = ?
"""
PARK = """
INSERT INTO parked_accesses (id, access_count, last_accessed_at)
SELECT id, access_count, last_accessed_at FROM facts WHERE seq = ? AND access_count > 0
"""
FORGET_WORDS = "INSERT INTO words (words, rowid, terms) VALUES ('delete', ?, ?)"


@attrs.define
class Tally:
    """What a sync changed."""

    added: int = 0
    removed: int = 0
    changed: int = 0


class Writer:
    """Writes files; made once per transaction, `finish` ends it."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        *,
        hides: Callable[[str, str | None], bool],
        covers: Callable[[str, Sequence[str]], bool],
        renamed: Callable[[str, str], None],
        changed: Callable[[int], object],
    ) -> None:
        """
        Take an open transaction and what the workspace says elsewhere.

        Args:
            hides: id, last day -> whether the fact is archived.
            covers: content, heads -> whether the statement was forgotten and must not come back.
            renamed: told the old and the new id of every edited fact.
            changed: told the `seq` of every fact that is no longer what it was.
        """
        self.tally = Tally()
        self.fresh: dict[int, tuple[str, Merged]] = {}
        """Id and statement of facts that are new, by `seq`: linking need not read them back."""
        self.stale_names: set[str] = set()
        self.stale_facts: set[int] = set()
        """What is to be linked anew; complete after `finish`."""
        self._db = connection
        self._hides = hides
        self._covers = covers
        self._renamed = renamed
        self._report = changed
        self._counts = Counts(connection)
        self._next = connection.execute("SELECT COALESCE(MAX(seq), 0) + 1 FROM facts").fetchone()[0]
        self._parked = connection.execute("SELECT 1 FROM parked_accesses LIMIT 1").fetchone() is not None

    def finish(self) -> None:
        """Write the counts that have been collected."""
        self.stale_names |= self._counts.write()

    def write_file(self, state: FileState, digest: str, page: Contents) -> None:
        """Make the index say what `page` says at `state.path`, and nothing else there."""
        file_id, is_new, same_title = self._enter_file(state, digest, page)
        old = [] if is_new else self._db.execute(OF_FILE, {"file_id": file_id}).fetchall()
        new, kept_out = self._statements(page)
        touched = _changed(old, new) if old and same_title else {row[1] for row in old} | {item.id for item in new}
        known = {
            row[0]: (row[1], row[2]) for row in self._db.execute(KNOWN, {"ids": json.dumps([item.id for item in new])})
        }
        known |= {row[1]: (row[2], row[7]) for row in old}
        # The title of the page is part of every place on it, so the old state is read before anything is written.
        before = {} if is_new and not known else stated(self._db, [known[id][0] for id in touched if id in known])
        edits = (
            edits_between(
                [(row[1], row[7]) for row in old],
                [(item.id, item.content) for item in new],
                lambda id: id in known,
            )
            if old
            else []
        )
        self._introduce(file_id, page, is_new)
        if not is_new:
            self._db.execute("UPDATE files SET language = ? WHERE file_id = ?", (page.language, file_id))
            self._db.execute(_DELETE["defects"], (file_id,))
        self._write_defects(file_id, page.defects, kept_out)
        fresh = self._place(file_id, old, new, known)
        self._write_facts(state.path, page, new, touched, known, before, fresh)
        for previous, current in edits:
            self._renamed(previous, current)

    def remove_file(self, path: str) -> None:
        """Forget a file that is gone."""
        row = self._db.execute("SELECT file_id, size, mtime_ns, inode FROM files WHERE path = ?", (path,)).fetchone()
        if row is None:
            return
        self.write_file(FileState(path=path, size=row[1], mtime_ns=row[2], inode=row[3]), "", Contents())
        for table in ("defects", "sections", "files"):
            self._db.execute(_DELETE[table], (row[0],))

    def _enter_file(self, state: FileState, digest: str, page: Contents) -> tuple[int, bool, bool]:
        """Return the file's id, whether it is new, and whether title and language are what they were."""
        row = self._db.execute(FILE, (state.path,)).fetchone()
        if row is None:
            cursor = self._db.execute(
                "INSERT INTO files (path, size, mtime_ns, inode, digest, language) VALUES (?, ?, ?, ?, ?, ?)",
                (state.path, state.size, state.mtime_ns, state.inode, digest, page.language),
            )
            return int(cursor.lastrowid or 0), True, True
        self._db.execute(
            "UPDATE files SET size = ?, mtime_ns = ?, inode = ?, digest = ? WHERE file_id = ?",
            (state.size, state.mtime_ns, state.inode, digest, row[0]),
        )
        return row[0], False, (row[1], row[2]) == (page.language, page.title)

    def _statements(self, page: Contents) -> tuple[list[Entry], list[Defect]]:
        """Return what the page states, and defects for what was forgotten and is left out."""
        found = []
        kept_out = []
        for item in page.entries:
            if self._covers(item.content, item.said.get("heads", ())):
                kept_out.append(Defect(line=item.line, message=FORGOTTEN, remedy=LEAVE_OR_TEACH))
            else:
                found.append(item)
        return found, kept_out

    def _introduce(self, file_id: int, page: Contents, is_new: bool) -> None:
        """Write title, aliases and wikilinks of a file."""
        new = {("link", name_key(name), bare_name(name)) for name in page.names}
        if page.title:
            new.add(("title", name_key(page.title), page.title))
            new |= {("alias", name_key(name), bare_name(name)) for name in page.aliases}
        new = {entry for entry in new if entry[1]}
        old: set[tuple[str, str, str]] = set()
        if not is_new:
            old.update(self._db.execute("SELECT role, key, name FROM introductions WHERE file_id = ?", (file_id,)))
        if old == new:
            return
        for entries, sign in ((old - new, -1), (new - old, 1)):
            for role, key, name in entries:
                self._counts.introduce(role, key, name, sign)
        if any(role != "link" for role, _, _ in old ^ new):
            self._counts.stale(key for role, key, _ in old | new if role != "link")
        self._db.execute("DELETE FROM introductions WHERE file_id = ?", (file_id,))
        self._db.executemany("INSERT INTO introductions VALUES (?, ?, ?, ?)", ((file_id, *entry) for entry in new))

    def _write_defects(self, file_id: int, *defects: Iterable[Defect]) -> None:
        rows = [(file_id, d.line, d.message, d.remedy) for some in defects for d in some]
        if rows:
            self._db.executemany("INSERT INTO defects VALUES (?, ?, ?, ?)", rows)

    def _place(self, file_id: int, old: list[Any], new: list[Entry], known: dict[str, tuple[int, str]]) -> list[Entry]:
        """Write the file's occurrences; return the statements that are facts not known before, each once."""
        if old:
            self._db.execute("DELETE FROM occurrences WHERE file_id = ?", (file_id,))
            self._db.execute("DELETE FROM corrections WHERE file_id = ?", (file_id,))
            self._db.execute(_DELETE["sections"], (file_id,))
        sections: dict[tuple[str, ...], int] = {}
        fresh: list[Entry] = []
        rows = []
        for pos, item in enumerate(new):
            if item.id not in known:
                known[item.id] = (self._next, item.content)
                self._next += 1
                fresh.append(item)
            seq, content = known[item.id]
            if content != item.content:
                item.said["content"] = item.content
            section = sections.get(item.section)
            if section is None:
                cursor = self._db.execute(
                    "INSERT INTO sections (file_id, heading) VALUES (?, ?)",
                    (file_id, json.dumps(item.section, ensure_ascii=False)),
                )
                section = sections[item.section] = int(cursor.lastrowid or 0)
            if contradicts := item.said.get("contradicts"):
                against = ((target.lower(), seq, file_id) for target in contradicts)
                self._db.executemany("INSERT OR IGNORE INTO corrections VALUES (?, ?, ?)", against)
            rows.append((file_id, pos, seq, item.line, item.end_line, section, item.day, merge.dump(item.said)))
        self._db.executemany("INSERT INTO occurrences VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        return fresh

    def _write_facts(
        self,
        path: str,
        page: Contents,
        new: list[Entry],
        touched: set[str],
        known: Mapping[str, tuple[int, str]],
        before: Mapping[int, Merged],
        fresh: list[Entry],
    ) -> None:
        after = stated(self._db, [known[id][0] for id in touched if id in known and known[id][0] in before])
        here: dict[str, list[Place]] = {}
        created = {item.id for item in fresh}
        for pos, item in enumerate(new):
            if item.id in created:
                content = item.said.get("content", item.content)
                here.setdefault(item.id, []).append(
                    Place(path, pos, item.day, page.language, content, page.title, item.said)
                )
        self._insert([(item, merge.merged(here[item.id]), len(here[item.id]) == 1) for item in fresh], known)
        for id in sorted(touched - created):
            seq = known[id][0]
            self._change(seq, id, before[seq], after.get(seq))

    def _insert(self, facts: list[tuple[Entry, Merged, bool]], known: Mapping[str, tuple[int, str]]) -> None:
        if not facts:
            return
        accesses: dict[str, tuple[int, str | None]] = {}
        if self._parked:
            ids = json.dumps([item.id for item, *_ in facts])
            accesses = {row[0]: (row[1], row[2]) for row in self._db.execute(PARKED, {"ids": ids})}
            self._db.executemany("DELETE FROM parked_accesses WHERE id = ?", ((id,) for id in accesses))
        rows, words = [], []
        for item, fact, alone in facts:
            seq = known[item.id][0]
            text = item.terms if alone and item.terms is not None else terms_of(fact, fact.language)
            words.append((seq, text))
            count, last = accesses.get(item.id, (0, None))
            rows.append(
                (*_columns(fact, self._hides(item.id, fact.last_seen), text), seq, item.id, item.kind,
                 count, last)
            )  # fmt: skip
            self._counts.count(fact, 1)
            self.fresh[seq] = (item.id, fact)
        self._db.executemany(INSERT_FACT, rows)
        self._db.executemany(LEARN_WORDS, words)
        self.stale_facts.update(seq for seq, _ in words)
        self.tally.added += len(facts)

    def _change(self, seq: int, id: str, before: Merged, after: Merged | None) -> None:
        if after == before:
            return
        self.fresh.pop(seq, None)
        self._report(seq)
        if after is not None and after.content != before.content:
            self._spell_out(seq, before.content)
        old_terms = terms_of(before, before.language)
        new_terms = terms_of(after, after.language) if after is not None else None
        if old_terms != new_terms:
            (check,) = self._db.execute("SELECT words_check FROM facts WHERE seq = ?", (seq,)).fetchone()
            if check != zlib.crc32(old_terms.encode()):
                raise WordsDrift(id)
            self._db.execute(FORGET_WORDS, (seq, old_terms))
            if new_terms is not None:
                self._db.execute(LEARN_WORDS, (seq, new_terms))
        self._counts.count(before, -1)
        if after is None:
            self._db.execute(PARK, (seq,))
            self._parked = True
            self._counts.unlink(seq)
            for table in ("facts", "stale_facts", "embeddings"):
                self._db.execute(_DELETE_FACT[table], (seq,))
            self.stale_facts.discard(seq)
            self.tally.removed += 1
            return
        self._counts.count(after, 1)
        if new_terms is None:
            return
        self._db.execute(UPDATE_FACT, (*_columns(after, self._hides(id, after.last_seen), new_terms), seq))
        if after.content != before.content:
            self._db.execute(_DELETE_FACT["embeddings"], (seq,))
        self.stale_facts.add(seq)
        self.tally.changed += 1

    def _spell_out(self, seq: int, content: str) -> None:
        """Give every place that relied on the fact's old content a copy of it, before that changes."""
        rows = self._db.execute("SELECT file_id, pos, attributes FROM occurrences WHERE seq = ?", (seq,)).fetchall()
        for file_id, pos, attributes in rows:
            said = merge.load(attributes)
            if "content" not in said:
                said["content"] = content
                self._db.execute(
                    "UPDATE occurrences SET attributes = ? WHERE file_id = ? AND pos = ?",
                    (merge.dump(said), file_id, pos),
                )


_DELETE = {
    "defects": "DELETE FROM defects WHERE file_id = ?",
    "sections": "DELETE FROM sections WHERE file_id = ?",
    "files": "DELETE FROM files WHERE file_id = ?",
}
_DELETE_FACT = {
    "facts": "DELETE FROM facts WHERE seq = ?",
    "stale_facts": "DELETE FROM stale_facts WHERE seq = ?",
    "embeddings": "DELETE FROM embeddings WHERE seq = ?",
}


def _columns(fact: Merged, archived: bool, terms: str) -> tuple[Any, ...]:
    return (*fact[: merge.COLUMNS], archived, zlib.crc32(terms.encode()))


def _changed(old: list[Any], new: list[Entry]) -> set[str]:
    """Return the ids whose places in the file say something else than before, or stand there several times."""
    before: dict[str, list[Any]] = {}
    after: dict[str, list[Any]] = {}
    for _, id, _, day, attributes, _, _, content in old:
        said = merge.load(attributes)
        before.setdefault(id, []).append((day, said.pop("content", content), merge.dump(said)))
    for item in new:
        after.setdefault(item.id, []).append((item.day, item.content, merge.dump(item.said)))
    return {id for id in before.keys() | after.keys() if before.get(id) != after.get(id) or len(before.get(id, ())) > 1}
