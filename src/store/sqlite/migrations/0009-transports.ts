/** The updates, outbox and state of chat transports. */
const sql = `
CREATE TABLE transport_update (
  transport   TEXT NOT NULL,
  id          TEXT NOT NULL,
  body        TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  handled     INTEGER NOT NULL DEFAULT 0 CHECK (handled IN (0, 1)),
  seq         INTEGER PRIMARY KEY,
  UNIQUE (transport, id)
) STRICT;
CREATE INDEX transport_update_unhandled ON transport_update (transport, seq) WHERE NOT handled;
CREATE INDEX transport_update_age ON transport_update (received_at) WHERE handled;

CREATE TABLE outbox (
  seq         INTEGER PRIMARY KEY,
  transport   TEXT NOT NULL,
  key         TEXT NOT NULL,
  channel     TEXT NOT NULL,
  body        TEXT NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'failed')),
  refs        TEXT NOT NULL DEFAULT '[]',
  attempts    INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  next_try_at INTEGER NOT NULL,
  reason      TEXT,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  UNIQUE (transport, key)
) STRICT;
CREATE INDEX outbox_waiting ON outbox (transport, channel, seq) WHERE state = 'waiting';
CREATE INDEX outbox_age ON outbox (updated_at) WHERE state <> 'waiting';

CREATE TABLE transport_state (
  transport TEXT NOT NULL,
  key       TEXT NOT NULL,
  value     TEXT NOT NULL,
  PRIMARY KEY (transport, key)
) STRICT, WITHOUT ROWID;
`;

export const transports = { sql };
