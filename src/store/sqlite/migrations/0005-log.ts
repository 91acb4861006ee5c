import { renamedEvent, renamedRecord } from "./stored-names.ts";

/**
 * What the program writes most often costs least: columns that rules and queries need stand beside the record and are
 * written with it, everything that happened to deliveries, lanes and messages is one log that the program writes itself, and
 * words are made searchable in batches. What stands in records and events has the names that the program uses.
 */
const sql = `
DROP TRIGGER message_said;
DROP TRIGGER feed_message;
DROP TRIGGER feed_delivery;
DROP TRIGGER feed_alert;
DROP TRIGGER feed_new_lane;
DROP TRIGGER feed_lane;

-- What is missing of the log lies at or below log_floor. Messages up to searchable_seq can be found by their words.
CREATE TABLE store_state (
  id             INTEGER PRIMARY KEY CHECK (id = 1),
  log_floor      INTEGER NOT NULL,
  searchable_seq INTEGER NOT NULL
) STRICT;
INSERT INTO store_state (id, log_floor, searchable_seq) VALUES (
  1,
  coalesce((SELECT min(seq) - 1 FROM feed), (SELECT seq FROM sqlite_sequence WHERE name = 'feed'), 0),
  coalesce((SELECT max(seq) FROM message), 0));

ALTER TABLE lane ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

-- The old tables give their names away first, so that nothing refers to them when they go.
ALTER TABLE attempt RENAME TO old_attempt;
ALTER TABLE delivery RENAME TO old_delivery;

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
  record            TEXT NOT NULL,
  CHECK (next_reconcile_at IS NOT NULL OR NOT (outstanding OR owed)),
  CHECK (read_committed_at IS NULL OR status = 'cancelled' OR proof IS NOT NULL),
  CHECK (attempts <= max_attempts)
) STRICT;
INSERT INTO delivery
SELECT message_seq, id, lane_id, version, status, outstanding, owed, next_look_at, failed_at, read_committed_at,
  record ->> '$.proof.by', record ->> '$.attempts', record ->> '$.maxAttempts', updated_at, team, renamed_record(record)
FROM old_delivery;

CREATE TABLE attempt (
  runtime_message_id TEXT PRIMARY KEY,
  delivery_id        TEXT NOT NULL REFERENCES delivery (id) ON DELETE CASCADE,
  number             INTEGER NOT NULL CHECK (number > 0),
  session_id         TEXT NOT NULL,
  UNIQUE (delivery_id, number)
) STRICT, WITHOUT ROWID;
INSERT INTO attempt SELECT runtime_message_id, delivery_id, number, session_id FROM old_attempt;

-- One row for each thing that happened, in the order in which it became durable. Of a delivery it is the audit.
CREATE TABLE log (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  at           INTEGER NOT NULL,
  lane_id      TEXT,
  type         TEXT NOT NULL CHECK (type IN ('message', 'delivery', 'lane', 'alert')),
  message_seq  INTEGER,
  delivery_seq INTEGER REFERENCES delivery (message_seq) ON DELETE CASCADE,
  version      INTEGER,
  alert_id     TEXT,
  event        TEXT
) STRICT;
CREATE INDEX feed_of_delivery ON feed (delivery_id, version) WHERE delivery_id IS NOT NULL;
INSERT INTO log (seq, at, lane_id, type, message_seq, delivery_seq, version, alert_id, event)
SELECT feed.seq, feed.at, feed.lane_id, feed.type, feed.message_seq, old_delivery.message_seq, feed.version,
  feed.alert_id, renamed_event(delivery_event.event)
FROM feed
LEFT JOIN old_delivery ON old_delivery.id = feed.delivery_id
LEFT JOIN delivery_event ON delivery_event.delivery_id = feed.delivery_id AND delivery_event.version = feed.version
WHERE feed.delivery_id IS NULL OR delivery_event.event IS NOT NULL;
-- What is audited and not told any more keeps its order below everything that is.
INSERT INTO log (seq, at, lane_id, type, delivery_seq, version, event)
SELECT (SELECT log_floor FROM store_state) + 1
    - row_number() OVER (ORDER BY delivery_event.at DESC, old_delivery.message_seq DESC, delivery_event.version DESC),
  delivery_event.at, old_delivery.lane_id, 'delivery', old_delivery.message_seq, delivery_event.version,
  renamed_event(delivery_event.event)
FROM delivery_event
JOIN old_delivery ON old_delivery.id = delivery_event.delivery_id
WHERE NOT EXISTS (
  SELECT 1 FROM feed WHERE feed.delivery_id = delivery_event.delivery_id AND feed.version = delivery_event.version);
DELETE FROM sqlite_sequence WHERE name = 'log';
INSERT INTO sqlite_sequence (name, seq)
VALUES ('log', coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'feed'), 0));

DROP TABLE feed;
DROP TABLE delivery_event;
DROP TABLE old_attempt;
DROP TABLE old_delivery;

CREATE INDEX log_of_lane ON log (lane_id, seq);
CREATE UNIQUE INDEX log_of_delivery ON log (delivery_seq, version) WHERE delivery_seq IS NOT NULL;

CREATE UNIQUE INDEX one_outstanding_a_lane ON delivery (lane_id) WHERE outstanding;
CREATE INDEX delivery_owed ON delivery (lane_id) WHERE owed;
CREATE INDEX delivery_waiting ON delivery (lane_id, message_seq) WHERE status = 'pending';
CREATE INDEX delivery_due ON delivery (next_reconcile_at) WHERE next_reconcile_at IS NOT NULL;
CREATE INDEX delivery_failed ON delivery (message_seq) WHERE status = 'failed_terminal';
CREATE INDEX delivery_of_lane ON delivery (lane_id, message_seq);
CREATE INDEX delivery_ended ON delivery (updated_at) WHERE status IN ('responded', 'cancelled');
CREATE INDEX delivery_status ON delivery (status, message_seq);

-- Only what is for a lane and unread is ever asked for by this; answers to people are many and may stay unread.
DROP INDEX message_unread;
CREATE INDEX message_unread ON message (seq) WHERE read_at IS NULL AND recipient >= 'lane:' AND recipient < 'lane;';

ALTER TABLE event RENAME COLUMN place TO position;
ALTER TABLE event_lane RENAME COLUMN lost_place TO lost_position;
`;

export const log = { sql, functions: { renamed_record: renamedRecord, renamed_event: renamedEvent } };
