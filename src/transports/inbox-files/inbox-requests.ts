/**
 * Requests from one program to another in an inbox that Waybill serves: a permission, a shutdown, approval of a plan. A
 * person decides. Until then the row stays unread, so that it is asked again after a restart.
 */

import type { ParsedRow, SystemRow } from "../../core/inbox/row.ts";
import { isRow, isShutdownApproval, rowKey, systemRowIn } from "../../core/inbox/row.ts";
import { requestedTool, requestTitle, responseKey, responseRow } from "../../core/inbox/system-row-answers.ts";
import type { AnswerAsk } from "../../courier/ask-registry.ts";
import { AppError } from "../../platform/app-error.ts";
import type { FolderContext } from "./folder-context.ts";
import type { LaneMember } from "./lane-rows.ts";
import { senderIn } from "./row-sender.ts";

export type RequestRow = ParsedRow & { system: SystemRow };

/**
 * Null if the request was shown to a person or was answered before; otherwise the reason. `done` is called once it is
 * answered.
 */
export async function openRequest(
  row: RequestRow,
  member: LaneMember,
  context: FolderContext,
  done: () => Promise<void>,
): Promise<string | null> {
  const sender = senderIn(row, context);
  if (!sender || sender.name === member.name) return "sender_unknown";
  const { asks } = context;
  const before = await responseTo(row, sender.name, context);
  if (before) {
    await carryOut(row, isShutdownApproval(before), member, context);
    await done();
    return null;
  }
  const id = askId(row, member, context);
  const title = `${sender.name}: ${requestTitle(row.system)}`;
  const about = { ...requestedTool(row.system), detail: row.system.data };
  asks.askedElsewhere({ id, title, laneId: member.lane, since: row.sentAt, ...about }, async (answer) => {
    await respond(row, sender.name, member, answer, context);
    asks.answered(id);
    await done();
  });
  return null;
}

/** The answer written before a crash, if it is still in the file. */
async function responseTo({ id }: RequestRow, sender: string, { inboxOf }: FolderContext): Promise<SystemRow | null> {
  const read = await inboxOf(sender).peek();
  const rows = read.outcome === "read" ? read.rows : [];
  const response = rows.find((one) => rowKey(one) === responseKey(id));
  return isRow(response) ? systemRowIn(String(response.text)) : null;
}

async function carryOut({ system }: RequestRow, isApproved: boolean, member: LaneMember, context: FolderContext) {
  if (isApproved && system.type === "shutdown_request") await context.shutDown(member, context.team.name);
}

export function askId({ id }: ParsedRow, { name }: LaneMember, { team }: FolderContext): string {
  return `inbox:${team.name}:${name}:${id}`;
}

async function respond(
  row: RequestRow,
  sender: string,
  member: LaneMember,
  { decision }: Parameters<AnswerAsk>[0],
  context: FolderContext,
): Promise<void> {
  const isApproved = decision !== "reject";
  const response = responseRow(row, member.name, isApproved, context.form, context.clock.now());
  const written = await context.inboxOf(sender).append(response);
  if (written.outcome === "failed") throw cannotAnswer(sender, written.error);
  context.failPoint?.("inbox.answered");
  await carryOut(row, isApproved, member, context);
}

function cannotAnswer(sender: string, why: string): AppError {
  return new AppError({
    code: "inbox_unwritable",
    message: `The answer could not be written into the inbox of ${sender}: ${why}`,
    hint: "Repair the file, then answer again.",
    retryable: true,
  });
}
