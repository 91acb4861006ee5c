/** Turns what the schema found into problems that a person can act on: the key's path, the reason, the nearest key. */
import type { z } from "zod";
import { nearest } from "../../nearest.ts";
import type { Problem } from "./config-error.ts";
import { validKeys } from "./valid-keys.ts";

type Path = readonly PropertyKey[];

export function problemsOf(schema: z.ZodType, value: unknown, issues: readonly z.core.$ZodIssue[]): Problem[] {
  return issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => unknownKey(key, issue.path, validKeys(schema, issue.path)));
    }
    if (issue.code === "invalid_union") {
      const inside = nearestBranch(issue.errors).map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
      return inside.length > 0
        ? problemsOf(schema, value, inside)
        : [{ key: keyOf(issue.path), reason: "is not valid" }];
    }
    return [{ key: keyOf(issue.path), reason: reasonOf(issue, value) }];
  });
}

/** Of several forms that a value may have, the one that it comes nearest to. */
function nearestBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] {
  return branches.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

function unknownKey(key: string, path: Path, known: readonly string[]): Problem {
  const meant = nearest(key, known);
  const hint = meant
    ? `Did you mean "${meant}"?`
    : known.length <= 12
      ? `Known there: ${known.join(", ")}.`
      : "docs/configuration.md lists every key.";
  return { key: keyOf([...path, key]), reason: "is no key that Waybill knows", hint };
}

const typeWords: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function reasonOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (valueAt(value, issue.path) === undefined) return "is missing";
  if (issue.code === "invalid_key") return `is not a name: ${issue.issues[0]?.message ?? "it is not valid"}`;
  if (issue.code === "invalid_type") return `must be ${typeWords[issue.expected] ?? issue.expected}`;
  if (issue.message.startsWith("must ")) return issue.message;
  return `is not valid: ${issue.message}`;
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inside, key) => (inside !== null && typeof inside === "object" ? Reflect.get(inside, key) : undefined),
    value,
  );
}

/** `lanes[0].directory`; a name that could be misread stands in quotes, and the whole file is "it". */
export function keyOf(path: Path): string {
  const parts = path.map((part, place) => {
    if (typeof part === "number") return `[${part}]`;
    const name = String(part);
    if (!/^[\w$-]+$/.test(name)) return `[${JSON.stringify(name.slice(0, 80))}]`;
    return place === 0 ? name : `.${name}`;
  });
  return parts.join("") || "it";
}
