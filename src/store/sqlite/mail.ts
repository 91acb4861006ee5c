/** Messages as they were sent, and whether they are read. */
import type Database from "better-sqlite3";
import type { Message, Recipient } from "../../mail/message.ts";
import { recipientKey } from "../../mail/message.ts";
import type { StoredMessage } from "../port.ts";

type Row = { seq: number; body: string; payloadHash: string; readAt: number | null };

export type KnownMessage = { seq: number; payloadHash: string; message: StoredMessage };

const columns = "seq, body, payload_hash AS payloadHash, read_at AS readAt";

export function mailStatements(db: Database.Database) {
  const byId = db.prepare<[string, string], Row>(`SELECT ${columns} FROM message WHERE recipient = ? AND id = ?`);
  const newest = db.prepare<[string, number], Row>(
    `SELECT ${columns} FROM message WHERE recipient = ? ORDER BY seq DESC LIMIT ?`,
  );
  const replies = db.prepare<[string, string], Row>(
    `SELECT ${columns} FROM message WHERE relay_of_message_id = ? AND from_lane = ? ORDER BY seq`,
  );
  const insert = db.prepare<[string, string, string | null, string | null, string, string, number]>(`
    INSERT INTO message (recipient, id, from_lane, relay_of_message_id, payload_hash, body, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const markRead = db.prepare<[number, string]>(`
    UPDATE message SET read_at = ?
    WHERE seq = (SELECT message_seq FROM delivery WHERE id = ?) AND read_at IS NULL`);
  const unrecorded = db.prepare<[], Row>(`
    SELECT ${columns} FROM message
    WHERE read_at IS NULL AND recipient >= 'lane:' AND recipient < 'lane;'
      AND NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.message_seq = message.seq)
    ORDER BY seq`);

  return {
    find(recipient: Recipient, id: string): KnownMessage | null {
      const row = byId.get(recipientKey(recipient), id);
      return row ? { seq: row.seq, payloadHash: row.payloadHash, message: messageFrom(row) } : null;
    },
    newest: (recipient: Recipient, limit: number) => newest.all(recipientKey(recipient), limit).map(messageFrom),
    replies: (messageId: string, fromLane: string) => replies.all(messageId, fromLane).map(messageFrom),
    insert(message: Message, payloadHash: string): number {
      const written = insert.run(
        recipientKey(message.recipient),
        message.id,
        message.fromLane,
        message.relayOfMessageId,
        payloadHash,
        JSON.stringify(message),
        message.createdAt,
      );
      return Number(written.lastInsertRowid);
    },
    markRead: (deliveryId: string, at: number) => markRead.run(at, deliveryId),
    unrecorded: () => unrecorded.all().map(messageFrom),
  };
}

function messageFrom(row: Row): StoredMessage {
  return { ...(JSON.parse(row.body) as Message), readAt: row.readAt };
}
