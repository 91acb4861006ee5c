/**
 * Lanes, mail and the ledger. A delivery's record is one JSON document; the columns that rules and queries need are
 * generated from it, so that they cannot disagree with it.
 */
export const ledger = `
CREATE TABLE lane (
  id            TEXT PRIMARY KEY,
  team          TEXT,
  member        TEXT,
  runtime       TEXT NOT NULL,
  directory     TEXT NOT NULL,
  agent         TEXT,
  model         TEXT,
  contract      TEXT NOT NULL CHECK (contract IN ('text', 'tool')),
  paused_reason TEXT,
  session_id    TEXT,
  generation    INTEGER NOT NULL DEFAULT 0 CHECK (generation >= 0),
  created_at    INTEGER NOT NULL,
  -- A lane that is gone stays as a row: its deliveries refer to it, and its generations must not begin anew.
  removed_at    INTEGER,
  CHECK ((session_id IS NULL) = (generation = 0))
) STRICT;

CREATE TABLE lane_session (
  lane_id    TEXT NOT NULL REFERENCES lane (id),
  generation INTEGER NOT NULL CHECK (generation > 0),
  session_id TEXT NOT NULL,
  opened_at  INTEGER NOT NULL,
  PRIMARY KEY (lane_id, generation)
) STRICT, WITHOUT ROWID;

-- A restore forgets sessions that were opened after the backup. Generations continue above this floor, so that no id
-- that such a session has seen is derived again.
CREATE TABLE restored (
  at               INTEGER NOT NULL,
  generation_floor INTEGER NOT NULL
) STRICT;

CREATE TABLE message (
  seq                 INTEGER PRIMARY KEY AUTOINCREMENT,
  recipient           TEXT NOT NULL,
  id                  TEXT NOT NULL,
  from_lane           TEXT,
  relay_of_message_id TEXT,
  payload_hash        TEXT NOT NULL,
  body                TEXT NOT NULL CHECK (json_valid(body)),
  created_at          INTEGER NOT NULL,
  read_at             INTEGER,
  UNIQUE (recipient, id)
) STRICT;

CREATE INDEX message_reply ON message (relay_of_message_id, from_lane) WHERE relay_of_message_id IS NOT NULL;
CREATE INDEX message_of_recipient ON message (recipient, seq);
CREATE INDEX message_unread ON message (recipient, seq) WHERE read_at IS NULL;

CREATE TABLE delivery (
  id                TEXT PRIMARY KEY,
  message_seq       INTEGER NOT NULL UNIQUE REFERENCES message (seq),
  lane_id           TEXT NOT NULL REFERENCES lane (id),
  record            TEXT NOT NULL CHECK (json_valid(record)),
  version           INTEGER AS (record ->> '$.version') STORED NOT NULL,
  status            TEXT    AS (record ->> '$.status') STORED NOT NULL,
  next_look_at      INTEGER AS (record ->> '$.nextLookAt') STORED,
  turn_ended_at     INTEGER AS (record ->> '$.turnEndedAt') STORED,
  read_committed_at INTEGER AS (record ->> '$.readCommittedAt') STORED,
  failed_at         INTEGER AS (record ->> '$.failedAt') STORED,
  updated_at        INTEGER AS (record ->> '$.updatedAt') STORED NOT NULL,
  team              TEXT    AS (record ->> '$.team') STORED,
  owed              INTEGER AS (
    status IN ('responded', 'cancelled') AND (read_committed_at IS NULL OR turn_ended_at IS NULL)
  ) STORED NOT NULL,
  outstanding       INTEGER AS (
    status IN ('submitting', 'accepted', 'unanswered', 'retry_scheduled', 'failed_retryable')
    OR (owed AND record ->> '$.holdsLane')
  ) STORED NOT NULL,
  CHECK (record ->> '$.id' = id AND record ->> '$.laneId' = lane_id),
  CHECK (next_look_at IS NOT NULL OR NOT (outstanding OR owed)),
  CHECK (read_committed_at IS NULL OR status = 'cancelled' OR record ->> '$.proof' IS NOT NULL),
  CHECK (record ->> '$.attempts' <= record ->> '$.maxAttempts')
) STRICT;

CREATE UNIQUE INDEX one_outstanding_a_lane ON delivery (lane_id) WHERE outstanding;
CREATE INDEX delivery_owed ON delivery (lane_id) WHERE owed;
CREATE INDEX delivery_waiting ON delivery (lane_id, message_seq) WHERE status = 'pending';
CREATE INDEX delivery_look ON delivery (next_look_at) WHERE next_look_at IS NOT NULL;
CREATE INDEX delivery_failed ON delivery (message_seq) WHERE status = 'failed_terminal';
CREATE INDEX delivery_of_lane ON delivery (lane_id, message_seq);
CREATE INDEX delivery_ended ON delivery (updated_at) WHERE status IN ('responded', 'cancelled');

-- Ids that an agent program has received are never used again, in any session.
CREATE TABLE attempt (
  runtime_message_id TEXT PRIMARY KEY,
  delivery_id        TEXT NOT NULL REFERENCES delivery (id) ON DELETE CASCADE,
  number             INTEGER NOT NULL CHECK (number > 0),
  session_id         TEXT NOT NULL,
  UNIQUE (delivery_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE delivery_event (
  delivery_id TEXT NOT NULL REFERENCES delivery (id) ON DELETE CASCADE,
  version     INTEGER NOT NULL,
  at          INTEGER NOT NULL,
  type        TEXT NOT NULL,
  event       TEXT NOT NULL CHECK (json_valid(event)),
  PRIMARY KEY (delivery_id, version)
) STRICT, WITHOUT ROWID;
`;
