/** Remembers which rows of an inbox were processed, so that each is taken once, and again if its content changes. */

import { personInbox } from "../../core/inbox/hand-over.ts";
import { inboxNote } from "../../core/inbox/inbox-note.ts";
import type { ParsedRow } from "../../core/inbox/row.ts";
import { isRow, isShutdownApproval, parseRow, rowKey } from "../../core/inbox/row.ts";
import { kindOfSystemRow } from "../../core/inbox/system-row-answers.ts";
import { fileSender } from "../../core/inbox/team-config.ts";
import { personAddress, replyAddress, writtenAddress } from "../../core/message/message.ts";
import type { Member } from "../../core/team/team.ts";
import type { NewMessage } from "../../mail/message-schema.ts";
import type { ReadCommit } from "../../mail/read-commit.ts";
import { AppError } from "../../platform/app-error.ts";
import type { InboxFile } from "./file/inbox-file.ts";
import type { FolderContext } from "./folder-context.ts";
import type { RequestRow } from "./inbox-requests.ts";
import { openRequest } from "./inbox-requests.ts";
import type { LaneMember } from "./lane-rows.ts";
import { failChanged, laneMember, takeLaneRow } from "./lane-rows.ts";
import { answeredMessage, nativeSender, senderIn } from "./row-sender.ts";

export class InboxRows {
  readonly #name: string;
  /** The content hash and read flag of each row, by its key. */
  #seen = new Map<string, string>();
  /** The keys of rows to flag as read as soon as their file can be written. */
  readonly #unflagged: Set<string>;

  constructor(name: string, unflagged = new Set<string>()) {
    this.#name = name;
    this.#unflagged = unflagged;
  }

  /** Processes every row again. Flags that are still owed carry over, including those of requests opened before. */
  renewed(): InboxRows {
    return new InboxRows(this.#name, this.#unflagged);
  }

  /** The row's message was answered or needs no answer: only its read flag is still to be written. */
  oweFlag(key: string): void {
    this.#unflagged.add(key);
  }

  /** A row that cannot be flagged now is tried again on the next call. */
  async flagOwed(inbox: InboxFile): Promise<void> {
    const keys = new Set(this.#unflagged);
    if (keys.size === 0) return;
    const flagged = await flagRead(inbox, keys);
    if (flagged.outcome !== "failed") for (const key of keys) this.#unflagged.delete(key);
  }

  /** If it throws, the same rows must be taken again. */
  async take(rows: readonly unknown[], inbox: InboxFile, context: FolderContext): Promise<void> {
    const now = new Map<string, string>();
    const unread: ParsedRow[] = [];
    for (const value of rows) {
      const row = parseRow(value);
      const key = rowKey(value) ?? JSON.stringify(value);
      const state = "invalid" in row ? "invalid" : `${row.hash} ${row.isRead}`;
      const isSeen = this.#seen.get(key) === state;
      // Two rows with the same id are both processed.
      const isTwice = now.has(key) && now.get(key) !== state;
      now.set(key, state);
      if (isSeen && !isTwice) continue;
      if ("invalid" in row) await this.#refuse(key, null, row.invalid, context);
      else {
        await this.#hear(row, context);
        if (!row.isRead) unread.push(row);
      }
    }
    await this.#takeUnread(unread, inbox, context);
    this.#seen = now;
  }

  /** Notes what a row reveals about its sender. Only members that Waybill does not run are known by their rows. */
  async #hear(row: ParsedRow, context: FolderContext): Promise<void> {
    const sender = senderIn(row, context);
    if (sender?.kind !== "native") return;
    const { team, name, createdAt, terminatedAt } = sender;
    context.heard({ kind: "member", team, member: name }, Math.min(row.sentAt, context.clock.now()));
    if (row.system && isShutdownApproval(row.system) && terminatedAt === null && row.sentAt > createdAt) {
      await context.store.terminateMember(team, name, row.sentAt);
    }
  }

  async #takeUnread(unread: readonly ParsedRow[], inbox: InboxFile, context: FolderContext): Promise<void> {
    const member = context.team.members.find(({ name }) => name === this.#name);
    const served = member && laneMember(member);
    if (served) return this.#takeForLane(unread, served, inbox, context);
    const person = this.#person(member);
    if (person === null) return;
    for (const row of unread.filter(({ system }) => system === null)) {
      const refused = await takePersonRow(row, person, context);
      if (refused !== null) await this.#refuse(row.id, row, refused, context);
    }
  }

  /** The person who owns this mailbox. Rows to the name that Waybill writes under also go to the person. */
  #person(member: Member | undefined): string | null {
    if (this.#name === personInbox || this.#name === fileSender) return personInbox;
    return member?.kind === "person" ? member.name : null;
  }

  async #takeForLane(
    unread: readonly ParsedRow[],
    member: LaneMember,
    inbox: InboxFile,
    context: FolderContext,
  ): Promise<void> {
    const conflicts: ParsedRow[] = [];
    const taken = new Set<string>();
    for (const row of unread) {
      const kind = row.system && kindOfSystemRow(row.system.type);
      if (kind === "news") {
        await this.#show(row, context);
        this.oweFlag(row.id);
      } else if (kind === "request") {
        await this.#request(row as RequestRow, member, inbox, context);
      } else {
        const result = await takeLaneRow(row, member, context);
        if (result.outcome === "refused") await this.#refuse(row.id, row, result.reason, context);
        else if (result.outcome === "conflict") conflicts.push(row);
        else taken.add(row.id);
        if (result.outcome === "done") this.oweFlag(row.id);
      }
    }
    for (const row of conflicts) await this.#conflict(row, taken.has(row.id), member, context);
  }

