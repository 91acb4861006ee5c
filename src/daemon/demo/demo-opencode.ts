/**
 * The demo's agent: a real OpenCode with a scripted model and its own home, so that the user's settings and sessions are not
 * touched. If OpenCode is not installed, the demo runs without it and says so.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ScriptedModel } from "@waybill/scripted-model";
import { isolatedHome, scriptedProvider, startScriptedModel } from "@waybill/scripted-model";
import { AppError } from "../../platform/app-error.ts";
import { opencode } from "../../runtimes/opencode/descriptor.ts";
import { serverEnvironment } from "../../runtimes/opencode/environment.ts";
import { choosePort } from "../../runtimes/opencode/server/choose-server.ts";
import { demoModelScript } from "./demo-model.ts";

export type DemoOpencode = {
  /** Replace the configured settings. */
  settings: Readonly<Record<string, unknown>>;
  extraEnv: Readonly<Record<string, string>>;
  model: ScriptedModel;
};

/** The reason why OpenCode cannot be used, if so. */
export async function startDemoOpencode(
  stateDirectory: string,
  settings: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<DemoOpencode | AppError> {
  try {
    await opencode.terminal?.(settings, { env: serverEnvironment(env, {}), signal });
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  const home = join(stateDirectory, "opencode");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const model = await startScriptedModel({ script: demoModelScript });
  const port = await choosePort("127.0.0.1", 0);
  return {
    model,
    // The port was free a moment ago, so no other server listens on it.
    settings: {
      opencodeAttachUrl: `http://127.0.0.1:${port}`,
      opencodeAutoStart: true,
      opencodeServeHost: "127.0.0.1",
      opencodeServePort: port,
    },
    extraEnv: { ...isolatedHome(home), OPENCODE_CONFIG_CONTENT: JSON.stringify(scriptedProvider(model.url)) },
  };
}
