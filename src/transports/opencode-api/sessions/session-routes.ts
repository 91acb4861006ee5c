/** Lists, creates, forks, renames, aborts and deletes sessions, and shows their messages, plans and changes. */
import type { GlobalSession, Session, SessionsResponse } from "@opencode-ai/sdk/v2/types";
import type { Context } from "hono";
import { z } from "zod";
import type { Lane } from "../../../core/lane/lane.ts";
import { AppError } from "../../../platform/app-error.ts";
import { isInside } from "../../../platform/inside.ts";
import type { Env } from "../../http/env.ts";
import { messageUnknown, notServed } from "../error-response.ts";
import { findMessage, messagePage, messageSource, parsePageCursor } from "../history/message-page.ts";
import { readerOf } from "../history/read-events.ts";
import { childSession, childSessions, latestTodos, promptEvent, sessionDiff } from "../history/session-details.ts";
import type { OpenCodeApp, SessionDeps } from "../opencode-deps.ts";
import { sessionSettings, sessionV2, sessionView } from "../projection/session-view.ts";
import {
  directoryFilter,
  findOwnSession,
  findSession,
  parseBody,
  parseQuery,
  requestDirectory,
  requestScope,
  requestWorkspace,
} from "../request.ts";
import type { Project } from "../workspace/projects.ts";
import {
  deniesQuestions,
  laneFor,
  newLaneId,
  newSessionBody,
  permissionRulesBody,
  refuseRules,
} from "./new-session.ts";
import { promptSource, refuseUnknownRuntime } from "./prompt-body.ts";

const listQuery = z.object({
  scope: z.enum(["project"]).optional(),
  path: z.string().optional(),
  roots: z.enum(["true", "false"]).optional(),
  start: z.coerce.number().optional(),
  search: z.string().optional(),
  limit: z.coerce.number().int().positive().optional(),
});

/** For the list of all directories. `cursor` is the time of the last session on the previous page. */
const globalListQuery = listQuery
  .pick({ roots: true, start: true, search: true, limit: true })
  .extend({ directory: z.string().optional(), cursor: z.coerce.number().optional() });

/** For the newer API, whose clients list the newest first. */
const apiListQuery = globalListQuery
  .pick({ search: true, limit: true, cursor: true })
  .extend({ project: z.string().optional(), order: z.literal("desc").optional() });

/** As in OpenCode, null leaves a field unchanged. */
const changeBody = z.object({
  title: z.string().max(200).nullish(),
  permission: permissionRulesBody.nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  time: z.object({ archived: z.number().nullish() }).nullish(),
});

const forkBody = z.object({ messageID: z.string().startsWith("msg").optional() });

const pageQuery = z.object({
  limit: z.coerce.number().int().min(0).optional(),
  before: z.string().max(1000).optional(),
});
const diffQuery = z.object({ messageID: z.string().startsWith("msg").optional() });

