/** Sessions: listing, making, naming, ending them, and what goes on in them. */
import type { Session } from "@opencode-ai/sdk/v2/types";
import type { Context } from "hono";
import { z } from "zod";
import { AppError } from "../../../app-error.ts";
import type { Lane } from "../../../core/lane/lane.ts";
import type { Env } from "../../http/env.ts";
import type { OpenCodeApp } from "../add-opencode.ts";
import { bodyOf } from "../request-body.ts";
import { placeOf, wantedDirectory } from "../request-directory.ts";
import { queryOf } from "../request-query.ts";
import { childSession, childSessions } from "./child-sessions.ts";
import { directoryFilter } from "./directory-filter.ts";
import { forkedTitle, promptEvent } from "./forked-session.ts";
import type { ReadBefore } from "./history/read-backwards.ts";
import { knownSession, ownSession } from "./known-session.ts";
import type { ListQuery, Wanted } from "./list-sessions.ts";
import { listed, listQuery } from "./list-sessions.ts";
import { laneFor, newLaneId, newSessionBody } from "./new-session.ts";
import { deniesQuestions, permissionRules, refuseRules } from "./permission-rules.ts";
import { refuseUnknownRuntime } from "./prompts/chosen-model.ts";
import type { SessionDeps } from "./session-deps.ts";
import { sessionView } from "./session-view.ts";

/** What is null is left as it is, as in OpenCode. */
const changeBody = z.object({
  title: z.string().max(200).nullish(),
  permission: permissionRules.nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  time: z.object({ archived: z.number().nullish() }).nullish(),
});

const forkBody = z.object({ messageID: z.string().startsWith("msg").optional() });

export function addSessionRoutes(app: OpenCodeApp, deps: SessionDeps): void {
  const { service } = deps;

  app.get("/session", async (c) => {
    const query = queryOf(c, listQuery);
    const wanted = await wantedIn(c, query, deps);
    const sessions = await Promise.all((await service.lanes()).map(({ lane }) => sessionOfLane(lane, deps)));
    return c.json(listed(sessions, query, wanted));
  });

  app.post("/session", async (c) => {
    const body = await bodyOf(c, newSessionBody);
    const wanted = laneFor(body, (await placeOf(c, service)).directory);
    await refuseUnknownRuntime(service, body.model?.providerID);
    const { lane } = await service.putLane(wanted);
    if (deniesQuestions(body.permission)) await deps.questionless.add(lane.id);
    return c.json(await sessionOfLane(lane, deps));
  });

  app.post("/session/:sessionID/fork", async (c) => {
    const { messageID } = await bodyOf(c, forkBody);
    const sessionID = c.req.param("sessionID");
    const state = await ownSession(service, sessionID);
    const { lane } = state;
    const read: ReadBefore = (seq, limit) => service.eventsBefore(lane.id, seq, limit);
    const before = messageID === undefined ? null : await promptEvent(read, { sessionID, state }, messageID);
    const displayName = forkedTitle(lane.displayName ?? lane.id);
    const { lane: made } = await service.fork(lane.id, before, { id: newLaneId(), displayName });
    if (deps.questionless.has(lane.id)) await deps.questionless.add(made.id);
    return c.json(await sessionOfLane(made, deps));
  });

  app.get("/session/status", async (c) => {
    const isWanted = await directoryFilter(c, service);
    const working = (await deps.hub.working()).filter(({ directory }) => isWanted(directory));
    return c.json(Object.fromEntries(working.map(({ sessionID, status }) => [sessionID, status])));
  });

  app.get("/session/:sessionID", async (c) => {
    const { state, child, sessionID } = await knownSession(service, c.req.param("sessionID"));
    const session = await sessionOfLane(state.lane, deps);
    return c.json(child ? await childSession(service, session, sessionID) : session);
  });

  app.patch("/session/:sessionID", async (c) => {
    const { title, permission, ...other } = await bodyOf(c, changeBody);
    const { lane } = await ownSession(service, c.req.param("sessionID"));
    refuseRules(permission ?? []);
    refuseUnkept(other);
    const named = typeof title === "string" ? (await service.renameLane(lane.id, title.trim() || null)).lane : lane;
    if (deniesQuestions(permission ?? [])) await deps.questionless.add(lane.id);
    return c.json(await sessionOfLane(named, deps));
  });

  app.delete("/session/:sessionID", async (c) => {
    const { lane } = await ownSession(service, c.req.param("sessionID"));
    await service.removeLane(lane.id, true);
    deps.questionless.delete(lane.id);
    return c.json(true);
  });

  app.get("/session/:sessionID/children", async (c) => {
    const { state, child } = await knownSession(service, c.req.param("sessionID"));
    // What a subagent has below itself is told as the lane's, one level deep.
    return c.json(child ? [] : await childSessions(service, await sessionOfLane(state.lane, deps)));
  });

  app.post("/session/:sessionID/abort", async (c) => {
    const { lane } = await ownSession(service, c.req.param("sessionID"));
    await service.abort(lane.id);
    return c.json(true);
  });
}

async function wantedIn(c: Context<Env>, query: ListQuery, { service, projects }: SessionDeps): Promise<Wanted> {
  if (wantedDirectory(c) === undefined && !query.path) return null;
  const { directory } = await placeOf(c, service);
  return { directory, project: await projects.projectOf(directory) };
}

export async function sessionOfLane(lane: Lane, { service, projects, about }: SessionDeps): Promise<Session> {
  const [newest] = await service.eventsBefore(lane.id, null, 1);
  const { id: projectID } = await projects.projectOf(lane.directory);
  return sessionView(lane, { projectID, updatedAt: newest?.time, version: about.version });
}

function refuseUnkept({ metadata, time }: Pick<z.output<typeof changeBody>, "metadata" | "time">): void {
  const isPlain = (metadata ?? null) === null;
  if (isPlain && (time?.archived ?? null) === null) return;
  throw new AppError({
    code: "not_served",
    message: isPlain ? "Waybill keeps no archive of sessions." : "Waybill keeps no metadata of sessions.",
    hint: "A session can be given a title, and be deleted.",
  });
}
