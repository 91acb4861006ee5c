/**
 * Whether messages can be taken and handed on: the store can be written, and every lane's runtime can be reached. What is
 * the matter with single lanes leaves the others at work, and so makes it degraded only. Reasons are codes without names
 * or texts, since they are shown to whoever asks. Spends no tokens.
 */
import { AppError } from "../app-error.ts";
import { systemClock } from "../clock.ts";
import type { Lane } from "../core/lane/lane.ts";
import { withTimeout } from "../timeout.ts";
import type { Engine } from "./engine.ts";
import type { LaneNotices } from "./lane-notices.ts";
import type { Readiness } from "./service.ts";

export type ReadinessSource = {
  draining: () => boolean;
  /** The kill switch is on. */
  retriesAreOff: boolean;
};

/** How long a runtime may take to say that it is well. */
const patienceMs = 2000;
const never = new AbortController().signal;

export async function readinessOf(
  waybill: Engine,
  source: ReadinessSource & { notices: LaneNotices },
  now: number,
): Promise<Readiness> {
  const problems = [...(source.draining() ? ["draining"] : []), ...(await storeProblem(waybill, now))];
  const lanes = await waybill.store.lanes();
  for (const [kind, users] of byRuntime(lanes)) problems.push(...(await runtimeProblem(waybill, kind, users)));
  const noticed = lanes.flatMap((lane) => source.notices.of(lane).map(({ code }) => `${code}:${lane.runtime}`));
  const degraded = [...(source.retriesAreOff ? ["automatic_retry_is_off"] : []), ...new Set(noticed)];
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

async function runtimeProblem({ runtimes }: Engine, kind: string, lanes: readonly Lane[]): Promise<string[]> {
  const runtime = runtimes.get(kind);
  if (!runtime) return [`runtime_not_active:${kind}`];
  try {
    const trouble = await withTimeout({ clock: systemClock, closing: never }, patienceMs, (signal) =>
      runtime.health(signal, lanes),
    );
    return trouble === null ? [] : [`runtime_not_ready:${kind}`];
  } catch {
    // Why it cannot be asked is for the log of whoever uses it; here it only matters that it cannot.
    return [`runtime_not_ready:${kind}`];
  }
}
