/** Which sessions a client lists, and in what order. Pure. */
import type { Session } from "@opencode-ai/sdk/v2/types";
import { z } from "zod";
import { isInside } from "../../../inside.ts";
import type { Project } from "../workspace/projects.ts";

export const listQuery = z.object({
  scope: z.enum(["project"]).optional(),
  path: z.string().optional(),
  roots: z.enum(["true", "false"]).optional(),
  start: z.coerce.number().optional(),
  search: z.string().optional(),
  limit: z.coerce.number().int().positive().optional(),
});

export type ListQuery = z.output<typeof listQuery>;

/** Null for a client that names no directory: it gets the sessions of all, since lanes belong to no server's own. */
export type ListScope = { directory: string; project: Project } | null;

const maxSessions = 100;

/** Newest first. */
export function filterSessions(sessions: readonly Session[], query: ListQuery, scope: ListScope): Session[] {
  const search = query.search?.trim().toLowerCase() ?? "";
  return sessions
    .filter(({ directory }) => isInScope(directory, query, scope))
    .filter(({ time }) => time.updated >= (query.start ?? 0))
    .filter(({ title }) => title.toLowerCase().includes(search))
    .toSorted((one, other) => other.time.updated - one.time.updated || (one.id < other.id ? 1 : -1))
    .slice(0, query.limit ?? maxSessions);
}

function isInScope(directory: string, query: ListQuery, scope: ListScope): boolean {
  if (scope === null) return true;
  if (query.scope === "project") return isInside(directory, scope.project.worktree);
  return query.path === undefined ? directory === scope.directory : isInside(directory, scope.directory);
}
