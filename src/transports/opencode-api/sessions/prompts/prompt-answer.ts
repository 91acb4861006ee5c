/** The answer to a prompt: the agent's last message in reply to it. */
import type { AssistantMessage, Part } from "@opencode-ai/sdk/v2/types";
import type { Lane } from "../../../../core/lane/lane.ts";
import { AppError } from "../../../../platform/app-error.ts";
import { textOfError } from "../../error-response.ts";
import { newMessageId, sessionOf } from "../../ids.ts";
import { newAssistantMessage } from "../../projection/assistant-step.ts";
import type { SessionMessage } from "../../projection/native-event.ts";
import { repeatedMessage } from "../../projection/session-messages.ts";
import { sessionSettings } from "../../projection/session-view.ts";
import { findSession, sessionUnknown } from "../find-session.ts";
import { messagePage } from "../history/message-page.ts";
import { messageSource } from "../message-routes.ts";
import type { SessionDeps } from "../session-deps.ts";

/** A turn seldom has more messages. */
const newestMessages = 50;

/** Throws if there is none: the message was never sent, or was cancelled first. */
export async function promptAnswer(deps: SessionDeps, lane: string, messageID: string): Promise<SessionMessage> {
  const source = await messageSource(await findSession(deps.service, sessionOf(lane)), deps);
  const { items } = await deps.service.deliveries({ lane, messageId: messageID, limit: 1 });
  const record = items[0]?.record;
  // A lane that is being deleted may still exist for a moment.
  if (record?.lastReason === "lane_removed") throw sessionUnknown(sessionOf(lane));
  for (const limit of [newestMessages, undefined]) {
    const { messages } = await messagePage({ ...source, limit });
    const prompts = new Set([messageID, ...laterPrompts(messages, messageID)]);
    const answer = messages.findLast(({ info }) => info.role === "assistant" && prompts.has(info.parentID));
    if (answer) return answer;
  }
  const outcome = record ? `ended as ${record.status} (${record.lastReason ?? "no reason"})` : "is no longer known";
  throw new AppError({
    code: "not_possible",
    message: `The message ${messageID} ${outcome}, and no answer to it is kept.`,
    hint: `\`waybill why ${messageID}\` explains what happened.`,
  });
}

/** The answer to a retried message belongs to the later prompt. */
function laterPrompts(messages: readonly SessionMessage[], messageID: string): string[] {
  const isFor = (part: Part) => part.type === "text" && part.metadata?.[repeatedMessage] === messageID;
  return messages.filter(({ parts }) => parts.some(isFor)).map(({ info }) => info.id);
}

/** For a client that has already received the status of its response. */
export function failedAnswer(lane: Lane, messageID: string, error: unknown, now: number): SessionMessage {
  const id = newMessageId(now, `unanswered ${messageID}`);
  const ids = { id, sessionID: sessionOf(lane.id), parentID: messageID };
  const message =
    error instanceof AppError ? textOfError(error) : "Internal error in Waybill. See Waybill's log for details.";
  const info: AssistantMessage = {
    ...newAssistantMessage(sessionSettings(lane), { ...ids, created: now }),
    time: { created: now, completed: now },
    error: { name: "UnknownError", data: { message } },
  };
  return { info, parts: [] };
}
