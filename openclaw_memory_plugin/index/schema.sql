-- The index: derived from Markdown and the journal, disposable, never the only copy of anything.
-- `seq` is a fact's compact key inside this file; `id` is its key everywhere else. A change here is a new
-- `store.VERSION`: indexes of older versions are rebuilt, there are no migrations.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE files (
  file_id  INTEGER PRIMARY KEY,
  path     TEXT NOT NULL UNIQUE,          -- relative, POSIX, exact case
  size     INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,              -- 0 when it was read too soon after its change to be trusted
  inode    INTEGER NOT NULL,
  digest   TEXT NOT NULL,                 -- of the bytes; equal digest means nothing to do
  language TEXT NOT NULL DEFAULT 'en'
);

CREATE TABLE defects (
  file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
  line    INTEGER NOT NULL,
  message TEXT NOT NULL,
  remedy  TEXT NOT NULL
);
CREATE INDEX defects_by_file ON defects (file_id);

CREATE TABLE facts (
  seq              INTEGER PRIMARY KEY,
  id               TEXT NOT NULL UNIQUE,
  kind             TEXT NOT NULL,         -- world, experience, opinion, observation, note
  content          TEXT NOT NULL,
  timestamp        TEXT,                  -- first recorded day, YYYY-MM-DD, local
  last_seen        TEXT,                  -- last recorded day
  valid_from       TEXT,
  valid_to         TEXT,
  salience         REAL DEFAULT 0.5,
  confidence       REAL,
  provenance       TEXT NOT NULL DEFAULT 'owner',
  private          INTEGER NOT NULL DEFAULT 0,
  pinned           INTEGER NOT NULL DEFAULT 0,
  task             TEXT,
  superseded       INTEGER NOT NULL DEFAULT 0,
  noise            INTEGER NOT NULL DEFAULT 0,
  archived         INTEGER NOT NULL DEFAULT 0,
  language         TEXT NOT NULL DEFAULT 'en', -- in which its terms were stemmed
  words_check      INTEGER NOT NULL DEFAULT 0, -- crc32 of its terms: `words` can only forget exactly what it was given
  access_count     INTEGER DEFAULT 0,
  last_accessed_at DATETIME,              -- YYYY-MM-DD HH:MM:SS, UTC
  last_accessed    DATETIME GENERATED ALWAYS AS (last_accessed_at) VIRTUAL
);
CREATE INDEX facts_by_day ON facts (timestamp);
CREATE INDEX facts_by_validity ON facts (valid_to, valid_from) WHERE valid_to IS NOT NULL;

-- Every place that states a fact. (file_id, pos) gives a fact its neighbours; what copies say differently is merged
-- into `facts` when any of them changes.
CREATE TABLE occurrences (
  file_id    INTEGER NOT NULL,
  pos        INTEGER NOT NULL,            -- 0, 1, 2 … in order of lines
  seq        INTEGER NOT NULL,
  line       INTEGER NOT NULL,
  end_line   INTEGER NOT NULL,
  section_id INTEGER NOT NULL,
  day        TEXT,
  attributes TEXT,                        -- JSON of what is said here beside kind and content; NULL when nothing
  PRIMARY KEY (file_id, pos)
) WITHOUT ROWID;
CREATE INDEX occurrences_by_fact ON occurrences (seq);

-- What statements were retained against, for recall: the target is an id as it is written, perhaps its beginning.
CREATE TABLE corrections (
  target  TEXT NOT NULL,
  seq     INTEGER NOT NULL,
  file_id INTEGER NOT NULL,
  PRIMARY KEY (target, seq, file_id)
) WITHOUT ROWID;
CREATE INDEX corrections_by_file ON corrections (file_id);

CREATE TABLE sections (
  section_id INTEGER PRIMARY KEY,
  file_id    INTEGER NOT NULL,
  heading    TEXT NOT NULL                -- JSON list, outermost first
);
CREATE INDEX sections_by_file ON sections (file_id);

-- Terms, not text: stems, CJK bigrams, identifiers whole and in parts, made by `words` on both sides, so that the
-- tokenizer only has to split at blanks. rowid = facts.seq. The terms themselves are not stored (a third of the
-- file): they are made again from the fact (indexed.py) when it is forgotten.
CREATE VIRTUAL TABLE words USING fts5 (
  terms,
  content = '',
  tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);

CREATE TABLE entities (
  id         INTEGER PRIMARY KEY,
  key        TEXT NOT NULL UNIQUE,        -- names.name_key of its name
  name       TEXT NOT NULL,               -- title of its page, else as most often written
  file_id    INTEGER,                     -- its page in bank/entities, if any
  inferred   INTEGER NOT NULL DEFAULT 0,  -- 1: only guessed from capitals, counts half
  fact_count INTEGER NOT NULL DEFAULT 0,
  idf_weight REAL NOT NULL DEFAULT 1.0    -- min(1, 1/ln(fact_count + 1))
);

