/** Lists the open permissions and questions of agents, and accepts the answers. */
import type { Context } from "hono";
import { z } from "zod";
import { AppError } from "../../../../platform/app-error.ts";
import type { AskDecision, OpenAsk } from "../../../../service/service.ts";
import type { Env } from "../../../http/env.ts";
import { askNames } from "../../ids.ts";
import type { OpenCodeApp } from "../../opencode-deps.ts";
import { directoryFilter, parseBody } from "../../request.ts";
import { findSession } from "../find-session.ts";
import type { SessionDeps } from "../session-deps.ts";
import { listAsks } from "./list-asks.ts";

const decision = z.enum(["once", "always", "reject"]);
const replyBody = z.object({ reply: decision, message: z.string().max(10_000).optional() });
const responseBody = z.object({ response: decision });
const answersBody = z.object({ answers: z.array(z.array(z.string().max(10_000)).max(100)).max(100) });

export function addAskRoutes(app: OpenCodeApp, { service }: SessionDeps): void {
  const list = async (c: Context<Env>) => listAsks(service, await directoryFilter(c, service));

  /** With `lane`, only an ask of that lane. */
  const answer = async (
    c: Context<Env>,
    kind: OpenAsk["kind"],
    requestID: string,
    given: AskDecision,
    lane?: string,
  ) => {
    const names = askNames(kind, requestID);
    if (names.length === 0) throw noAskId(requestID);
    const isOther = (ask: OpenAsk) => ask.kind !== kind || (lane ?? ask.laneId) !== ask.laneId;
    const others = (await service.asks()).filter(isOther).map(({ id }) => id);
    for (const name of names.filter((one) => !others.includes(one))) {
      try {
        await service.answer(name, given);
        return c.json(true);
      } catch (error) {
        // It has the other id, or was answered by someone else.
        if (!(error instanceof AppError) || error.code !== "ask_unknown") throw error;
      }
    }
    // OpenCode has its own format for this error.
    const word = kind === "permission" ? "Permission" : "Question";
    return c.json({ _tag: `${word}NotFoundError`, requestID, message: `${word} request not found: ${requestID}` }, 404);
  };

  app.get("/permission", async (c) => c.json((await list(c)).permissions));
  app.get("/question", async (c) => c.json((await list(c)).questions));

  app.post("/permission/:requestID/reply", async (c) => {
    const { reply, message } = await parseBody(c, replyBody);
    return answer(c, "permission", c.req.param("requestID"), { decision: reply, message });
  });
  app.post("/session/:sessionID/permissions/:permissionID", async (c) => {
    const { response } = await parseBody(c, responseBody);
    const { lane } = (await findSession(service, c.req.param("sessionID"))).state;
    return answer(c, "permission", c.req.param("permissionID"), { decision: response }, lane.id);
  });
  app.post("/question/:requestID/reply", async (c) => {
    const { answers } = await parseBody(c, answersBody);
    return answer(c, "question", c.req.param("requestID"), { decision: "once", answers });
  });
  app.post("/question/:requestID/reject", (c) =>
    answer(c, "question", c.req.param("requestID"), { decision: "reject" }),
  );
}

function noAskId(requestID: string): AppError {
  return new AppError({
    code: "invalid_request",
    message: `"${requestID.slice(0, 100)}" is not the id of an ask.`,
    hint: "GET /permission and GET /question list the open asks.",
  });
}
