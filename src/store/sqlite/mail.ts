/** Messages as they were sent, their read marks, and full-text search. */
import type Database from "better-sqlite3";
import type { DeliveryRecord } from "../../core/delivery/record.ts";
import type { Page } from "../../core/log/log-item.ts";
import type { Address, Mail, MemberAddress, Message } from "../../core/message/message.ts";
import { addressKey, memberOf, senderOf } from "../../core/message/message.ts";
import type { InboxFilter, MailFilter, UnreadCount } from "../port.ts";
import { cursorFrom, seqOf } from "./log/log.ts";

type Row = { seq: number; body: string; payloadHash: string; readAt: number | null; laneId: string | null };

export type KnownMessage = { seq: number; payloadHash: string; message: Mail };

const columns = "seq, body, payload_hash AS payloadHash, read_at AS readAt, lane_id AS laneId";

/** Indexing words for search costs more than storing them, but less per message in batches. */
const searchBatch = 500;
/** More messages than this rarely wait. */
const maxKnown = 2000;

export function mailStatements(db: Database.Database) {
  const byId = db.prepare<[string, string], Row>(`SELECT ${columns} FROM message WHERE recipient = ? AND id = ?`);
  const toLane = db.prepare<[string, number, string, number], Row>(
    `SELECT ${columns} FROM message WHERE lane_id = ? AND seq < ? AND recipient = ? ORDER BY seq DESC LIMIT ?`,
  );
  const ofReader = "recipient = ? AND recipient >= 'member:' AND recipient < 'person;'";
  const anywhere = db.prepare<[string], Row>(`SELECT ${columns} FROM message WHERE id = ? ORDER BY seq`);
  const repliesIn = db.prepare<[string, string], Row>(
    `SELECT ${columns} FROM message WHERE relay_of_message_id = ? AND +recipient = ? ORDER BY seq`,
  );
  const toReader = db.prepare<[string, number, number], Row>(`
    SELECT ${columns} FROM message INDEXED BY message_of_reader
    WHERE ${ofReader} AND seq < ? ORDER BY seq DESC LIMIT ?`);
  const unreadBy = db.prepare<[string, number, number], Row>(`
    SELECT ${columns} FROM message INDEXED BY message_unread_by_reader
    WHERE ${ofReader} AND read_at IS NULL AND seq < ? ORDER BY seq DESC LIMIT ?`);
  // Limited, because a person may never mark anything as read.
  const unreadByConversation = db.prepare<[string], UnreadCount>(`
    SELECT laneId, member, count(*) AS count FROM (
      SELECT lane_id AS laneId, iif(lane_id IS NULL, member, NULL) AS member
      FROM message INDEXED BY message_unread_by_reader
      WHERE ${ofReader} AND read_at IS NULL ORDER BY seq DESC LIMIT 10000)
    GROUP BY laneId, member`);
  const allRead = db.prepare<[number, string]>(`
    UPDATE message INDEXED BY message_unread_by_reader SET read_at = ? WHERE ${ofReader} AND read_at IS NULL`);
  const oneRead = db.prepare<[number, string, string]>(
    "UPDATE message SET read_at = ? WHERE recipient = ? AND id = ? AND read_at IS NULL",
  );
  const unreadCounts = db.prepare<[], { name: string; count: number }>(`
    SELECT substr(recipient, 8) AS name, count(*) AS count FROM message INDEXED BY message_unread_by_reader
    WHERE read_at IS NULL AND recipient >= 'member:' AND recipient < 'person;' AND recipient >= 'person:'
    GROUP BY recipient`);
  const fromSender = db.prepare<[string, number], Row>(`
    SELECT ${columns} FROM message WHERE sender = ? ORDER BY seq DESC LIMIT ?`);
  const ofLane = db.prepare<[string, number, number], Row>(
    `SELECT ${columns} FROM message WHERE lane_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  );
  const all = db.prepare<[number, number], Row>(
    `SELECT ${columns} FROM message WHERE seq < ? ORDER BY seq DESC LIMIT ?`,
  );
  const ofMember = db.prepare<[string, number, number], Row>(
    `SELECT ${columns} FROM message WHERE member = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  );
  type Selected = { id: string | null; lane: string | null; member: string | null; before: number; limit: number };
  const inConversation = "(@lane IS NULL OR message.lane_id = @lane) AND (@member IS NULL OR message.member = @member)";
  const withWords = db.prepare<[Selected & { words: string }], Row>(`
    SELECT ${columns} FROM message_words JOIN message ON message.seq = message_words.rowid
    WHERE message_words MATCH @words AND ${inConversation} AND (@id IS NULL OR message.id = @id)
      AND message_words.rowid < @before
    ORDER BY message_words.rowid DESC LIMIT @limit`);
  const withId = db.prepare<[Selected], Row>(`
    SELECT ${columns} FROM message WHERE id = @id AND ${inConversation} AND +seq < @before
    ORDER BY seq DESC LIMIT @limit`);
  // The plus keeps SQLite from reading the whole lane in order; one message has few replies.
  const writtenBack = db.prepare<[string, string, string, string | null], Row>(`
    SELECT ${columns} FROM message
    WHERE relay_of_message_id = ? AND (+lane_id = ? OR +from_lane = ? OR +recipient = ?) ORDER BY seq`);
  const replies = db.prepare<[string, string], Row>(
    `SELECT ${columns} FROM message WHERE relay_of_message_id = ? AND from_lane = ? ORDER BY seq`,
  );
  type Nullable = string | null;
  const insert = db.prepare<
    [string, string, Nullable, Nullable, Nullable, Nullable, Nullable, string, string, number]
  >(`
    INSERT INTO message
      (recipient, id, from_lane, sender, lane_id, member, relay_of_message_id, payload_hash, body, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const insertAttachment = db.prepare<[string, number]>(
    "INSERT OR IGNORE INTO message_attachment (attachment_id, message_seq) VALUES (?, ?)",
  );
  const isNamed = db
    .prepare<[string], number>("SELECT 1 FROM message_attachment WHERE attachment_id = ? LIMIT 1")
    .pluck();
  const markRead = db.prepare<[number, number]>("UPDATE message SET read_at = ? WHERE seq = ? AND read_at IS NULL");
  const unrecorded = db.prepare<[], Row>(`
    SELECT ${columns} FROM message INDEXED BY message_unread
    WHERE read_at IS NULL AND recipient >= 'lane:' AND recipient < 'lane;'
      AND NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.message_seq = message.seq)
    ORDER BY seq`);

  const indexed = db.prepare<[], number>("SELECT searchable_seq FROM store_state").pluck();
  const reached = db.prepare<[], number>("SELECT coalesce(max(seq), 0) FROM message").pluck();
  const addWords = db.prepare<[number, number]>(`
    INSERT INTO message_words (rowid, text, summary)
    SELECT seq, body ->> '$.text', body ->> '$.summary' FROM message WHERE seq > ? AND seq <= ?`);
  const rememberIndexed = db.prepare<[number]>("UPDATE store_state SET searchable_seq = ?");

  /** A message just written is usually read again soon; the cache saves parsing it. */
  const known = new Map<string, KnownMessage>();
  const keyOf = (recipient: Address, id: string) => `${addressKey(recipient)}\n${id}`;
  const remember = (key: string, message: KnownMessage): void => {
    known.set(key, message);
    if (known.size > maxKnown) for (const oldest of known.keys()) return void known.delete(oldest);
  };

  const makeSearchable = (): void => {
    const [from, to] = [indexed.get() ?? 0, reached.get() ?? 0];
    if (to === from) return;
    addWords.run(from, to);
    rememberIndexed.run(to);
  };

  const find = (recipient: Address, id: string): KnownMessage | null => {
    const there = known.get(keyOf(recipient, id));
    if (there) return there;
    const row = byId.get(addressKey(recipient), id);
    return row ? { seq: row.seq, payloadHash: row.payloadHash, message: messageFrom(row) } : null;
  };

  return {
    makeSearchable,
    isSearchable: (): boolean => reached.get() === indexed.get(),
    find,
    /** The number of a delivery's message. */
    seqOf: ({ laneId, messageId }: Pick<DeliveryRecord, "laneId" | "messageId">): number =>
      find({ kind: "lane", lane: laneId }, messageId)?.seq ?? 0,
    newest(recipient: Address, limit: number): Mail[] {
      const key = addressKey(recipient);
      const rows =
        recipient.kind === "lane"
          ? toLane.all(recipient.lane, Number.MAX_SAFE_INTEGER, key, limit)
          : toReader.all(key, Number.MAX_SAFE_INTEGER, limit);
      return rows.map(messageFrom);
    },
    withId: (id: string): Mail[] => anywhere.all(id).map(messageFrom),
    repliesIn: (mailbox: Address, messageId: string): Mail[] =>
      repliesIn.all(messageId, addressKey(mailbox)).map(messageFrom),
    from: (sender: Address, limit: number): Mail[] => fromSender.all(addressKey(sender), limit).map(messageFrom),
    inbox(reader: Address, { unreadOnly = false, limit, cursor }: InboxFilter): Page<Mail> {
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : seqOf(cursor);
      return pageOf((unreadOnly ? unreadBy : toReader).all(addressKey(reader), before, limit), limit);
    },
    readBy(reader: Address, ids: readonly string[] | "all", at: number): number {
      const key = addressKey(reader);
      if (ids === "all") return allRead.run(at, key).changes;
      return ids.reduce((count, id) => count + oneRead.run(at, key, id).changes, 0);
    },
    unreadByConversation: (reader: Address): UnreadCount[] => unreadByConversation.all(addressKey(reader)),
    unreadByPerson: () => Object.fromEntries(unreadCounts.all().map(({ name, count }) => [name, count])),
    page({ lane: laneId, member: address, messageId, query, limit, cursor }: MailFilter): Page<Mail> {
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : seqOf(cursor);
      const words = query === undefined ? undefined : wordsQuery(query);
      if (words === null) return { items: [], next: null };
      const [id, lane, member] = [messageId ?? null, laneId ?? null, address ? memberKey(address) : null];
      if (words !== undefined) return pageOf(withWords.all({ words, id, lane, member, before, limit }), limit);
      if (id !== null) return pageOf(withId.all({ id, lane, member, before, limit }), limit);
      if (member !== null) return pageOf(ofMember.all(member, before, limit), limit);
      return pageOf(lane === null ? all.all(before, limit) : ofLane.all(lane, before, limit), limit);
    },
    /** Replies to a message in a lane, by the agent or by Waybill, oldest first. */
    writtenBack(messageId: string, laneId: string, to: Address): Mail[] {
      // Several lanes may have a message with that id. A reply to an agent is in another conversation.
      const back = to.kind === "person" ? null : addressKey(to);
      return writtenBack.all(messageId, laneId, laneId, back).map(messageFrom);
    },
    replies: (messageId: string, fromLane: string) => replies.all(messageId, fromLane).map(messageFrom),
    /** Returns its number. */
    insert(message: Message, payloadHash: string): number {
      const sender = senderOf(message);
      const member = memberOf(message);
      const written = insert.run(
        addressKey(message.recipient),
        message.id,
        message.fromLane,
        sender && addressKey(sender),
        message.laneId,
        member && memberKey(member),
        message.relayOfMessageId,
        payloadHash,
        JSON.stringify(message),
        message.createdAt,
      );
      const seq = Number(written.lastInsertRowid);
      for (const { id } of message.attachments) insertAttachment.run(id, seq);
      if (message.recipient.kind === "lane") {
        remember(keyOf(message.recipient, message.id), { seq, payloadHash, message: { ...message, readAt: null } });
      }
      if (seq % searchBatch === 0) makeSearchable();
      return seq;
    },
    namedAttachments: (ids: readonly string[]): Set<string> => new Set(ids.filter((id) => isNamed.get(id) === 1)),
    /** Marks the message of a delivery. */
    markRead(seq: number, { laneId, messageId }: DeliveryRecord, at: number): void {
      markRead.run(at, seq);
      known.delete(keyOf({ kind: "lane", lane: laneId }, messageId));
    },
    /** Call after a write was rolled back. */
    forget: () => known.clear(),
    unrecorded: () => unrecorded.all().map(messageFrom),
  };
}

function memberKey({ team, member }: MemberAddress): string {
  return `${team}/${member}`;
}

function pageOf(rows: readonly Row[], limit: number): Page<Mail> {
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { items: rows.map(messageFrom), next: last ? cursorFrom(last.seq) : null };
}

function messageFrom(row: Row): Mail {
  // Bodies from before messages named their lane lack it; the column has it.
  return { ...(JSON.parse(row.body) as Message), laneId: row.laneId, readAt: row.readAt };
}

/** What people type into a search box, as a safe full-text query. Every word must occur; the last one may be a prefix. Null if there is no word. */
function wordsQuery(typed: string): string | null {
  const words = typed.normalize("NFC").match(/[\p{L}\p{N}\p{M}]+/gu);
  return words ? words.map((word, place) => `"${word}"${place === words.length - 1 ? "*" : ""}`).join(" ") : null;
}
