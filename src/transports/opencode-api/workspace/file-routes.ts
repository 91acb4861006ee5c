/** The files of the place that a request is about: read, listed and found, never changed. */
import { z } from "@hono/zod-openapi";
import type { OpenCodeApp } from "../add-opencode.ts";
import type { OpenCodeDeps } from "../opencode-deps.ts";
import { placeOf } from "../request-directory.ts";
import { queryOf } from "../request-query.ts";
import { contentOf, listDirectory } from "./files.ts";
import { findNames, findQuery } from "./find-names.ts";
import { searchText } from "./search-text.ts";

const pathQuery = z.object({ path: z.string().max(4096) });
const patternQuery = z.object({ pattern: z.string().min(1).max(1000) });
export function addFileRoutes(app: OpenCodeApp, { service, clock }: OpenCodeDeps): void {
  app.get("/file", async (c) => c.json(await listDirectory(await placeOf(c, service), queryOf(c, pathQuery).path)));

  app.get("/file/content", async (c) => c.json(await contentOf(await placeOf(c, service), queryOf(c, pathQuery).path)));

  app.get("/find", async (c) =>
    c.json(await searchText(await placeOf(c, service), queryOf(c, patternQuery).pattern, clock)),
  );

  app.get("/find/file", async (c) => c.json(await findNames(await placeOf(c, service), queryOf(c, findQuery))));
}
