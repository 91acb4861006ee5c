/**
 * What people and programs need from a daemon: full-text search over messages, one ordered feed of everything that
 * happened, alerts that are raised once, and display names.
 */
export const daemon = `
ALTER TABLE lane ADD COLUMN display_name TEXT;

CREATE INDEX message_id ON message (id);

-- The lane of a message's conversation. Older answers contain the 64-character id of their delivery in their own id; what
-- they reply to is used only if the delivery was removed. Each lookup uses an index, so that the first start with a long
-- history is not slow.
ALTER TABLE message ADD COLUMN lane_id TEXT;
UPDATE message SET lane_id = CASE
  WHEN recipient LIKE 'lane:%' THEN substr(recipient, 6)
  ELSE coalesce(
    from_lane,
    (SELECT delivery.lane_id FROM delivery WHERE delivery.id = CASE
      WHEN message.id GLOB 'answer-*' OR message.id GLOB 'expiry-*' THEN substr(message.id, 8, 64)
      WHEN message.id GLOB 'failure-*' THEN substr(message.id, 9, 64)
    END),
    (SELECT min(delivery.lane_id) FROM message AS asked JOIN delivery ON delivery.message_seq = asked.seq
     WHERE asked.id = message.relay_of_message_id))
END;
CREATE INDEX message_of_lane ON message (lane_id, seq);

-- Contentless: the words are in the message.
CREATE VIRTUAL TABLE message_words USING fts5 (text, summary, content = '', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');
INSERT INTO message_words (rowid, text, summary) SELECT seq, body ->> '$.text', body ->> '$.summary' FROM message;
CREATE TRIGGER message_said AFTER INSERT ON message BEGIN
  INSERT INTO message_words (rowid, text, summary) VALUES (new.seq, new.body ->> '$.text', new.body ->> '$.summary');
END;

CREATE TABLE alert (
  id          TEXT PRIMARY KEY,
  body        TEXT NOT NULL CHECK (json_valid(body)),
  raised_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One row per event, in the order in which they became durable. It refers to the content, and does not contain it.
CREATE TABLE feed (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  at          INTEGER NOT NULL,
  lane_id     TEXT,
  type        TEXT NOT NULL CHECK (type IN ('message', 'delivery', 'lane', 'alert')),
  message_seq INTEGER,
  delivery_id TEXT,
  version     INTEGER,
  alert_id    TEXT
) STRICT;
CREATE INDEX feed_of_lane ON feed (lane_id, seq);

CREATE TRIGGER feed_message AFTER INSERT ON message BEGIN
  INSERT INTO feed (at, lane_id, type, message_seq) VALUES (new.created_at, new.lane_id, 'message', new.seq);
END;
CREATE TRIGGER feed_delivery AFTER INSERT ON delivery_event BEGIN
  INSERT INTO feed (at, lane_id, type, delivery_id, version)
  VALUES (new.at, (SELECT lane_id FROM delivery WHERE id = new.delivery_id), 'delivery', new.delivery_id, new.version);
END;
CREATE TRIGGER feed_alert AFTER INSERT ON alert BEGIN
  INSERT INTO feed (at, lane_id, type, alert_id) VALUES (new.raised_at, new.body ->> '$.laneId', 'alert', new.id);
END;
CREATE TRIGGER feed_new_lane AFTER INSERT ON lane BEGIN
  INSERT INTO feed (at, lane_id, type) VALUES (new.created_at, new.id, 'lane');
END;
CREATE TRIGGER feed_lane AFTER UPDATE ON lane
WHEN (old.paused_reason, old.removed_at, old.session_id, old.display_name, old.team, old.member)
  IS NOT (new.paused_reason, new.removed_at, new.session_id, new.display_name, new.team, new.member)
  OR (old.runtime, old.directory, old.agent, old.model, old.contract)
  IS NOT (new.runtime, new.directory, new.agent, new.model, new.contract)
BEGIN
  INSERT INTO feed (at, lane_id, type) VALUES (unixepoch('subsec') * 1000, new.id, 'lane');
END;

CREATE INDEX delivery_status ON delivery (status, message_seq);

-- Written to test whether the store is writable.
CREATE TABLE probe (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  at INTEGER NOT NULL
) STRICT;
`;
