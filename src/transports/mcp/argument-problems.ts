/** Describes problems with the arguments of a call, and what to send instead. Pure. */
import type { z } from "zod";
import { nearest } from "../../platform/nearest.ts";

type Issue = z.core.$ZodIssue;

/** A model fixes only a few at a time. */
const mostProblems = 5;

export function argumentProblems(issues: readonly Issue[], args: unknown, fields: readonly string[]): string[] {
  return issues.slice(0, mostProblems).map((issue) => problem(issue, args, fields));
}

function problem(issue: Issue, args: unknown, fields: readonly string[]): string {
  const field = fieldName(issue.path);
  const given = valueAt(args, issue.path);
  switch (issue.code) {
    case "unrecognized_keys":
      return unknownFields(issue.keys, field, fields);
    case "invalid_type":
      if (given === undefined) return `${field} is missing: send ${withArticle(issue.expected)}.`;
      return `${field} must be ${withArticle(issue.expected)}, not ${given === null ? "null; or leave it out" : typeOf(given)}.`;
    case "invalid_value":
      return given === undefined
        ? `${field} is missing: send one of ${issue.values.join(", ")}.`
        : `${field} must be one of ${issue.values.join(", ")}, not ${quoted(given)}.`;
    case "too_big":
      return issue.origin === "string"
        ? `${field} is longer than ${issue.maximum} characters: write it to a file, and name the file instead.`
        : `${field} must be at most ${issue.maximum}${issue.origin === "array" ? " items" : ""}.`;
    case "too_small":
      return issue.origin === "string" ? `${field} is empty.` : `${field} must be at least ${issue.minimum}.`;
    default:
      return `${field}: ${issue.message}.`;
  }
}

function unknownFields(keys: readonly string[], parent: string, fields: readonly string[]): string {
  const names = keys.slice(0, mostProblems).map(quoted).join(", ");
  if (parent !== "arguments") return `Unknown field in ${parent}: ${names}. Leave it out.`;
  const similar = keys.length === 1 ? nearest(keys[0] ?? "", fields) : null;
  const guess = similar === null ? "" : ` Did you mean ${similar}?`;
  const known = fields.length === 0 ? "It takes no arguments." : `It takes ${fields.join(", ")}.`;
  return `Unknown field ${names}.${guess} ${known}`;
}

/** `taskRefs[0].id` */
function fieldName(path: readonly PropertyKey[]): string {
  const name = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  return name.replace(/^\./, "") || "arguments";
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
}

function typeOf(value: unknown): string {
  return withArticle(Array.isArray(value) ? "array" : typeof value);
}

function withArticle(type: string): string {
  const name = type === "int" ? "integer" : type;
  return `${/^[aeio]/.test(name) ? "an" : "a"} ${name}`;
}

/** Truncated: the value may be megabytes long. */
function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