export function addSessionRoutes(app: OpenCodeApp, deps: SessionDeps): void {
  const { service } = deps;

  app.get("/session", async (c) => {
    const query = parseQuery(c, listQuery);
    const scope = await listScope(c, query, deps);
    const sessions = await Promise.all((await service.lanes()).map(({ lane }) => sessionOfLane(lane, deps)));
    return c.json(filterSessions(sessions, query, scope));
  });

  app.get("/experimental/session", async (c) => {
    const { directory: named, ...query } = parseQuery(c, globalListQuery);
    const directory = named === undefined ? null : await requestScope(c, service);
    const lanes = (await service.lanes()).filter(({ lane }) => directory === null || lane.directory === directory);
    const { page, next } = globalPage(await Promise.all(lanes.map(({ lane }) => globalSession(lane, deps))), query);
    return c.json(page, 200, next === null ? {} : { "X-Next-Cursor": String(next) });
  });

  app.get("/api/session", async (c) => {
    const { project, order: _newestFirst, ...query } = parseQuery(c, apiListQuery);
    const isInDirectory = await directoryFilter(c, service);
    const lanes = (await service.lanes()).filter(({ lane }) => isInDirectory(lane.directory));
    const sessions = await Promise.all(lanes.map(({ lane }) => sessionOfLane(lane, deps)));
    const inProject = sessions.filter(({ projectID }) => project === undefined || projectID === project);
    const { page, next } = globalPage(inProject, query);
    return c.json({
      data: page.map(sessionV2),
      cursor: next === null ? {} : { next: String(next) },
    } satisfies SessionsResponse);
  });

  app.post("/session", async (c) => {
    const body = await parseBody(c, newSessionBody);
    const runtimes = await service.runtimes();
    const defaultRuntime = runtimes.find(({ isDefault }) => isDefault)?.kind ?? "";
    const { settings, notice } = laneFor(body, (await requestWorkspace(c, service)).directory, defaultRuntime);
    refuseUnknownRuntime(runtimes, body.model?.providerID);
    const { lane } = await service.putLane(settings);
    if (notice !== null) await deps.noteFor(c, lane.id, notice);
    if (deniesQuestions(body.permission)) await deps.unattended.add(lane.id);
    return c.json(await sessionOfLane(lane, deps));
  });

  app.post("/session/:sessionID/fork", async (c) => {
    const { messageID } = await parseBody(c, forkBody);
    const sessionID = c.req.param("sessionID");
    const state = await findOwnSession(service, sessionID);
    const { lane } = state;
    const read = readerOf(service, lane.id);
    const before = messageID === undefined ? null : await promptEvent(read, { sessionID, state }, messageID);
    const displayName = forkedTitle(lane.displayName ?? lane.id);
    const { lane: forked } = await service.fork(lane.id, before, { id: newLaneId(), displayName });
    if (deps.unattended.has(lane.id)) await deps.unattended.add(forked.id);
    return c.json(await sessionOfLane(forked, deps));
  });

  app.get("/session/status", async (c) => {
    const isInDirectory = await directoryFilter(c, service);
    const busy = (await deps.hub.busySessions()).filter(({ directory }) => isInDirectory(directory));
    return c.json(Object.fromEntries(busy.map(({ sessionID, status }) => [sessionID, status])));
  });

  app.get("/session/:sessionID", async (c) => {
    const { state, child, sessionID } = await findSession(service, c.req.param("sessionID"));
    const session = await sessionOfLane(state.lane, deps);
    return c.json(child ? await childSession(service, session, sessionID) : session);
  });

  app.patch("/session/:sessionID", async (c) => {
    const { title, permission, ...other } = await parseBody(c, changeBody);
    const { lane } = await findOwnSession(service, c.req.param("sessionID"));
    refuseRules(permission ?? []);
    refuseUnkept(other);
    const named = typeof title === "string" ? (await service.renameLane(lane.id, title.trim() || null)).lane : lane;
    if (deniesQuestions(permission ?? [])) await deps.unattended.add(lane.id);
    return c.json(await sessionOfLane(named, deps));
  });

  app.delete("/session/:sessionID", async (c) => {
    const { lane } = await findOwnSession(service, c.req.param("sessionID"));
    await service.removeLane(lane.id, true);
    deps.unattended.delete(lane.id);
    return c.json(true);
  });

  app.get("/session/:sessionID/children", async (c) => {
    const { state, child } = await findSession(service, c.req.param("sessionID"));
    // All descendants are listed as children of the lane itself.
    return c.json(child ? [] : await childSessions(service, await sessionOfLane(state.lane, deps)));
  });

  app.post("/session/:sessionID/abort", async (c) => {
    const { lane } = await findOwnSession(service, c.req.param("sessionID"));
    // As in OpenCode, prompts that are queued behind the running turn are dropped.
    await service.abort(lane.id, promptSource);
    return c.json(true);
  });

  addMessageRoutes(app, deps);
}

function addMessageRoutes(app: OpenCodeApp, deps: SessionDeps): void {
  const { service } = deps;

  app.get("/session/:sessionID/message", async (c) => {
    const { limit, before } = parseQuery(c, pageQuery);
    const session = await findSession(service, c.req.param("sessionID"));
    const cursor = before === undefined ? undefined : parsePageCursor(before);
    const source = await messageSource(session, deps);
    // As in OpenCode, no limit or 0 means all.
    const { messages, next } = await messagePage({ ...source, limit: limit || undefined, before: cursor });
    if (next !== null) {
      c.header("X-Next-Cursor", next);
      c.header("Access-Control-Expose-Headers", "X-Next-Cursor");
    }
    return c.json(messages);
  });

  app.get("/session/:sessionID/message/:messageID", async (c) => {
    const session = await findSession(service, c.req.param("sessionID"));
    const messageID = c.req.param("messageID");
    if (!messageID.startsWith("msg")) {
      const message = `"${messageID.slice(0, 100)}" is not a message id: those start with "msg".`;
      throw new AppError({ code: "invalid_request", message });
    }
    const found = await findMessage(await messageSource(session, deps), messageID);
    if (!found) throw messageUnknown(messageID);
    return c.json(found);
  });

  app.get("/session/:sessionID/todo", async (c) => {
    const { sessionID, state } = await findSession(service, c.req.param("sessionID"));
    return c.json(await latestTodos(readerOf(service, state.lane.id), sessionID));
  });

  app.get("/session/:sessionID/diff", async (c) => {
    const { messageID } = parseQuery(c, diffQuery);
    const { sessionID, state } = await findSession(service, c.req.param("sessionID"));
    const read = readerOf(service, state.lane.id);
    return c.json(await sessionDiff(read, { settings: sessionSettings(state.lane), sessionID, messageID }));
  });
}

