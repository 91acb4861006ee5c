/** Doing it again after trouble that passes, less and less often. */

/** How long to wait before each further try of a request: about four seconds in all, enough for a restart. */
export const fewTries: readonly number[] = [250, 500, 1000, 2000];

/** The wait before each further try for as long as it takes. */
export function* endlessTries(): Generator<number, never> {
  for (let ms = 250; ; ms = Math.min(2 * ms, 5000)) yield ms;
}

/** How long to wait for what ends by itself, and so is no reason to give up. */
const drainPollMs = 500;

type RepeatOptions = {
  if: (error: unknown) => boolean;
  waits: Iterable<number>;
  /** What uses up no try. */
  free?: (error: unknown) => boolean;
  signal?: AbortSignal | undefined;
};

export async function repeated<T>(call: () => Promise<T>, options: RepeatOptions): Promise<T> {
  const waits = options.waits[Symbol.iterator]();
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (options.signal?.aborted || !options.if(error)) throw error;
      const { value, done } = options.free?.(error) ? { value: drainPollMs, done: false } : waits.next();
      if (done) throw error;
      await pause(value, options.signal);
    }
  }
}

/** Rejects with the signal's reason when that is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
