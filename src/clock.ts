/**
 * Time as a value that is handed in, so that every wait can be driven by a test.
 * All times are milliseconds since the epoch.
 */
export type Clock = {
  now(): number;
  /** Runs `wake` once at `time` (or at once, if that has passed); the returned function takes it back. */
  at(time: number, wake: () => void): () => void;
};

// setTimeout fires at once for anything longer than this.
const longestTimer = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  at(time, wake) {
    let timer: NodeJS.Timeout;
    const arm = () => {
      const wait = Math.max(0, time - Date.now());
      timer = setTimeout(wait > longestTimer ? arm : wake, Math.min(wait, longestTimer));
    };
    arm();
    return () => clearTimeout(timer);
  },
};
