/**
 * Requests generated from the OpenAPI document: valid, nearly valid and wild ones. The caller says which names exist, so that
 * many requests get past the first checks.
 */
import fc from "fast-check";
import { runtimeKinds } from "../../../src/runtimes/registry.ts";
import { openApiDocument } from "../../../src/transports/http/openapi.ts";
import type { Operation, Parameter, Schema } from "../rules/openapi-operations.ts";
import { operations } from "../rules/openapi-operations.ts";

export type AnyRequest = {
  operation: Operation;
  path: string;
  headers: Record<string, string | null>;
  body: string | null;
};

/** Existing values, by the name of the parameter or field; `id` by the operation's first tag. */
export type KnownNames = Record<string, readonly string[]>;

const wildText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom("\0", "__proto__", "constructor", "' OR 1=1 --", "\u202e", "-1", "1e99", "null", "a".repeat(5000)),
);

const wildValue = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  wildText,
  fc.constantFrom(null, -1, 2 ** 53, 1e308, "\ud800", [], {}),
);

export function anyRequest(known: KnownNames): fc.Arbitrary<AnyRequest> {
  const to = (operation: Operation) =>
    fc.record({
      operation: fc.constant(operation),
      path: anyPath(operation, known),
      headers: anyHeaders,
      body: anyBody(operation, known),
    });
  // Operations with a body can go wrong in more ways.
  return fc.oneof(...operations.map((one) => ({ weight: one.requestBody ? 5 : 1, arbitrary: to(one) })));
}

const mostly = (usual: string | null, ...others: (string | null)[]) =>
  fc.oneof({ weight: 30, arbitrary: fc.constant(usual) }, fc.constantFrom(...others));

/** Only what differs from a good request with the token; `good` stands for that. */
const anyHeaders = fc
  .record({
    authorization: mostly("good", null, "Bearer wrong", "Bearer", ""),
    host: mostly("good", "evil.example", null),
    origin: mostly(null, "null", "http://evil.example", "nonsense"),
    "content-type": mostly("application/json", null, "text/plain", "application/json; charset=utf-8", ";"),
    "last-event-id": fc.option(fc.stringMatching(/^[!-~]{0,20}$/), { freq: 5 }),
    cookie: mostly(null, "waybill_session_7777=wrong", "=;;="),
  })
  .map((headers) => Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== "good")));

function anyPath({ path, parameters, tags }: Operation, known: KnownNames): fc.Arbitrary<string> {
  const inPath = parameters.filter((one) => one.in === "path");
  const inQuery = parameters.filter((one) => one.in === "query");
  const id = segment(known[tags[0] ?? ""] ?? []);
  const filled = fc.tuple(...inPath.map(() => id)).map((ids) => {
    const left = [...ids];
    return path.replaceAll(/\{\w+\}/g, () => left.shift() ?? "");
  });
  const pairs = fc.tuple(
    ...inQuery.map((one) => fc.option(pair(one, known), { freq: 1 })),
    fc.option(strayPair, { freq: 20 }),
  );
  return fc.tuple(filled, pairs).map(([start, found]) => {
    const query = found.filter((one) => one !== null).join("&");
    return query === "" ? start : `${start}?${query}`;
  });
}

/** Leaves out values that would change the path: empty segments and dots. */
function segment(known: readonly string[]): fc.Arbitrary<string> {
  const wild = wildText.filter((text) => text !== "" && !/^\.+$/.test(text)).map(encodeURIComponent);
  const odd = fc.constantFrom("%zz", "%ff%fe", "%2e%2e%2f", "a%00b");
  return known.length === 0
    ? fc.oneof(wild, odd)
    : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...known) }, wild, odd);
}

function pair({ name, schema }: Parameter, known: KnownNames): fc.Arbitrary<string> {
  const names = known[name] ?? [];
  const fitting = names.length === 0 ? fromSchema(schema, known, false).map(String) : fc.constantFrom(...names);
  const value = fc.oneof({ weight: 4, arbitrary: fitting }, wildText);
  return value.map((text) => `${name}=${encodeURIComponent(text)}`);
}

