/** Whoever names a directory hears of the sessions in it, others of all. */
import type { Context } from "hono";
import type { Service } from "../../../service/service.ts";
import type { Env } from "../../http/env.ts";
import { placeOf, wantedDirectory } from "../request-directory.ts";

export async function directoryFilter(c: Context<Env>, service: Service): Promise<(directory: string) => boolean> {
  if (wantedDirectory(c) === undefined) return () => true;
  const wanted = await placeOf(c, service);
  return (directory) => directory === wanted.directory;
}
