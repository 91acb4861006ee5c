/** The time limit of every call to another program. It runs on the injected clock, so tests can drive it. */
import type { Clock } from "./clock.ts";

export class TimedOut extends Error {
  override readonly name = "TimedOut";
}

export type TimeoutContext = {
  clock: Clock;
  /** Aborted when Waybill closes; the call ends then, too. */
  closing: AbortSignal;
};

/** When the time is over, aborts the signal and rejects, whether or not `call` listens to it. */
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
    closing.addEventListener("abort", onClosing, { once: true });
    const running = async () => call(abort.signal);
    running()
      .then(resolve, reject)
      .finally(() => {
        cancel();
        closing.removeEventListener("abort", onClosing);
      });
  });
}

/** Resolves to null when the time is over, or sooner when the signal is aborted. */
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
