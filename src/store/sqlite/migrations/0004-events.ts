/** The log of universal events: bounded, with gapless numbers in each lane and one order over all lanes. */
export const events = `
CREATE TABLE event (
  place   INTEGER PRIMARY KEY AUTOINCREMENT,
  lane_id TEXT NOT NULL,
  seq     INTEGER NOT NULL CHECK (seq > 0),
  at      INTEGER NOT NULL,
  body    TEXT NOT NULL CHECK (json_valid(body)),
  UNIQUE (lane_id, seq)
) STRICT;
CREATE INDEX event_of_lane ON event (lane_id, place);

-- Numbers continue after their events are removed. Missing events are at or below lost_place.
CREATE TABLE event_lane (
  lane_id    TEXT PRIMARY KEY,
  first_seq  INTEGER NOT NULL CHECK (first_seq > 0),
  last_seq   INTEGER NOT NULL CHECK (last_seq >= first_seq - 1),
  in_turn    INTEGER NOT NULL DEFAULT 0 CHECK (in_turn IN (0, 1)),
  lost_place INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX event_lane_lost ON event_lane (lost_place);
CREATE INDEX event_lane_in_turn ON event_lane (lane_id) WHERE in_turn = 1;

-- A restore forgets what came after the backup, in every lane.
ALTER TABLE restored ADD COLUMN event_floor INTEGER NOT NULL DEFAULT 0;
`;
