/** What all streams of the API share: where they begin, how they open, and when they end. */
import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Env } from "./env.ts";
import { comment, eventStream, frame } from "./event-stream.ts";
import { laneFilter, readErrors } from "./route-descriptions.ts";
import type { RouteDeps } from "./routes/route-deps.ts";
import { isoTime } from "./schemas.ts";

const cursor = z.string().max(256).optional();

/** The parts of a route that every stream has. */
export function streamRoute<T extends z.ZodType>(data: T) {
  return {
    method: "get" as const,
    request: {
      query: z.strictObject({
        lane: laneFilter,
        lastEventId: cursor.openapi({ description: "For clients that cannot set the header." }),
      }),
      headers: z.object({
        "last-event-id": cursor.openapi({ description: "The id of the last event that was seen." }),
      }),
    },
    responses: {
      200: { description: "The stream.", content: { "text/event-stream": { schema: data } } },
      ...readErrors(404),
    },
  };
}

export type StreamSource<T> = {
  path: string;
  query: { lane: string | undefined; lastEventId: string | undefined };
  /** Throws when this stream did not make the cursor. */
  checkCursor: (cursor: string) => Promise<unknown>;
  now: () => Promise<string>;
  follow: (options: { after: string; lane: string | undefined; signal: AbortSignal }) => AsyncIterable<T>;
  frameOf: (item: T) => string;
};

export const streamHeaders = { "Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no" };

export async function answerStream<T>(c: Context<Env>, deps: RouteDeps, source: StreamSource<T>) {
  if (c.req.method === "HEAD") return c.body(null, 200, streamHeaders);
  const { service, clock, metrics, heartbeatMs, report } = deps;
  const { lane, lastEventId } = source.query;
  const resumeAfter = lastEventId || undefined;
  // A removed lane can still be followed to its end by a reader that resumes.
  if (lane !== undefined && resumeAfter === undefined) await service.lane(lane);
  if (resumeAfter !== undefined) await source.checkCursor(resumeAfter);
  const after = resumeAfter ?? (await source.now());
  const end = streamEnd(c);
  const items = source.follow({ after, lane, signal: end.signal })[Symbol.asyncIterator]();
  const opened = JSON.stringify({ type: "open", at: isoTime(clock.now()) });
  const body = eventStream({
    items,
    opening: comment("open") + (resumeAfter === undefined ? frame(after, "open", opened) : ""),
    frameOf: source.frameOf,
    heartbeatMs,
    clock,
    end,
    onOpen: () => metrics.streamClients.inc(),
    onClose: () => metrics.streamClients.dec(),
    onError: (error) => report(error, source.path),
  });
  return c.body(body, 200, streamHeaders);
}

/** Aborted when the client disconnects or the server closes. */
export function streamEnd(c: Context<Env>): AbortController {
  return abortedBy(c.req.raw.signal, c.env.closing);
}

/** Not `AbortSignal.any`: it keeps what it made for as long as one of its sources lives, and the server's lives long. */
export function abortedBy(...signals: readonly AbortSignal[]): AbortController {
  const end = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) end.abort();
    signal.addEventListener("abort", () => end.abort(), { once: true, signal: end.signal });
  }
  return end;
}
