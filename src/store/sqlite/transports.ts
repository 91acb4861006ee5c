/** The rows of transports: updates, the outbox and state. */
import type Database from "better-sqlite3";
import type { OutboxChange, OutboxRow, TransportStore, TransportWrites, Update } from "../port.ts";

type Write = <T>(run: () => T) => Promise<T>;
type StoredUpdate = { id: string; body: string; receivedAt: number };
type StoredRow = Omit<OutboxRow, "body" | "refs"> & { body: string; refs: string };

const columns = `seq, key, channel, body, state, refs, attempts, next_try_at AS nextTryAt, reason, created_at AS createdAt`;

export function transportVerbs(db: Database.Database, write: Write): TransportStore {
  const addUpdate = db.prepare<[string, string, string, number]>(
    "INSERT INTO transport_update (transport, id, body, received_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const handle = db.prepare<[string, string]>(
    "UPDATE transport_update SET handled = 1, body = '' WHERE transport = ? AND id = ?",
  );
  const unhandled = db.prepare<[string], StoredUpdate>(
    `SELECT id, body, received_at AS receivedAt FROM transport_update INDEXED BY transport_update_unhandled
     WHERE transport = ? AND NOT handled ORDER BY seq`,
  );
  const addRow = db.prepare<[string, string, string, string, number, number, number]>(
    `INSERT INTO outbox (transport, key, channel, body, state, next_try_at, created_at, updated_at)
     VALUES (?, ?, ?, ?, 'waiting', ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const heads = db.prepare<[string], StoredRow>(
    `SELECT ${columns} FROM outbox WHERE seq IN (
       SELECT min(seq) FROM outbox INDEXED BY outbox_waiting WHERE transport = ? AND state = 'waiting' GROUP BY channel)`,
  );
  const head = db.prepare<[string, string], StoredRow>(
    `SELECT ${columns} FROM outbox INDEXED BY outbox_waiting
     WHERE transport = ? AND channel = ? AND state = 'waiting' ORDER BY seq LIMIT 1`,
  );
  const byKey = db.prepare<[string, string], StoredRow>(
    `SELECT ${columns} FROM outbox WHERE transport = ? AND key = ?`,
  );
  const change = db.prepare<Omit<OutboxChange, "refs"> & { seq: number; refs: string; at: number }>(
    `UPDATE outbox SET state = @state, refs = @refs, attempts = @attempts, next_try_at = @nextTryAt, reason = @reason,
       updated_at = @at
     WHERE seq = @seq`,
  );
  const move = db.prepare<[string, string, string]>(
    "UPDATE outbox SET channel = ? WHERE transport = ? AND channel = ? AND state = 'waiting'",
  );
  const setState = db.prepare<[string, string, string]>(
    `INSERT INTO transport_state (transport, key, value) VALUES (?, ?, ?)
     ON CONFLICT (transport, key) DO UPDATE SET value = excluded.value`,
  );
  const clearState = db.prepare<[string, string]>("DELETE FROM transport_state WHERE transport = ? AND key = ?");
  const states = db.prepare<[string], { key: string; value: string }>(
    "SELECT key, value FROM transport_state WHERE transport = ? ORDER BY key",
  );

  const save = (transport: string, writes: TransportWrites, at: number): string[] => {
    const { updates = [], handled = [], outbox = [], state = [], moved } = writes;
    const added = updates.filter(({ id, body }) => addUpdate.run(transport, id, JSON.stringify(body), at).changes > 0);
    for (const id of handled) handle.run(transport, id);
    if (moved) move.run(moved.to, transport, moved.from);
    for (const { key, channel, body } of outbox) addRow.run(transport, key, channel, JSON.stringify(body), at, at, at);
    for (const { key, value } of state) {
      if (value === null) clearState.run(transport, key);
      else setState.run(transport, key, JSON.stringify(value));
    }
    return added.map(({ id }) => id);
  };

  return {
    writeTransport: (transport, writes, at) => write(() => save(transport, writes, at)),
    unhandledUpdates: async (transport) => unhandled.all(transport).map(updateFrom),
    transportState: async (transport) =>
      new Map(states.all(transport).map(({ key, value }): [string, unknown] => [key, JSON.parse(value)])),
    outboxHeads: async (transport) => heads.all(transport).map(rowFrom),
    outboxHead: async (transport, channel) => optionalRow(head.get(transport, channel)),
    outboxRow: async (transport, key) => optionalRow(byKey.get(transport, key)),
    changeOutboxRow: (seq, { refs, ...rest }, at) =>
      write(() => void change.run({ ...rest, refs: JSON.stringify(refs), seq, at })),
  };
}

/** Updates are kept as long as a service may repeat them; outbox rows as long as they may be edited. */
export function pruneTransports(db: Database.Database, before: number): void {
  db.prepare<[number]>(
    "DELETE FROM transport_update INDEXED BY transport_update_age WHERE handled AND received_at < ?",
  ).run(before);
  db.prepare<[number]>("DELETE FROM outbox INDEXED BY outbox_age WHERE state <> 'waiting' AND updated_at < ?").run(
    before,
  );
}

function updateFrom({ id, body, receivedAt }: StoredUpdate): Update {
  return { id, body: JSON.parse(body), receivedAt };
}

function rowFrom({ body, refs, ...row }: StoredRow): OutboxRow {
  return { ...row, body: JSON.parse(body), refs: JSON.parse(refs) };
}

function optionalRow(row: StoredRow | undefined): OutboxRow | null {
  return row ? rowFrom(row) : null;
}
