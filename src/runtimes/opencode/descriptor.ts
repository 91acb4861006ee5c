/** OpenCode's settings, and what a start, the doctor and `waybill attach` need to know of it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError, messageOf } from "../../app-error.ts";
import type { Check } from "../../doctor-check.ts";
import { failed, failedBy, ok, warning } from "../../doctor-check.ts";
import { flag, host, httpUrl, port, program } from "../../setting-types.ts";
import type { DoctorContext, RuntimeContext } from "../descriptor.ts";
import { defineRuntime } from "../descriptor.ts";
import { modelsOf } from "../program-checks.ts";
import { OpencodeRuntime, opencodeTraits } from "./opencode-runtime.ts";
import { attachServer } from "./server/acquire-server.ts";
import type { ServerSettings } from "./server/choose-server.ts";
import { defaultAttachUrl, defaultServePort, refuseOpenHost } from "./server/choose-server.ts";
import { defaultProgram, findOpencode } from "./server/find-opencode.ts";
import { OpencodeApi } from "./server/opencode-api.ts";
import { serverEnvironment } from "./server/server-environment.ts";
import { readServerRecord } from "./server/server-record.ts";
import type { ServerEvent } from "./server/server-supervisor.ts";
import { ServerSupervisor } from "./server/server-supervisor.ts";
import { defaultServerTimes } from "./server/server-times.ts";
import { selectAgent } from "./session/agent-selection.ts";
import type { OpencodePermissionPolicy } from "./session/permission-policy.ts";
import { withPermissions } from "./session/permission-policy.ts";

const kind = "opencode";

export const opencode = defineRuntime({
  kind,
  name: "OpenCode",
  provider: "opencode_cli",
  program: defaultProgram,
  traits: opencodeTraits,
  settings: {
    opencodeBin: program.default(defaultProgram).meta({
      env: "OPENCODE_BIN",
      description:
        "The OpenCode program. By default the one in PATH, then the package that was installed with Waybill.",
    }),
    opencodeAttachUrl: httpUrl.default(defaultAttachUrl).meta({
      env: "OPENCODE_ATTACH_URL",
      description: "The OpenCode server that Waybill talks to, if one answers there.",
    }),
    opencodeAutoStart: flag.default(true).meta({
      env: "OPENCODE_AUTO_START",
      description: "Whether Waybill starts an OpenCode server when none answers.",
    }),
    opencodeServeHost: host.default("127.0.0.1").meta({
      env: "OPENCODE_SERVE_HOST",
      description:
        "The address that a server started by Waybill listens on. Any but a loopback address needs OPENCODE_SERVER_PASSWORD.",
    }),
    opencodeServePort: port.default(defaultServePort).meta({
      env: "OPENCODE_SERVE_PORT",
      description: "The port of a server started by Waybill. Instead of the default, any free one may be taken.",
    }),
  },
  laneSettings: {},
  laneProblem: ({ agent, model }) =>
    agent === null || model === null
      ? null
      : { key: "model", reason: "stands beside an agent, which brings its own", hint: "Leave out one of the two." },
  create(settings, context) {
    const { clock, permissions, systemPromptPath, isUsed, log, onError } = context;
    const directory = join(context.stateDirectory, "opencode-server");
    // A server that an earlier run left behind is taken over or ended even if no lane needs one.
    const startAtOnce = isUsed || readServerRecord(directory) !== null;
    if (startAtOnce) log.info({}, "Starting OpenCode, which takes a few seconds.");
    return new OpencodeRuntime({
      supervisor: new ServerSupervisor({
        settings,
        directory,
        env: context.env,
        extraEnv: { ...context.extraEnv, OPENCODE_CONFIG_CONTENT: configContent(context) },
        onEvent: (event) => logServer(event, log),
      }),
      clock,
      startAtOnce,
      ...(systemPromptPath === undefined ? {} : { systemPromptPath }),
      permissions: async (lane) => {
        const { policy, ...denied } = await permissions(lane);
        return { policy: policy as OpencodePermissionPolicy, ...denied };
      },
      onError,
    });
  },
  async doctor(settings, context) {
    const models = ok(`model ${kind}`, `${modelsOf(context.lanes)}.`);
    try {
      return [...(await checkServer(settings, context)), models, ...(await checkChoices(settings, context))];
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const isProgram = /^opencode_(not_found|unusable)$/.test(error.code);
      return [failedBy(`${isProgram ? "program" : "server"} ${kind}`, error), models];
    }
  },
});

/** Where OpenCode's own program is, for who wants to run its terminal. */
export async function opencodePath(
  settings: Readonly<Record<string, unknown>>,
  { env, signal }: Pick<DoctorContext, "env" | "signal">,
): Promise<string> {
  const bin = opencode.settings.opencodeBin?.parse(settings.opencodeBin) as string;
  return (await findOpencode({ program: bin, env, deadlineMs: defaultServerTimes.versionMs, signal })).path;
}

