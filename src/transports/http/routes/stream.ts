/** `GET /v1/stream`: everything that happens, as server-sent events that can be resumed without a gap. */
import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { FeedItem } from "../../../delivery/feed.ts";
import { guarded, laneFilter, readErrors } from "../documented.ts";
import type { App, Env } from "../env.ts";
import { comment, eventStream, frame } from "../event-stream.ts";
import { streamEventShape } from "../shapes.ts";
import { isoTime, streamEventView } from "../views.ts";
import type { RouteDeps } from "./route-deps.ts";

const cursor = z.string().max(256).optional();

export const streamRoutes = {
  stream: createRoute({
    method: "get",
    path: "/v1/stream",
    operationId: "stream",
    tags: ["stream"],
    security: guarded,
    summary: "What happens, as it happens",
    description:
      "Server-sent events: `event` is the type, `id` an opaque cursor, `data` a StreamEvent. With the id of the last " +
      "event in `Last-Event-ID` the stream goes on after it; without one it begins now, with an `open` event whose id " +
      "can be resumed from. After a `reset` everything has to be looked at anew.",
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
      200: { description: "The stream.", content: { "text/event-stream": { schema: streamEventShape } } },
      ...readErrors(404),
    },
  }),
};

const headers = { "Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no" };

export function addStream(app: App, deps: RouteDeps): void {
  const { desk, clock, metrics, heartbeatMs, report } = deps;
  app.openapi(streamRoutes.stream, async (c) => {
    if (c.req.method === "HEAD") return c.body(null, 200, headers);
    const { lane, lastEventId } = c.req.valid("query");
    const resumeAfter = c.req.valid("header")["last-event-id"] || lastEventId || undefined;
    // A lane that has been removed can still be followed to its end by those who knew it.
    if (lane !== undefined && resumeAfter === undefined) await desk.lane(lane);
    if (resumeAfter !== undefined) await desk.checkCursor(resumeAfter);
    const after = resumeAfter ?? (await desk.now());
    const end = endOf(c);
    const items = desk.follow({ after, lane, signal: end.signal })[Symbol.asyncIterator]();
    const opened = { type: "open" as const, at: isoTime(clock.now()) };
    const body = eventStream({
      items,
      opening: comment("open") + (resumeAfter === undefined ? frame(after, "open", opened) : ""),
      frameOf: (item: FeedItem) => frame(item.cursor, item.type, streamEventView(item)),
      heartbeatMs,
      clock,
      end,
      onOpen: () => metrics.streamClients.inc(),
      onClose: () => metrics.streamClients.dec(),
      onError: (error) => report(error, "/v1/stream"),
    });
    return c.body(body, 200, headers);
  });
}

/** Aborted when the client goes or the server closes. */
function endOf(c: Context<Env>): AbortController {
  const end = new AbortController();
  for (const signal of [c.req.raw.signal, c.env.closing]) {
    if (signal.aborted) end.abort();
    signal.addEventListener("abort", () => end.abort(), { once: true, signal: end.signal });
  }
  return end;
}
