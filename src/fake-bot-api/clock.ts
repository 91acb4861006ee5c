/** Time as a value that is handed in, in milliseconds since the epoch. Any object of this shape will do. */
export type Clock = {
  now(): number;
  /** Runs `wake` once at `time`; the returned function cancels it. */
  at(time: number, wake: () => void): () => void;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  at(time, wake) {
    const timer = setTimeout(wake, Math.max(0, time - Date.now()));
    // A draft that has yet to fade keeps no program running.
    timer.unref();
    return () => clearTimeout(timer);
  },
};
