/**
 * Makes a store with a long history: deliveries that the program itself wrote, copied by SQL under new ids. The one file
 * of the benchmarks that knows tables and columns, and has to follow a migration that changes them.
 */
import Database from "better-sqlite3";

/**
 * Of each copied delivery there is its message, its record, its attempt and its last event. Triggers write what they
 * write for any row. Copies `from` up to but without `to` are made of all that is there without a copy's mark.
 */
export function copyDeliveries(path, { from, to, progress }) {
  const db = new Database(path);
  db.pragma("journal_mode = OFF");
  db.pragma("synchronous = OFF");
  db.pragma("foreign_keys = OFF");
  db.pragma("cache_size = -500000");
  db.exec(templates);
  const each = statements.map((sql) => db.prepare(sql));
  db.exec("BEGIN");
  let toldAt = Date.now();
  for (let copy = from; copy < to; copy++) {
    for (const statement of each) statement.run({ copy });
    if (Date.now() - toldAt < 10_000) continue;
    progress(`${copy - from} of ${to - from} copies`);
    toldAt = Date.now();
  }
  db.exec("COMMIT");
  db.pragma("journal_mode = WAL");
  db.close();
}

/** What is copied, as the program wrote it. */
const templates = `
  CREATE TEMP TABLE template AS
  SELECT delivery.id AS delivery_id, delivery.lane_id, delivery.record, message.seq, message.id AS message_id,
    message.recipient, message.payload_hash, message.body, message.created_at, message.read_at
  FROM delivery JOIN message ON message.seq = delivery.message_seq
  WHERE message.id NOT LIKE '%~%';
  CREATE TEMP TABLE size AS SELECT max(seq) AS messages FROM message WHERE id NOT LIKE '%~%';
`;

const newSeq = "seq + @copy * (SELECT messages FROM size)";
const newMessage = "message_id || '~' || @copy";
const newDelivery = "printf('%08x', @copy) || substr(delivery_id, 9)";

const statements = [
  `INSERT INTO message (seq, recipient, id, payload_hash, body, created_at, read_at, lane_id)
   SELECT ${newSeq}, recipient, ${newMessage}, payload_hash, json_set(body, '$.id', ${newMessage}), created_at, read_at,
     lane_id
   FROM template`,
  `INSERT INTO delivery (id, message_seq, lane_id, record)
   SELECT ${newDelivery}, ${newSeq}, lane_id,
     json_set(record, '$.id', ${newDelivery}, '$.messageId', ${newMessage})
   FROM template`,
  `INSERT INTO delivery_event (delivery_id, version, at, type, event)
   SELECT ${newDelivery}, version, at, type, event
   FROM template JOIN delivery_event USING (delivery_id)
   WHERE version = record ->> '$.version'`,
  `INSERT INTO attempt (runtime_message_id, delivery_id, number, session_id)
   SELECT runtime_message_id || '~' || @copy, ${newDelivery}, number, session_id
   FROM template JOIN attempt USING (delivery_id)`,
];
