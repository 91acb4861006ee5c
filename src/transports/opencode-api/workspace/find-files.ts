/** Finds files and directories of a workspace by a typed query, best matches first. */
import { z } from "@hono/zod-openapi";
import type { Workspace } from "../../../service/service.ts";
import { fileNames } from "./file-names.ts";
import { shownAt } from "./path-inside.ts";

export const findQuery = z.object({
  query: z.string().max(1000),
  dirs: z.enum(["true", "false"]).optional(),
  type: z.enum(["file", "directory"]).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(10),
});

export async function findFiles(
  workspace: Workspace,
  { query, dirs, type, limit }: z.output<typeof findQuery>,
): Promise<string[]> {
  const files = await fileNames(workspace);
  const directories = type === "file" || dirs === "false" ? [] : directoriesOf(files);
  const found: string[] = [];
  for (const name of rankNames([...directories, ...(type === "directory" ? [] : files)], query)) {
    if (found.length === limit) break;
    // Git also lists files that have been deleted, or are now behind a link.
    if ((await shownAt(workspace, name)) !== null) found.push(name);
  }
  return found;
}

/** The directories of these files, each with a trailing slash. */
function directoriesOf(files: readonly string[]): string[] {
  const found = new Set<string>();
  for (const file of files) {
    for (let end = file.lastIndexOf("/"); end > 0; end = file.lastIndexOf("/", end - 1))
      found.add(file.slice(0, end + 1));
  }
  return [...found];
}

const noMatch = 5;

/** Names that match, best first. */
function rankNames(names: readonly string[], query: string): string[] {
  const typed = query.toLowerCase();
  return names
    .map((name) => ({ name, rank: rankOf(name.toLowerCase(), typed) }))
    .filter(({ rank }) => rank < noMatch)
    .sort((a, b) => a.rank - b.rank || a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

function rankOf(path: string, typed: string): number {
  const base = path.slice(path.replace(/\/$/, "").lastIndexOf("/") + 1);
  if (base.replace(/\/$/, "") === typed) return 0;
  if (base.startsWith(typed)) return 1;
  if (base.includes(typed)) return 2;
  if (path.includes(typed)) return 3;
  return hasInOrder(path, typed) ? 4 : noMatch;
}

function hasInOrder(path: string, letters: string): boolean {
  let from = 0;
  for (const letter of letters) {
    const at = path.indexOf(letter, from);
    if (at < 0) return false;
    from = at + letter.length;
  }
  return true;
}
