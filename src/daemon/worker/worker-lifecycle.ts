/**
 * The worker's lifecycle: ready, drain, end. It stops on request, for a restart, and when its supervisor has died, since
 * nothing would forward a stop request then. It also runs without a supervisor.
 */
import { AppError } from "../../platform/app-error.ts";
import { StopRequests } from "../supervisor/stop-requests.ts";
import type { WorkerReady } from "../supervisor/worker-protocol.ts";
import { workerExit } from "../supervisor/worker-protocol.ts";

export type RunningWorker = {
  ready: Omit<WorkerReady, "type">;
  /** Lets running turns finish; `stopNow` is aborted by the second stop request. */
  drain(stopNow: AbortSignal): Promise<unknown>;
  close(options: { restarting: boolean }): Promise<void>;
};

export type WorkerLifecycle = {
  /**
   * `restart` requests a restart. `stopping` aborts the start, which must then clean up and reject with the signal's
   * reason.
   */
  start: (control: { restart: () => void; stopping: AbortSignal }) => Promise<RunningWorker>;
  /** Reports why the worker did not start, without a stack trace. */
  onStartRefused: (error: AppError) => void;
  onError: (error: unknown) => void;
  /** How long closing may take after the drain. */
  closeMs?: number;
};

/** Resolves with the exit code once everything is closed. */
export async function runUntilStopped(lifecycle: WorkerLifecycle): Promise<number> {
  const { start, onStartRefused, onError, closeMs = 8000 } = lifecycle;
  const stop = listenForStop();
  try {
    let worker: RunningWorker;
    try {
      worker = await start(stop);
    } catch (error) {
      if (stop.stopping.aborted && error === stop.stopping.reason) return stop.exitCode();
      if (!(error instanceof AppError)) throw error;
      onStartRefused(error);
      // A problem that may go away, such as a full disk, is retried like a crash.
      return error.retryable ? 1 : workerExit.refused;
    }
    reportReady(worker.ready);
    await stop.stopOrRestart;
    try {
      await worker.drain(stop.stopNow);
    } catch (error) {
      // Nothing is lost, and the rest must still be closed.
      onError(error);
    }
    // A part that cannot be closed must not keep the worker alive.
    setTimeout(() => process.exit(stop.exitCode()), closeMs).unref();
    await worker.close({ restarting: stop.exitCode() === workerExit.restart });
    return stop.exitCode();
  } finally {
    stop.close();
  }
}

function listenForStop() {
  const stops = new StopRequests();
  const stopping = new AbortController();
  const stopNow = new AbortController();
  let resolveStop = () => {};
  const stopOrRestart = new Promise<void>((resolve) => {
    resolveStop = resolve;
  });
  const end = () => {
    stopping.abort();
    resolveStop();
  };
  stops.onRequest(() => (stopping.signal.aborted ? stopNow.abort() : end()));
  process.on("disconnect", end);
  // The supervisor died before this listened.
  if (process.send && !process.connected) end();
  return {
    stopOrRestart,
    stopping: stopping.signal,
    stopNow: stopNow.signal,
    restart: () => resolveStop(),
    /** A stop request that arrives during the drain for a restart wins. */
    exitCode: () => (stopping.signal.aborted ? workerExit.ended : workerExit.restart),
    close() {
      stops.close();
      process.removeListener("disconnect", end);
    },
  };
}

function reportReady(ready: RunningWorker["ready"]): void {
  const message: WorkerReady = { type: "ready", ...ready };
  // Errors are ignored: the disconnect handler notices a dead supervisor.
  if (process.connected) process.send?.(message, () => {});
}
