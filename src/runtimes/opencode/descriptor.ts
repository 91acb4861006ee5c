/** OpenCode's descriptor: its settings, how to start it, and its doctor checks. */
import { AppError } from "../../platform/app-error.ts";
import { flag, host, httpUrl, port, program as programSetting } from "../../platform/setting-types.ts";
import type { RuntimeContext, RuntimeIdentity } from "../descriptor.ts";
import { defineRuntime } from "../descriptor.ts";
import { acceptedImages, acceptedPdf, acceptedText } from "../model-files.ts";
import type { OpencodePermissionPolicy } from "./permissions/permission-table.ts";
import { withPermissions } from "./permissions/permission-table.ts";
import program from "./program.json" with { type: "json" };
import { defaultAttachUrl, defaultServePort } from "./server/default-address.ts";
import { locateOpencode } from "./server/find-opencode.ts";
import { readServerRecord, serverDirectory } from "./server/server-record.ts";
import type { ServerEvent } from "./server/server-supervisor.ts";

const identity: RuntimeIdentity = {
  kind: "opencode",
  traits: {
    takesIds: true,
    sendingAgain: "reruns",
    attachments: [...acceptedImages, acceptedPdf, acceptedText],
    takesSystem: true,
  },
  idsFrom: (digest) => ({ messageId: `msg_${digest}`, partId: `prt_${digest}` }),
};

const opencodeBin = programSetting.default(program.command).meta({
  env: "OPENCODE_BIN",
  description: "The OpenCode program. Defaults to the one in PATH, then to the package installed with Waybill.",
});

export const opencode = defineRuntime({
  ...identity,
  name: program.name,
  provider: "opencode_cli",
  program: program.command,
  locate: (env) => locateOpencode({ program: program.command, env }),
  hasLogin: async (env) => (await import("./environment.ts")).hasOpencodeLogin(env),
  async terminal(settings, { env, signal }) {
    const [{ findOpencode }, { defaultServerTimes }] = await Promise.all([
      import("./server/find-opencode.ts"),
      import("./server/server-process.ts"),
    ]);
    const found = findOpencode({
      program: opencodeBin.parse(settings.opencodeBin),
      ...{ env, signal, deadlineMs: defaultServerTimes.versionMs },
    });
    return (await found).path;
  },
  offers: ["models", "checkChoice", "sessionsIn", "checkAdoption", "fork"],
  settings: {
    opencodeBin,
    opencodeAttachUrl: httpUrl.default(defaultAttachUrl).meta({
      env: "OPENCODE_ATTACH_URL",
      description: "The OpenCode server that Waybill attaches to, if one answers there.",
    }),
    opencodeAutoStart: flag.default(true).meta({
      env: "OPENCODE_AUTO_START",
      description: "Whether Waybill starts an OpenCode server when none answers.",
    }),
    opencodeServeHost: host.default("127.0.0.1").meta({
      env: "OPENCODE_SERVE_HOST",
      description:
        "The address that a server started by Waybill listens on. If it is not loopback, OPENCODE_SERVER_PASSWORD is required.",
    }),
    opencodeServePort: port.default(defaultServePort).meta({
      env: "OPENCODE_SERVE_PORT",
      description: "The port of a server started by Waybill. If the default port is taken, Waybill uses any free one.",
    }),
  },
  laneSettings: {},
  agentsNameModels: true,
  laneProblem: ({ agent, model }) =>
    agent === null || model === null || !bringsModel(agent)
      ? null
      : { key: "model", reason: "conflicts with its agent, which brings its own", hint: "Leave out one of the two." },
  prepare(settings, context) {
    const { clock, permissions, toolServer, systemPromptPath, isUsed, log, onError } = context;
    const directory = serverDirectory(context.stateDirectory);
    const extraEnv = { ...context.extraEnv, OPENCODE_CONFIG_CONTENT: configContent(context) };
    const hasOrphans = readServerRecord(directory) !== null;
    return {
      hasOrphans,
      async load() {
        const { OpencodeRuntime } = await import("./runtime.ts");
        const { ServerSupervisor } = await import("./server/server-supervisor.ts");
        // A server left over from an earlier run is adopted or ended even if no lane needs one.
        const startAtOnce = isUsed || hasOrphans;
        if (startAtOnce) log.info({}, "Starting OpenCode, which takes a few seconds.");
        const onEvent = (event: ServerEvent) => logServer(event, log);
        return new OpencodeRuntime({
          identity,
          supervisor: new ServerSupervisor({ settings, directory, env: context.env, extraEnv, onEvent }),
          clock,
          startAtOnce,
          ...(systemPromptPath === undefined ? {} : { systemPromptPath }),
          permissions: async (lane) => {
            const { policy, ...denied } = await permissions(lane);
            return { policy: policy as OpencodePermissionPolicy, ...denied };
          },
          toolServer,
          onError,
        });
      },
    };
  },
  async doctor(settings, context) {
    const { checkOpencode } = await import("./doctor.ts");
    return checkOpencode(identity.kind, settings, context);
  },
});

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
  opencode_started: "Started OpenCode.",
  opencode_adopted: "Adopted the OpenCode server of the last run.",
  opencode_attached: "Attached to a running OpenCode server.",
  opencode_lost: "Lost the OpenCode server; recovering.",
  opencode_ended: "Ended OpenCode.",
  opencode_output_unbounded: "Could not truncate OpenCode's output file; will retry.",
  opencode_unavailable: "OpenCode is unavailable; will retry.",
};

function logServer({ type, ...facts }: ServerEvent, log: RuntimeContext["log"]): void {
  const { pid, ...rest } = { pid: undefined, ...facts };
  const level = /_(lost|unavailable|output_unbounded)$/.test(type) ? "warn" : "info";
  log[level]({ event: type, ...rest, ...(pid === undefined ? {} : { serverPid: pid }) }, serverWords[type]);
}

/** A custom agent brings its own model. The two built-in ones bring none: its clients name a model with every prompt. */
function bringsModel(agent: string): boolean {
  return agent !== "build" && agent !== "plan";
}