const strayPair = fc.constantFrom("colour=red", "limit", "lane=&lane=", "%zz=%zz", "__proto__=1", "&&=");

function anyBody({ requestBody }: Operation, known: KnownNames): fc.Arbitrary<string | null> {
  const wild = fc.oneof(
    fc.constantFrom("", "{", "[[[[", '"', "nul"),
    wildText,
    wildValue.map((value) => JSON.stringify(value)),
  );
  const schema = requestBody?.content["application/json"]?.schema;
  if (!schema) return fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, wild);
  const valid = fromSchema(schema, known, false).map((value) => JSON.stringify(value));
  const nearly = fromSchema(schema, known, true).map((value) => JSON.stringify(value));
  return fc.oneof({ weight: 4, arbitrary: valid }, { weight: 3, arbitrary: nearly }, wild, fc.constant(null));
}

/** Values of a schema; with `damage`, some of them are partly invalid. */
function fromSchema(given: Schema, known: KnownNames, damage: boolean): fc.Arbitrary<unknown> {
  const schema = resolved(given);
  const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  const fitting = choices
    ? fc.oneof(...choices.map((one) => fromSchema(one, known, damage)))
    : ofType(schema, known, damage);
  return damage ? fc.oneof({ weight: 12, arbitrary: fitting }, wildValue) : fitting;
}

function ofType(schema: Schema, known: KnownNames, damage: boolean): fc.Arbitrary<unknown> {
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.type)) {
    const types = schema.type.map((type) =>
      type === "null" ? fc.constant(null) : ofType({ ...schema, type }, known, damage),
    );
    return fc.oneof(...types);
  }
  switch (schema.type) {
    case "string":
      return someText(schema);
    case "integer":
      return fc.integer({
        min: (schema.minimum as number) ?? 0,
        max: Math.min((schema.maximum as number) ?? 1000, 2 ** 31),
      });
    case "boolean":
      return fc.boolean();
    case "array":
      if (Array.isArray(schema.prefixItems)) {
        return fc.tuple(...schema.prefixItems.map((item) => fromSchema(item as Schema, known, damage)));
      }
      return fc.array(fromSchema(schema.items as Schema, known, damage), { maxLength: 3 });
    case "object":
      return someObject(schema, known, damage);
    default:
      throw new Error(`no values are made for ${JSON.stringify(schema)}`);
  }
}

function someText(schema: Schema): fc.Arbitrary<string> {
  if (schema.format === "date-time") {
    return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString());
  }
  if (typeof schema.pattern === "string" && !schema.pattern.includes("\\0"))
    return fc.stringMatching(new RegExp(schema.pattern));
  const minLength = (schema.minLength as number) ?? 0;
  return fc.string({ unit: "grapheme", minLength, maxLength: Math.min((schema.maxLength as number) ?? 50, 50) });
}

function someObject(schema: Schema, known: KnownNames, damage: boolean): fc.Arbitrary<object> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const required = (schema.required ?? []) as string[];
  const model = Object.fromEntries(
    properties.map(([name, one]) => {
      const names = known[name] ?? [];
      const value = fromSchema(one, known, damage);
      return [name, names.length === 0 ? value : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...names) }, value)];
    }),
  );
  const whole = fc.record(model, { requiredKeys: required });
  if (!damage) return whole;
  return fc.oneof(
    { weight: 6, arbitrary: whole },
    fc.record(model, { requiredKeys: [] }),
    whole.map((value) => ({ ...value, colour: "red" })),
  );
}

function resolved(schema: Schema): Schema {
  if (typeof schema.$ref !== "string") return schema;
  const path = schema.$ref.replace("#/", "").split("/");
  return path.reduce<Schema>((value, key) => value[key] as Schema, openApiDocument(runtimeKinds) as Schema);
}
