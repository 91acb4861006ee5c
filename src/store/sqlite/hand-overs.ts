/** Messages for inbox files, and the state of their rows. */
import type Database from "better-sqlite3";
import type { HandOver, InboxPlace } from "../../core/inbox/hand-over.ts";
import { isOpen } from "../../core/inbox/hand-over.ts";
import type { Mail, Message } from "../../core/message/message.ts";
import type { OpenHandOver } from "../port.ts";

type Row = Omit<HandOver, "messageId"> & { body: string; readAt: number | null };

const columns = `hand_over.team, hand_over.inbox, hand_over.state, hand_over.reason, hand_over.behind, hand_over.writes,
  hand_over.changed_at AS changedAt, message.body, message.read_at AS readAt`;
const joined = "hand_over JOIN message ON message.seq = hand_over.message_seq";

export function handOverStatements(db: Database.Database) {
  const byMessage = db.prepare<[number], Row>(`SELECT ${columns} FROM ${joined} WHERE hand_over.message_seq = ?`);
  const open = db.prepare<[string], Row>(
    `SELECT ${columns} FROM ${joined} WHERE hand_over.team = ? AND hand_over.open ORDER BY hand_over.message_seq`,
  );
  const owe = db.prepare<[number, string, string, number]>(`
    INSERT INTO hand_over (message_seq, team, inbox, state, open, writes, changed_at)
    VALUES (?, ?, ?, 'waiting', 1, 0, ?)`);
  const oweUnread = db.prepare<[{ team: string; from: string; to: string; prefix: number; at: number }]>(`
    INSERT INTO hand_over (message_seq, team, inbox, state, open, writes, changed_at)
    SELECT seq, @team, substr(recipient, @prefix), 'waiting', 1, 0, @at
    FROM message INDEXED BY message_unread_by_reader
    WHERE read_at IS NULL AND recipient >= 'member:' AND recipient < 'person;' AND recipient >= @from AND recipient < @to
    ON CONFLICT DO NOTHING`);
  const save = db.prepare<Omit<HandOver, "messageId"> & { seq: number; open: number }>(`
    UPDATE hand_over SET state = @state, open = @open, reason = @reason, behind = @behind, writes = @writes,
      changed_at = @changedAt
    WHERE message_seq = @seq`);
  const close = db.prepare<[string]>("DELETE FROM hand_over WHERE team = ? AND open");

  const find = (seq: number): HandOver | null => {
    const row = byMessage.get(seq);
    return row ? handOverFrom(row) : null;
  };
  return {
    find,
    open: (team: string): OpenHandOver[] =>
      open.all(team).map((row) => ({ handOver: handOverFrom(row), message: mailFrom(row) })),
    owe: (seq: number, { team, inbox }: InboxPlace, at: number): void => void owe.run(seq, team, inbox, at),
    /** Adds the unread messages of a team's members when the team gets files. */
    oweUnread(team: string, at: number): void {
      const from = `member:${team}/`;
      oweUnread.run({ team, from, to: `member:${team}0`, prefix: from.length + 1, at });
    },
    save(seq: number, { messageId: _, ...next }: HandOver): void {
      save.run({ ...next, seq, open: isOpen(next) ? 1 : 0 });
    },
    /** The files of this team are no longer written. */
    close: (team: string): void => void close.run(team),
  };
}

function handOverFrom({ body, readAt: _, ...row }: Row): HandOver {
  return { messageId: (JSON.parse(body) as Message).id, ...row };
}

function mailFrom({ body, readAt }: Row): Mail {
  return { ...(JSON.parse(body) as Message), readAt };
}
