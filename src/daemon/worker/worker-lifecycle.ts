/**
 * The worker's side of its life: ready, drain, end. It stops when it is asked to, when it wants to be started afresh,
 * and when its supervisor is gone, since then nobody would pass on a request to stop. It runs without one as well.
 */
import { AppError } from "../../app-error.ts";
import { StopRequests } from "../supervisor/stop-requests.ts";
import type { WorkerReady } from "../supervisor/worker-protocol.ts";
import { workerExit } from "../supervisor/worker-protocol.ts";

export type RunningWorker = {
  ready: Omit<WorkerReady, "type">;
  /** Ends what runs in good order; `hurry` is aborted when nobody wants to wait for that any more. */
  drain(hurry: AbortSignal): Promise<unknown>;
  close(options: { restarting: boolean }): Promise<void>;
};

export type WorkerLifecycle = {
  /**
   * Given the function by which a person asks for a fresh start, through the API, and the signal that breaks the start
   * off; rejecting with its reason, a start says that nothing of it is left.
   */
  start: (control: { restart: () => void; stopping: AbortSignal }) => Promise<RunningWorker>;
  /** Prints why the worker did not start; there is no stack trace for that. */
  onRefused: (error: AppError) => void;
  onError: (error: unknown) => void;
  /** How long closing everything may take, once it has drained. */
  closeMs?: number;
};

/** Resolves with the exit code, once everything is closed. A stop that is asked for during the start breaks it off. */
export async function runUntilStopped(lifecycle: WorkerLifecycle): Promise<number> {
  const { start, onRefused, onError, closeMs = 8000 } = lifecycle;
  const stop = listenForStop();
  try {
    const worker = await start(stop).catch((error: unknown) => {
      if (stop.stopping.aborted && error === stop.stopping.reason) return null;
      if (!(error instanceof AppError)) throw error;
      onRefused(error);
      return error;
    });
    if (worker === null) return stop.exitCode();
    // What may be better in a while, as a full disk, is tried again as after a crash.
    if (worker instanceof AppError) return worker.retryable ? 1 : workerExit.refused;
    sayReady(worker.ready);
    await stop.wanted;
    try {
      await worker.drain(stop.hurry);
    } catch (error) {
      // Nothing is lost by it, and the rest has to be closed all the same.
      onError(error);
    }
    endSurely(stop.exitCode, closeMs);
    await worker.close({ restarting: stop.exitCode() === workerExit.restart });
    return stop.exitCode();
  } finally {
    stop.close();
  }
}

/** Something that cannot be closed must not keep a worker alive that has nothing left to do. */
function endSurely(exitCode: () => number, closeMs: number): void {
  setTimeout(() => process.exit(exitCode()), closeMs).unref();
}

function listenForStop() {
  const stops = new StopRequests();
  const stopping = new AbortController();
  const hurry = new AbortController();
  let askedToEnd = false;
  let begin = () => {};
  const wanted = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const end = () => {
    askedToEnd = true;
    stopping.abort();
    begin();
  };
  stops.onRequest(() => (askedToEnd ? hurry.abort() : end()));
  process.on("disconnect", end);
  // Its supervisor died before anybody listened.
  if (process.send && !process.connected) end();
  return {
    wanted,
    stopping: stopping.signal,
    hurry: hurry.signal,
    restart: () => begin(),
    /** A stop that comes while it drains for a restart is a stop. */
    exitCode: () => (askedToEnd ? workerExit.ended : workerExit.restart),
    close() {
      stops.close();
      process.removeListener("disconnect", end);
    },
  };
}

function sayReady(ready: RunningWorker["ready"]): void {
  const message: WorkerReady = { type: "ready", ...ready };
  // A supervisor that is gone does not hear it, and that it is gone is noticed elsewhere.
  if (process.connected) process.send?.(message, () => {});
}
