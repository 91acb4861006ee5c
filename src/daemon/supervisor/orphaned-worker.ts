/**
 * A worker whose supervisor was killed drains and exits on its own. If it does not, the next start stops it, but only with
 * proof that it is a worker: `daemon.json` names its process id, and that process holds the store's lock right now. A
 * process id alone proves nothing, since it may have been reused.
 */
import { setTimeout as wait } from "node:timers/promises";
import { AppError } from "../../platform/app-error.ts";
import type { StoreAdministration } from "../../store/administration.ts";
import { readDaemonFile } from "./daemon-file.ts";
import type { StopRequests } from "./stop-requests.ts";
import type { SupervisorEvent } from "./supervisor.ts";

export type OrphanedWorkerOptions = {
  home: string;
  /** Called only if there may be such a worker, because it needs the whole configuration. */
  store: () => Promise<Pick<StoreAdministration, "holder">>;
  /** How long it may take to exit after SIGTERM, and again after SIGKILL. */
  timeoutMs: number;
  stops: StopRequests;
  onEvent: (event: SupervisorEvent) => void;
};

/** The caller holds the daemon's lock. */
export async function endOrphanedWorker({ home, store, timeoutMs, stops, onEvent }: OrphanedWorkerOptions) {
  const pid = readDaemonFile(home)?.workerPid ?? null;
  if (pid === null) return;
  const { holder } = await store();
  const holdsStore = () => holder()?.pid === pid;
  if (!holdsStore()) return;
  onEvent({ type: "orphaned_worker_found", pid });
  const requestStop = () => sendSignal(pid, "SIGTERM");
  const unsubscribe = stops.onRequest(requestStop);
  try {
    requestStop();
    if (await ends(holdsStore, timeoutMs)) return;
    // It still holds the store, so the process id still belongs to it.
    sendSignal(pid, "SIGKILL");
    onEvent({ type: "orphaned_worker_killed", pid });
    if (await ends(holdsStore, timeoutMs)) return;
    throw new AppError({
      code: "orphaned_worker",
      message: `The worker of an earlier run (process ${pid}) has the store open and does not exit.`,
      hint: `Find out what blocks it (\`ps -p ${pid}\`), then start again.`,
    });
  } finally {
    unsubscribe();
  }
}

/** Polls, since only the parent is notified when a process exits. */
async function ends(isRunning: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (isRunning()) {
    if (performance.now() >= deadline) return false;
    await wait(50);
  }
  return true;
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It has just exited.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
