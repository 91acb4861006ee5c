/** Waits for a daemon that has been started and does not listen yet. What it writes into its directory wakes this. */
import { watch } from "node:fs";

export type Waiting = { directory: string; isStarting: () => boolean; ms: number; signal: AbortSignal };

/** Also resolves when the time is up, or the signal aborted: whoever goes on finds out how things stand. */
export function whileStarting({ directory, isStarting, ms, signal }: Waiting): Promise<void> {
  return new Promise((resolve) => {
    // Before the first look, so that nothing happens unseen between the two.
    const watcher = watch(directory);
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      watcher.close();
      resolve();
    };
    const look = () => {
      if (signal.aborted || !isStarting()) end();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
    watcher.on("change", look).on("error", end);
    look();
  });
}
