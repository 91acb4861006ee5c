/**
 * Accepts prompts: each becomes a message in the ledger, and is delivered whether or not its sender waits. A repeated
 * id is the same message, sent once.
 */
import { randomUUID } from "node:crypto";
import type { Context } from "hono";
import type { Lane } from "../../../core/lane/lane.ts";
import type { ChooseLaneChange } from "../../../mail/admission.ts";
import { AppError } from "../../../platform/app-error.ts";
import { sleep } from "../../../platform/clock.ts";
import type { Service } from "../../../service/service.ts";
import type { Env } from "../../http/env.ts";
import { statusOf } from "../../http/errors.ts";
import { streamEnd } from "../../http/event-stream.ts";
import { laneOf, newMessageId } from "../ids.ts";
import type { OpenCodeApp, SessionDeps } from "../opencode-deps.ts";
import { findOwnSession, isOpenCodeClient, parseBody } from "../request.ts";
import { isClientsLane } from "./new-session.ts";
import { failedAnswer, promptAnswer, slowResponse } from "./prompt-answer.ts";
import type { PromptBody } from "./prompt-body.ts";
import {
  defaultTitle,
  promptBody,
  promptBodyText,
  promptChoice,
  promptSource,
  promptSystem,
  refuseSystem,
} from "./prompt-body.ts";
import { fileReferences, isDataFile, storeDataFiles } from "./prompt-files.ts";
import { refuseQuestions } from "./unattended-lanes.ts";

/**
 * `opencode run --attach` exits when it gets the response, and prints only what its event stream has delivered by then.
 * We cannot see when that has arrived, so OpenCode's own clients get this much time.
 */
const readStreamMs = 300;

export function addPromptRoutes(app: OpenCodeApp, deps: SessionDeps): void {
  const { clock, timeoutMs } = deps;

  app.post("/session/:sessionID/message", async (c) => {
    const after = deps.service.logEnd();
    const { lane, messageID } = await admit(c, c.req.param("sessionID"), deps);
    const end = streamEnd(c);
    if (deps.unattended.has(lane.id)) {
      const refusing = refuseQuestions(deps.service, { lane: lane.id, after, signal: end.signal });
      refusing.catch((error) => deps.report(error, c.req.routePath));
    }
    return slowResponse(c, {
      clock,
      timeoutMs,
      answer: waitForAnswer(c, lane, messageID, end.signal, deps),
      answerFor: (error) => failedAnswer(lane, messageID, error, clock.now()),
      onEnd: () => end.abort(),
    });
  });

  app.post("/session/:sessionID/prompt_async", async (c) => {
    await admit(c, c.req.param("sessionID"), deps);
    return c.body(null, 204);
  });
}

async function admit(c: Context<Env>, sessionID: string, deps: SessionDeps) {
  try {
    return await admitMessage(c, sessionID, deps);
  } catch (error) {
    throw await afterRefusal(error, sessionID, deps);
  }
}

/** Once this resolves the message is durable. */
async function admitMessage(c: Context<Env>, sessionID: string, { service, clock, noteFor }: SessionDeps) {
  const body = await parseBody(c, promptBody);
  const { lane } = await findOwnSession(service, sessionID);
  const words = { ...(await promptContent(body, lane, service)), ...promptSystem(body) };
  const runtimes = await service.runtimes();
  const messageID = body.messageID ?? newMessageId(clock.now(), randomUUID());
  // Only for a new message: a client that sends one again just wants to wait for it again.
  let notice: string | null = null;
  const choose: ChooseLaneChange = (now, isUsed) => {
    if (now.pausedReason !== null) throw paused(now, now.pausedReason);
    const displayName = defaultTitle(now, words.text);
    const choice = promptChoice(body, now, isUsed, runtimes);
    if (words.system !== undefined) refuseSystem(choice.change.runtime ?? now.runtime, runtimes);
    notice = choice.notice;
    return { ...choice.change, ...(displayName === null ? {} : { displayName }) };
  };
  await service.send({ id: messageID, to: { lane: lane.id }, from: "user", ...words, source: promptSource }, choose);
  if (notice !== null) await noteFor(c, lane.id, notice);
  return { lane, messageID };
}

async function promptContent(body: PromptBody, { directory }: Lane, service: Service) {
  const text = promptBodyText(body);
  const files = body.parts.filter((part) => part.type === "file");
  if (files.length === 0) return { text };
  const named = files.filter((file) => !isDataFile(file));
  const references = named.length === 0 ? null : fileReferences(named, text, await service.workspace(directory));
  const attachments = await storeDataFiles(files.filter(isDataFile), service);
  const words = [text, references].filter((one) => one !== null && one.trim() !== "").join("\n\n");
  // A message must have text.
  return { text: words === "" ? `Files: ${attachments.map(({ name }) => name).join(", ")}` : words, attachments };
}

async function waitForAnswer(c: Context<Env>, lane: Lane, messageID: string, signal: AbortSignal, deps: SessionDeps) {
  try {
    await deps.hub.turnEnd({ lane: lane.id, messageId: messageID, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    if (c.env.closing.aborted) throw draining(messageID);
    throw new AppError({ code: "request_timeout", message: "The client no longer waits for the answer." });
  }
  if (isOpenCodeClient(c)) await sleep(deps.clock, readStreamMs, signal);
  return promptAnswer(deps, lane.id, messageID);
}

/** Otherwise the message and its sender would wait until a person resumes the lane. */
function paused(lane: Lane, reason: string): AppError {
  return new AppError({
    code: "not_possible",
    message: `Lane "${lane.id}" is paused (${reason}).`,
    hint: `Resume it first: \`waybill lanes resume ${lane.id}\`.`,
  });
}

function draining(messageID: string): AppError {
  return new AppError({
    code: "draining",
    message: "The daemon is shutting down. The message is kept and continues after the next start.",
    hint: `To wait for its answer, send it again with the same id, ${messageID}.`,
    retryable: true,
  });
}

/**
 * Removes a session whose first prompt was refused. Its client created it only for that prompt, so it would never be
 * used. Returns the error for the client. Keeps the session if the same prompt may succeed later.
 */
async function afterRefusal(error: unknown, sessionID: string, deps: SessionDeps): Promise<unknown> {
  if (!(error instanceof AppError) || error.retryable || !isClientsFault(error)) return error;
  const found = laneOf(sessionID);
  if (!found || found.child || !isClientsLane(found.lane) || !(await removeUnused(found.lane, deps))) return error;
  const { code, message, hint } = error;
  const removed = "The session was new and empty, and has been removed: start another one.";
  return new AppError({ code, message, hint: hint === undefined ? removed : `${hint} ${removed}`, cause: error });
}

function isClientsFault(error: AppError): boolean {
  const status = statusOf(error);
  return status < 500 || status === 501;
}

async function removeUnused(laneId: string, { service, unattended }: SessionDeps): Promise<boolean> {
  const state = (await service.lanes()).find(({ lane }) => lane.id === laneId);
  const { items } = await service.deliveries({ limit: 1, lane: laneId }).catch(() => ({ items: [] }));
  if (state === undefined || items.length > 0) return false;
  // A person who paused the lane knows about it.
  if (state.lane.sessionId !== null || state.lane.pausedReason !== null) return false;
  try {
    await service.removeLane(laneId, false);
  } catch (error) {
    // Another prompt has been admitted, or someone else removed it.
    if (error instanceof AppError) return false;
    throw error;
  }
  unattended.delete(laneId);
  return true;
}
