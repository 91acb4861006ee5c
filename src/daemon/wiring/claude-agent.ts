/** Claude Code as the configuration wants it. Its programs are started when there is something to send. */
import { join } from "node:path";
import { systemClock } from "../../clock.ts";
import { ClaudeRuntime } from "../../runtimes/claude/claude-runtime.ts";
import type { AgentPermissions } from "../../runtimes/process-pool/agent-permissions.ts";
import type { AgentsOptions } from "./create-runtimes.ts";
import { deniedPlaces } from "./denied-directories.ts";

export function makeClaude({ config, env, log, storedLanes }: Omit<AgentsOptions, "stopping">): ClaudeRuntime {
  const { systemPromptPath, claudeMcpConfigPath, permissionPolicy } = config;
  return new ClaudeRuntime({
    program: config.claudeBin,
    env,
    directory: join(config.stateDirectory, "claude"),
    clock: systemClock,
    ...(systemPromptPath === null ? {} : { systemPromptPath }),
    ...(claudeMcpConfigPath === null ? {} : { mcpConfigPath: claudeMcpConfigPath }),
    idleMs: config.sessionIdleTimeoutMs,
    maxResting: config.sessionMaxConcurrent,
    permissions: async (lane): Promise<AgentPermissions> => ({
      policy: permissionPolicy === "trusted" ? "trusted" : "safe",
      ...(await deniedPlaces(lane, { home: config.home, storedLanes })),
    }),
    onError: (error) => log.warn({ err: error }, "Claude Code had trouble; it is tried again."),
  });
}
