/** The environment of a Claude Code program that Waybill starts. Pure. */
import type { AgentEnvironment } from "../../process/agent-environment.ts";
import { inheritedEnvironment } from "../../process/agent-environment.ts";

/**
 * Waybill's own, or of the Claude Code session in which somebody started the daemon. A program that takes itself for a
 * child of that session, or is told to skip its history, may keep no transcript, and nothing could be proven.
 */
const kept =
  /^CLAUDE_(BIN|MCP_CONFIG_PATH|PID|EFFORT|ENV_FILE|PROJECT_DIR|PLUGIN_(ROOT|DATA)|CODE_(ENTRYPOINT|SSE_PORT|EXECPATH|INVOKED_SKILLS|CHILD_SESSION|SKIP_PROMPT_HISTORY|SESSION_(ID|ATTENDED)|(REMOTE|BRIDGE|CLOUD)_SESSION_ID))$/;

/** Unless the user says otherwise. */
const settings: Readonly<Record<string, string>> = {
  DISABLE_AUTOUPDATER: "1",
  DISABLE_TELEMETRY: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  // Its own ten tries take minutes, also where a key is wrong. A later one is Waybill's to make.
  CLAUDE_CODE_MAX_RETRIES: "3",
  // Subagents would work on after the end of the turn, and begin turns by themselves.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  // Tools would have to be searched for by the model before it can use them, Waybill's own included.
  ENABLE_TOOL_SEARCH: "false",
};

/** Without the nonce, which is another for each start. */
export function claudeEnvironment(env: NodeJS.ProcessEnv): AgentEnvironment {
  return {
    ...settings,
    ...inheritedEnvironment(env, (name) => name in settings || (/^CLAUDE_/.test(name) && !kept.test(name))),
  };
}
