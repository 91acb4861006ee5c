/** Settings for an OpenCode that uses the scripted model and nothing of the machine's user. Pure. */
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

/** Environment variables that isolate it from the user's settings and sessions and from the network. */
export function isolatedHome(home: string): Record<string, string> {
  return {
    HOME: home,
    XDG_DATA_HOME: join(home, "data"),
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    XDG_CACHE_HOME: join(home, "cache"),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  };
}
