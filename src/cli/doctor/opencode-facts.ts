/** Finds out how Waybill would get its OpenCode server, the way the runtime does, without starting one. */
import { AppError } from "../../app-error.ts";
import type { Config } from "../../daemon/config/config.ts";
import { refuseOpenHost } from "../../runtimes/opencode/server/choose-server.ts";
import { findOpencode } from "../../runtimes/opencode/server/find-opencode.ts";
import { attachServer } from "../../runtimes/opencode/server/obtain-server.ts";
import { serverEnvironment } from "../../runtimes/opencode/server/server-environment.ts";
import { defaultServerTimes } from "../../runtimes/opencode/server/server-times.ts";
import type { OpencodeFacts } from "./facts.ts";

export async function inspectOpencode(
  config: Config,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<OpencodeFacts> {
  const times = defaultServerTimes;
  try {
    const options = { settings: config, directory: config.stateDirectory, env, extraEnv: {}, times, signal };
    const attached = await attachServer(options);
    if (attached) return { does: "attach", url: attached.address.url, version: attached.address.version };
    refuseOpenHost(config.opencodeServeHost, Boolean(env.OPENCODE_SERVER_PASSWORD));
    const { path, version } = await findOpencode({
      program: config.opencodeBin,
      env: serverEnvironment(env, {}),
      deadlineMs: times.versionMs,
      signal,
    });
    return { does: "start", path, version };
  } catch (error) {
    if (error instanceof AppError) return { does: "fail", error };
    // Whoever interrupted it does not need the answer.
    if (signal.aborted) return { does: "fail", error: new AppError({ code: "interrupted", message: "Interrupted." }) };
    throw error;
  }
}
