/**
 * One worker as a child process, from its start to its end. It has a process group of its own, so that Ctrl-C in a
 * terminal reaches the supervisor only; each request to stop is passed on exactly once.
 */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import type { WorkerEnd } from "./restart-policy.ts";
import type { StopRequests } from "./stop-requests.ts";
import type { WorkerReady } from "./worker-protocol.ts";
import { workerReady } from "./worker-protocol.ts";

export type WorkerOptions = {
  /** The program and its arguments. */
  command: readonly [string, ...string[]];
  stops: StopRequests;
  /** How long a worker that was hurried may take to end, before it is killed. */
  killAfterMs: number;
  onStarted: (pid: number) => void;
  onReady: (ready: WorkerReady) => void;
  onKilled: () => void;
  onError: (error: unknown) => void;
};

export function runWorker(options: WorkerOptions): Promise<WorkerEnd> {
  const [program, ...args] = options.command;
  const child = spawn(program, args, { detached: true, stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const stopping = stopOnRequest(child, options);
  let readyAt: number | null = null;
  child.on("message", (message) => {
    const ready = workerReady.safeParse(message).data;
    if (!ready) return;
    readyAt ??= performance.now();
    stopping.grant(ready.drainMs);
    options.onReady(ready);
  });
  return new Promise((resolve) => {
    const end = (code: number | null, signal: string | null) => {
      stopping.close();
      child.removeAllListeners("message");
      // Whoever else may hold the other end must not keep the supervisor alive.
      if (child.connected) child.disconnect();
      resolve({ code, signal, readyForMs: readyAt === null ? null : performance.now() - readyAt });
    };
    child.once("exit", end);
    child.on("error", (error) => {
      options.onError(error);
      // It could not even be started, and there will be no exit.
      if (child.pid === undefined) end(null, null);
    });
    if (child.pid !== undefined) options.onStarted(child.pid);
  });
}

// setTimeout fires at once for anything longer than this; whoever asks for weeks of patience is not to get none.
const longestTimer = 2 ** 31 - 1;

/**
 * Passes on each request. A worker that was asked once and takes longer than it said that it may is asked again, which
 * hurries it; one that was hurried and does not end is killed.
 */
function stopOnRequest(child: ChildProcess, { stops, killAfterMs, onKilled, onError }: WorkerOptions) {
  let drainMs = 0;
  let asked = 0;
  let timer: NodeJS.Timeout | undefined;
  const kill = () => {
    onKilled();
    killGroup(child, onError);
  };
  const ask = () => {
    asked += 1;
    // Two pending signals of one kind become one, and a quick second Ctrl-C would be lost on the way.
    child.kill(asked === 1 ? "SIGTERM" : "SIGINT");
    if (asked > 2) return;
    clearTimeout(timer);
    timer =
      asked === 1 ? setTimeout(ask, Math.min(drainMs + killAfterMs, longestTimer)) : setTimeout(kill, killAfterMs);
  };
  const unsubscribe = stops.onRequest(ask);
  return {
    grant(ms: number) {
      drainMs = ms;
    },
    close() {
      clearTimeout(timer);
      unsubscribe();
    },
  };
}

/** With what it has started: it had no chance to end that itself. */
function killGroup(child: ChildProcess, onError: (error: unknown) => void): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    // It has ended in this moment.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") onError(error);
  }
}
