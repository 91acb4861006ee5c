/**
 * An answer that may take as long as an agent works. For a while it is an answer like any other, with a status that
 * says how it went; then its head goes out, and blanks, which JSON allows before a value, so that nobody on the way
 * takes the connection for dead.
 */
import type { Context } from "hono";
import type { Clock } from "../../../../../clock.ts";
import type { Env } from "../../../env.ts";

export type Waiting<T> = {
  clock: Clock;
  patienceMs: number;
  answer: Promise<T>;
  /** What stands for an error once the status is out. */
  afterwards: (error: unknown) => unknown;
  /** Nobody waits any more. */
  onGone: () => void;
};

export async function waitingAnswer<T>(c: Context<Env>, waiting: Waiting<T>): Promise<Response> {
  const { clock, patienceMs, answer, onGone } = waiting;
  const early = await Promise.race([answer.then((value) => ({ value })), pause(clock, patienceMs)]);
  if (early) {
    onGone();
    return c.json(early.value as never);
  }
  return c.body(blanksUntil(waiting), 200, { "Content-Type": "application/json" });
}

function blanksUntil<T>({ clock, patienceMs, answer, afterwards, onGone }: Waiting<T>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const text = answer.catch(afterwards).then((value) => JSON.stringify(value));
  let isFirst = true;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const done = isFirst ? null : await Promise.race([text, pause(clock, patienceMs)]);
        isFirst = false;
        controller.enqueue(encoder.encode(done ?? " "));
        if (done === null) return;
        controller.close();
        onGone();
      },
      cancel: onGone,
    },
    { highWaterMark: 0 },
  );
}

function pause(clock: Clock, ms: number): Promise<null> {
  return new Promise((resolve) => clock.at(clock.now() + ms, () => resolve(null)));
}
