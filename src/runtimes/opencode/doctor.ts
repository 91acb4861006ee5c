/** The doctor's checks for OpenCode: its program, its server, and whether it knows the lanes' agents and models. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError, messageOf } from "../../platform/app-error.ts";
import { abortedAfter } from "../../platform/clock.ts";
import type { Check } from "../../platform/doctor-check.ts";
import { failed, failedBy, ok, warning } from "../../platform/doctor-check.ts";
import type { AgentAndModel, DoctorContext } from "../descriptor.ts";
import { modelsOf } from "../descriptor.ts";
import { selectAgent } from "./arguments.ts";
import type { Address } from "./client/api.ts";
import { OpencodeApi } from "./client/api.ts";
import { serverEnvironment } from "./environment.ts";
import { attachServer } from "./server/acquire-server.ts";
import type { ServerSettings } from "./server/choose-server.ts";
import { refuseOpenHost } from "./server/choose-server.ts";
import { findOpencode } from "./server/find-opencode.ts";
import { answersAsOurs, authorizationOf, defaultServerTimes } from "./server/server-process.ts";
import type { ServerRecord } from "./server/server-record.ts";
import { readServerRecord, serverDirectory } from "./server/server-record.ts";
import { ServerSupervisor } from "./server/server-supervisor.ts";

export async function checkOpencode(kind: string, settings: ServerSettings, context: DoctorContext): Promise<Check[]> {
  const models = ok(`model ${kind}`, `${modelsOf(context.lanes)}.`);
  try {
    const own = await runningServer(context);
    const server = await checkServer(kind, settings, context, own);
    return [...server, models, ...(await checkChoices(kind, settings, context, own))];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const isProgram = /^opencode_(not_found|unusable)$/.test(error.code);
    return [failedBy(`${isProgram ? "program" : "server"} ${kind}`, error), models];
  }
}

type RunningServer = Address & { version: string };

/** The server that a running daemon started; null if none answers. */
async function runningServer({ stateDirectory, signal }: DoctorContext): Promise<RunningServer | null> {
  const record = recordIn(stateDirectory);
  const version = record && (await answersAsOurs(record, defaultServerTimes.probeMs, signal));
  return version ? { url: record.url, authorization: authorizationOf(record), version } : null;
}

function recordIn(stateDirectory: string): ServerRecord | null {
  try {
    return readServerRecord(serverDirectory(stateDirectory));
  } catch {
    // Another check reports an unusable state directory.
    return null;
  }
}

/** How Waybill would get its server. Uses the runtime's own logic, but starts nothing. */
async function checkServer(
  kind: string,
  settings: ServerSettings,
  { env, stateDirectory, signal }: DoctorContext,
  own: RunningServer | null,
): Promise<Check[]> {
  const times = defaultServerTimes;
  const name = `server ${kind}`;
  // The daemon's own server may be at the attach address, and only the daemon knows its password.
  const attached = own
    ? null
    : await attachServer({ settings, directory: stateDirectory, env, extraEnv: {}, times, signal });
  if (attached) {
    const { url, version } = attached.address;
    return [ok(name, `Waybill attaches to the server at ${url}, version ${version}.`)];
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
    own
      ? ok(name, `Waybill runs its own server at ${own.url}, version ${own.version}.`)
      : ok(name, `Waybill starts its own server, at ${opencodeServeHost}:${opencodeServePort} if that is free.`),
  ];
}

/** Checks the lanes' agents and models against the running server, or against one started just for this. */
async function checkChoices(
  kind: string,
  settings: ServerSettings,
  context: DoctorContext,
  running: RunningServer | null,
): Promise<Check[]> {
  const { lanes } = context;
  const choosing = lanes.flatMap(({ directory, ...lane }) =>
    directory === null || (lane.agent ?? lane.model) === null ? [] : [{ ...lane, directory }],
  );
  if (choosing.length === 0) return [];
  const ask = (address: () => Address | null) => {
    const api = new OpencodeApi(address);
    return Promise.all(choosing.map((lane) => checkChoice(lane, api, context.signal)));
  };
  try {
    return running ? await ask(() => running) : await withServer(settings, context, ask);
  } catch (error) {
    const why = `Could not ask OpenCode for its agents and models: ${messageOf(error)}`;
    return [
      warning(
        `choices ${kind}`,
        why,
        "Start Waybill; `waybill lanes` then shows agents and models unknown to OpenCode.",
      ),
    ];
  }
}

type Choosing = AgentAndModel & { id: string; directory: string };

async function checkChoice(lane: Choosing, api: OpencodeApi, signal: AbortSignal): Promise<Check> {
  const chosen = await selectAgent(lane, api, abortedAfter(10_000, signal));
  const name = `${lane.agent === null ? "model" : "agent"} of lane ${lane.id}`;
  if (!("notice" in chosen)) return ok(name, `OpenCode knows ${lane.agent ?? lane.model}.`);
  return failed(name, chosen.notice.message, "Correct it in the configuration, or leave it out.");
}

async function withServer<T>(
  settings: ServerSettings,
  { env, signal }: DoctorContext,
  use: (address: () => Address | null) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "waybill-doctor-"));
  const own = { ...settings, opencodeServeHost: "127.0.0.1", opencodeServePort: 0 };
  const supervisor = new ServerSupervisor({ settings: own, directory, env });
  const stop = () => void supervisor.close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await supervisor.start();
    return await use(() => supervisor.address());
  } finally {
    signal.removeEventListener("abort", stop);
    await supervisor.close();
    rmSync(directory, { recursive: true, force: true });
  }
}
