/** A while of the clock's time, or less when nobody waits any more. */
import type { Clock } from "../../../clock.ts";

export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const wake = () => {
      takeBack();
      signal.removeEventListener("abort", wake);
      resolve();
    };
    const takeBack = clock.at(clock.now() + ms, wake);
    signal.addEventListener("abort", wake, { once: true });
  });
}