async function listScope(c: Context<Env>, query: ListQuery, { service, projects }: SessionDeps): Promise<ListScope> {
  if (requestDirectory(c) === undefined && !query.path) return null;
  const directory = await requestScope(c, service);
  return { directory, project: await projects.projectOf(directory) };
}

async function sessionOfLane(lane: Lane, { service, projects, about }: SessionDeps): Promise<Session> {
  const [newest] = await service.eventsBefore(lane.id, null, 1);
  const { id: projectID } = await projects.projectOf(lane.directory);
  return sessionView(lane, { projectID, updatedAt: newest?.time, version: about.version });
}

async function globalSession(lane: Lane, deps: SessionDeps): Promise<GlobalSession> {
  const { id, worktree } = await deps.projects.projectOf(lane.directory);
  return { ...(await sessionOfLane(lane, deps)), project: { id, worktree } };
}

function refuseUnkept({ metadata, time }: Pick<z.output<typeof changeBody>, "metadata" | "time">): void {
  const isPlain = (metadata ?? null) === null;
  if (isPlain && (time?.archived ?? null) === null) return;
  throw notServed(
    isPlain ? "Waybill keeps no archive of sessions." : "Waybill keeps no metadata of sessions.",
    "You can only rename or delete a session.",
  );
}

/** The same naming as in OpenCode. */
function forkedTitle(title: string): string {
  const [, of, count] = /^(.+) \(fork #(\d+)\)$/.exec(title) ?? [];
  return of === undefined ? `${title} (fork #1)` : `${of} (fork #${Number(count) + 1})`;
}

type ListQuery = z.output<typeof listQuery>;

/** Null for a client that names no directory. It gets the sessions of all directories, because the server has none. */
type ListScope = { directory: string; project: Project } | null;

const maxSessions = 100;

/** Newest first. */
function filterSessions<S extends Session>(sessions: readonly S[], query: ListQuery, scope: ListScope): S[] {
  const search = query.search?.trim().toLowerCase() ?? "";
  return sessions
    .filter(({ directory }) => isInScope(directory, query, scope))
    .filter(({ time }) => time.updated >= (query.start ?? 0))
    .filter(({ title }) => title.toLowerCase().includes(search))
    .toSorted((one, other) => other.time.updated - one.time.updated || (one.id < other.id ? 1 : -1))
    .slice(0, query.limit ?? maxSessions);
}

type GlobalListQuery = Omit<z.output<typeof globalListQuery>, "directory">;

/** Newest first. `next` is the cursor of the next page, or null on the last one. */
function globalPage<S extends Session>(
  sessions: readonly S[],
  { limit = maxSessions, cursor, ...query }: GlobalListQuery,
): { page: S[]; next: number | null } {
  const older = sessions.filter(({ time }) => cursor === undefined || time.updated < cursor);
  const listed = filterSessions(older, { ...query, limit: Number.POSITIVE_INFINITY }, null);
  const last = listed[limit - 1]?.time.updated ?? null;
  // A cursor is a time, so sessions of the same time stay on one page: configured lanes are all created together.
  const page = listed.filter(({ time }, index) => index < limit || time.updated === last);
  return { page, next: page.length < listed.length ? last : null };
}

function isInScope(directory: string, query: ListQuery, scope: ListScope): boolean {
  if (scope === null) return true;
  if (query.scope === "project") return isInside(directory, scope.project.worktree);
  return query.path === undefined ? directory === scope.directory : isInside(directory, scope.directory);
}
