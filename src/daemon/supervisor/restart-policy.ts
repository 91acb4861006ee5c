/** What the supervisor does when its worker has ended without having been asked to. Pure. */
import { workerExit } from "./worker-protocol.ts";

export type RestartPolicy = {
  /** The wait after the first crash; it doubles with each one in a row. */
  firstDelayMs: number;
  maxDelayMs: number;
  /** A worker that was ready for so long has made up for all crashes before it. */
  healthyAfterMs: number;
};

export const defaultRestartPolicy: RestartPolicy = { firstDelayMs: 1000, maxDelayMs: 30_000, healthyAfterMs: 60_000 };

export type WorkerEnd = {
  code: number | null;
  signal: string | null;
  /** How long it had been ready, or null when it never was. */
  readyForMs: number | null;
};

export type AfterWorker =
  | { do: "end"; exitCode: 0 | 1 }
  /** `crashes` in a row, this one included; none when the restart was planned. */
  | { do: "restart"; afterMs: number; crashes: number };

export function afterWorker(end: WorkerEnd, crashesBefore: number, policy: RestartPolicy): AfterWorker {
  if (end.code === workerExit.ended) return { do: "end", exitCode: 0 };
  if (end.code === workerExit.refused) return { do: "end", exitCode: 1 };
  // Nobody can have asked a worker to restart that was never ready; at once and again and again, it would be a storm.
  if (end.code === workerExit.restart && end.readyForMs !== null) return { do: "restart", afterMs: 0, crashes: 0 };
  const wasHealthy = (end.readyForMs ?? 0) >= policy.healthyAfterMs;
  const crashes = wasHealthy ? 1 : crashesBefore + 1;
  const delay = policy.firstDelayMs * 2 ** Math.min(crashes - 1, 30);
  return { do: "restart", afterMs: Math.min(delay, policy.maxDelayMs), crashes };
}
