/**
 * Keeps one worker running: starts it, starts it afresh when it crashed or wants to be, and ends with it when it is
 * asked to stop. It holds no state of its own that would be lost with it.
 */

import type { DaemonFile } from "./daemon-file.ts";
import { removeDaemonFile, writeDaemonFile } from "./daemon-file.ts";
import type { AfterWorker, RestartPolicy, WorkerEnd } from "./restart-policy.ts";
import { afterWorker } from "./restart-policy.ts";
import type { StopRequests } from "./stop-requests.ts";
import type { WorkerOptions } from "./worker-process.ts";
import { runWorker } from "./worker-process.ts";
import type { WorkerReady } from "./worker-protocol.ts";

export type SupervisorEvent =
  | { type: "worker_started"; pid: number }
  | { type: "worker_ready"; ready: WorkerReady }
  /** It ended by itself, and this is what follows. */
  | { type: "worker_ended"; end: WorkerEnd; after: AfterWorker }
  /** It did not end within its time after it was hurried. */
  | { type: "worker_killed" }
  | { type: "stale_worker_found"; pid: number }
  | { type: "stale_worker_killed"; pid: number }
  | { type: "trouble"; error: unknown };

export type SupervisorOptions = {
  home: string;
  /** The worker's program and its arguments. */
  command: WorkerOptions["command"];
  version: string;
  stops: StopRequests;
  policy: RestartPolicy;
  killAfterMs: number;
  onEvent: (event: SupervisorEvent) => void;
};

/** Resolves with the exit code, once the worker has ended for good. The caller holds the daemon's lock. */
export async function supervise(options: SupervisorOptions): Promise<number> {
  const { stops, policy, onEvent } = options;
  const announce = announcer(options);
  let crashes = 0;
  try {
    while (!stops.asked) {
      const end = await runWorker({
        ...options,
        onStarted: (pid) => {
          announce({ workerPid: pid });
          onEvent({ type: "worker_started", pid });
        },
        onReady: (ready) => {
          announce({ url: ready.url, port: ready.port, runId: ready.runId });
          onEvent({ type: "worker_ready", ready });
        },
        onKilled: () => onEvent({ type: "worker_killed" }),
        onError: (error) => onEvent({ type: "trouble", error }),
      });
      // However it ended: it was asked to, and what it left unfinished is in the ledger.
      if (stops.asked) break;
      announce({ workerPid: null, url: null, port: null, runId: null });
      const after = afterWorker(end, crashes, policy);
      onEvent({ type: "worker_ended", end, after });
      if (after.do === "end") return after.exitCode;
      crashes = after.crashes;
      if (after.afterMs > 0) await pause(after.afterMs, stops);
    }
    return 0;
  } finally {
    attempt(() => removeDaemonFile(options.home), onEvent);
  }
}

/** Keeps `daemon.json` up to date. Trouble with it costs the command line its way in, never the daemon its life. */
function announcer({ home, version, onEvent }: SupervisorOptions): (change: Partial<DaemonFile>) => void {
  const nobody = { workerPid: null, url: null, port: null, runId: null };
  let content: DaemonFile = { supervisorPid: process.pid, ...nobody, startedAt: Date.now(), version };
  return (change) => {
    content = { ...content, ...change };
    attempt(() => writeDaemonFile(home, content), onEvent);
  };
}

function attempt(work: () => void, onEvent: (event: SupervisorEvent) => void): void {
  try {
    work();
  } catch (error) {
    onEvent({ type: "trouble", error });
  }
}

/** A request to stop ends it at once. */
function pause(ms: number, stops: StopRequests): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      unsubscribe();
      resolve();
    };
    const timer = setTimeout(end, ms);
    const unsubscribe = stops.onRequest(end);
  });
}
