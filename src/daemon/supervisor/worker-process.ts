/**
 * One worker as a child process, from start to end. It has its own process group, so that Ctrl-C in a terminal reaches
 * only the supervisor, which forwards each stop request exactly once.
 */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import type { WorkerEnd } from "./restart-policy.ts";
import type { StopRequests } from "./stop-requests.ts";
import type { WorkerReady } from "./worker-protocol.ts";
import { isWorkerReady } from "./worker-protocol.ts";

export type WorkerProcessOptions = {
  /** The program and its arguments. */
  command: readonly [string, ...string[]];
  stops: StopRequests;
  /** How long it may take to exit after the second request before it is killed. */
  killAfterMs: number;
  onStarted: (pid: number) => void;
  onReady: (ready: WorkerReady) => void;
  onKilled: () => void;
  onError: (error: unknown) => void;
};

export function runWorkerProcess(options: WorkerProcessOptions): Promise<WorkerEnd> {
  const [program, ...args] = options.command;
  const child = spawn(program, args, { detached: true, stdio: ["ignore", "inherit", "inherit", "ipc"] });
  let readyAt: number | null = null;
  let drainMs = 0;
  const stopForwarding = forwardStopRequests(child, () => drainMs, options);
  child.on("message", (message) => {
    if (!isWorkerReady(message)) return;
    readyAt ??= performance.now();
    drainMs = message.drainMs;
    options.onReady(message);
  });
  return new Promise((resolve) => {
    const end = (code: number | null, signal: string | null) => {
      stopForwarding();
      child.removeAllListeners("message");
      // A process that inherited the other end of the channel must not keep the supervisor alive.
      if (child.connected) child.disconnect();
      resolve({ code, signal, readyForMs: readyAt === null ? null : performance.now() - readyAt });
    };
    child.once("exit", end);
    child.on("error", (error) => {
      options.onError(error);
      // It could not be started, so there will be no exit event.
      if (child.pid === undefined) end(null, null);
    });
    if (child.pid !== undefined) options.onStarted(child.pid);
  });
}

// setTimeout fires immediately for anything longer than this.
const maxTimerMs = 2 ** 31 - 1;

/**
 * Forwards each request. A worker that exceeds its drain time after the first one gets a second; a worker that does not
 * exit after the second is killed.
 */
function forwardStopRequests(child: ChildProcess, drainMs: () => number, options: WorkerProcessOptions): () => void {
  const { stops, killAfterMs, onKilled, onError } = options;
  let requests = 0;
  let timer: NodeJS.Timeout | undefined;
  const kill = () => {
    onKilled();
    killGroup(child, onError);
  };
  const forward = () => {
    requests += 1;
    // Two pending signals of the same kind merge into one, so a quick second Ctrl-C would be lost.
    child.kill(requests === 1 ? "SIGTERM" : "SIGINT");
    if (requests > 2) return;
    clearTimeout(timer);
    timer =
      requests === 1
        ? setTimeout(forward, Math.min(drainMs() + killAfterMs, maxTimerMs))
        : setTimeout(kill, killAfterMs);
  };
  const unsubscribe = stops.onRequest(forward);
  return () => {
    clearTimeout(timer);
    unsubscribe();
  };
}

/** Also kills its children, since it had no chance to stop them itself. */
function killGroup(child: ChildProcess, onError: (error: unknown) => void): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    // It has just exited.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") onError(error);
  }
}
