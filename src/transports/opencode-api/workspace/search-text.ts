/**
 * Searches the files of a workspace for a pattern. Bounded in the number and size of files, in total time, and in time
 * per file, because it runs in the process that delivers messages.
 */
import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { AppError, messageOf } from "../../../platform/app-error.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Workspace } from "../../../service/service.ts";
import { decodeText, shownAt } from "./files.ts";
import { fileNames } from "./find-files.ts";

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
