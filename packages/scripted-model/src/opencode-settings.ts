/** Settings for an OpenCode that uses the scripted model, nothing of the machine's user, and no network. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** For OPENCODE_CONFIG_CONTENT. `modelUrl` is the model's base URL, without `/v1`. */
export function scriptedProvider(modelUrl: string): Record<string, unknown> {
  const modalities = { input: ["text", "image", "pdf"], output: ["text"] };
  const can = { tool_call: true, reasoning: true, attachment: true, modalities };
  const models = { scripted: { ...can, limit: { context: 100_000, output: 4000 } } };
  const options = { baseURL: `${modelUrl}/v1`, apiKey: "scripted" };
  return {
    model: "scripted/scripted",
    small_model: "scripted/scripted",
    autoupdate: false,
    share: "disabled",
    provider: { scripted: { npm: "@ai-sdk/openai-compatible", options, models } },
  };
}

/** Prepares a home, and returns the environment variables that keep OpenCode inside it and off the network. */
export function isolatedHome(home: string): Record<string, string> {
  preventPluginInstall(join(home, "config/opencode"));
  // The list of all known providers. The built-in one is parsed once for each directory, which takes over a CPU second.
  const catalogue = join(home, "models.json");
  writeFileSync(catalogue, "{}");
  return {
    HOME: home,
    XDG_DATA_HOME: join(home, "data"),
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    XDG_CACHE_HOME: join(home, "cache"),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_MODELS_PATH: catalogue,
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  };
}

/**
 * A server installs its plugin package from npm into each configuration directory whose lock file does not name it. That
 * takes ten CPU seconds of the server's own thread, and is only needed by plugins.
 */
function preventPluginInstall(directory: string): void {
  mkdirSync(join(directory, "node_modules"), { recursive: true });
  const dependencies = { "@opencode-ai/plugin": "*" };
  writeFileSync(join(directory, "package-lock.json"), JSON.stringify({ packages: { "": { dependencies } } }));
}
