/**
 * Signals that end together. Not `AbortSignal.any`, and not left to `fetch` alone: on Node.js 20 both lose their hold of
 * a signal when memory is collected, and whoever waits for it would wait for ever.
 */

export type Linked = {
  signal: AbortSignal;
  abort(reason?: unknown): void;
  /** To be called in the end: forgets the sources, and the deadline. */
  release(): void;
};

/** Aborted with the first of its sources, and after the deadline if there is one. */
export function linked(sources: readonly (AbortSignal | undefined)[], deadlineMs?: number): Linked {
  const own = new AbortController();
  const undo: (() => void)[] = [];
  for (const source of sources) {
    if (!source) continue;
    const pass = () => own.abort(source.reason);
    if (source.aborted) pass();
    undo.push(whenAborted(source, pass));
  }
  if (deadlineMs !== undefined) {
    const timer = setTimeout(() => own.abort(new DOMException("out of time", "TimeoutError")), deadlineMs);
    undo.push(() => clearTimeout(timer));
  }
  return {
    signal: own.signal,
    abort: (reason) => own.abort(reason),
    release() {
      for (const step of undo.splice(0)) step();
    },
  };
}

type Waiting = { runs: Set<() => void>; tell: () => void };
const waiting = new WeakMap<AbortSignal, Waiting>();

/** One listener for all that hang on a signal: from the eleventh on Node.js would warn of a leak. Returns its undoing. */
function whenAborted(signal: AbortSignal, run: () => void): () => void {
  const { runs, tell } = waiting.get(signal) ?? listening(signal);
  runs.add(run);
  return () => {
    runs.delete(run);
    if (runs.size > 0) return;
    signal.removeEventListener("abort", tell);
    waiting.delete(signal);
  };
}

function listening(signal: AbortSignal): Waiting {
  const runs = new Set<() => void>();
  const tell = () => {
    for (const run of runs) run();
  };
  signal.addEventListener("abort", tell, { once: true });
  waiting.set(signal, { runs, tell });
  return { runs, tell };
}

/** What the promise gives, or the reason of the signal as soon as that is aborted. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
