/** Decides what the supervisor does after its worker has exited on its own. Pure. */
import { workerExit } from "./worker-protocol.ts";

export type RestartPolicy = {
  /** The delay after the first crash; it doubles with each further crash in a row. */
  firstDelayMs: number;
  maxDelayMs: number;
  /** A worker that was ready for this long resets the crash count. */
  healthyAfterMs: number;
};

export const defaultRestartPolicy: RestartPolicy = { firstDelayMs: 1000, maxDelayMs: 30_000, healthyAfterMs: 60_000 };

export type WorkerEnd = {
  code: number | null;
  signal: string | null;
  /** How long it had been ready, or null if it never was. */
  readyForMs: number | null;
};

export type SupervisorAction =
  | { action: "exit"; exitCode: 0 | 1 }
  /** `crashes` in a row, including this one; 0 if the restart was requested. */
  | { action: "restart"; delayMs: number; crashes: number };

export function actionAfterWorker(end: WorkerEnd, crashesBefore: number, policy: RestartPolicy): SupervisorAction {
  if (end.code === workerExit.ended) return { action: "exit", exitCode: 0 };
  if (end.code === workerExit.refused) return { action: "exit", exitCode: 1 };
  // A worker that was never ready cannot have been asked to restart. Without a delay it would loop.
  if (end.code === workerExit.restart && end.readyForMs !== null) return { action: "restart", delayMs: 0, crashes: 0 };
  const wasHealthy = (end.readyForMs ?? 0) >= policy.healthyAfterMs;
  const crashes = wasHealthy ? 1 : crashesBefore + 1;
  const delayMs = policy.firstDelayMs * 2 ** Math.min(crashes - 1, 30);
  return { action: "restart", delayMs: Math.min(delayMs, policy.maxDelayMs), crashes };
}
