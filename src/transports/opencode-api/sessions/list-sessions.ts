/** Which sessions a client lists, and in what order. Pure. */
import type { Session } from "@opencode-ai/sdk/v2/types";
import { z } from "zod";
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

/** Where the client looks; null when it does not say. */
export type Wanted = { directory: string; project: Project } | null;

const maxSessions = 100;

/** Newest first. Whoever names no directory sees the sessions of all: lanes belong to no server's own place. */
export function listed(sessions: readonly Session[], query: ListQuery, wanted: Wanted): Session[] {
  const words = query.search?.trim().toLowerCase() ?? "";
  return sessions
    .filter(({ directory }) => isWanted(directory, query, wanted))
    .filter(({ time }) => time.updated >= (query.start ?? 0))
    .filter(({ title }) => title.toLowerCase().includes(words))
    .toSorted((one, other) => other.time.updated - one.time.updated || (one.id < other.id ? 1 : -1))
    .slice(0, query.limit ?? maxSessions);
}

function isWanted(directory: string, { scope, path }: ListQuery, wanted: Wanted): boolean {
  if (wanted === null) return true;
  if (scope === "project") return isIn(directory, wanted.project.worktree);
  return path === undefined ? directory === wanted.directory : isIn(directory, wanted.directory);
}

export function isIn(directory: string, parent: string): boolean {
  return directory === parent || directory.startsWith(parent.endsWith("/") ? parent : `${parent}/`);
}
