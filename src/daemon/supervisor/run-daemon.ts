/** Runs a daemon from start to end: one per home. */
import { lockDaemon } from "./daemon-lock.ts";
import type { OrphanedWorkerOptions } from "./orphaned-worker.ts";
import { endOrphanedWorker } from "./orphaned-worker.ts";
import type { RestartPolicy } from "./restart-policy.ts";
import { defaultRestartPolicy } from "./restart-policy.ts";
import { StopRequests } from "./stop-requests.ts";
import type { SupervisorOptions } from "./supervisor.ts";
import { supervise } from "./supervisor.ts";

export type DaemonOptions = Pick<SupervisorOptions, "home" | "command" | "version" | "onEvent"> &
  Pick<OrphanedWorkerOptions, "store"> & {
    policy?: RestartPolicy;
    killAfterMs?: number;
    takeoverMs?: number;
  };

/** Resolves with the exit code. */
export async function runDaemon(options: DaemonOptions): Promise<number> {
  const { policy = defaultRestartPolicy, killAfterMs = 10_000, takeoverMs = 10_000 } = options;
  const stops = new StopRequests();
  try {
    const lock = lockDaemon(options.home, Date.now());
    try {
      await endOrphanedWorker({ ...options, timeoutMs: takeoverMs, stops });
      return await supervise({ ...options, stops, policy, killAfterMs });
    } finally {
      lock.release();
    }
  } finally {
    stops.close();
  }
}
