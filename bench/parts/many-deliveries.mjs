/**
 * Creates a store with a long history: deliveries that the program itself wrote, copied by SQL under new ids. The only
 * benchmark file that knows tables and columns, so a migration that changes them must also change this file.
 */
import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import Database from "better-sqlite3";

/**
 * A copied delivery has its message, its record without attempts, and its last event, with their rows in the log and in the
 * full-text index. Creates copies `from` up to, but not including, `to` of every original.
 */
export async function copyDeliveries(path, { from, to, progress }) {
  const db = new Database(path);
  for (const pragma of ["journal_mode = OFF", "synchronous = OFF", "foreign_keys = OFF", "cache_size = -500000"]) {
    db.pragma(pragma);
  }
  // The originals already satisfied the constraints.
  db.pragma("ignore_check_constraints = ON");
  // Building an index at the end takes one pass, and copied rows need no triggers.
  const apart = db.prepare("SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql > ''");
  const indexesAndTriggers = apart.all();
  for (const { type, name } of indexesAndTriggers) db.exec(`DROP ${type} "${name}"`);
  db.exec(templates);
  const each = statements.map((sql) => db.prepare(sql));
  db.exec("BEGIN");
  let toldAt = Date.now();
  for (let copy = from; copy < to; copy++) {
    for (const statement of each) statement.run({ copy });
    // So that it can be interrupted.
    await nextTurn();
    if (Date.now() - toldAt < 10_000) continue;
    progress(`${copy - from} of ${to - from} copies`);
    toldAt = Date.now();
  }
  db.exec(searchable);
  db.exec("COMMIT");
  progress("making its indexes");
  for (const { sql } of indexesAndTriggers) db.exec(sql);
  db.pragma("journal_mode = WAL");
  db.close();
}

/** Identifies the tables and indexes of a store. */
export function schemaHash(path) {
  const db = new Database(path, { readonly: true });
  const sql = db.prepare("SELECT sql FROM sqlite_schema ORDER BY type, name").pluck().all();
  db.close();
  return createHash("sha256").update(JSON.stringify(sql)).digest("hex").slice(0, 12);
}

/** The originals, as the program wrote them. */
const templates = `
  CREATE TEMP TABLE template AS
  SELECT delivery.*, message.seq, message.id AS message_id, message.recipient, message.payload_hash, message.body,
    message.created_at, message.read_at, log.at, log.body AS event
  FROM delivery
  JOIN message ON message.seq = delivery.message_seq
  JOIN log ON log.delivery_seq = delivery.message_seq AND log.version = delivery.version
  WHERE message.id NOT LIKE '%~%'
  ORDER BY message.seq;
  CREATE TEMP TABLE size AS SELECT max(seq) AS messages FROM message WHERE id NOT LIKE '%~%';
`;

/** Otherwise the store would index all of them at the first search. */
const searchable = `
  INSERT INTO message_words (rowid, text, summary)
  SELECT seq, body ->> '$.text', body ->> '$.summary' FROM message
  WHERE seq > (SELECT searchable_seq FROM store_state);
  UPDATE store_state SET searchable_seq = (SELECT max(seq) FROM message);
`;

const newSeq = "seq + @copy * (SELECT messages FROM size)";
const newMessage = "message_id || '~' || @copy";
/** Columns of a delivery that are the same in every copy. */
const same = `lane_id, version, status, outstanding, owed, next_reconcile_at, failed_at, read_committed_at, proof, attempts,
  max_attempts, updated_at, team`;

const statements = [
  `INSERT INTO message (seq, recipient, id, payload_hash, body, created_at, read_at, lane_id)
   SELECT ${newSeq}, recipient, ${newMessage}, payload_hash, json_set(body, '$.id', ${newMessage}), created_at, read_at,
     lane_id
   FROM template`,
  `INSERT INTO delivery (message_seq, id, ${same}, record)
   SELECT ${newSeq}, printf('%08x', @copy) || substr(id, 9), ${same}, json_set(record, '$.attemptList', json('[]'))
   FROM template`,
  `INSERT INTO log (at, lane_id, type, message_seq)
   SELECT created_at, lane_id, 'message', ${newSeq} FROM template`,
  `INSERT INTO log (at, lane_id, type, delivery_seq, version, body)
   SELECT at, lane_id, 'delivery', ${newSeq}, version, event FROM template`,
];
