/** What all streams of the daemon share: their headers, and when they end. */
import type { Context } from "hono";
import type { Env } from "./env.ts";

export const streamHeaders = { "Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no" };

/** Aborted when the client disconnects or the server closes. */
export function streamEnd(c: Context<Env>): AbortController {
  return abortedBy(c.req.raw.signal, c.env.closing);
}

/** Not `AbortSignal.any`, which leaks: its result lives as long as any source, and the server's signal lives long. */
export function abortedBy(...signals: readonly AbortSignal[]): AbortController {
  const end = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) end.abort();
    signal.addEventListener("abort", () => end.abort(), { once: true, signal: end.signal });
  }
  return end;
}
