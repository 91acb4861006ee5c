/** The environment of a server that Waybill starts, the fingerprint of that start, and the login of the program. */

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { jsonIn } from "../json-fields.ts";
import type { AgentEnvironment } from "../process/agent-environment.ts";
import { inheritedEnvironment, isTerminalVariable } from "../process/agent-environment.ts";

const opencode = /^OPENCODE_[A-Z0-9_]+$/;

/** Waybill's own variables, and those of an OpenCode session that started the daemon. */
const notPassed =
  /^OPENCODE_(BIN|ATTACH_URL|AUTO_START|SERVE_(HOST|PORT)|SERVER_(PASSWORD|USERNAME)|PID|ROUTE|CLIENT|WORKSPACE_ID|RUN_ID|PROCESS_ROLE|EDITOR_SSE_PORT)$/;

/** Does not include the password and the nonce, which differ for each start. */
export function serverEnvironment(env: NodeJS.ProcessEnv, extra: Readonly<Record<string, string>>): AgentEnvironment {
  const passed = inheritedEnvironment(env, (name) => opencode.test(name) && !notPassed.test(name));
  return { ...passed, OPENCODE_DISABLE_AUTOUPDATE: "1", ...extra };
}

/** A server with another fingerprint is not adopted, since it runs another program, or with an old key or permissions. */
export function startFingerprint(start: {
  path: string;
  configuredAddress: string;
  environment: AgentEnvironment;
}): string {
  const relevant = Object.entries(start.environment)
    .filter(([name]) => !isTerminalVariable(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([start.path, start.configuredAddress, relevant]))
    .digest("hex");
}

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
