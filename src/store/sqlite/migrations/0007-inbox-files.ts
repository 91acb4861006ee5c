/** Teams whose members write to each other in files, and the messages to write there. */
const sql = `
ALTER TABLE team ADD COLUMN directory TEXT;
ALTER TABLE team ADD COLUMN directory_since INTEGER;
CREATE UNIQUE INDEX team_directory ON team (directory) WHERE directory IS NOT NULL;

CREATE TABLE hand_over (
  message_seq INTEGER PRIMARY KEY REFERENCES message (seq) ON DELETE CASCADE,
  team        TEXT NOT NULL,
  inbox       TEXT NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('waiting', 'handed_over', 'taken', 'gone')),
  open        INTEGER NOT NULL CHECK (open IN (0, 1)),
  reason      TEXT,
  behind      TEXT,
  writes      INTEGER NOT NULL CHECK (writes >= 0),
  changed_at  INTEGER NOT NULL,
  CHECK (state <> 'waiting' OR open),
  CHECK (state = 'waiting' OR writes > 0)
) STRICT;
CREATE INDEX hand_over_open ON hand_over (team, message_seq) WHERE open;
`;

export const teamFiles = { sql };
