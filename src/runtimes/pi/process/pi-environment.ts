/** The environment of a pi program that Waybill starts. Pure. */
import type { AgentEnvironment } from "../../process/agent-environment.ts";
import { inheritedEnvironment } from "../../process/agent-environment.ts";
import type { GateRules } from "../extension/gate-protocol.ts";
import { rulesVariable } from "../extension/gate-protocol.ts";

/** Unless the user says otherwise. */
const settings: Readonly<Record<string, string>> = {
  // No look for new versions and no downloads when it starts. Models are reached all the same.
  PI_OFFLINE: "1",
  PI_TELEMETRY: "0",
};

/** Where the key of a provider is not named after it. */
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

/** The variable in which pi looks for the key of a provider. */
export function keyVariable(provider: string): string {
  return keyVariables[provider] ?? `${provider.toUpperCase().replace(/[^A-Z0-9]/g, "_")}_API_KEY`;
}

export type EnvironmentFor = {
  env: NodeJS.ProcessEnv;
  rules: GateRules;
  provider: string;
  /** `piAgentApiKey`. A key among the arguments could be seen by everybody on the machine. */
  apiKey: string | null;
};

/** Without the nonce, which is another for each start. */
export function piEnvironment({ env, rules, provider, apiKey }: EnvironmentFor): AgentEnvironment {
  const own = (name: string) => name in settings || /^(PI_(?!BIN$)|COPILOT_GITHUB_TOKEN$)/.test(name);
  return {
    ...settings,
    ...inheritedEnvironment(env, own),
    ...(apiKey === null ? {} : { [keyVariable(provider)]: apiKey }),
    [rulesVariable]: JSON.stringify(rules),
  };
}
