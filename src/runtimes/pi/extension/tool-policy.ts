/**
 * Whether a tool may be used without a person, by the policy that operations.md describes: at work in the lane's own
 * directory, and not in the places that are nobody's business. Pure, but for what it is given to look places up with.
 */
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import type { GateRules } from "./gate-protocol.ts";

export type Call = { tool: string; input: Readonly<Record<string, unknown>> };

export type Ground = {
  rules: GateRules;
  /** Where the tools work. */
  directory: string;
  home: string;
  /** Where a path leads once symlinks were followed, also one to a file that is not there yet. */
  realPath: (path: string) => string;
  /** What a person has allowed for the session. */
  granted: ReadonlySet<string>;
};

export type Judgement = { verdict: "pass" } | { verdict: "ask" } | { verdict: "deny"; reason: string };

const readers = new Set(["read", "grep", "find", "ls"]);
const writers = new Set(["edit", "write"]);
const unusualSpaces = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g;

export function judge(call: Call, ground: Ground): Judgement {
  const { rules, granted } = ground;
  const place = placeOf(call, ground);
  const denied = rules.denied.find((one) => isTouched(call, place, one));
  if (denied !== undefined) return { verdict: "deny", reason: `Waybill lets no tool touch ${denied}.` };
  if (granted.has(grantOf(call))) return { verdict: "pass" };
  const isTrusted = rules.policy === "trusted";
  if (place === null) return { verdict: isTrusted ? "pass" : "ask" };
  if (!isInside(place, ground.realPath(ground.directory))) return { verdict: "ask" };
  return { verdict: writers.has(call.tool) && isCode(place, ground) && !isTrusted ? "ask" : "pass" };
}

/** pi runs what stands there when it is next started, and asks nobody. Not every disk tells `.pi` from `.PI`. */
function isCode(place: string, { directory, realPath }: Ground): boolean {
  const [first = ""] = relative(realPath(directory), place).split(sep);
  return first.toLowerCase() === ".pi" || isInside(place, realPath(join(directory, ".pi")));
}

/** What `always` holds for: the same command, the same file, or a tool that has neither. */
export function grantOf({ tool, input }: Call): string {
  const what = [input.command, input.path].find((one) => typeof one === "string");
  return JSON.stringify(what === undefined ? [tool] : [tool, what]);
}

/** The one that a file tool is for; null for a tool that may be for anything. */
function placeOf({ tool, input }: Call, { directory, home, realPath }: Ground): string | null {
  if (!readers.has(tool) && !writers.has(tool)) return null;
  const given = typeof input.path === "string" ? input.path : ".";
  // As pi itself reads a path. What bites: an absolute one keeps its `..`, which behind a symlink leads elsewhere.
  const plain = given.replace(/^@/, "").replace(unusualSpaces, " ");
  const expanded = plain === "~" || plain.startsWith("~/") ? home + plain.slice(1) : plain;
  return realPath(isAbsolute(expanded) ? expanded : resolve(directory, expanded));
}

/** A tool that searches a place also sees what is in it. In a command a place can only be looked for by its name. */
function isTouched({ tool, input }: Call, place: string | null, denied: string): boolean {
  if (place === null) return JSON.stringify(input).includes(JSON.stringify(denied).slice(1, -1));
  const searches = tool === "grep" || tool === "find";
  return isInside(place, denied) || (searches && isInside(denied, place));
}

function isInside(path: string, place: string): boolean {
  const way = relative(place, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
