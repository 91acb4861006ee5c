/** Lists the open permissions and questions of agents, and accepts the answers. */
import type { PermissionRequest, QuestionRequest } from "@opencode-ai/sdk/v2/types";
import type { Context } from "hono";
import { z } from "zod";
import type { Lane } from "../../../core/lane/lane.ts";
import { AppError } from "../../../platform/app-error.ts";
import type { AskDecision, OpenAsk, Service } from "../../../service/service.ts";
import type { Env } from "../../http/env.ts";
import { foldEvents, readerOf, readSpans } from "../history/read-events.ts";
import { askIdFor, askNames, sessionOf } from "../ids.ts";
import type { OpenCodeApp, SessionDeps } from "../opencode-deps.ts";
import { sessionSettings } from "../projection/session-view.ts";
import { directoryFilter, findSession, parseBody } from "../request.ts";

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

type ListedAsks = { permissions: PermissionRequest[]; questions: QuestionRequest[] };

/** An ask is in the running turn, or in one shortly before it. */
const maxSpans = 3;

/** The service knows which asks are open; the lane's events have their details, as published live. */
async function listAsks(service: Service, isInDirectory: (directory: string) => boolean): Promise<ListedAsks> {
  const open = await service.asks();
  const listed: ListedAsks = { permissions: [], questions: [] };
  for (const { lane } of await service.lanes()) {
    const asks = open.filter((ask) => ask.laneId === lane.id);
    if (asks.length === 0 || !isInDirectory(lane.directory)) continue;
    const published = await publishedAsks(service, lane, asks);
    for (const ask of asks) {
      const request = published.get(ask.id) ?? requestWithoutEvent(ask);
      if (ask.kind === "permission") listed.permissions.push(request as PermissionRequest);
      else listed.questions.push(request as QuestionRequest);
    }
  }
  return listed;
}

async function publishedAsks(service: Service, lane: Lane, asks: readonly OpenAsk[]): Promise<Map<string, unknown>> {
  const settings = sessionSettings(lane);
  const wanted = new Map(asks.map((ask) => [askIdFor(ask.kind, ask.id), ask.id]));
  const found = new Map<string, unknown>();
  let spans = 0;
  for await (const { events } of readSpans(readerOf(service, lane.id), null)) {
    const { published } = await foldEvents(events, settings);
    for (const { type, properties } of published) {
      const ask = type.endsWith(".asked") ? wanted.get(String(properties.id)) : undefined;
      if (ask !== undefined) found.set(ask, properties);
    }
    if (found.size === wanted.size || ++spans === maxSpans) break;
  }
  return found;
}

/** For an ask whose event is no longer kept. */
function requestWithoutEvent({ kind, id: ask, laneId, title }: OpenAsk): PermissionRequest | QuestionRequest {
  const ids = { id: askIdFor(kind, ask), sessionID: sessionOf(laneId) };
  if (kind === "permission") return { ...ids, permission: title, patterns: [], metadata: {}, always: [] };
  return { ...ids, questions: [{ question: title, header: "", options: [] }] };
}
