/**
 * Prompts: each is a message in the ledger, and is delivered whether or not its sender waits for it. The same id again
 * is the same message, sent once.
 */
import { randomUUID } from "node:crypto";
import type { Context } from "hono";
import { AppError } from "../../../../app-error.ts";
import type { Lane } from "../../../../core/lane/lane.ts";
import type { ChooseLaneChange } from "../../../../mail/admission.ts";
import type { Env } from "../../../http/env.ts";
import { streamEnd } from "../../../http/stream-answer.ts";
import type { OpenCodeApp } from "../../add-opencode.ts";
import { newMessageId } from "../../ids.ts";
import { bodyOf } from "../../request-body.ts";
import { ofOpenCode } from "../../request-client.ts";
import { refuseQuestions } from "../asks/refuse-questions.ts";
import { ownSession } from "../known-session.ts";
import { pause } from "../pause.ts";
import type { SessionDeps } from "../session-deps.ts";
import { answerOfTurn, failedMessage } from "./answer-of-turn.ts";
import { choiceOf } from "./chosen-model.ts";
import { firstTitle } from "./first-title.ts";
import { promptBody, textOf } from "./prompt-body.ts";
import { waitingAnswer } from "./waiting-answer.ts";

/**
 * `opencode run --attach` leaves the moment it is answered, and prints only what its event stream has brought by then.
 * Nothing tells when that has arrived, so it is given this long; of its kind are all who call themselves so.
 */
const untilReadMs = 300;

export function addPromptRoutes(app: OpenCodeApp, deps: SessionDeps): void {
  const { clock, patienceMs } = deps;

  app.post("/session/:sessionID/message", async (c) => {
    const after = await deps.service.eventsEnd();
    const { lane, messageID } = await admit(c, c.req.param("sessionID"), deps);
    const end = streamEnd(c);
    if (deps.questionless.has(lane.id)) {
      const refusing = refuseQuestions(deps, { lane: lane.id, after, signal: end.signal });
      refusing.catch((error) => deps.report(error, c.req.routePath));
    }
    return waitingAnswer(c, {
      clock,
      patienceMs,
      answer: answered(c, lane, messageID, end.signal, deps),
      afterwards: (error) => failedMessage(lane, messageID, error, clock.now()),
      onEnd: () => end.abort(),
    });
  });

  app.post("/session/:sessionID/prompt_async", async (c) => {
    await admit(c, c.req.param("sessionID"), deps);
    return c.body(null, 204);
  });
}

/** Once this resolves the message is durable. */
async function admit(c: Context<Env>, sessionID: string, { service, clock }: SessionDeps) {
  const body = await bodyOf(c, promptBody);
  const { lane } = await ownSession(service, sessionID);
  const text = textOf(body, lane.directory);
  const runtimes = await service.runtimes();
  const messageID = body.messageID ?? newMessageId(clock.now(), randomUUID());
  // Asked for a message that is new: whoever sends one again wants to wait for it again, and chooses nothing anew.
  const choose: ChooseLaneChange = (now, isUsed) => {
    if (now.pausedReason !== null) throw paused(now, now.pausedReason);
    const displayName = firstTitle(now, text);
    return { ...choiceOf(body, now, isUsed, runtimes), ...(displayName === null ? {} : { displayName }) };
  };
  await service.send({ id: messageID, to: { lane: lane.id }, from: "user", text, source: "ui" }, choose);
  return { lane, messageID };
}

async function answered(c: Context<Env>, lane: Lane, messageID: string, signal: AbortSignal, deps: SessionDeps) {
  try {
    await deps.hub.turnEnd({ lane: lane.id, messageId: messageID, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    throw c.env.closing.aborted ? ending(messageID) : gone();
  }
  if (ofOpenCode(c)) await pause(deps.clock, untilReadMs, signal);
  return answerOfTurn(deps, lane.id, messageID);
}

/** It would wait, and whoever sent it with it, until somebody lets the lane go on. */
function paused(lane: Lane, reason: string): AppError {
  return new AppError({
    code: "not_possible",
    message: `Lane "${lane.id}" is paused (${reason}), so nothing is sent in it.`,
    hint: `Let it go on first: \`waybill resume ${lane.id}\`.`,
  });
}

function ending(messageID: string): AppError {
  return new AppError({
    code: "draining",
    message: "This daemon is about to end. The message is kept and goes on after the next start.",
    hint: `Send it again under the same id, ${messageID}, to wait for its answer.`,
    retryable: true,
  });
}

function gone(): AppError {
  return new AppError({ code: "request_timeout", message: "Nobody waits for the answer any more." });
}
