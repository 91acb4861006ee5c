/** Removes old, finished records shortly after a start and then every few hours. */
import type { Clock } from "../../platform/clock.ts";

const firstDelayMs = 60_000;
const intervalMs = 6 * 3600_000;

export type RetentionDeps = {
  prune: () => Promise<number>;
  clock: Clock;
  onPruned: (records: number) => void;
  onError: (error: unknown) => void;
};

/** Returns the function that stops it. */
export function startRetention({ prune, clock, onPruned, onError }: RetentionDeps): () => void {
  let cancel = () => {};
  const schedule = (ms: number) => {
    cancel = clock.at(clock.now() + ms, () => {
      schedule(intervalMs);
      prune().then((records) => {
        if (records > 0) onPruned(records);
      }, onError);
    });
  };
  schedule(firstDelayMs);
  return () => cancel();
}
