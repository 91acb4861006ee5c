/** The environment of a server that Waybill starts, and what of it makes another server necessary. Pure. */
import { createHash } from "node:crypto";
import type { AgentEnvironment } from "../../process/agent-environment.ts";
import { inheritedEnvironment, isTerminalVariable } from "../../process/agent-environment.ts";

const opencode = /^OPENCODE_[A-Z0-9_]+$/;

/** Waybill's own, or of the OpenCode session in which somebody started the daemon. */
const kept =
  /^OPENCODE_(BIN|ATTACH_URL|AUTO_START|SERVE_(HOST|PORT)|SERVER_(PASSWORD|USERNAME)|PID|ROUTE|CLIENT|WORKSPACE_ID|RUN_ID|PROCESS_ROLE|EDITOR_SSE_PORT)$/;

/** Without the password and the nonce, which are another for each start. */
export function serverEnvironment(env: NodeJS.ProcessEnv, extra: Readonly<Record<string, string>>): AgentEnvironment {
  const passed = inheritedEnvironment(env, (name) => opencode.test(name) && !kept.test(name));
  return { ...passed, OPENCODE_DISABLE_AUTOUPDATE: "1", ...extra };
}

/**
 * What a server was started with, as a hash. One that was started with something else is not taken over: it would go on
 * with an old key, an old permission table or an old program.
 */
export function fingerprintOf(start: {
  path: string;
  version: string;
  place: string;
  environment: AgentEnvironment;
}): string {
  const meant = Object.entries(start.environment)
    .filter(([name]) => !isTerminalVariable(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([start.path, start.version, start.place, meant]))
    .digest("hex");
}
