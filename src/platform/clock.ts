/**
 * Time as a dependency, so that a test can drive every wait and every timeout.
 * All times are milliseconds since the epoch.
 */

export type Clock = {
  /** Never goes back. */
  now(): number;
  /** Runs `wake` once at `time` (immediately if that has passed); the returned function cancels it. */
  at(time: number, wake: () => void): () => void;
};

// setTimeout fires immediately for anything longer than this.
const longestTimer = 2 ** 31 - 1;

/** The speed of the clock while it waits for the machine's clock to catch up. */
const slowed = 0.9;

/**
 * The machine's clock. When that is set back, this one continues from where it was, because everything that waits for a
 * date would stall otherwise. It runs a little slower until both agree again. A monotonic clock measures the time that
 * passed.
 */
export function clockOn(wallTime: () => number, monotonicTime: () => number = () => performance.now()): Clock {
  let last = { time: Number.NEGATIVE_INFINITY, monotonic: 0 };
  const now = () => {
    const monotonic = monotonicTime();
    const time = Math.max(wallTime(), last.time + (monotonic - last.monotonic) * slowed);
    last = { time, monotonic };
    return Math.floor(time);
  };
  return {
    now,
    at(time, wake) {
      let timer: NodeJS.Timeout | undefined;
      const arm = () => {
        const wait = time - now();
        if (timer && wait <= 0) wake();
        else timer = setTimeout(arm, Math.min(Math.max(0, wait), longestTimer));
      };
      arm();
      return () => clearTimeout(timer);
    },
  };
}

export const systemClock: Clock = clockOn(Date.now);

export class TimedOut extends Error {
  override readonly name = "TimedOut";
}

export type TimeoutContext = {
  clock: Clock;
  /** Aborted when Waybill closes; the call then ends as well. */
  closing: AbortSignal;
};

/** After `ms`, aborts the signal and rejects, whether or not `call` listens to it. */
export function withTimeout<T>(
  { clock, closing }: TimeoutContext,
  ms: number,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  return new Promise<T>((resolve, reject) => {
    const giveUp = (why: string) => {
      const passed = new TimedOut(why);
      abort.abort(passed);
      reject(passed);
    };
    const onClosing = () => giveUp("waybill is closing");
    if (closing.aborted) return onClosing();
    const cancel = clock.at(clock.now() + ms, () => giveUp(`no answer within ${ms} ms`));
    const forget = whenAborted(closing, onClosing);
    const running = async () => call(abort.signal);
    const end = <R>(settle: (result: R) => void) => {
      return (result: R) => {
        cancel();
        forget();
        settle(result);
      };
    };
    running().then(end(resolve), end(reject));
  });
}

const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** One listener per signal, however many wait for it: adding and removing one for every call is expensive. */
function whenAborted(signal: AbortSignal, run: () => void): () => void {
  let runs = waiting.get(signal);
  if (!runs) {
    const all = new Set<() => void>();
    signal.addEventListener("abort", () => all.forEach((one) => void one()), { once: true });
    waiting.set(signal, all);
    runs = all;
  }
  const known = runs;
  known.add(run);
  return () => known.delete(run);
}

/** Resolves to null after `ms`, or sooner if the signal is aborted. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<null> {
  if (signal.aborted) return Promise.resolve(null);
  return new Promise((resolve) => {
    const wake = () => {
      cancel();
      signal.removeEventListener("abort", wake);
      resolve(null);
    };
    const cancel = clock.at(clock.now() + ms, wake);
    signal.addEventListener("abort", wake, { once: true });
  });
}

/**
 * Aborted with the signal, or after `ms`. Not `AbortSignal.timeout`: Node.js 20 garbage-collects one that only an
 * `AbortSignal.any` refers to, and then it never fires.
 */
export function abortedAfter(ms: number, signal: AbortSignal): AbortSignal {
  const timeout = new AbortController();
  setTimeout(() => timeout.abort(new TimedOut(`Timed out after ${ms} ms.`)), ms).unref();
  return AbortSignal.any([signal, timeout.signal]);
}

export function isoTime(at: number): string {
  return new Date(at).toISOString();
}
