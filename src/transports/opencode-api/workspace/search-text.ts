/**
 * Looks for a pattern in the files of a place. Bounded in everything, since it runs in the process that delivers: in
 * files, in their size, in time, and in the time that one pattern may take for one file.
 */
import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { AppError, messageOf } from "../../../app-error.ts";
import type { Clock } from "../../../clock.ts";
import type { Workspace } from "../../../service/service.ts";
import { fileNames } from "./file-names.ts";
import { textOf } from "./files.ts";
import { shownAt } from "./path-inside.ts";

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

export async function searchText(place: Workspace, pattern: string, clock: Clock): Promise<TextMatch[]> {
  const wanted = compiled(pattern);
  const until = clock.now() + maxMs;
  const found: TextMatch[] = [];
  for (const name of await fileNames(place)) {
    if (found.length >= maxMatches || clock.now() > until) break;
    const text = await readText(place, name);
    if (text !== null) found.push(...withinTime(() => matchesIn(name, text, wanted)));
  }
  return found.slice(0, maxMatches);
}

/** Null for what is no text, too large, a link, or gone; and for what a directory on its way leads out of the place. */
async function readText(place: Workspace, name: string): Promise<string | null> {
  try {
    const found = await lstat(join(place.directory, name));
    const real = found.isFile() && found.size <= maxBytes ? await shownAt(place, name) : null;
    return real === null ? null : textOf(await readFile(real));
  } catch {
    return null;
  }
}

/** Offsets count bytes, as those who read them expect. */
export function matchesIn(name: string, text: string, wanted: RegExp): TextMatch[] {
  const found: TextMatch[] = [];
  let offset = 0;
  for (const [index, whole] of text.split("\n").entries()) {
    const line = whole.slice(0, maxOfLine);
    const submatches = [...line.matchAll(wanted)].flatMap(({ 0: match, index: at }) => {
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

function compiled(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "g");
  } catch (cause) {
    throw new AppError({
      code: "invalid_request",
      message: `The request was not taken: pattern: ${messageOf(cause)}.`,
      hint: "Send a regular expression, with what is meant literally escaped.",
      cause,
    });
  }
}

/** A pattern may take longer than anybody lives; nothing but this can end it within one thread. */
function withinTime<T>(run: () => T): T {
  try {
    return runInContext("run()", createContext({ run }), { timeout: maxMsForFile }) as T;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw cause;
    throw new AppError({
      code: "invalid_request",
      message: "The request was not taken: pattern: it takes too long to look for.",
      hint: "Send a simpler one, without repetitions inside repetitions.",
      cause,
    });
  }
}
