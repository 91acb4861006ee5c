/** Lists, reads and searches the files of a workspace; never changes them. */
import { z } from "@hono/zod-openapi";
import type { OpenCodeApp, OpenCodeDeps } from "../opencode-deps.ts";
import { parseQuery, requestWorkspace } from "../request.ts";
import { listDirectory, readContent } from "./files.ts";
import { findFiles, findQuery } from "./find-files.ts";
import { searchText } from "./search-text.ts";

const pathQuery = z.object({ path: z.string().max(4096) });
const patternQuery = z.object({ pattern: z.string().min(1).max(1000) });

export function addFileRoutes(app: OpenCodeApp, { service, clock }: OpenCodeDeps): void {
  app.get("/file", async (c) =>
    c.json(await listDirectory(await requestWorkspace(c, service), parseQuery(c, pathQuery).path)),
  );

  app.get("/file/content", async (c) =>
    c.json(await readContent(await requestWorkspace(c, service), parseQuery(c, pathQuery).path)),
  );

  app.get("/find", async (c) =>
    c.json(await searchText(await requestWorkspace(c, service), parseQuery(c, patternQuery).pattern, clock)),
  );

  app.get("/find/file", async (c) =>
    c.json(await findFiles(await requestWorkspace(c, service), parseQuery(c, findQuery))),
  );
}