-- Other names of an entity that has a page. A key with several entities is ambiguous and stays so.
CREATE TABLE aliases (
  key       TEXT NOT NULL,
  entity_id INTEGER NOT NULL REFERENCES entities,
  PRIMARY KEY (key, entity_id)
) WITHOUT ROWID;
CREATE INDEX aliases_by_entity ON aliases (entity_id);

CREATE TABLE mentions (
  seq       INTEGER NOT NULL,
  entity_id INTEGER NOT NULL,
  role      INTEGER NOT NULL,             -- 0 subject, 1 mark, 2 known name in running text, 3 inferred
  pos       INTEGER NOT NULL DEFAULT 0,   -- 0, 1, 2 … in order of role, then of the text
  recency   INTEGER NOT NULL DEFAULT 0,   -- graph.recency(last_seen, id): an entity's newest facts without reading all
  PRIMARY KEY (seq, entity_id)
) WITHOUT ROWID;
CREATE INDEX mentions_by_entity ON mentions (entity_id, recency);

-- Known names: how each key was written and by how many facts, or pages, in which way. A row without uses is gone.
CREATE TABLE names (
  key      TEXT NOT NULL,
  name     TEXT NOT NULL,
  heads    INTEGER NOT NULL DEFAULT 0,    -- facts with it before the colon
  marks    INTEGER NOT NULL DEFAULT 0,    -- facts with it marked in the text
  pages    INTEGER NOT NULL DEFAULT 0,    -- entity pages with it as title or alias
  links    INTEGER NOT NULL DEFAULT 0,    -- files with it as a wikilink
  inferred INTEGER NOT NULL DEFAULT 0,    -- 1: guessed from `sightings`
  PRIMARY KEY (key, name)
) WITHOUT ROWID;

-- What each file introduces beside the marks of its facts: title and aliases of an entity page, wikilinks.
CREATE TABLE introductions (
  file_id INTEGER NOT NULL,
  role    TEXT NOT NULL,                  -- title, alias, link
  key     TEXT NOT NULL,
  name    TEXT NOT NULL,
  PRIMARY KEY (file_id, role, key, name)
) WITHOUT ROWID;
CREATE INDEX introductions_by_key ON introductions (key, role);

-- Capitalised words and sequences of them, for guessing names: facts in which this form stands.
CREATE TABLE sightings (
  key    TEXT NOT NULL,                   -- names.name_key of the form
  form   TEXT NOT NULL,                   -- as written
  inside INTEGER NOT NULL DEFAULT 0,      -- in mid-sentence
  start  INTEGER NOT NULL DEFAULT 0,      -- only where a sentence begins
  PRIMARY KEY (key, form)
) WITHOUT ROWID;

-- What a sync left for its last transaction: names whose standing changed, facts to be linked. Empty after a sync.
CREATE TABLE stale_names (key TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE stale_facts (seq INTEGER PRIMARY KEY);

-- What the journal says of facts that do not exist at present, and of turns that have been counted.
CREATE TABLE parked_accesses (
  id               TEXT PRIMARY KEY,
  access_count     INTEGER NOT NULL,
  last_accessed_at TEXT
) WITHOUT ROWID;
CREATE TABLE counted_turns (
  turn TEXT NOT NULL,
  id   TEXT NOT NULL,
  PRIMARY KEY (turn, id)
) WITHOUT ROWID;
CREATE TABLE renamed_ids (
  old TEXT PRIMARY KEY,
  new TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE feedback (
  id   TEXT PRIMARY KEY,
  good INTEGER NOT NULL DEFAULT 0,
  bad  INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- Vectors, where somebody makes them (vectors.py); `meta` says by which model and of which length.
CREATE TABLE embeddings (
  seq    INTEGER PRIMARY KEY,
  vector BLOB NOT NULL                    -- of length one, float16, little endian
);
CREATE TABLE embedding_signs (
  seq   INTEGER PRIMARY KEY,
  signs BLOB NOT NULL                     -- one bit a dimension: small enough to be compared in full
);
CREATE TRIGGER embedding_gone AFTER DELETE ON embeddings BEGIN
  DELETE FROM embedding_signs WHERE seq = OLD.seq;
END;

-- The names under which the design documents know these tables; always true, because they are computed.
CREATE VIEW fact_entities AS
  SELECT f.id AS fact_id, m.entity_id, e.name AS entity
  FROM mentions m JOIN facts f USING (seq) JOIN entities e ON e.id = m.entity_id;

CREATE VIEW entity_stats AS
  SELECT id, name, fact_count, idf_weight FROM entities;

CREATE VIEW entity_cooccurrence AS
  SELECT a.entity_id AS entity_id_1, b.entity_id AS entity_id_2, COUNT(*) AS cooccur_count,
         COUNT(*) * e1.idf_weight * e2.idf_weight AS cooccur_weight
  FROM mentions a JOIN mentions b ON b.seq = a.seq AND b.entity_id > a.entity_id
  JOIN entities e1 ON e1.id = a.entity_id JOIN entities e2 ON e2.id = b.entity_id
  GROUP BY a.entity_id, b.entity_id;
