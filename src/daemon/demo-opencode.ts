/**
 * The demo's agent: a real OpenCode with a scripted model, in a home of its own, so that neither the user's settings nor
 * their sessions are touched. Where OpenCode is not installed, the demo does without it and says so.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../app-error.ts";
import { choosePort } from "../runtimes/opencode/choose-server.ts";
import { findOpencode } from "../runtimes/opencode/find-opencode.ts";
import { serverEnvironment } from "../runtimes/opencode/server-environment.ts";
import type { KeeperOptions } from "../runtimes/opencode/server-keeper.ts";
import type { ScriptedModel } from "../scripted-model/server.ts";
import { startScriptedModel } from "../scripted-model/server.ts";
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
    extraEnv: {
      HOME: home,
      XDG_DATA_HOME: join(home, "data"),
      XDG_CONFIG_HOME: join(home, "config"),
      XDG_STATE_HOME: join(home, "state"),
      XDG_CACHE_HOME: join(home, "cache"),
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(model.url)),
    },
  };
}

function opencodeConfig(modelUrl: string) {
  const models = { scripted: { tool_call: true, limit: { context: 100_000, output: 4000 } } };
  const options = { baseURL: `${modelUrl}/v1`, apiKey: "scripted" };
  return {
    model: "scripted/scripted",
    small_model: "scripted/scripted",
    autoupdate: false,
    share: "disabled",
    provider: { scripted: { npm: "@ai-sdk/openai-compatible", options, models } },
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
