/** The environment of a Claude Code process that Waybill starts, and its login. */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { asObject, jsonIn } from "../json-fields.ts";
import type { AgentEnvironment } from "../process/agent-environment.ts";
import { inheritedEnvironment } from "../process/agent-environment.ts";

/**
 * Waybill's own variables, and those of a Claude Code session that started the daemon. With them, a process may believe
 * that it is a child of that session, or skip its history. It may then write no transcript, so nothing could be proven.
 */
const excluded =
  /^CLAUDE_(BIN|MCP_CONFIG_PATH|PID|EFFORT|ENV_FILE|PROJECT_DIR|PLUGIN_(ROOT|DATA)|CODE_(ENTRYPOINT|SSE_PORT|EXECPATH|INVOKED_SKILLS|CHILD_SESSION|SKIP_PROMPT_HISTORY|SESSION_(ID|ATTENDED)|(REMOTE|BRIDGE|CLOUD)_SESSION_ID))$/;

/** Defaults, unless the user sets them. */
const defaults: Readonly<Record<string, string>> = {
  DISABLE_AUTOUPDATER: "1",
  DISABLE_TELEMETRY: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  // The program's default of ten retries takes minutes, even with a wrong key. Waybill retries later.
  CLAUDE_CODE_MAX_RETRIES: "3",
  // Background subagents would continue after the end of the turn, and start turns on their own.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  // Otherwise the model has to search for tools, including Waybill's own, before it can use them.
  ENABLE_TOOL_SEARCH: "false",
};

/** Does not include the nonce, which differs for each start. */
export function claudeEnvironment(env: NodeJS.ProcessEnv): AgentEnvironment {
  return {
    ...defaults,
    ...inheritedEnvironment(env, (name) => name in defaults || (/^CLAUDE_/.test(name) && !excluded.test(name))),
  };
}

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
