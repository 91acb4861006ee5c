/** Checks Claude Code's files and variables for an account or a key. */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { asObject, jsonIn } from "../../json-fields.ts";

const keyVariables = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
];

export function hasClaudeLogin(env: NodeJS.ProcessEnv): boolean {
  if (keyVariables.some((name) => env[name])) return true;
  const home = env.HOME ?? homedir();
  const directory = env.CLAUDE_CONFIG_DIR || join(home, ".claude");
  if (existsSync(join(directory, ".credentials.json"))) return true;
  // On macOS the credentials are in the keychain; the account is in this file on every system.
  const settings = env.CLAUDE_CONFIG_DIR ? join(directory, ".claude.json") : join(home, ".claude.json");
  if (!existsSync(settings)) return false;
  return asObject(jsonIn(readFileSync(settings, "utf8"))?.oauthAccount) !== null;
}
