/**
 * The demo's agent: a real OpenCode with a scripted model, in a home of its own, so that neither the user's settings nor
 * their sessions are touched. Where OpenCode is not installed, the demo does without it and says so.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../app-error.ts";
import { choosePort } from "../../runtimes/opencode/server/choose-server.ts";
import { findOpencode } from "../../runtimes/opencode/server/find-opencode.ts";
import { serverEnvironment } from "../../runtimes/opencode/server/server-environment.ts";
import type { KeeperOptions } from "../../runtimes/opencode/server/server-keeper.ts";
import { isolatedHome, scriptedProvider } from "../../scripted-model/opencode-settings.ts";
import type { ScriptedModel } from "../../scripted-model/server.ts";
import { startScriptedModel } from "../../scripted-model/server.ts";
import { demoModelScript } from "./demo-model.ts";

export type DemoOpencode = Pick<KeeperOptions, "settings"> & {
  extraEnv: Readonly<Record<string, string>>;
  model: ScriptedModel;
};

/** Where there is no OpenCode that could be used, why. */
export async function startDemoOpencode(
  stateDirectory: string,
  opencodeBin: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<DemoOpencode | AppError> {
  const unusable = await whyUnusable(opencodeBin, env, signal);
  if (unusable) return unusable;
  const home = join(stateDirectory, "opencode");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const model = await startScriptedModel({ script: demoModelScript });
  const port = await choosePort("127.0.0.1", 0);
  const url = `http://127.0.0.1:${port}`;
  return {
    model,
    // Nobody else's server is at a port that was free a moment ago.
    settings: {
      opencodeBin,
      opencodeAttachUrl: url,
      opencodeAutoStart: true,
      opencodeServeHost: "127.0.0.1",
      opencodeServePort: port,
    },
    extraEnv: { ...isolatedHome(home), OPENCODE_CONFIG_CONTENT: JSON.stringify(scriptedProvider(model.url)) },
  };
}

async function whyUnusable(program: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<AppError | null> {
  try {
    await findOpencode({ program, env: serverEnvironment(env, {}), deadlineMs: 15_000, signal });
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
