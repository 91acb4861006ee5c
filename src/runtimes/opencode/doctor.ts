/** What the doctor finds out about OpenCode: its program, its server, and whether it knows the lanes' agents and models. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError, messageOf } from "../../app-error.ts";
import { abortedAfter } from "../../clock.ts";
import type { Check } from "../../doctor-check.ts";
import { failed, failedBy, ok, warning } from "../../doctor-check.ts";
import type { DoctorContext } from "../descriptor.ts";
import { modelsOf } from "../program-checks.ts";
import { attachServer } from "./server/acquire-server.ts";
import type { ServerSettings } from "./server/choose-server.ts";
import { refuseOpenHost } from "./server/choose-server.ts";
import { findOpencode } from "./server/find-opencode.ts";
import { OpencodeApi } from "./server/opencode-api.ts";
import { serverEnvironment } from "./server/server-environment.ts";
import { ServerSupervisor } from "./server/server-supervisor.ts";
import { defaultServerTimes } from "./server/server-times.ts";
import { selectAgent } from "./session/agent-selection.ts";

export async function checkOpencode(kind: string, settings: ServerSettings, context: DoctorContext): Promise<Check[]> {
  const models = ok(`model ${kind}`, `${modelsOf(context.lanes)}.`);
  try {
    return [...(await checkServer(kind, settings, context)), models, ...(await checkChoices(kind, settings, context))];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const isProgram = /^opencode_(not_found|unusable)$/.test(error.code);
    return [failedBy(`${isProgram ? "program" : "server"} ${kind}`, error), models];
  }
}

/** How Waybill would get its server, found out the way the runtime does, without starting one. */
async function checkServer(
  kind: string,
  settings: ServerSettings,
  { env, stateDirectory, signal }: DoctorContext,
): Promise<Check[]> {
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
async function checkChoices(
  kind: string,
  settings: ServerSettings,
  { env, lanes, signal }: DoctorContext,
): Promise<Check[]> {
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
      const chosen = await selectAgent(lane, api, abortedAfter(10_000, signal));
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
