/**
 * Time as a value that is handed in, so that every wait can be driven by a test.
 * All times are milliseconds since the epoch.
 */
export type Clock = {
  /** Never less than it was before. */
  now(): number;
  /** Runs `wake` once at `time` (or at once, if that has passed); the returned function takes it back. */
  at(time: number, wake: () => void): () => void;
};

// setTimeout fires at once for anything longer than this.
const longestTimer = 2 ** 31 - 1;

/** The machine's clock; when that is set back, this one goes on from where it was, or looks would stop for as long. */
export function clockOn(wallTime: () => number): Clock {
  let ahead = 0;
  let last = 0;
  const now = () => {
    const time = wallTime();
    if (time + ahead < last) ahead = last - time;
    last = time + ahead;
    return last;
  };
  return {
    now,
    at(time, wake) {
      let timer: NodeJS.Timeout;
      const arm = () => {
        const wait = Math.max(0, time - now());
        timer = setTimeout(wait > longestTimer ? arm : wake, Math.min(wait, longestTimer));
      };
      arm();
      return () => clearTimeout(timer);
    },
  };
}

export const systemClock: Clock = clockOn(Date.now);
