/**
 * Server-sent events as a body that is filled only as fast as the client reads it, so a slow client uses little memory.
 * Sends heartbeats when nothing else was sent for a while, or at a fixed rate.
 */

import type { Context } from "hono";
import type { Clock } from "../../platform/clock.ts";
import type { Env } from "./env.ts";

type EventStreamOptions<T> = {
  items: AsyncIterator<T>;
  opening: string;
  frameOf: (item: T) => string | Promise<string>;
  /** Makes the heartbeat; a comment by default. */
  beat?: () => string;
  heartbeatMs: number;
  /** Whether heartbeats are also sent between other frames. */
  beatsSteadily?: boolean;
  clock: Clock;
  /** Aborting it ends the stream; the stream aborts it when the client disconnects. */
  end: AbortController;
  /** Closes the connection when we end the stream, for clients that reconnect only then. */
  cutOff?: () => void;
  onOpen: () => void;
  onClose: () => void;
  onError: (error: unknown) => void;
};

/** A reader resumes after the last frame that had an id. `data` is JSON. */
export function frame(id: string | null, event: string, data: string): string {
  return `${id === null ? "" : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;
}

export function comment(text: string): string {
  return `: ${text}\n\n`;
}

/** Starts with the first read, so a body that is never sent holds nothing. */
export function eventStream<T>(options: EventStreamOptions<T>): ReadableStream<Uint8Array> {
  const { end, opening, onOpen, onClose } = options;
  const encoder = new TextEncoder();
  const next = frameReader(options);
  let state: "unread" | "open" | "closed" = "unread";
  const close = () => {
    if (state === "open") onClose();
    state = "closed";
    end.abort();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (state === "unread") {
          state = "open";
          onOpen();
          return controller.enqueue(encoder.encode(opening));
        }
        const frame = await next();
        // Cancelled while it waited.
        if (state === "closed") return;
        if (frame !== null) return controller.enqueue(encoder.encode(frame));
        close();
        options.cutOff?.();
        controller.close();
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}

/** The next frame, a heartbeat if none comes in time, or null at the end. */
function frameReader<T>(options: EventStreamOptions<T>) {
  const { items, frameOf, heartbeatMs, clock, end, onError, beat = () => comment("still here") } = options;
  const { beatsSteadily = false } = options;
  let beatAt = clock.now() + heartbeatMs;
  let reading = false;
  let held: string | null | undefined;
  let waiting: ((frame: string | null) => void) | undefined;

  const deliver = (frame: string | null) => {
    reading = false;
    if (waiting) waiting(frame);
    else held = frame;
  };
  const read = () => {
    reading = true;
    items
      .next()
      .then(({ done, value }) => (done ? null : frameOf(value)))
      .then(deliver)
      .catch((error) => {
        if (!end.signal.aborted) onError(error);
        deliver(null);
      });
  };
  end.signal.addEventListener("abort", () => deliver(null), { once: true });
  const nextBeat = () => {
    beatAt = clock.now() + heartbeatMs;
    return beat();
  };

  return (): Promise<string | null> => {
    if (end.signal.aborted) return Promise.resolve(null);
    if (!beatsSteadily) beatAt = clock.now() + heartbeatMs;
    else if (clock.now() >= beatAt) return Promise.resolve(nextBeat());
    if (held !== undefined) {
      const frame = held;
      held = undefined;
      return Promise.resolve(frame);
    }
    if (!reading) read();
    return new Promise((resolve) => {
      const answer = (frame: string | null) => {
        waiting = undefined;
        stopBeat();
        resolve(frame);
      };
      const stopBeat = clock.at(beatAt, () => answer(nextBeat()));
      waiting = answer;
    });
  };
}

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
