/** OpenCode's settings, and what a start and the doctor need to know of it. */
import { join } from "node:path";
import { AppError } from "../../app-error.ts";
import { flag, host, httpUrl, port, program } from "../../setting-types.ts";
import type { RuntimeContext } from "../descriptor.ts";
import { defineRuntime } from "../descriptor.ts";
import { defaultAttachUrl, defaultServePort } from "./server/choose-server.ts";
import { defaultProgram } from "./server/find-opencode.ts";
import { readServerRecord } from "./server/server-record.ts";
import type { ServerEvent } from "./server/server-supervisor.ts";
import { bringsModel } from "./session/agent-selection.ts";
import type { OpencodePermissionPolicy } from "./session/permission-policy.ts";
import { withPermissions } from "./session/permission-policy.ts";
import { opencodeIds, opencodeTraits } from "./traits.ts";

const kind = "opencode";

export const opencode = defineRuntime({
  kind,
  name: "OpenCode",
  provider: "opencode_cli",
  program: defaultProgram,
  traits: opencodeTraits,
  idsFrom: opencodeIds,
  offers: ["models", "checkChoice", "sessionsIn", "checkAdoption", "fork"],
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
  agentsNameModels: true,
  laneProblem: ({ agent, model }) =>
    agent === null || model === null || !bringsModel(agent)
      ? null
      : { key: "model", reason: "stands beside an agent, which brings its own", hint: "Leave out one of the two." },
  prepare(settings, context) {
    const { clock, permissions, toolServer, systemPromptPath, isUsed, log, onError } = context;
    const directory = join(context.stateDirectory, "opencode-server");
    const extraEnv = { ...context.extraEnv, OPENCODE_CONFIG_CONTENT: configContent(context) };
    const hasOrphans = readServerRecord(directory) !== null;
    return {
      hasOrphans,
      async load() {
        const { OpencodeRuntime } = await import("./opencode-runtime.ts");
        const { ServerSupervisor } = await import("./server/server-supervisor.ts");
        // A server that an earlier run left behind is taken over or ended even if no lane needs one.
        const startAtOnce = isUsed || hasOrphans;
        if (startAtOnce) log.info({}, "Starting OpenCode, which takes a few seconds.");
        const onEvent = (event: ServerEvent) => logServer(event, log);
        return new OpencodeRuntime({
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
    return checkOpencode(kind, settings, context);
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
