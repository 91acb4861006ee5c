/** The files of the place that a request is about: read, listed and found, never changed. */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "@hono/zod-openapi";
import type { WorkPlace } from "../../../port.ts";
import type { OpenCodeApp } from "../add-opencode.ts";
import type { OpenCodeDeps } from "../opencode-deps.ts";
import { placeOf } from "../request-place.ts";
import { queryOf } from "../request-query.ts";
import { directoriesOf, fileNames } from "./file-names.ts";
import { contentOf, listDirectory } from "./files.ts";
import { rankNames } from "./rank-names.ts";
import { searchText } from "./search-text.ts";

const pathQuery = z.object({ path: z.string().max(4096) });
const patternQuery = z.object({ pattern: z.string().min(1).max(1000) });
const findQuery = z.object({
  query: z.string().max(1000),
  dirs: z.enum(["true", "false"]).optional(),
  type: z.enum(["file", "directory"]).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(10),
});
type Find = z.output<typeof findQuery>;

export function addFileRoutes(app: OpenCodeApp, { desk, clock }: OpenCodeDeps): void {
  app.get("/file", async (c) => c.json(await listDirectory(await placeOf(c, desk), queryOf(c, pathQuery).path)));

  app.get("/file/content", async (c) => c.json(await contentOf(await placeOf(c, desk), queryOf(c, pathQuery).path)));

  app.get("/find", async (c) =>
    c.json(await searchText(await placeOf(c, desk), queryOf(c, patternQuery).pattern, clock)),
  );

  app.get("/find/file", async (c) => c.json(await findNames(await placeOf(c, desk), queryOf(c, findQuery))));
}

async function findNames(place: WorkPlace, { query, dirs, type, limit }: Find): Promise<string[]> {
  const files = await fileNames(place);
  const directories = type === "file" || dirs === "false" ? [] : directoriesOf(files);
  const ranked = rankNames([...directories, ...(type === "directory" ? [] : files)], query);
  return firstExisting(place, ranked, limit);
}

/** Git also names what was deleted since. */
async function firstExisting({ directory }: WorkPlace, names: readonly string[], limit: number): Promise<string[]> {
  const found: string[] = [];
  for (const name of names) {
    if (found.length === limit) break;
    const there = await lstat(join(directory, name)).catch(() => null);
    if (there) found.push(name);
  }
  return found;
}
