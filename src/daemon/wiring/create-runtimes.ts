/** The agent programs of a configuration: which runtimes there are, and what has to run beside them. */
import { join } from "node:path";
import { AppError } from "../../app-error.ts";
import { systemClock } from "../../clock.ts";
import type { Lane } from "../../core/lane/lane.ts";
import { OpencodeRuntime } from "../../runtimes/opencode/opencode-runtime.ts";
import type { KeeperOptions, ServerEvent } from "../../runtimes/opencode/server/server-keeper.ts";
import { ServerKeeper } from "../../runtimes/opencode/server/server-keeper.ts";
import { readServerRecord } from "../../runtimes/opencode/server/server-record.ts";
import { withPermissions } from "../../runtimes/opencode/session/permission-policy.ts";
import type { PostMessage, Runtime } from "../../runtimes/port.ts";
import { StubRuntime } from "../../runtimes/stub/stub-runtime.ts";
import type { Config } from "../config/config.ts";
import type { ConfigLane } from "../config/lanes.ts";
import { startDemoOpencode } from "../demo/demo-opencode.ts";
import type { Logger } from "../logging.ts";
import { makeClaude } from "./claude-agent.ts";
import { deniedPlaces } from "./denied-directories.ts";
import { makePi } from "./pi-agent.ts";

export type Agents = {
  lanes: readonly ConfigLane[];
  make: (postMessage: PostMessage) => Runtime[];
  /** To be called once the runtimes are closed. */
  close: () => Promise<void>;
};

export type AgentsOptions = {
  config: Config;
  env: NodeJS.ProcessEnv;
  log: Logger;
  stopping: AbortSignal;
  /** Those in the store, as they are when it is asked. */
  storedLanes: () => Promise<readonly Lane[]>;
};

export async function createRuntimes({ config, env, log, stopping, storedLanes }: AgentsOptions): Promise<Agents> {
  const { demo, lanes } = await demoOrNot({ config, env, log, stopping });
  const { opencodeBin, opencodeAttachUrl, opencodeAutoStart, opencodeServeHost, opencodeServePort } = config;
  const keeper: KeeperOptions = {
    settings: { opencodeBin, opencodeAttachUrl, opencodeAutoStart, opencodeServeHost, opencodeServePort },
    directory: join(config.stateDirectory, "opencode-server"),
    env,
    ...demo,
    extraEnv: {
      ...demo?.extraEnv,
      OPENCODE_CONFIG_CONTENT: contentFor(
        config,
        demo?.extraEnv.OPENCODE_CONFIG_CONTENT ?? env.OPENCODE_CONFIG_CONTENT,
      ),
    },
    onEvent: (event) => logServer(event, log),
  };
  const isUsed = [...lanes, ...(await storedLanes())].some((lane) => lane.runtime === "opencode");
  // Also with no lane for it any more, a server that was left behind is not left for good.
  const startAtOnce = isUsed || readServerRecord(keeper.directory) !== null;
  if (startAtOnce) log.info("Starting OpenCode, which takes a few seconds.");
  const make = (postMessage: PostMessage): Runtime[] => [
    new StubRuntime({
      journalPath: config.stubJournalPath,
      clock: systemClock,
      scripts: config.stubScripts,
      postMessage,
    }),
    new OpencodeRuntime({
      keeper: new ServerKeeper(keeper),
      clock: systemClock,
      startAtOnce,
      ...(config.systemPromptPath === null ? {} : { systemPromptPath: config.systemPromptPath }),
      permissions: async (lane) => ({
        policy: config.permissionPolicy,
        ...(await deniedPlaces(lane, { home: config.home, storedLanes })),
      }),
      onError: (error) => log.warn({ err: error }, "OpenCode had trouble; it is tried again."),
    }),
    makeClaude({ config, env, log, storedLanes }),
    makePi({ config, env, log, storedLanes }),
  ];
  return { lanes, make, close: async () => demo?.model.close() };
}

async function demoOrNot({ config, env, log, stopping }: Omit<AgentsOptions, "storedLanes">) {
  const { profile, lanes } = config;
  if (profile.kind !== "demo") return { demo: null, lanes };
  const demo = await startDemoOpencode(config.stateDirectory, config.opencodeBin, env, stopping);
  if (!(demo instanceof AppError)) return { demo, lanes };
  stopping.throwIfAborted();
  const { message, hint } = demo;
  log.warn(
    `The demo goes without OpenCode, and a scripted agent answers in its place. ${message} ${hint ?? ""}`.trim(),
  );
  return { demo: null, lanes: lanes.map(onStub) };
}

function contentFor({ permissionPolicy }: Config, given: string | undefined): string {
  try {
    return withPermissions(given, permissionPolicy);
  } catch (cause) {
    throw new AppError({
      code: "config_invalid",
      message: "OPENCODE_CONFIG_CONTENT is not JSON.",
      hint: "Correct it, or leave it out and write OpenCode's own configuration file.",
      cause,
    });
  }
}

const serverWords: Record<ServerEvent["type"], string> = {
  opencode_started: "OpenCode was started.",
  opencode_adopted: "The OpenCode server of the last run was taken over.",
  opencode_attached: "OpenCode runs already, and is used.",
  opencode_lost: "OpenCode is gone; it is brought back.",
  opencode_ended: "OpenCode was ended.",
  opencode_output_unbounded: "What OpenCode prints could not be cut short; it is tried again.",
  opencode_unavailable: "There is no OpenCode to work with at present; it is tried for again.",
};

function logServer(event: ServerEvent, log: Logger): void {
  const { type, ...facts } = event;
  const { pid, ...rest } = { pid: undefined, ...facts };
  const level = /_(lost|unavailable|output_unbounded)$/.test(type) ? "warn" : "info";
  log[level]({ event: type, ...rest, ...(pid === undefined ? {} : { serverPid: pid }) }, serverWords[type]);
}

/** The demo's own agent answers by its other script then. */
export function onStub(lane: ConfigLane): ConfigLane {
  return { ...lane, runtime: "stub" };
}
