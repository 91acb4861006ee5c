/**
 * Statistics of each lane and day. Counts deliveries whose records still exist, so that a failed one can be uncounted
 * if it is answered late. Durations start with the next delivery that ends.
 */
const sql = `
CREATE TABLE day_stats (
  day         TEXT NOT NULL CHECK (day GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
  lane_id     TEXT NOT NULL,
  responded   INTEGER NOT NULL DEFAULT 0 CHECK (responded >= 0),
  failed      INTEGER NOT NULL DEFAULT 0 CHECK (failed >= 0),
  cancelled   INTEGER NOT NULL DEFAULT 0 CHECK (cancelled >= 0),
  retries     INTEGER NOT NULL DEFAULT 0 CHECK (retries >= 0),
  tokens      INTEGER NOT NULL DEFAULT 0 CHECK (tokens >= 0),
  cost        REAL NOT NULL DEFAULT 0 CHECK (cost >= 0),
  accept      TEXT,
  first_token TEXT,
  proof       TEXT,
  PRIMARY KEY (day, lane_id)
) STRICT, WITHOUT ROWID;

-- Usage of earlier days is no longer added, because it is unknown which of its messages were counted.
ALTER TABLE store_state ADD COLUMN usage_floor TEXT NOT NULL DEFAULT '';

INSERT INTO day_stats (day, lane_id, responded, failed, cancelled, retries)
SELECT
  date(
    CASE status WHEN 'responded' THEN record ->> '$.respondedAt' WHEN 'cancelled' THEN record ->> '$.cancelledAt' ELSE failed_at END
      / 1000,
    'unixepoch', 'localtime') AS end_day,
  lane_id,
  sum(status = 'responded'),
  sum(status = 'failed_terminal'),
  sum(status = 'cancelled'),
  sum(max(0, attempts + coalesce(record ->> '$.repairs', 0) - 1))
FROM delivery
WHERE status IN ('responded', 'failed_terminal', 'cancelled') AND json_valid(record)
GROUP BY end_day, lane_id
HAVING end_day IS NOT NULL;

INSERT INTO day_stats (day, lane_id, tokens, cost)
SELECT day, lane_id, sum(tokens), sum(cost) FROM usage WHERE true GROUP BY day, lane_id
ON CONFLICT (day, lane_id) DO UPDATE SET tokens = excluded.tokens, cost = excluded.cost;
`;

export const dayStats = { sql };
