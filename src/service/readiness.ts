/**
 * Whether messages can be admitted and sent: the store is writable, and every lane's runtime can be reached. Problems
 * of single lanes only make it degraded. Reasons are codes without names or texts, since they are shown without a
 * token.
 */

import type { Lane, Notice } from "../core/lane/lane.ts";
import { AppError, messageOf } from "../platform/app-error.ts";
import { systemClock, withTimeout } from "../platform/clock.ts";
import type { Runtime } from "../runtimes/port.ts";
import type { Engine } from "./engine.ts";
import type { LaneNotices } from "./lane-notices.ts";
import type { Readiness } from "./service.ts";

export type ReadinessSource = {
  draining: AbortSignal;
  /** The kill switch is on. */
  retriesAreOff: boolean;
  /** Problems of transports that people use elsewhere. */
  transportNotices?: () => readonly Notice[];
};

const runtimeTimeoutMs = 2000;

/** A call to an agent program that must not block the service. */
export function callRuntime<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return withTimeout({ clock: systemClock, closing: new AbortController().signal }, runtimeTimeoutMs, call);
}

export async function readinessOf(
  engine: Engine,
  source: ReadinessSource & { notices: LaneNotices },
  now: number,
): Promise<Readiness> {
  const problems = [...(source.draining.aborted ? ["draining"] : []), ...(await storeProblem(engine, now))];
  const lanes = await engine.store.lanes();
  for (const [kind, users] of byRuntime(lanes)) {
    const runtime = engine.runtimes.get(kind);
    // The reason is logged where the runtime is used.
    if (!runtime) problems.push(`runtime_not_active:${kind}`);
    else if ((await runtimeProblem(runtime, users)) !== null) problems.push(`runtime_not_ready:${kind}`);
  }
  const noticed = lanes.flatMap((lane) => source.notices.of(lane).map(({ code }) => `${code}:${lane.runtime}`));
  const teams = (await engine.store.teams()).flatMap(({ name }) => engine.teamFiles.notices(name));
  const files = teams.map(({ code }) => `${code}:inbox_files`);
  const transports = (source.transportNotices?.() ?? []).map(({ code }) => code);
  const noticesOfAll = new Set([...noticed, ...files, ...transports]);
  const degraded = [...(source.retriesAreOff ? ["automatic_retry_is_off"] : []), ...noticesOfAll];
  return { ready: problems.length === 0, degraded: degraded.length > 0, reasons: [...problems, ...degraded] };
}

function byRuntime(lanes: readonly Lane[]): Map<string, Lane[]> {
  const users = new Map<string, Lane[]>();
  for (const lane of lanes) users.set(lane.runtime, [...(users.get(lane.runtime) ?? []), lane]);
  return users;
}

async function storeProblem({ store }: Engine, now: number): Promise<string[]> {
  try {
    await store.probe(now);
    return [];
  } catch (error) {
    return [error instanceof AppError ? error.code : "store_unwritable"];
  }
}

/** Why none of these lanes can work, in words; null if they can. */
export async function runtimeProblem(runtime: Runtime | undefined, lanes: readonly Lane[]): Promise<string | null> {
  if (!runtime) return "It could not be started; see the log for the reason.";
  try {
    return await callRuntime((signal) => runtime.health(signal, lanes));
  } catch (error) {
    return messageOf(error);
  }
}
