/** Waits that have an end. */
import type { Clock } from "../../clock.ts";

/** Null when the time was up before. */
export async function inTime<T>(clock: Clock, promise: Promise<T>, ms: number): Promise<T | null> {
  let cancel = () => {};
  const over = new Promise<null>((resolve) => {
    cancel = clock.at(clock.now() + ms, () => resolve(null));
  });
  return Promise.race([promise, over]).finally(() => cancel());
}

/** Until it is so, or the time is up. Looked at whenever something is told of a program. */
export async function untilSo(
  clock: Clock,
  onHint: (listener: () => void) => () => void,
  isSo: () => boolean,
  ms: number,
): Promise<void> {
  const deadline = clock.now() + ms;
  while (!isSo() && clock.now() < deadline) {
    await new Promise<void>((resolve) => {
      const done = () => {
        cancel();
        forget();
        resolve();
      };
      const forget = onHint(done);
      const cancel = clock.at(deadline, done);
    });
  }
}
