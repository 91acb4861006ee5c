/** Reads a request to OpenCode's API: its validated body and query, its client, its directory, and its session. */
import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { AppError } from "../../platform/app-error.ts";
import type { LaneState, Service, Workspace } from "../../service/service.ts";
import type { Env } from "../http/env.ts";
import { invalidRequest, malformedJson } from "../http/errors.ts";
import { notServed, sessionUnknown } from "./error-response.ts";
import { laneOf } from "./ids.ts";
import { noProject } from "./workspace/projects.ts";

/** The gate has checked its type and size. A missing body counts as an empty object. */
export async function parseBody<T extends z.ZodType>(c: Context<Env>, schema: T): Promise<z.output<T>> {
  const text = await c.req.text();
  const parsed = schema.safeParse(text === "" ? {} : parseJson(text));
  if (!parsed.success) throw invalidRequest("json", parsed.error.issues);
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformedJson();
  }
}

/** Unknown parameters are ignored: OpenCode's clients send more with every version. */
export function parseQuery<T extends z.ZodType>(c: Context<Env>, schema: T): z.output<T> {
  const parsed = schema.safeParse(c.req.query());
  if (!parsed.success) throw invalidRequest("query", parsed.error.issues);
  return parsed.data;
}

/** OpenCode's own program: its terminal, or `opencode run`. */
export function isOpenCodeClient(c: Context<Env>): boolean {
  return /^opencode\//.test(c.req.header("user-agent") ?? "");
}

/** Clients send it in the query, encoded in a header, or as part of a location, or leave it to the server. */
export function requestDirectory(c: Context<Env>): string | undefined {
  return (c.req.query("directory") ?? c.req.query("location[directory]") ?? headerDirectory(c)) || undefined;
}

/** Refuses directories that are not allowed for lanes. */
export function requestWorkspace(c: Context<Env>, service: Service): Promise<Workspace> {
  return service.workspace(requestDirectory(c));
}

/**
 * For responses that read no files. Also accepts the worktree of the project `global`, although no lane may work in it:
 * the web app requests everything about each worktree that it has learned of.
 */
export async function requestScope(c: Context<Env>, service: Service): Promise<string> {
  const named = requestDirectory(c);
  return named === noProject.worktree ? named : (await service.workspace(named)).directory;
}

/** A client that names a directory gets the sessions in it, others get all. */
export async function directoryFilter(c: Context<Env>, service: Service): Promise<(directory: string) => boolean> {
  if (requestDirectory(c) === undefined) return () => true;
  const scope = await requestScope(c, service);
  return (directory) => directory === scope;
}

function headerDirectory(c: Context<Env>): string | undefined {
  const header = c.req.header("x-opencode-directory");
  if (header === undefined) return undefined;
  try {
    return decodeURIComponent(header);
  } catch (cause) {
    throw new AppError({
      code: "invalid_request",
      message: "Invalid request: x-opencode-directory: not URL-encoded.",
      hint: "Encode the directory as `encodeURIComponent` does.",
      cause,
    });
  }
}

/** A child session, such as a subagent's, is read-only. */
export type FoundSession = { sessionID: string; state: LaneState; child: boolean };

export async function findSession(service: Service, sessionID: string): Promise<FoundSession> {
  const found = laneOf(sessionID);
  if (!found) throw sessionUnknown(sessionID);
  try {
    return { sessionID, child: found.child, state: await service.lane(found.lane) };
  } catch (error) {
    throw error instanceof AppError && error.code === "lane_unknown" ? sessionUnknown(sessionID) : error;
  }
}

export async function findOwnSession(service: Service, sessionID: string): Promise<LaneState> {
  const { child, state } = await findSession(service, sessionID);
  if (!child) return state;
  throw notServed(`${sessionID} is a subagent's session, which is read-only.`, "Use its parent session.");
}
