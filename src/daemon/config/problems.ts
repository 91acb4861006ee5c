/** Turns schema issues into problems that a person can act on: the key's path, the reason, and the nearest known key. */
import { z } from "zod";
import { nearest } from "../../platform/nearest.ts";
import { metaOf, slug, withoutDefault } from "../../platform/setting-types.ts";
import type { Problem } from "./config-error.ts";

type Path = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;

export function problemsOf(schema: z.ZodType, value: unknown, issues: readonly Issue[]): Problem[] {
  return issues.flatMap((issue) => {
    const key = keyOf(issue.path);
    const found = schemasAt([schema], issue.path);
    if (issue.code === "unrecognized_keys") return issue.keys.map((one) => unknownKey(one, issue.path, found));
    if (valueAt(value, issue.path) === undefined) return [{ key, reason: "is missing" }];
    if (issue.code === "invalid_key") return [{ key, reason: `is not a valid name: it must be ${metaOf(slug).words}` }];
    const words = found.map((one) => metaOf(one).words).find((one) => one !== undefined);
    if (words !== undefined)
      return [{ key, reason: `must be ${words}`, ...hintFor(issue, valueAt(value, issue.path)) }];
    if (issue.code === "invalid_union") {
      const inside = nearestBranch(issue.errors).map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
      return inside.length > 0 ? problemsOf(schema, value, inside) : [{ key, reason: "is invalid" }];
    }
    if (issue.code === "invalid_type")
      return [{ key, reason: `must be ${typeWords[issue.expected] ?? issue.expected}` }];
    return [{ key, reason: `is invalid: ${issue.message}` }];
  });
}

/** Of the forms that a value may have, the one that it is closest to. */
function nearestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  return branches.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

function hintFor(issue: Issue, value: unknown): { hint?: string } {
  if (issue.code !== "invalid_value" || typeof value !== "string") return {};
  const meant = nearest(value, issue.values.map(String));
  return meant === null ? {} : { hint: `Did you mean "${meant}"?` };
}

function unknownKey(key: string, path: Path, schemas: readonly z.core.$ZodType[]): Problem {
  const objects = schemas.flatMap(formsOf).filter((one) => one instanceof z.ZodObject);
  const known = [...new Set(objects.flatMap((one) => Object.keys(one.shape)))];
  const meant = nearest(key, known);
  const hint = meant
    ? `Did you mean "${meant}"?`
    : known.length <= 12
      ? `Known keys: ${known.join(", ")}.`
      : "docs/configuration.md lists every key.";
  return { key: keyOf([...path, key]), reason: "is an unknown key", hint };
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

/** The schemas at a path; a union has several. */
function schemasAt(schemas: readonly z.core.$ZodType[], [key, ...rest]: Path): readonly z.core.$ZodType[] {
  if (key === undefined) return schemas;
  const next = schemas.flatMap(formsOf).flatMap((one) => below(one, key));
  return schemasAt(next, rest);
}

function formsOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  const inner = withoutDefault(schema);
  if (inner !== schema) return formsOf(inner);
  return inner instanceof z.ZodUnion ? inner.def.options.flatMap(formsOf) : [inner];
}

function below(schema: z.core.$ZodType, key: PropertyKey): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodObject) {
    const inner = (schema.shape as Record<PropertyKey, z.core.$ZodType | undefined>)[key];
    return inner ? [inner] : [];
  }
  if (schema instanceof z.ZodArray) return [schema.element];
  return schema instanceof z.ZodRecord ? [schema.valueType] : [];
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inside, key) => (inside !== null && typeof inside === "object" ? Reflect.get(inside, key) : undefined),
    value,
  );
}

/** `lanes[0].directory`; ambiguous names are quoted, and the whole file is "it". */
function keyOf(path: Path): string {
  const parts = path.map((part, index) => {
    if (typeof part === "number") return `[${part}]`;
    const name = String(part);
    if (!/^[\w$-]+$/.test(name)) return `[${JSON.stringify(name.slice(0, 80))}]`;
    return index === 0 ? name : `.${name}`;
  });
  return parts.join("") || "it";
}
