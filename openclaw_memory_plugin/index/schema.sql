-- The index: derived from Markdown and the journal, disposable, never the only copy of anything.
-- `seq` is a fact's compact key inside this file; `id` is its key everywhere else.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE files (
  file_id  INTEGER PRIMARY KEY,
  path     TEXT NOT NULL UNIQUE,          -- relative, POSIX, exact case
  size     INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
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
  attributes TEXT,                        -- JSON of the attributes given here and not the default; NULL when none
  PRIMARY KEY (file_id, pos)
) WITHOUT ROWID;
CREATE INDEX occurrences_by_fact ON occurrences (seq);

CREATE TABLE sections (
  section_id INTEGER PRIMARY KEY,
  file_id    INTEGER NOT NULL,
  heading    TEXT NOT NULL                -- JSON list, outermost first
);
CREATE INDEX sections_by_file ON sections (file_id);

-- Terms, not text: stems, CJK bigrams, identifiers whole and in parts, made by words.py on both sides, so that the
-- tokenizer only has to split at blanks. rowid = facts.seq.
CREATE VIRTUAL TABLE words USING fts5 (
  terms,
  tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);

CREATE TABLE entities (
  id         INTEGER PRIMARY KEY,
  key        TEXT NOT NULL UNIQUE,        -- NFKC, case-folded
  name       TEXT NOT NULL,               -- as most often written by a person
  file_id    INTEGER,                     -- its page in bank/entities, if any
  inferred   INTEGER NOT NULL DEFAULT 0,  -- 1: only guessed from capitals, counts half
  fact_count INTEGER NOT NULL DEFAULT 0,
  idf_weight REAL NOT NULL DEFAULT 1.0    -- min(1, 1/ln(fact_count + 1))
);

CREATE TABLE aliases (
  key       TEXT NOT NULL,
  entity_id INTEGER NOT NULL REFERENCES entities,
  PRIMARY KEY (key, entity_id)
) WITHOUT ROWID;

CREATE TABLE mentions (
  seq       INTEGER NOT NULL,
  entity_id INTEGER NOT NULL,
  role      INTEGER NOT NULL,             -- 0 head, 1 mark, 2 known name in running text, 3 inferred
  recency   INTEGER NOT NULL DEFAULT 0,   -- graph.recency(last_seen, id): an entity's newest facts without reading all
  PRIMARY KEY (seq, entity_id)
) WITHOUT ROWID;
CREATE INDEX mentions_by_entity ON mentions (entity_id, recency);

CREATE TABLE embeddings (
  seq    INTEGER PRIMARY KEY,
  model  TEXT NOT NULL,
  vector BLOB NOT NULL                    -- float32, little endian
);

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
