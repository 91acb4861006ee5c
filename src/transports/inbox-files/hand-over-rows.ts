/**
 * Writes messages for members that Waybill does not run into inbox files, and follows what becomes of those rows. Never
 * flags, removes or reorders other programs' rows.
 */

import { readFileSync } from "node:fs";
import { attachmentsNotSupported } from "../../core/delivery/reasons.ts";
import { waybillSender } from "../../core/delivery/texts.ts";
import type { HandOver, HandOverChange } from "../../core/inbox/hand-over.ts";
import { isInFile, leadNotServed, missingRows, personInbox } from "../../core/inbox/hand-over.ts";
import { isRow, rowKey } from "../../core/inbox/row.ts";
import type { ConfigMember, LeadProcess, TeamConfig } from "../../core/inbox/team-config.ts";
import { rowFor } from "../../core/inbox/written-row.ts";
import type { Mail } from "../../core/message/message.ts";
import { replyAddress, writtenAddress } from "../../core/message/message.ts";
import { holdOf, leadRole } from "../../core/team/team.ts";
import type { OpenHandOver } from "../../mail/team-files.ts";
import { AppError } from "../../platform/app-error.ts";
import type { FolderContext } from "./folder-context.ts";

/** Give up against a program that keeps writing an older file back. */
const maxWrites = 4;

/** Writes the waiting rows, oldest first. A row that cannot be written keeps waiting, with a reason. */
export async function writeWaiting(context: FolderContext): Promise<void> {
  const open = await context.store.openHandOvers(context.team.name);
  await Promise.all(open.filter(({ handOver }) => isToWrite(handOver, context)).map((one) => write(one, context)));
}

/** A row in the file of a lead that still has no lane is followed, not written again. */
function isToWrite(handOver: HandOver, context: FolderContext): boolean {
  return handOver.state === "waiting" && !(isInFile(handOver) && isUnserved(handOver.inbox, context));
}

async function write({ handOver, message }: OpenHandOver, context: FolderContext, restored = false): Promise<void> {
  const { inbox, writes } = handOver;
  const notNow = whyNotNow(inbox, message, context);
  if (notNow !== null) return change(handOver, message, { state: "waiting", reason: notNow }, context);
  const row = rowFor(message, context.form, context.config?.knowsWaybill ?? false);
  const written = await context.inboxOf(inbox).append(row);
  switch (written.outcome) {
    case "failed":
      return change(handOver, message, { state: "waiting", reason: written.problem }, context);
    case "appended":
    case "known": {
      context.failPoint?.("inbox.handed_over");
      const state = isUnserved(inbox, context) ? "waiting" : "handed_over";
      const reason = state === "waiting" ? leadNotServed : whyNoAnswer(inbox, context);
      const isNew = written.outcome === "appended" || writes === 0;
      const behind = written.outcome === "appended" ? { behind: written.behind } : {};
      return change(
        handOver,
        message,
        { state, reason, writes: writes + (isNew ? 1 : 0), ...behind },
        context,
        restored,
      );
    }
    default:
      written satisfies never;
  }
}

/**
 * Claude Code empties the inbox of a new teammate a moment after announcing it, and a resumed session claims its old
 * team a moment before it creates a new one.
 */
const settlingMs = 2000;

/** When the team's configuration of a member can be relied on. */
function settledAt({ joinedAt }: ConfigMember, { lead }: TeamConfig): number {
  return Math.max(joinedAt ?? 0, lead?.since ?? 0) + settlingMs;
}

/** How long until all members can be written to; 0 if they can be now. */
export function msUntilSettled(config: TeamConfig, now: number): number {
  return Math.max(0, ...config.members.map((member) => settledAt(member, config) - now));
}

/** Why a row must not be written now, or would be lost; null if it can be. */
function whyNotNow(inbox: string, { attachments }: Mail, context: FolderContext): string | null {
  if (inbox === personInbox) return null;
  // Sent before the team had files. Since then admission refuses attachments.
  if (attachments.length > 0) return attachmentsNotSupported;
  const { form, team, config, clock } = context;
  const known = team.members.find(({ name }) => name === inbox);
  const hold = known ? holdOf(team, known) : null;
  if (hold !== null || form !== "session") return hold;
  if (config === null || !isLive(config)) return "session_ended";
  const member = config.members.find(({ name }) => name === inbox);
  if (!member) return "not_in_team";
  return clock.now() < settledAt(member, config) ? "just_joined" : null;
}

/** A session's agents can only write to members that its configuration names. */
function whyNoAnswer(inbox: string, { form, config }: FolderContext): string | null {
  return form === "session" && inbox !== personInbox && !config?.knowsWaybill ? "cannot_answer" : null;
}

