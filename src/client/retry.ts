/** Retries after transient errors, with growing waits, and limits of the time to wait for the daemon. */

/** The waits before each retry of a request: about four seconds in total, enough for a restart. */
export const requestRetryMs: readonly number[] = [250, 500, 1000, 2000];

export function* endlessRetryMs(): Generator<number, never> {
  for (let ms = 250; ; ms = Math.min(2 * ms, 5000)) yield ms;
}

const drainPollMs = 500;

type RetryOptions = {
  if: (error: unknown) => boolean;
  waits: Iterable<number>;
  /** Errors that are waited out without using up a retry. */
  free?: (error: unknown) => boolean;
  signal?: AbortSignal | undefined;
};

export async function withRetries<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const waits = options.waits[Symbol.iterator]();
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (options.signal?.aborted || !options.if(error)) throw error;
      const { value, done } = options.free?.(error) ? { value: drainPollMs, done: false } : waits.next();
      if (done) throw error;
      await waitBeforeRetry(value, options.signal);
    }
  }
}

/** Rejects with the signal's reason if it is aborted. */
export function waitBeforeRetry(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
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

/**
 * Limits how long to wait for the daemon. Also listens to the signal itself, because `fetch` on Node.js 20 loses the
 * signal of a `Request` to the garbage collector; an `AbortSignal.any` with a listener survives.
 */
export async function withinTime<T>(
  ms: number,
  signal: AbortSignal,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // Not `AbortSignal.timeout`: one that only an `AbortSignal.any` refers to is garbage-collected too early.
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new DOMException("out of time", "TimeoutError")), ms);
  const either = AbortSignal.any([signal, timeout.signal]);
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(either.reason);
    if (either.aborted) onAbort();
    either.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([aborted, call(either)]);
  } finally {
    clearTimeout(timer);
    either.removeEventListener("abort", onAbort);
  }
}

/** Aborted with the first of the given signals. */
export function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}
