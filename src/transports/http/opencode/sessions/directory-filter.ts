/** Whoever names a directory hears of the sessions in it, others of all. */
import type { Context } from "hono";
import type { Desk } from "../../../port.ts";
import type { Env } from "../../env.ts";
import { placeOf, wantedDirectory } from "../request-place.ts";

export async function directoryFilter(c: Context<Env>, desk: Desk): Promise<(directory: string) => boolean> {
  if (wantedDirectory(c) === undefined) return () => true;
  const wanted = await placeOf(c, desk);
  return (directory) => directory === wanted.directory;
}
