/** Permissions and questions that agents wait with, and their answers. */
import type { Context } from "hono";
import { z } from "zod";
import { AppError } from "../../../../app-error.ts";
import type { AskDecision, OpenAsk, Service } from "../../../../service/service.ts";
import type { Env } from "../../../http/env.ts";
import type { OpenCodeApp } from "../../add-opencode.ts";
import { askNames } from "../../ids.ts";
import { bodyOf } from "../../request-body.ts";
import { directoryFilter } from "../directory-filter.ts";
import { knownSession } from "../known-session.ts";
import type { SessionDeps } from "../session-deps.ts";
import { pendingAsks } from "./pending-asks.ts";

const decision = z.enum(["once", "always", "reject"]);
/** `message` says why not. An agent is told that it was refused, and no more. */
const replyBody = z.object({ reply: decision, message: z.string().optional() });
const responseBody = z.object({ response: decision });
const answersBody = z.object({ answers: z.array(z.array(z.string().max(10_000)).max(100)).max(100) });

type Kind = "permission" | "question";

export function addAskRoutes(app: OpenCodeApp, { service }: SessionDeps): void {
  app.get("/permission", async (c) =>
    c.json((await pendingAsks(service, await directoryFilter(c, service))).permissions),
  );
  app.get("/question", async (c) => c.json((await pendingAsks(service, await directoryFilter(c, service))).questions));

  app.post("/permission/:requestID/reply", async (c) => {
    const { reply } = await bodyOf(c, replyBody);
    return answered(c, service, "permission", c.req.param("requestID"), { decision: reply });
  });
  app.post("/session/:sessionID/permissions/:permissionID", async (c) => {
    const { response } = await bodyOf(c, responseBody);
    const { lane } = (await knownSession(service, c.req.param("sessionID"))).state;
    return answered(c, service, "permission", c.req.param("permissionID"), { decision: response }, lane.id);
  });
  app.post("/question/:requestID/reply", async (c) => {
    const { answers } = await bodyOf(c, answersBody);
    return answered(c, service, "question", c.req.param("requestID"), { decision: "once", answers });
  });
  app.post("/question/:requestID/reject", (c) =>
    answered(c, service, "question", c.req.param("requestID"), { decision: "reject" }),
  );
}

/** `lane` is whose it has to be. */
async function answered(
  c: Context<Env>,
  service: Service,
  kind: Kind,
  requestID: string,
  decision: AskDecision,
  lane?: string,
) {
  const names = askNames(kind, requestID);
  if (names.length === 0) throw noAskId(requestID);
  const isOther = (ask: OpenAsk) => ask.kind !== kind || (lane ?? ask.laneId) !== ask.laneId;
  const others = (await service.asks()).filter(isOther).map(({ id }) => id);
  for (const name of names.filter((one) => !others.includes(one))) {
    try {
      await service.answer(name, decision);
      return c.json(true);
    } catch (error) {
      // Of another name, or somebody else was faster.
      if (!(error instanceof AppError) || error.code !== "ask_unknown") throw error;
    }
  }
  return askUnknown(c, kind, requestID);
}

function noAskId(requestID: string): AppError {
  return new AppError({
    code: "invalid_request",
    message: `"${requestID.slice(0, 100)}" is no id of anything that is asked here.`,
    hint: "GET /permission and GET /question list what can be answered.",
  });
}

/** OpenCode has a shape of its own for this. */
function askUnknown(c: Context<Env>, kind: Kind, requestID: string) {
  const word = kind === "permission" ? "Permission" : "Question";
  return c.json({ _tag: `${word}NotFoundError`, requestID, message: `${word} request not found: ${requestID}` }, 404);
}
