/** The usage of lanes by day: each message of an agent program once, so that reading it again counts nothing twice. */
export const usage = `
CREATE TABLE usage (
  lane_id    TEXT NOT NULL,
  message_id TEXT NOT NULL,
  day        TEXT NOT NULL CHECK (day GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
  tokens     INTEGER NOT NULL CHECK (tokens >= 0),
  cost       REAL NOT NULL CHECK (cost >= 0),
  PRIMARY KEY (lane_id, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_of_day ON usage (lane_id, day, tokens, cost);
CREATE INDEX usage_by_age ON usage (day);

-- Days on which a person let a lane continue although its limit was reached.
CREATE TABLE lifted_limit (
  lane_id TEXT NOT NULL,
  day     TEXT NOT NULL,
  PRIMARY KEY (lane_id, day)
) STRICT, WITHOUT ROWID;
`;
