/** Finds files and directories of a place by what somebody typed, best first. */
import { z } from "@hono/zod-openapi";
import type { Workspace } from "../../../service/service.ts";
import { directoriesOf, fileNames } from "./file-names.ts";
import { shownAt } from "./path-inside.ts";
import { rankNames } from "./rank-names.ts";

export const findQuery = z.object({
  query: z.string().max(1000),
  dirs: z.enum(["true", "false"]).optional(),
  type: z.enum(["file", "directory"]).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(10),
});

export async function findNames(
  place: Workspace,
  { query, dirs, type, limit }: z.output<typeof findQuery>,
): Promise<string[]> {
  const files = await fileNames(place);
  const directories = type === "file" || dirs === "false" ? [] : directoriesOf(files);
  const ranked = rankNames([...directories, ...(type === "directory" ? [] : files)], query);
  return firstExisting(place, ranked, limit);
}

/** Git also names what was deleted since, and what stands behind a link by now. */
async function firstExisting(place: Workspace, names: readonly string[], limit: number): Promise<string[]> {
  const found: string[] = [];
  for (const name of names) {
    if (found.length === limit) break;
    if ((await shownAt(place, name)) !== null) found.push(name);
  }
  return found;
}
