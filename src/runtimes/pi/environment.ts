/** The environment of a pi process that Waybill starts, and the keys of providers. */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { asObject, jsonIn } from "../json-fields.ts";
import type { AgentEnvironment } from "../process/agent-environment.ts";
import { inheritedEnvironment } from "../process/agent-environment.ts";
import type { GateRules } from "./extension/gate-protocol.ts";
import { rulesVariable } from "./extension/gate-protocol.ts";

/** Defaults, unless the user sets them. */
const defaults: Readonly<Record<string, string>> = {
  // No update check and no downloads at the start. Model calls are not affected.
  PI_OFFLINE: "1",
  PI_TELEMETRY: "0",
};

/** Providers with a key variable that is not named after them. */
const keyVariables: Readonly<Record<string, string>> = {
  google: "GEMINI_API_KEY",
  "google-vertex": "GOOGLE_CLOUD_API_KEY",
  "azure-openai-responses": "AZURE_OPENAI_API_KEY",
  "vercel-ai-gateway": "AI_GATEWAY_API_KEY",
  moonshotai: "MOONSHOT_API_KEY",
  "moonshotai-cn": "MOONSHOT_API_KEY",
  huggingface: "HF_TOKEN",
  "github-copilot": "COPILOT_GITHUB_TOKEN",
  "opencode-go": "OPENCODE_API_KEY",
  "kimi-coding": "KIMI_API_KEY",
  "cloudflare-workers-ai": "CLOUDFLARE_API_KEY",
  "cloudflare-ai-gateway": "CLOUDFLARE_API_KEY",
};

/** The variable in which pi expects a provider's key. */
export function keyVariable(provider: string): string {
  return keyVariables[provider] ?? `${provider.toUpperCase().replace(/[^A-Z0-9]/g, "_")}_API_KEY`;
}

export type PiEnvironment = {
  env: NodeJS.ProcessEnv;
  rules: GateRules;
  provider: string;
  /** `piAgentApiKey`. Not passed as an argument, which every user of the machine could see. */
  apiKey: string | null;
};

/** Does not include the nonce, which differs for each start. */
export function piEnvironment({ env, rules, provider, apiKey }: PiEnvironment): AgentEnvironment {
  const own = (name: string) => name in defaults || /^(PI_(?!BIN$)|COPILOT_GITHUB_TOKEN$)/.test(name);
  return {
    ...defaults,
    ...inheritedEnvironment(env, own),
    ...(apiKey === null ? {} : { [keyVariable(provider)]: apiKey }),
    [rulesVariable]: JSON.stringify(rules),
  };
}

/**
 * Whether pi has a key for a provider: from the environment, from pi's own login (`auth.json`), or from a provider that the user defined (`models.json`).
 */
export function hasProviderKey(provider: string, env: NodeJS.ProcessEnv): boolean {
  if (env[keyVariable(provider)]) return true;
  const directory = env.PI_CODING_AGENT_DIR ?? join(env.HOME ?? homedir(), ".pi", "agent");
  const defined = asObject(jsonFile(directory, "models.json").providers) ?? {};
  return provider in jsonFile(directory, "auth.json") || provider in defined;
}

function jsonFile(directory: string, name: string): Readonly<Record<string, unknown>> {
  const path = join(directory, name);
  return existsSync(path) ? (jsonIn(readFileSync(path, "utf8")) ?? {}) : {};
}
