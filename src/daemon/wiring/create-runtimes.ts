/**
 * Creates every runtime of the registry from a configuration, along with what they need to run. A runtime that no lane uses
 * is checked like the others, but loaded only when a lane first needs it.
 */

import { realpathSync } from "node:fs";
import type { Lane } from "../../core/lane/lane.ts";
import { AppError } from "../../platform/app-error.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Permissions, ToolServer } from "../../runtimes/descriptor.ts";
import { lazyRuntime } from "../../runtimes/lazy-runtime.ts";
import type { PostMessage, Runtime } from "../../runtimes/port.ts";
import { runtimeDescriptors } from "../../runtimes/registry.ts";
import type { Config } from "../config/config.ts";
import type { ConfigLane } from "../config/lanes.ts";
import { runtimeOfProvider } from "../config/lanes.ts";
import { demoLaneScripts, withoutOpencode } from "../demo/demo-profile.ts";
import type { Logger } from "../logging.ts";

export type Agents = {
  lanes: readonly ConfigLane[];
  /** For lanes that do not name a runtime. */
  defaultRuntime: string;
  make: (postMessage: PostMessage) => Promise<Runtime[]>;
  /** Call this once the runtimes are closed. */
  close: () => Promise<void>;
};

export type AgentsOptions = {
  config: Config;
  env: NodeJS.ProcessEnv;
  log: Logger;
  stopping: AbortSignal;
  /** The lanes in the store at the time of the call. */
  storedLanes: () => Promise<readonly Lane[]>;
  toolServer: (laneId: string) => Promise<ToolServer | null>;
};

export async function createRuntimes(options: AgentsOptions): Promise<Agents> {
  const { config, env, log, storedLanes, toolServer } = options;
  const { permissionPolicy } = config;
  const { demo, lanes, ...instead } = await demoOrNot(options);
  const { runtime: defaultRuntime } = instead;
  const used = new Set([...lanes, ...(await storedLanes())].map(({ runtime }) => runtime));
  const make = async (postMessage: PostMessage) => {
    const prepared = runtimeDescriptors.map((descriptor) => {
      const { kind, name } = descriptor;
      const isUsed = used.has(kind);
      const { hasOrphans, load } = descriptor.prepare(
        { ...config.runtimeSettings, ...demo?.settings, ...instead.settings },
        {
          env,
          extraEnv: demo?.extraEnv ?? {},
          stateDirectory: config.stateDirectory,
          clock: systemClock,
          log,
          onError: (error) => log.warn({ err: error }, `${name} failed; retrying.`),
          isUsed,
          laneSettings: config.laneSettings,
          systemPromptPath: config.systemPromptPath,
          permissionPolicy,
          permissions: async (lane) => ({
            policy: permissionPolicy,
            ...(await deniedDirectories(lane, { home: config.home, storedLanes })),
          }),
          idleMs: config.sessionIdleTimeoutMs,
          maxResting: config.sessionMaxConcurrent,
          postMessage,
          toolServer,
        },
      );
      return isUsed || hasOrphans ? load : async () => lazyRuntime(descriptor, load);
    });
    return Promise.all(prepared.map((create) => create()));
  };
  return { lanes, defaultRuntime, make, close: async () => demo?.model.close() };
}

async function demoOrNot({ config, env, log, stopping }: AgentsOptions) {
  const { profile, lanes } = config;
  const runtime = runtimeOfProvider(config.modelProvider);
  if (profile.kind !== "demo") return { demo: null, lanes, runtime, settings: {} };
  // Loaded only for the demo: the scripted model is a separate server.
  const { startDemoOpencode } = await import("../demo/demo-opencode.ts");
  const demo = await startDemoOpencode(config.stateDirectory, config.runtimeSettings, env, stopping);
  if (!(demo instanceof AppError)) return { demo, lanes, runtime, settings: {} };
  stopping.throwIfAborted();
  const { message, hint = "" } = demo;
  log.warn(`The demo runs without OpenCode; a scripted agent answers instead. ${message} ${hint}`.trim());
  const settings = { stubScript: demoLaneScripts.demo.script };
  return { demo: null, lanes: lanes.map(withoutOpencode), ...withoutOpencode({ runtime }), settings };
}

/**
 * The directories that the tools of a lane's agent must not touch: Waybill's own state, and other lanes' directories.
 */
async function deniedDirectories(
  lane: Lane,
  { home, storedLanes }: { home: string; storedLanes: () => Promise<readonly Lane[]> },
): Promise<Omit<Permissions, "policy">> {
  const others = (await storedLanes()).filter(({ id }) => id !== lane.id);
  return { stateDirectories: namesOf(home), otherDirectories: others.map(({ directory }) => directory) };
}

/** Programs compare paths as written, so a path through symlinks is denied under both names. */
export function namesOf(path: string): string[] {
  return [...new Set([path, realpathSync(path)])];
}
