/**
 * An answer that may take as long as an agent works. For a while it is an answer like any other, with a status that
 * says how it went; then its head goes out, and blanks, which JSON allows before a value, so that nobody on the way
 * takes the connection for dead.
 */
import type { Context } from "hono";
import type { Clock } from "../../../../clock.ts";
import type { Env } from "../../../http/env.ts";

export type Waiting = {
  clock: Clock;
  patienceMs: number;
  answer: Promise<object>;
  /** What stands for an error once the status is out. */
  afterwards: (error: unknown) => object;
  /** It was answered, or nobody waits any more. */
  onEnd: () => void;
};

export async function waitingAnswer(c: Context<Env>, waiting: Waiting): Promise<Response> {
  const { answer, onEnd } = waiting;
  try {
    const early = await withPatience(answer, waiting);
    if (early === null) return c.body(blanksUntil(waiting), 200, { "Content-Type": "application/json" });
    onEnd();
    return c.json(early as never);
  } catch (error) {
    onEnd();
    throw error;
  }
}

function blanksUntil(waiting: Waiting): ReadableStream<Uint8Array> {
  const { answer, afterwards, onEnd } = waiting;
  const encoder = new TextEncoder();
  const text = answer.catch(afterwards).then((value) => JSON.stringify(value));
  let isFirst = true;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const done = isFirst ? null : await withPatience(text, waiting);
        isFirst = false;
        controller.enqueue(encoder.encode(done ?? " "));
        if (done === null) return;
        controller.close();
        onEnd();
      },
      cancel: onEnd,
    },
    { highWaterMark: 0 },
  );
}

/** Null when it takes longer. */
async function withPatience<T>(answer: Promise<T>, { clock, patienceMs }: Waiting): Promise<T | null> {
  let stopWaiting = () => {};
  const timeUp = new Promise<null>((resolve) => {
    stopWaiting = clock.at(clock.now() + patienceMs, () => resolve(null));
  });
  try {
    return await Promise.race([answer, timeUp]);
  } finally {
    stopWaiting();
  }
}
