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
