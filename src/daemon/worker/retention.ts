/** Removes what is old and finished, shortly after a start and then every few hours. */
import type { Clock } from "../../clock.ts";

const firstAfterMs = 60_000;
const everyMs = 6 * 3600_000;

export type RetentionDeps = {
  prune: () => Promise<number>;
  clock: Clock;
  onPruned: (records: number) => void;
  onError: (failure: { error: unknown }) => void;
};

/** The returned function ends it. */
export function keepTidy({ prune, clock, onPruned, onError }: RetentionDeps): () => void {
  let cancel = () => {};
  const plan = (ms: number) => {
    cancel = clock.at(clock.now() + ms, () => void tidy());
  };
  const tidy = async () => {
    plan(everyMs);
    try {
      const records = await prune();
      if (records > 0) onPruned(records);
    } catch (error) {
      onError({ error });
    }
  };
  plan(firstAfterMs);
  return () => cancel();
}