function configContent({ env, extraEnv, permissionPolicy }: RuntimeContext): string {
  try {
    const given = extraEnv.OPENCODE_CONFIG_CONTENT ?? env.OPENCODE_CONFIG_CONTENT;
    return withPermissions(given, permissionPolicy as OpencodePermissionPolicy);
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

function logServer({ type, ...facts }: ServerEvent, log: RuntimeContext["log"]): void {
  const { pid, ...rest } = { pid: undefined, ...facts };
  const level = /_(lost|unavailable|output_unbounded)$/.test(type) ? "warn" : "info";
  log[level]({ event: type, ...rest, ...(pid === undefined ? {} : { serverPid: pid }) }, serverWords[type]);
}

/** How Waybill would get its server, found out the way the runtime does, without starting one. */
async function checkServer(settings: ServerSettings, { env, stateDirectory, signal }: DoctorContext): Promise<Check[]> {
  const times = defaultServerTimes;
  const attached = await attachServer({ settings, directory: stateDirectory, env, extraEnv: {}, times, signal });
  const name = `server ${kind}`;
  if (attached) {
    const { url, version } = attached.address;
    return [ok(name, `Waybill attaches to the one at ${url}, version ${version}.`)];
  }
  const { opencodeBin, opencodeServeHost, opencodeServePort } = settings;
  refuseOpenHost(opencodeServeHost, Boolean(env.OPENCODE_SERVER_PASSWORD));
  const { path, version } = await findOpencode({
    program: opencodeBin,
    env: serverEnvironment(env, {}),
    deadlineMs: times.versionMs,
    signal,
  });
  return [
    ok(`program ${kind}`, `${path}, version ${version}.`),
    ok(name, `Waybill starts one of its own, at ${opencodeServeHost}:${opencodeServePort} if that is free.`),
  ];
}

/** Asks a server for the lanes' agents and models: the one that runs, else one that is started for this and ended. */
async function checkChoices(settings: ServerSettings, { env, lanes, signal }: DoctorContext): Promise<Check[]> {
  const choosing = lanes.flatMap(({ directory, ...lane }) =>
    directory === null || (lane.agent ?? lane.model) === null ? [] : [{ ...lane, directory }],
  );
  if (choosing.length === 0) return [];
  const directory = mkdtempSync(join(tmpdir(), "waybill-doctor-"));
  const own = { ...settings, opencodeServeHost: "127.0.0.1", opencodeServePort: 0 };
  const supervisor = new ServerSupervisor({ settings: own, directory, env });
  const stop = () => void supervisor.close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await supervisor.start();
    const api = new OpencodeApi(() => supervisor.address());
    const checks = choosing.map(async (lane) => {
      const chosen = await selectAgent(lane, api, AbortSignal.any([signal, AbortSignal.timeout(10_000)]));
      const name = `${lane.agent === null ? "model" : "agent"} of lane ${lane.id}`;
      if (!("notice" in chosen)) return ok(name, `OpenCode knows ${lane.agent ?? lane.model}.`);
      return failed(name, chosen.notice.message, "Correct it in the configuration, or leave it out.");
    });
    return await Promise.all(checks);
  } catch (error) {
    const why = `OpenCode could not be asked for its agents and models: ${messageOf(error)}`;
    return [warning(`choices ${kind}`, why, "Start Waybill; `waybill lanes` then shows what OpenCode does not know.")];
  } finally {
    signal.removeEventListener("abort", stop);
    await supervisor.close();
    rmSync(directory, { recursive: true, force: true });
  }
}
