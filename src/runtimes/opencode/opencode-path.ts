/** The path of OpenCode's own program, for people who want to run its terminal or a server of their own. */
import type { DoctorContext } from "../descriptor.ts";
import { opencode } from "./descriptor.ts";
import { findOpencode } from "./server/find-opencode.ts";
import { defaultServerTimes } from "./server/server-process.ts";

export async function opencodePath(
  settings: Readonly<Record<string, unknown>>,
  { env, signal }: Pick<DoctorContext, "env" | "signal">,
): Promise<string> {
  const bin = opencode.settings.opencodeBin?.parse(settings.opencodeBin) as string;
  return (await findOpencode({ program: bin, env, deadlineMs: defaultServerTimes.versionMs, signal })).path;
}
