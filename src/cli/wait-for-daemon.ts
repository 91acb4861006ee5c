/** Waits until a starting daemon listens, by watching the directory that the daemon writes to. */
import { watch } from "node:fs";
import { abortedAfter } from "../platform/clock.ts";

type StartWait = { directory: string; isStarting: () => boolean; timeoutMs: number; signal: AbortSignal };

/** Also resolves at the timeout or when the signal is aborted; the caller checks which. */
export function waitWhileStarting({ directory, isStarting, timeoutMs, signal }: StartWait): Promise<void> {
  return new Promise((resolve) => {
    // Watch before the first check, so that no change in between is missed.
    const watcher = watch(directory, { signal: abortedAfter(timeoutMs, signal) });
    const check = () => {
      if (!isStarting()) watcher.close();
    };
    watcher.on("change", check).on("error", () => watcher.close());
    watcher.on("close", resolve);
    check();
  });
}
