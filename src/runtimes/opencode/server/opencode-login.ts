/** Checks OpenCode's files and variables for a provider's account or key. */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { jsonIn } from "../../json-fields.ts";

const keyVariables = [
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "OPENROUTER_API_KEY",
  "GEMINI_API_KEY",
  "OPENCODE_API_KEY",
];

/** Null if none is found: OpenCode also has models that need no key, and reads many more variables. */
export function hasOpencodeLogin(env: NodeJS.ProcessEnv): boolean | null {
  if (keyVariables.some((name) => env[name])) return true;
  const data = env.XDG_DATA_HOME || join(env.HOME ?? homedir(), ".local", "share");
  const accounts = join(data, "opencode", "auth.json");
  if (!existsSync(accounts)) return null;
  return Object.keys(jsonIn(readFileSync(accounts, "utf8")) ?? {}).length > 0 ? true : null;
}
