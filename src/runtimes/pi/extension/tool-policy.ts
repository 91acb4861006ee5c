/**
 * Decides whether a tool may be used without asking a person, by the policy that docs/operations.md describes. Pure,
 * except for the `realPath` function that it gets.
 */
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { isInside } from "../../../platform/inside.ts";
import type { GateRules } from "./gate-protocol.ts";

export type GateCall = { tool: string; input: Readonly<Record<string, unknown>> };

export type PolicyContext = {
  rules: GateRules;
  /** The working directory of the tools. */
  directory: string;
  home: string;
  /** Resolves symlinks, even in the path of a file that does not exist yet. */
  realPath: (path: string) => string;
  /** The grants that a person gave for the session. */
  granted: ReadonlySet<string>;
};

export type PolicyDecision = { verdict: "pass" } | { verdict: "ask" } | { verdict: "deny"; reason: string };

const readers = new Set(["read", "grep", "find", "ls"]);
const writers = new Set(["edit", "write"]);
const unusualSpaces = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g;

export function checkToolCall(call: GateCall, context: PolicyContext): PolicyDecision {
  const { rules, granted } = context;
  const path = pathOf(call, context);
  const denied = rules.denied.find((one) => touches(call, path, one));
  if (denied !== undefined) return { verdict: "deny", reason: `Waybill lets no tool touch ${denied}.` };
  if (granted.has(grantOf(call))) return { verdict: "pass" };
  const isTrusted = rules.policy === "trusted";
  if (path === null) return { verdict: isTrusted ? "pass" : "ask" };
  if (!isInside(path, context.realPath(context.directory))) return { verdict: "ask" };
  return { verdict: writers.has(call.tool) && isPiCode(path, context) && !isTrusted ? "ask" : "pass" };
}

/** pi runs the code in `.pi` at its next start, unasked. Some file systems do not distinguish `.pi` from `.PI`. */
function isPiCode(path: string, { directory, realPath }: PolicyContext): boolean {
  const [first = ""] = relative(realPath(directory), path).split(sep);
  return first.toLowerCase() === ".pi" || isInside(path, realPath(join(directory, ".pi")));
}

/** The scope of `always`: the same command, the same file, or a tool that has neither. */
export function grantOf({ tool, input }: GateCall): string {
  const target = [input.command, input.path].find((one) => typeof one === "string");
  return JSON.stringify(target === undefined ? [tool] : [tool, target]);
}

/** The path that a file tool uses; null for a tool that may touch anything. */
function pathOf({ tool, input }: GateCall, { directory, home, realPath }: PolicyContext): string | null {
  if (!readers.has(tool) && !writers.has(tool)) return null;
  const given = typeof input.path === "string" ? input.path : ".";
  // Reads a path like pi itself. An absolute path keeps its `..`, which has another target after a symlink.
  const plain = given.replace(/^@/, "").replace(unusualSpaces, " ");
  const expanded = plain === "~" || plain.startsWith("~/") ? home + plain.slice(1) : plain;
  return realPath(isAbsolute(expanded) ? expanded : resolve(directory, expanded));
}

/** A search also reads everything inside its path. In a command, a directory can only be found by name. */
function touches({ tool, input }: GateCall, path: string | null, denied: string): boolean {
  if (path === null) return JSON.stringify(input).includes(JSON.stringify(denied).slice(1, -1));
  const searches = tool === "grep" || tool === "find";
  return isInside(path, denied) || (searches && isInside(denied, path));
}
