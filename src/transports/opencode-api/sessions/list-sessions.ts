/** Filters, sorts and pages lists of sessions. Pure. */
import type { Session } from "@opencode-ai/sdk/v2/types";
import { z } from "zod";
import { isInside } from "../../../platform/inside.ts";
import type { Project } from "../workspace/projects.ts";

export const listQuery = z.object({
  scope: z.enum(["project"]).optional(),
  path: z.string().optional(),
  roots: z.enum(["true", "false"]).optional(),
  start: z.coerce.number().optional(),
  search: z.string().optional(),
  limit: z.coerce.number().int().positive().optional(),
});

/** For the list of all directories. `cursor` is the time of the last session on the previous page. */
export const globalListQuery = listQuery
  .pick({ roots: true, start: true, search: true, limit: true })
  .extend({ directory: z.string().optional(), cursor: z.coerce.number().optional() });

/** For the newer API, whose clients list the newest first. */
export const apiListQuery = globalListQuery
  .pick({ search: true, limit: true, cursor: true })
  .extend({ project: z.string().optional(), order: z.literal("desc").optional() });

export type ListQuery = z.output<typeof listQuery>;

/** Null for a client that names no directory. It gets the sessions of all directories, because the server has none. */
export type ListScope = { directory: string; project: Project } | null;

const maxSessions = 100;

/** Newest first. */
export function filterSessions<S extends Session>(sessions: readonly S[], query: ListQuery, scope: ListScope): S[] {
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
export function globalPage<S extends Session>(
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