/** In the classic form a lead reads its input, not a file: without a lane, its rows stay unread. */
export function isUnserved(inbox: string, { form, team }: Pick<FolderContext, "form" | "team">): boolean {
  return (
    form === "classic" &&
    team.members.some(({ name, role, kind }) => name === inbox && role === leadRole && kind === "native")
  );
}

/** Follows the written rows of an inbox. `before`: the keys of its rows in order, when it was last read. */
export async function followRows(
  inbox: string,
  rows: readonly unknown[],
  before: readonly string[],
  context: FolderContext,
): Promise<void> {
  if (inbox === personInbox) return;
  const open = await context.store.openHandOvers(context.team.name);
  const present = new Map(rows.flatMap((row) => (isRow(row) ? [[rowKey(row) ?? "", row.read === true] as const] : [])));
  const written = open.filter(({ handOver }) => handOver.inbox === inbox && isInFile(handOver));
  const missing = written.filter(({ message }) => !present.has(message.id));
  const { restore } = missingRows(
    stillThere(present, context),
    missing.map(({ handOver, message }) => ({ key: message.id, before: earlierRows(message.id, handOver, before) })),
  );
  const ofEarlier = missing.filter(({ handOver }) => isOfEarlierSession(handOver, context));
  const lost = new Set([...restore, ...ofEarlier.map(({ message }) => message.id)]);
  for (const one of written) {
    const { handOver, message } = one;
    if (present.get(message.id) === true) {
      await change(handOver, message, { state: "taken", reason: "read" }, context);
    } else if (!present.has(message.id)) await followMissing(one, lost.has(message.id), context);
  }
}

/** The rows before it: those last seen there, and the row that it was appended behind. */
function earlierRows(key: string, { behind }: HandOver, seen: readonly string[]): string[] {
  const seenBefore = seen.slice(0, Math.max(0, seen.indexOf(key)));
  return behind === null ? seenBefore : [...seenBefore, behind];
}

async function followMissing(one: OpenHandOver, isLost: boolean, context: FolderContext): Promise<void> {
  const { handOver, message } = one;
  if (isLost && handOver.writes < maxWrites) return write(one, context, true);
  if (context.form === "session" && isLive(context.config) && !isLost) {
    return change(handOver, message, { state: "taken", reason: "removed" }, context);
  }
  await change(handOver, message, { state: "gone", reason: "taken_or_lost" }, context);
  await warnSender(message, handOver, context);
}

function isLive(config: TeamConfig | null): boolean {
  return config?.lead != null && isRunning(config.lead);
}

/** A resumed session begins with a new team, so its old inboxes are lost. */
function isOfEarlierSession({ changedAt }: HandOver, { form, config }: FolderContext): boolean {
  return form === "session" && (config?.lead?.since ?? 0) > changedAt;
}

/** In a session's team, a row flagged as read may stay for a while after the rows behind it were taken. */
function stillThere(present: ReadonlyMap<string, boolean>, { form }: FolderContext): Set<string> {
  return new Set([...present].flatMap(([key, isRead]) => (form === "session" && isRead ? [] : [key])));
}

/** Nothing can be written now. Rows of a missing directory are written again when it is back. */
export async function keepWaiting(
  reason: "directory_missing" | "directory_in_use",
  context: Pick<FolderContext, "store" | "clock" | "team">,
): Promise<void> {
  for (const { handOver, message } of await context.store.openHandOvers(context.team.name)) {
    const waits = handOver.state === "waiting" || reason === "directory_missing";
    if (waits) await change(handOver, message, { state: "waiting", reason }, context);
  }
}

async function change(
  { state, reason, writes }: HandOver,
  { recipient, id }: Mail,
  next: HandOverChange,
  { store, clock }: Pick<FolderContext, "store" | "clock">,
  restored = false,
): Promise<void> {
  if (state === next.state && reason === next.reason && (next.writes ?? writes) === writes) return;
  await store.changeHandOver(recipient, id, next, clock.now(), restored);
}

/** The receiving program may have taken the row; there is no way to know. */
async function warnSender(message: Mail, { inbox, writes }: HandOver, context: FolderContext): Promise<void> {
  if (message.from === waybillSender) return;
  try {
    await context.admission.admit({
      id: `gone-${message.id}-${writes}`.slice(0, 128),
      to: writtenAddress(replyAddress(message)),
      from: waybillSender,
      text: `Your message to ${inbox} is no longer in its inbox file and was never flagged as read: it was taken or lost.`,
      actionMode: "notify",
      relayOfMessageId: message.id,
      source: "watchdog",
    });
  } catch (error) {
    // The sender no longer exists either.
    if (!(error instanceof AppError)) throw error;
  }
}

/** Whether the process that leads a session's team still runs, and is not another one with the same id. */
function isRunning({ pid, start }: LeadProcess): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  const now = start === null ? null : startOf(pid);
  return now === null || now === start;
}

/** In clock ticks since boot, from Linux's /proc; null elsewhere. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may contain spaces; the start time is the twentieth field after it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
