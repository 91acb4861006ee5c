/**
 * A worker whose supervisor was killed drains and ends by itself. One that does not is ended by the next start, but
 * only on proof that it is ours: `daemon.json` names its process id, and that process holds the store's lock at this
 * moment. An id alone proves nothing, since it may have been given to another process.
 */
import { setTimeout as wait } from "node:timers/promises";
import { AppError } from "../../app-error.ts";
import { storeHolder } from "../../store/sqlite/file/lock.ts";
import { readDaemonFile } from "./daemon-file.ts";
import type { StopRequests } from "./stop-requests.ts";
import type { SupervisorEvent } from "./supervisor.ts";

export type StaleWorkerOptions = {
  home: string;
  storePath: string;
  /** How long it may take to end after SIGTERM, and again after SIGKILL. */
  deadlineMs: number;
  stops: StopRequests;
  onEvent: (event: SupervisorEvent) => void;
};

/** To be called by whoever holds the daemon's lock. */
export async function endStaleWorker({ home, storePath, deadlineMs, stops, onEvent }: StaleWorkerOptions) {
  const pid = readDaemonFile(home)?.workerPid ?? null;
  if (pid === null) return;
  const holdsStore = () => storeHolder(storePath)?.pid === pid;
  if (!holdsStore()) return;
  onEvent({ type: "stale_worker_found", pid });
  const askToStop = () => signal(pid, "SIGTERM");
  const unsubscribe = stops.onRequest(askToStop);
  try {
    askToStop();
    if (await ends(holdsStore, deadlineMs)) return;
    // Asked just now once more: it still holds the store, so it is still the same process.
    signal(pid, "SIGKILL");
    onEvent({ type: "stale_worker_killed", pid });
    if (!(await ends(holdsStore, deadlineMs))) throw stays(pid);
  } finally {
    unsubscribe();
  }
}

/** Nobody tells when a process ends that is not one's own child, so this has to ask; at a start only. */
async function ends(goesOn: () => boolean, deadlineMs: number): Promise<boolean> {
  const deadline = performance.now() + deadlineMs;
  while (goesOn()) {
    if (performance.now() >= deadline) return false;
    await wait(50);
  }
  return true;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It has ended in this moment.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function stays(pid: number): AppError {
  return new AppError({
    code: "stale_worker",
    message: `The worker of an earlier run, process ${pid}, has the store open and does not end.`,
    hint: `Find out what holds it up (\`ps -p ${pid}\`), then start again.`,
  });
}
