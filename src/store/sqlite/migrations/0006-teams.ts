/** Teams with their members, the exchanges between pairs of agents, and the senders of messages. */
const sql = `
CREATE TABLE team (
  name         TEXT PRIMARY KEY,
  display_name TEXT,
  state        TEXT NOT NULL CHECK (state IN ('active', 'paused', 'stopped')),
  created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE member (
  team          TEXT NOT NULL REFERENCES team (name) ON DELETE CASCADE,
  name          TEXT NOT NULL,
  kind          TEXT NOT NULL CHECK (kind IN ('lane', 'native', 'person')),
  lane_id       TEXT UNIQUE REFERENCES lane (id),
  display_name  TEXT,
  role          TEXT,
  color         TEXT,
  terminated_at INTEGER,
  created_at    INTEGER NOT NULL,
  -- Its order in the team.
  position      INTEGER NOT NULL,
  PRIMARY KEY (team, name),
  CHECK ((kind = 'lane') = (lane_id IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- Lanes named their team and member before teams existed. Of two lanes with the same name, the older one gets it.
INSERT INTO team
SELECT replace(lower(team), ' ', '-'), NULL, 'active', min(created_at) FROM lane
WHERE removed_at IS NULL AND team IS NOT NULL AND member IS NOT NULL GROUP BY replace(lower(team), ' ', '-');
INSERT INTO member
SELECT replace(lower(team), ' ', '-'), replace(lower(member), ' ', '-'), 'lane', id, NULL, NULL, NULL, NULL, created_at,
  row_number() OVER (PARTITION BY replace(lower(team), ' ', '-') ORDER BY created_at, id)
FROM lane
WHERE removed_at IS NULL AND team IS NOT NULL AND member IS NOT NULL
ON CONFLICT DO NOTHING;

UPDATE lane SET team = NULL, member = NULL
WHERE NOT EXISTS (SELECT 1 FROM member WHERE member.lane_id = lane.id);

-- Between two lanes, ordered by name.
CREATE TABLE exchange (
  one      TEXT NOT NULL,
  other    TEXT NOT NULL,
  count    INTEGER NOT NULL CHECK (count > 0),
  began_at INTEGER NOT NULL,
  held_at  INTEGER,
  PRIMARY KEY (one, other),
  CHECK (one < other)
) STRICT, WITHOUT ROWID;
CREATE INDEX exchange_of_other ON exchange (other);

ALTER TABLE delivery ADD COLUMN held INTEGER NOT NULL DEFAULT 0 CHECK (held IN (0, 1));
CREATE INDEX delivery_held ON delivery (message_seq) WHERE held;

ALTER TABLE message ADD COLUMN sender TEXT;
UPDATE message SET sender = 'lane:' || from_lane WHERE from_lane IS NOT NULL;
CREATE INDEX message_of_sender ON message (sender, seq) WHERE sender IS NOT NULL;

DROP INDEX message_of_person;
CREATE INDEX message_of_reader ON message (recipient, seq) WHERE recipient >= 'member:' AND recipient < 'person;';
CREATE INDEX message_unread_by_reader ON message (recipient, seq)
WHERE read_at IS NULL AND recipient >= 'member:' AND recipient < 'person;';
`;

export const teams = { sql };
