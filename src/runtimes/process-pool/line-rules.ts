/** How the known lines of an agent program are handled. A line without a rule is published as `unparsed`. Pure. */
import type { SignalBody } from "../../core/turn/signal.ts";
import type { Json } from "../json-fields.ts";

/** Translated, published as a status item with this name, or ignored for this reason. */
export type LineRule = "translate" | { status: string } | { ignore: string };
export type LineRules = Readonly<Record<string, LineRule>>;

const maxRawLength = 4000;

export function ruleFor(rules: LineRules, name: string): LineRule | null {
  return Object.hasOwn(rules, name) ? (rules[name] ?? null) : null;
}

/** The same rule for several lines. */
export function sameRule(rule: LineRule, prefix: string, names: string): LineRules {
  return Object.fromEntries(names.split(" ").map((name) => [`${prefix}${name}`, rule]));
}

export function unparsed(reason: string, line: string | Json): SignalBody {
  const raw = typeof line === "string" ? line : JSON.stringify(line);
  return { type: "unparsed", reason, raw: raw.slice(0, maxRawLength) };
}