  /** The admitted row may still be in the file, next to another one with its id. */
  async #conflict(row: ParsedRow, isBeside: boolean, member: LaneMember, context: FolderContext): Promise<void> {
    const reason = isBeside ? "id_taken" : await failChanged(row.id, member, context);
    await this.#refuse(row.id, row, reason, context);
  }

  async #request(row: RequestRow, member: LaneMember, inbox: InboxFile, context: FolderContext): Promise<void> {
    const refused = await openRequest(row, member, context, async () => {
      this.oweFlag(row.id);
      await this.flagOwed(inbox);
    });
    if (refused === null) await this.#show(row, context);
    else await this.#refuse(row.id, row, refused, context);
  }

  async #show({ id, from, system }: ParsedRow, { store, clock, team }: FolderContext): Promise<void> {
    const note = { team: team.name, inbox: this.#name, event: "system_row", messageId: id, from } as const;
    await store.noteInbox(inboxNote({ ...note, rowType: system?.type ?? null }), this.#lane(team.members), clock.now());
  }

  async #refuse(id: string, row: ParsedRow | null, reason: string, context: FolderContext): Promise<void> {
    const { store, clock, team } = context;
    const note = { team: team.name, inbox: this.#name, event: "row_refused", messageId: id.slice(0, 128) } as const;
    const told = row === null ? { reason: "row_invalid", detail: reason } : { reason, from: row.from };
    await store.noteInbox(inboxNote({ ...note, ...told }), this.#lane(team.members), clock.now());
  }

  #lane(members: readonly Member[]): string | null {
    return members.find(({ name }) => name === this.#name)?.lane ?? null;
  }
}

/** Flags every row with one of these keys, including several rows with the same id. */
export async function flagRead(inbox: InboxFile, keys: ReadonlySet<string>): Promise<ReadCommit> {
  let found = false;
  const changed = await inbox.change((rows) => {
    found = false;
    return rows.map((row) => {
      if (!isRow(row) || !keys.has(rowKey(row) ?? "")) return row;
      found = true;
      return row.read === true ? row : { ...row, read: true };
    });
  });
  if (changed.outcome === "failed") {
    if (changed.problem === "directory_missing") return { outcome: "row_gone" };
    return { outcome: "failed", error: `${changed.problem}: ${changed.error}` };
  }
  return { outcome: found ? "committed" : "row_gone" };
}

/**
 * Rows for a person, or for the sender of a message that a row answers, are shown, but never flagged as read, because
 * the file is not Waybill's. Returns why a row could not be taken, or null.
 */
async function takePersonRow(row: ParsedRow, person: string, context: FolderContext): Promise<string | null> {
  const { store, admission } = context;
  // Skip Waybill's own rows, and copies of messages that are already in the mailbox.
  if (row.from === fileSender || (await store.message(personAddress(person), row.id))) return null;
  const answered = await answeredMessage(row, context);
  const to = answered ? replyAddress(answered.message) : personAddress(person);
  try {
    const message: NewMessage = {
      id: row.id,
      to: writtenAddress(to),
      from: row.from.slice(0, 128),
      text: answered?.text ?? row.text,
      summary: row.summary ?? undefined,
      taskRefs: [...row.taskRefs],
      attachments: [...row.attachments],
      relayOfMessageId: answered?.message.id,
      source: "watcher",
    };
    await admission.admit(message, { claimedMember: nativeSender(row, context) });
    return null;
  } catch (error) {
    // A temporary failure, such as a full disk, is not the row's fault.
    if (error instanceof AppError && !error.retryable) return error.code;
    throw error;
  }
}
