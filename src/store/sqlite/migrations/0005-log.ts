import { renamedEvent, renamedRecord } from "./stored-names.ts";

/**
 * Makes the most frequent writes cheap: the columns that rules and queries need are written next to the record,
 * everything that happened to deliveries, lanes and messages is one log that the program writes itself, and words are
 * indexed for search in batches. Records and events get the names that the program uses.
 */
const sql = `
DROP TRIGGER message_said;
DROP TRIGGER feed_message;
DROP TRIGGER feed_delivery;
DROP TRIGGER feed_alert;
DROP TRIGGER feed_new_lane;
DROP TRIGGER feed_lane;

-- Missing entries of messages, deliveries, lanes and alerts are at or below log_floor. Positions continue above log_end,
-- even after their entries are removed. Messages up to searchable_seq can be found by their words.
CREATE TABLE store_state (
  id             INTEGER PRIMARY KEY CHECK (id = 1),
  log_floor      INTEGER NOT NULL,
  log_end        INTEGER NOT NULL,
  searchable_seq INTEGER NOT NULL
) STRICT;
INSERT INTO store_state VALUES (1, 0, 0, coalesce((SELECT max(seq) FROM message), 0));

ALTER TABLE lane ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

-- The old tables are renamed first, so that nothing refers to them when they are dropped.
ALTER TABLE attempt RENAME TO old_attempt;
ALTER TABLE delivery RENAME TO old_delivery;
ALTER TABLE message RENAME TO old_message;

-- Found by its id, in any mailbox.
CREATE TABLE message (
  seq                 INTEGER PRIMARY KEY,
  id                  TEXT NOT NULL,
  recipient           TEXT NOT NULL,
  lane_id             TEXT,
  from_lane           TEXT,
  relay_of_message_id TEXT,
  payload_hash        TEXT NOT NULL,
  created_at          INTEGER NOT NULL,
  read_at             INTEGER,
  body                TEXT NOT NULL,
  UNIQUE (id, recipient)
) STRICT;
INSERT INTO message
SELECT seq, id, recipient, lane_id, from_lane, relay_of_message_id, payload_hash, created_at, read_at, body FROM old_message;

CREATE TABLE delivery (
  message_seq       INTEGER PRIMARY KEY REFERENCES message (seq),
  id                TEXT NOT NULL UNIQUE,
  lane_id           TEXT NOT NULL REFERENCES lane (id),
  version           INTEGER NOT NULL,
  status            TEXT NOT NULL,
  outstanding       INTEGER NOT NULL CHECK (outstanding IN (0, 1)),
  owed              INTEGER NOT NULL CHECK (owed IN (0, 1)),
  next_reconcile_at INTEGER,
  failed_at         INTEGER,
  read_committed_at INTEGER,
  proof             TEXT,
  attempts          INTEGER NOT NULL,
  max_attempts      INTEGER NOT NULL,
  updated_at        INTEGER NOT NULL,
  team              TEXT,
  -- Null while it moves: the log amounts to it then.
  record            TEXT,
  CHECK (next_reconcile_at IS NOT NULL OR NOT (outstanding OR owed)),
  CHECK (read_committed_at IS NULL OR status = 'cancelled' OR proof IS NOT NULL),
  CHECK (attempts <= max_attempts)
) STRICT;
INSERT INTO delivery
SELECT message_seq, id, lane_id, version, status, outstanding, owed, next_look_at, failed_at, read_committed_at,
  record ->> '$.proof.by', record ->> '$.attempts', record ->> '$.maxAttempts', updated_at, team, renamed_record(record)
FROM old_delivery;

CREATE TABLE attempt (
  delivery_seq       INTEGER NOT NULL REFERENCES delivery (message_seq) ON DELETE CASCADE,
  number             INTEGER NOT NULL CHECK (number > 0),
  runtime_message_id TEXT NOT NULL UNIQUE,
  PRIMARY KEY (delivery_seq, number)
) STRICT, WITHOUT ROWID;
INSERT INTO attempt
SELECT delivery.message_seq, old_attempt.number, old_attempt.runtime_message_id
FROM old_attempt JOIN delivery ON delivery.id = old_attempt.delivery_id;

-- One row per event, in the order in which they were written. For a delivery it is the audit. Agent events have gapless
-- numbers in their lane.
CREATE TABLE log (
  position     INTEGER PRIMARY KEY,
  at           INTEGER NOT NULL,
  lane_id      TEXT,
  type         TEXT NOT NULL,
  seq          INTEGER CHECK (seq > 0),
  message_seq  INTEGER,
  delivery_seq INTEGER REFERENCES delivery (message_seq) ON DELETE CASCADE,
  version      INTEGER,
  body         TEXT,
  CHECK (seq IS NULL OR lane_id IS NOT NULL),
  CHECK ((delivery_seq IS NULL) = (version IS NULL))
) STRICT;

-- Audit rows that were pruned from the feed come first, below log_floor; then agent events; then the feed.
CREATE INDEX feed_of_delivery ON feed (delivery_id, version) WHERE delivery_id IS NOT NULL;
INSERT INTO log (position, at, lane_id, type, delivery_seq, version, body)
SELECT row_number() OVER (ORDER BY delivery_event.at, old_delivery.message_seq, delivery_event.version),
  delivery_event.at, old_delivery.lane_id, 'delivery', old_delivery.message_seq, delivery_event.version,
  renamed_event(delivery_event.event)
FROM delivery_event
JOIN old_delivery ON old_delivery.id = delivery_event.delivery_id
WHERE NOT EXISTS (
  SELECT 1 FROM feed WHERE feed.delivery_id = delivery_event.delivery_id AND feed.version = delivery_event.version);
UPDATE store_state SET log_floor = coalesce((SELECT max(position) FROM log), 0);
INSERT INTO log (position, at, lane_id, type, seq, body)
SELECT (SELECT log_floor FROM store_state) + row_number() OVER (ORDER BY place), at, lane_id, body ->> '$.type', seq, body
FROM event;
INSERT INTO log (position, at, lane_id, type, message_seq, delivery_seq, version, body)
SELECT (SELECT coalesce(max(position), 0) FROM log) + row_number() OVER (ORDER BY feed.seq),
  feed.at, feed.lane_id, feed.type, feed.message_seq, old_delivery.message_seq,
  CASE WHEN old_delivery.message_seq IS NOT NULL THEN feed.version END,
  coalesce(renamed_event(delivery_event.event), alert.body)
FROM feed
LEFT JOIN old_delivery ON old_delivery.id = feed.delivery_id
LEFT JOIN delivery_event ON delivery_event.delivery_id = feed.delivery_id AND delivery_event.version = feed.version
LEFT JOIN alert ON alert.id = feed.alert_id
WHERE feed.delivery_id IS NULL OR delivery_event.event IS NOT NULL;

-- Lanes whose oldest events were removed, and up to which position. Cursors of earlier versions get a reset.
CREATE TABLE trimmed_lane (
  lane_id  TEXT PRIMARY KEY,
  position INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX trimmed_lane_position ON trimmed_lane (position);
ALTER TABLE restored RENAME COLUMN event_floor TO log_floor;
UPDATE restored SET log_floor = 0;

DROP TABLE event;
DROP TABLE event_lane;
DROP TABLE feed;
DROP TABLE delivery_event;
DROP TABLE old_attempt;
DROP TABLE old_delivery;
DROP TABLE old_message;

-- Each row is in one of the first two indexes.
CREATE INDEX log_of_lane ON log (lane_id, position) WHERE seq IS NULL;
CREATE INDEX log_of_agent ON log (lane_id, position) WHERE seq IS NOT NULL;
CREATE UNIQUE INDEX log_of_delivery ON log (delivery_seq, version) WHERE delivery_seq IS NOT NULL;

CREATE UNIQUE INDEX one_outstanding_a_lane ON delivery (lane_id) WHERE outstanding;
CREATE INDEX delivery_owed ON delivery (lane_id) WHERE owed;
CREATE INDEX delivery_waiting ON delivery (lane_id, message_seq) WHERE status = 'pending';
CREATE INDEX delivery_due ON delivery (next_reconcile_at) WHERE next_reconcile_at IS NOT NULL;
CREATE INDEX delivery_failed ON delivery (message_seq) WHERE status = 'failed_terminal';
CREATE INDEX delivery_of_lane ON delivery (lane_id, message_seq);
CREATE INDEX delivery_ended ON delivery (updated_at) WHERE status IN ('responded', 'cancelled');
-- The status of an active delivery changes often, and active ones are few: the indexes above find them.
CREATE INDEX delivery_by_end ON delivery (status, message_seq) WHERE status IN ('responded', 'cancelled', 'failed_terminal');

CREATE INDEX message_of_lane ON message (lane_id, seq);
CREATE INDEX message_reply ON message (relay_of_message_id, from_lane) WHERE relay_of_message_id IS NOT NULL;
CREATE INDEX message_of_person ON message (recipient, seq) WHERE recipient >= 'person:' AND recipient < 'person;';
-- Only for unread messages to lanes; answers to people are many and may stay unread.
CREATE INDEX message_unread ON message (seq) WHERE read_at IS NULL AND recipient >= 'lane:' AND recipient < 'lane;';
`;

export const log = { sql, functions: { renamed_record: renamedRecord, renamed_event: renamedEvent } };
