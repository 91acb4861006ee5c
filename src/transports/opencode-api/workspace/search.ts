/** Finds files and directories of a workspace by a typed query, and text in its files. */
import { lstat, readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createContext, runInContext } from "node:vm";
import { z } from "@hono/zod-openapi";
import { AppError, messageOf } from "../../../platform/app-error.ts";
import type { Clock } from "../../../platform/clock.ts";
import { generatedDirectories } from "../../../platform/skipped-directories.ts";
import type { Workspace } from "../../../service/service.ts";
import { git, isShown } from "../../../service/workspace/workspace.ts";
import { decodeText, shownAt } from "./files.ts";

export const findQuery = z.object({
  query: z.string().max(1000),
  dirs: z.enum(["true", "false"]).optional(),
  type: z.enum(["file", "directory"]).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(10),
});

export async function findFiles(
  workspace: Workspace,
  { query, dirs, type, limit }: z.output<typeof findQuery>,
): Promise<string[]> {
  const files = await fileNames(workspace);
  const directories = type === "file" || dirs === "false" ? [] : directoriesOf(files);
  const found: string[] = [];
  for (const name of rankNames([...directories, ...(type === "directory" ? [] : files)], query)) {
    if (found.length === limit) break;
    // Git also lists files that have been deleted, or are now behind a link.
    if ((await shownAt(workspace, name)) !== null) found.push(name);
  }
  return found;
}

/** The directories of these files, each with a trailing slash. */
function directoriesOf(files: readonly string[]): string[] {
  const found = new Set<string>();
  for (const file of files) {
    for (let end = file.lastIndexOf("/"); end > 0; end = file.lastIndexOf("/", end - 1))
      found.add(file.slice(0, end + 1));
  }
  return [...found];
}

const noMatch = 5;

/** Names that match, best first. */
function rankNames(names: readonly string[], query: string): string[] {
  const typed = query.toLowerCase();
  return names
    .map((name) => ({ name, rank: rankOf(name.toLowerCase(), typed) }))
    .filter(({ rank }) => rank < noMatch)
    .sort((a, b) => a.rank - b.rank || a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

function rankOf(path: string, typed: string): number {
  const base = path.slice(path.replace(/\/$/, "").lastIndexOf("/") + 1);
  if (base.replace(/\/$/, "") === typed) return 0;
  if (base.startsWith(typed)) return 1;
  if (base.includes(typed)) return 2;
  if (path.includes(typed)) return 3;
  return hasInOrder(path, typed) ? 4 : noMatch;
}

function hasInOrder(path: string, letters: string): boolean {
  let from = 0;
  for (const letter of letters) {
    const at = path.indexOf(letter, from);
    if (at < 0) return false;
    from = at + letter.length;
  }
  return true;
}

const maxNames = 20_000;
const maxDirectories = 5000;

/**
 * The searchable files, relative to the workspace's directory: those that git does not ignore, or without git everything
 * except directories known to be large and generated. Bounded, so that it stays fast.
 */
export async function fileNames(workspace: Workspace): Promise<string[]> {
  const tracked = await git(workspace.directory, ["ls-files", "--cached", "--others", "--exclude-standard", "-z"]);
  const names = tracked === null ? await walk(workspace) : [...new Set(tracked.split("\0"))];
  // A name with a trailing slash is another repository inside this one.
  const files = names.filter((name) => name !== "" && !name.endsWith("/"));
  return files.filter((name) => isShown(workspace, resolve(workspace.directory, name))).slice(0, maxNames);
}

/** Breadth-first, so that the limit cuts off deep files first. */
async function walk(workspace: Workspace): Promise<string[]> {
  const names: string[] = [];
  const open = [""];
  // The list grows during the iteration.
  for (const parent of open) {
    if (names.length >= maxNames) break;
    if (!isShown(workspace, resolve(workspace.directory, parent))) continue;
    const entries = await readdir(join(workspace.directory, parent), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const name = join(parent, entry.name);
      if (entry.isFile()) names.push(name);
      else if (entry.isDirectory() && !generatedDirectories.has(entry.name) && open.length < maxDirectories)
        open.push(name);
    }
  }
  return names;
}

export type TextMatch = {
  path: { text: string };
  lines: { text: string };
  line_number: number;
  absolute_offset: number;
  submatches: { match: { text: string }; start: number; end: number }[];
};

const maxMatches = 100;
const maxMs = 3000;
const maxMsForFile = 250;
const maxBytes = 1024 * 1024;
const maxOfLine = 1000;

/**
 * Searches the files of a workspace for a pattern. Bounded in the number and size of files, in total time, and in time
 * per file, because it runs in the process that delivers messages.
 */
export async function searchText(workspace: Workspace, pattern: string, clock: Clock): Promise<TextMatch[]> {
  const regexp = compile(pattern);
  const until = clock.now() + maxMs;
  const found: TextMatch[] = [];
  for (const name of await fileNames(workspace)) {
    if (found.length >= maxMatches || clock.now() > until) break;
    const text = await readText(workspace, name);
    if (text !== null) found.push(...withinTime(() => matchesIn(name, text, regexp)));
  }
  return found.slice(0, maxMatches);
}

/** Null for binary, large, linked and missing files, and when a directory in the path links out of the workspace. */
async function readText(workspace: Workspace, name: string): Promise<string | null> {
  try {
    const found = await lstat(join(workspace.directory, name));
    const real = found.isFile() && found.size <= maxBytes ? await shownAt(workspace, name) : null;
    return real === null ? null : decodeText(await readFile(real));
  } catch {
    return null;
  }
}

/** Clients expect offsets in bytes. */
export function matchesIn(name: string, text: string, regexp: RegExp): TextMatch[] {
  const found: TextMatch[] = [];
  let offset = 0;
  for (const [index, whole] of text.split("\n").entries()) {
    const line = whole.slice(0, maxOfLine);
    const submatches = [...line.matchAll(regexp)].flatMap(({ 0: match, index: at }) => {
      const start = Buffer.byteLength(line.slice(0, at));
      return match === "" ? [] : [{ match: { text: match }, start, end: start + Buffer.byteLength(match) }];
    });
    const lines = { text: `${line}\n` };
    if (submatches.length > 0) {
      found.push({ path: { text: name }, lines, line_number: index + 1, absolute_offset: offset, submatches });
    }
    if (found.length >= maxMatches) break;
    offset += Buffer.byteLength(whole) + 1;
  }
  return found;
}

function compile(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "g");
  } catch (cause) {
    throw new AppError({
      code: "invalid_request",
      message: `Invalid request: pattern: ${messageOf(cause)}.`,
      hint: "Send a regular expression, with literal special characters escaped.",
      cause,
    });
  }
}

/** A pattern may take exponential time; this is the only way to stop it within one thread. */
function withinTime<T>(run: () => T): T {
  try {
    return runInContext("run()", createContext({ run }), { timeout: maxMsForFile }) as T;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw cause;
    throw new AppError({
      code: "invalid_request",
      message: "Invalid request: pattern: the search takes too long.",
      hint: "Send a simpler pattern, without nested repetitions.",
      cause,
    });
  }
}
