/** A daemon from its start to its end: one for each home, and nothing of it is left afterwards. */
import { lockDaemon } from "./daemon-lock.ts";
import type { RestartPolicy } from "./restart-policy.ts";
import { defaultRestartPolicy } from "./restart-policy.ts";
import { endStaleWorker } from "./stale-worker.ts";
import { StopRequests } from "./stop-requests.ts";
import type { SupervisorOptions } from "./supervisor.ts";
import { supervise } from "./supervisor.ts";

export type UpOptions = Pick<SupervisorOptions, "home" | "command" | "version" | "onEvent"> & {
  storePath: string;
  policy?: RestartPolicy;
  killAfterMs?: number;
  takeoverMs?: number;
};

export async function up(options: UpOptions): Promise<number> {
  const { policy = defaultRestartPolicy, killAfterMs = 10_000, takeoverMs = 10_000 } = options;
  const stops = new StopRequests();
  try {
    const lock = lockDaemon(options.home, Date.now());
    try {
      await endStaleWorker({ ...options, deadlineMs: takeoverMs, stops });
      return await supervise({ ...options, stops, policy, killAfterMs });
    } finally {
      lock.release();
    }
  } finally {
    stops.close();
  }
}
