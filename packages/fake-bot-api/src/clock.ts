/** An injected clock, in milliseconds since the epoch. */
export type Clock = {
  now(): number;
  /** Runs `wake` once at `time`; the returned function cancels it. */
  at(time: number, wake: () => void): () => void;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  at(time, wake) {
    const timer = setTimeout(wake, Math.max(0, time - Date.now()));
    // The timer of a fading draft must not keep the process alive.
    timer.unref();
    return () => clearTimeout(timer);
  },
};
