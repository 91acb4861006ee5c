/**
 * A response that may take as long as an agent's turn. For a while it can still have any status; then its head is sent,
 * followed by blanks, which JSON allows before a value, so that proxies do not consider the connection dead.
 */
import type { Context } from "hono";
import type { Clock } from "../../../../platform/clock.ts";
import { sleep } from "../../../../platform/clock.ts";
import type { Env } from "../../../http/env.ts";

type SlowResponse = {
  clock: Clock;
  timeoutMs: number;
  answer: Promise<object>;
  /** The body for an error once the status has been sent. */
  answerFor: (error: unknown) => object;
  /** Called when it was answered, or the client disconnected. */
  onEnd: () => void;
};

export async function slowResponse(c: Context<Env>, response: SlowResponse): Promise<Response> {
  const { answer, onEnd } = response;
  try {
    const early = await withinTimeout(answer, response);
    if (early === null) return c.body(blanksUntil(response), 200, { "Content-Type": "application/json" });
    onEnd();
    return c.json(early as never);
  } catch (error) {
    onEnd();
    throw error;
  }
}

function blanksUntil(response: SlowResponse): ReadableStream<Uint8Array> {
  const { answer, answerFor, onEnd } = response;
  const encoder = new TextEncoder();
  const text = answer.catch(answerFor).then((value) => JSON.stringify(value));
  let isFirst = true;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const done = isFirst ? null : await withinTimeout(text, response);
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
async function withinTimeout<T>(answer: Promise<T>, { clock, timeoutMs }: SlowResponse): Promise<T | null> {
  const done = new AbortController();
  try {
    return await Promise.race([answer, sleep(clock, timeoutMs, done.signal)]);
  } finally {
    done.abort();
  }
}
