/** Every call to another program has a deadline; this one can be driven by a test's clock. */
import type { Clock } from "./clock.ts";

export class TimedOut extends Error {
  override readonly name = "TimedOut";
}

export type TimeoutContext = {
  clock: Clock;
  /** Aborted when the program ends: nobody waits for the rest of a deadline then. */
  closing: AbortSignal;
};

/** Runs `call`; when the time is over, its signal is aborted and the promise rejects, whether it listens or not. */
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
