/** What came of a prompt: the last message with which the agent answered it. */
import type { AssistantMessage } from "@opencode-ai/sdk/v2/types";
import { AppError, messageOf } from "../../../../app-error.ts";
import type { DeliveryRecord } from "../../../../core/delivery/record.ts";
import type { Lane } from "../../../../core/lane/lane.ts";
import { newMessageId, sessionOf } from "../../ids.ts";
import { newAssistantMessage } from "../../projection/assistant-message.ts";
import type { MessageRow } from "../../projection/session-projection.ts";
import { messagePage } from "../history/message-page.ts";
import { knownSession, sessionUnknown } from "../known-session.ts";
import { messagesOf } from "../message-routes.ts";
import type { SessionDeps } from "../session-deps.ts";
import { placeOf } from "../session-view.ts";

/** In a turn there are seldom more messages; the last is what is wanted. */
const newest = 50;

/** Throws when there is none: the message was never taken, or was cancelled before. */
export async function answerOfTurn(deps: SessionDeps, lane: string, messageID: string): Promise<MessageRow> {
  const source = await messagesOf(await knownSession(deps.service, sessionOf(lane)), deps);
  const { items } = await deps.service.deliveries({ lane, messageId: messageID, limit: 1 });
  const record = items[0]?.record ?? null;
  // It may be there for another moment, while its deletion goes on.
  if (record?.lastReason === "lane_removed") throw sessionUnknown(sessionOf(lane));
  // A message that had to be asked again is answered under the later prompt.
  const prompts = new Set([messageID, ...(record?.attemptList.map(({ messageId }) => messageId) ?? [])]);
  for (const limit of [newest, undefined]) {
    const { rows } = await messagePage({ ...source, limit });
    const answer = rows.findLast(({ info }) => info.role === "assistant" && prompts.has(info.parentID));
    if (answer) return answer;
  }
  throw unanswered(messageID, record);
}

/** For a client that has been told already that it will get a message. */
export function failedMessage(lane: Lane, messageID: string, error: unknown, now: number): MessageRow {
  const id = newMessageId(now, `unanswered ${messageID}`);
  const begun = { id, sessionID: sessionOf(lane.id), parentID: messageID, created: now };
  const info: AssistantMessage = {
    ...newAssistantMessage(placeOf(lane), begun),
    time: { created: now, completed: now },
    error: { name: "UnknownError", data: { message: wordsOf(error) } },
  };
  return { info, parts: [] };
}

function wordsOf(error: unknown): string {
  if (!(error instanceof AppError)) return "Something went wrong in Waybill. Its log says what.";
  return error.hint === undefined ? messageOf(error) : `${messageOf(error)} ${error.hint}`;
}

function unanswered(messageID: string, record: DeliveryRecord | null): AppError {
  const how =
    record === null ? "is not known any more" : `ended as ${record.status} (${record.lastReason ?? "no reason"})`;
  return new AppError({
    code: "not_possible",
    message: `The message ${messageID} ${how}, and no answer to it is kept.`,
    hint: `\`waybill why ${messageID}\` tells what happened.`,
  });
}
