/** The directory that a client asks about: in the query, or in a header, where OpenCode's own clients encode it. */
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import type { Context } from "hono";
import type { Env } from "../../env.ts";

/** As lanes have it: without links. One that is not there is taken as it is, and nothing happens in it. */
export async function wantedDirectory(c: Context<Env>): Promise<string | undefined> {
  const named = c.req.query("directory") || decoded(c.req.header("x-opencode-directory") ?? "");
  if (named === "") return undefined;
  const path = resolve("/", named);
  return realpath(path).catch(() => path);
}

function decoded(header: string): string {
  try {
    return decodeURIComponent(header);
  } catch {
    return header;
  }
}
