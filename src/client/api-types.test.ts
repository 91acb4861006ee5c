import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runtimeKinds } from "../runtimes/registry.ts";
import { openApiDocument } from "../transports/http/openapi.ts";

/** Loads the TypeScript compiler, which takes seconds on a busy machine. */
const timeout = 60_000;

test("the client's types match the API's document (npm run api-types)", { timeout }, async () => {
  const script = new URL("../../scripts/api-types.mjs", import.meta.url).href;
  const { apiTypes } = (await import(script)) as { apiTypes: (document: object) => Promise<string> };
  const kept = readFileSync(new URL("./api-types.ts", import.meta.url), "utf8");
  expect(kept === (await apiTypes(openApiDocument(runtimeKinds)))).toBe(true);
});
