/** The answer to a prompt: the agent's last message in reply to it, and the response that waits for it. */
import type { AssistantMessage, Part } from "@opencode-ai/sdk/v2/types";
import type { Context } from "hono";
import type { Lane } from "../../../core/lane/lane.ts";
import { AppError } from "../../../platform/app-error.ts";
import type { Clock } from "../../../platform/clock.ts";
import { sleep } from "../../../platform/clock.ts";
import type { Env } from "../../http/env.ts";
import { sessionUnknown, textOfError } from "../error-response.ts";
import { messagePage, messageSource } from "../history/message-page.ts";
import { newMessageId, sessionOf } from "../ids.ts";
import type { SessionDeps } from "../opencode-deps.ts";
import { newAssistantMessage } from "../projection/assistant-step.ts";
import { repeatedMessage } from "../projection/session-messages.ts";
import type { SessionMessage } from "../projection/session-view.ts";
import { sessionSettings } from "../projection/session-view.ts";
import { findSession } from "../request.ts";

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

type SlowResponse = {
  clock: Clock;
  timeoutMs: number;
  answer: Promise<object>;
  /** The body for an error once the status has been sent. */
  answerFor: (error: unknown) => object;
  /** Called when it was answered, or the client disconnected. */
  onEnd: () => void;
};

/**
 * A response that may take as long as an agent's turn. For a while it can still have any status; then its head is sent,
 * followed by blanks, which JSON allows before a value, so that proxies do not consider the connection dead.
 */
export async function slowResponse(c: Context<Env>, response: SlowResponse): Promise<Response> {
  const { answer, onEnd } = response;
  try {
    const early = await withinTimeout(answer, response);
    if (early === null) return c.body(blanksUntil(response), 200, { "Content-Type": "application/json" });
    onEnd();
    return c.json(early as never);
  } catch (error) {
    onEnd();
    throw error;
  }
}

function blanksUntil(response: SlowResponse): ReadableStream<Uint8Array> {
  const { answer, answerFor, onEnd } = response;
  const encoder = new TextEncoder();
  const text = answer.catch(answerFor).then((value) => JSON.stringify(value));
  let isFirst = true;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const done = isFirst ? null : await withinTimeout(text, response);
        isFirst = false;
        controller.enqueue(encoder.encode(done ?? " "));
        if (done === null) return;
        controller.close();
        onEnd();
      },
      cancel: onEnd,
    },
    { highWaterMark: 0 },
  );
}

/** Null when it takes longer. */
async function withinTimeout<T>(answer: Promise<T>, { clock, timeoutMs }: SlowResponse): Promise<T | null> {
  const done = new AbortController();
  try {
    return await Promise.race([answer, sleep(clock, timeoutMs, done.signal)]);
  } finally {
    done.abort();
  }
}
