/** Whether pi has a key for a provider, without calling the provider. */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { asObject, jsonIn } from "../../json-fields.ts";
import { keyVariable } from "./pi-environment.ts";

/**
 * From the environment, from pi's own login (`auth.json`), or from a provider that the user defined (`models.json`).
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
