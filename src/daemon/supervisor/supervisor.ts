/** Keeps one worker running: starts it, restarts it after a crash or on request, and exits with it when asked to stop. */
import { setTimeout as wait } from "node:timers/promises";
import type { DaemonFile } from "./daemon-file.ts";
import { removeDaemonFile, writeDaemonFile } from "./daemon-file.ts";
import type { RestartPolicy, SupervisorAction, WorkerEnd } from "./restart-policy.ts";
import { actionAfterWorker } from "./restart-policy.ts";
import type { WorkerProcessOptions } from "./worker-process.ts";
import { runWorkerProcess } from "./worker-process.ts";
import type { WorkerReady } from "./worker-protocol.ts";

export type SupervisorEvent =
  | { type: "worker_started"; pid: number }
  | { type: "worker_ready"; ready: WorkerReady }
  /** It exited on its own. */
  | { type: "worker_ended"; end: WorkerEnd; next: SupervisorAction }
  /** It did not exit in time after the second request. */
  | { type: "worker_killed" }
  | { type: "orphaned_worker_found"; pid: number }
  | { type: "orphaned_worker_killed"; pid: number }
  | { type: "error"; error: unknown };

export type SupervisorOptions = Pick<WorkerProcessOptions, "command" | "stops" | "killAfterMs"> & {
  home: string;
  version: string;
  policy: RestartPolicy;
  onEvent: (event: SupervisorEvent) => void;
};

const noWorker = { workerPid: null, url: null, port: null, opencodeApiUrl: null, runId: null };

/** Resolves with the exit code once the worker has ended for good. The caller holds the daemon's lock. */
export async function supervise(options: SupervisorOptions): Promise<number> {
  const { home, version, stops, policy, onEvent } = options;
  const onError = (error: unknown) => onEvent({ type: "error", error });
  let daemon: DaemonFile = { supervisorPid: process.pid, ...noWorker, startedAt: Date.now(), version };
  /** Without a current file the CLI does not find the daemon, but the daemon keeps running. */
  const updateDaemonFile = (change: Partial<DaemonFile>) => {
    daemon = { ...daemon, ...change };
    attempt(() => writeDaemonFile(home, daemon), onError);
  };
  let crashes = 0;
  try {
    while (!stops.requested.aborted) {
      const end = await runWorkerProcess({
        ...options,
        onStarted: (pid) => {
          updateDaemonFile({ workerPid: pid });
          onEvent({ type: "worker_started", pid });
        },
        onReady: (ready) => {
          const { url, port, opencodeApiUrl, runId } = ready;
          updateDaemonFile({ url, port, opencodeApiUrl, runId });
          onEvent({ type: "worker_ready", ready });
        },
        onKilled: () => onEvent({ type: "worker_killed" }),
        onError,
      });
      if (stops.requested.aborted) break;
      updateDaemonFile(noWorker);
      const next = actionAfterWorker(end, crashes, policy);
      onEvent({ type: "worker_ended", end, next });
      if (next.action === "exit") return next.exitCode;
      crashes = next.crashes;
      // A stop request ends the delay, and then the loop.
      if (next.delayMs > 0) await wait(next.delayMs, undefined, { signal: stops.requested }).catch(() => {});
    }
    return 0;
  } finally {
    attempt(() => removeDaemonFile(home), onError);
  }
}

function attempt(work: () => void, onError: (error: unknown) => void): void {
  try {
    work();
  } catch (error) {
    onError(error);
  }
}
