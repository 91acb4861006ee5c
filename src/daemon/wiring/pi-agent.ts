/** pi as the configuration wants it. Its programs are started when there is something to send. */
import { join } from "node:path";
import { systemClock } from "../../clock.ts";
import { PiRuntime } from "../../runtimes/pi/pi-runtime.ts";
import type { AgentPermissions } from "../../runtimes/process-pool/agent-permissions.ts";
import type { AgentsOptions } from "./create-runtimes.ts";
import { deniedPlaces } from "./denied-directories.ts";

export function makePi({ config, env, log, storedLanes }: Omit<AgentsOptions, "stopping">): PiRuntime {
  const { systemPromptPath, permissionPolicy } = config;
  return new PiRuntime({
    program: config.piBin,
    env,
    directory: join(config.stateDirectory, "pi"),
    clock: systemClock,
    provider: config.piAgentProvider,
    model: config.piAgentModel,
    apiKey: config.secrets.piAgentApiKey?.reveal() ?? null,
    maxSteps: config.piAgentMaxSteps,
    ...(systemPromptPath === null ? {} : { systemPromptPath }),
    idleMs: config.sessionIdleTimeoutMs,
    maxResting: config.sessionMaxConcurrent,
    permissions: async (lane): Promise<AgentPermissions> => ({
      policy: permissionPolicy === "trusted" ? "trusted" : "safe",
      ...(await deniedPlaces(lane, { home: config.home, storedLanes })),
    }),
    onError: (error) => log.warn({ err: error }, "pi had trouble; it is tried again."),
  });
}
