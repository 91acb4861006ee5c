/** Every call to another program has a deadline; this one can be driven by a test's clock. */
import type { Clock } from "./clock.ts";

export class DeadlinePassed extends Error {
  override readonly name = "DeadlinePassed";
}

/** Runs `call`; when the time is over, its signal is aborted and the promise rejects, whether it listens or not. */
export function withDeadline<T>(clock: Clock, ms: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  return new Promise<T>((resolve, reject) => {
    const cancel = clock.at(clock.now() + ms, () => {
      const passed = new DeadlinePassed(`no answer within ${ms} ms`);
      abort.abort(passed);
      reject(passed);
    });
    call(abort.signal).then(resolve, reject).finally(cancel);
  });
}
