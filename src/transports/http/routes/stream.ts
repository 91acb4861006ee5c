/** The log: `GET /v1/stream` sends it live and resumes without a gap; `GET /v1/events` pages through agents' events. */
import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { LogFilter, LogItem } from "../../../core/log/log-item.ts";
import { logTypes } from "../../../core/log/log-item.ts";
import { universalEventTypes } from "../../../core/turn/universal-event.ts";
import { isoTime } from "../../../platform/clock.ts";
import type { App, Env } from "../env.ts";
import { eventPageSchema, streamEventSchema } from "../event-schemas.ts";
import { comment, eventStream, frame, streamEnd, streamHeaders } from "../event-stream.ts";
import { answerOf, cursor, guardedRoute, laneFilter, limit, readErrors } from "../route-descriptions.ts";
import { frameMaker } from "../views.ts";
import type { RouteDeps } from "./route-deps.ts";

const path = "/v1/stream";
const lastEventId = z.string().max(256).optional();
const typeNames = [...logTypes, "events"] as const;

const types = z
  .string()
  .max(500)
  .transform((names) => names.split(","))
  .pipe(z.array(z.enum(typeNames, { error: `must be a list of ${typeNames.join(", ")}` })))
  .transform((names) => names.flatMap((name) => (name === "events" ? universalEventTypes : [name])))
  .optional()
  .openapi({
    type: "string",
    example: "delivery,turn.ended",
    description: "Only these types, separated by commas. `events` stands for all event types of agents.",
  });

export const streamRoutes = {
  stream: guardedRoute("stream", `GET ${path}`, "stream", {
    summary: "Stream events as they happen",
    description:
      "Server-sent events: `event` is the type, `id` an opaque cursor, `data` a StreamEvent. With `Last-Event-ID`, the " +
      "stream resumes after that event. Without it, the stream begins now, with an `open` event whose id you can resume " +
      "from. A `reset` means that some events in between are no longer kept; it carries the current state of the lanes. " +
      "An `item.delta` has no id because it is not kept: a client that resumes finds its text in `item.completed`, and " +
      "until then in `GET /v1/lanes/{id}/turn`.",
    request: {
      query: z.strictObject({
        lane: laneFilter,
        types,
        lastEventId: lastEventId.describe("For clients that cannot set the header."),
      }),
      headers: z.object({
        "last-event-id": lastEventId.describe("The id of the last event that the client received."),
      }),
    },
    responses: {
      200: { description: "The stream.", content: { "text/event-stream": { schema: streamEventSchema } } },
      ...readErrors(404),
    },
  }),
  events: guardedRoute("stream", "GET /v1/events", "listEvents", {
    summary: "List what agents did and said, oldest first",
    description: "Without `after`, starts with the oldest event that is kept. Deltas are not kept.",
    request: {
      query: z.strictObject({
        lane: laneFilter,
        after: cursor.describe("`cursor` of the previous page, or the id of an event."),
        limit,
      }),
    },
    responses: { 200: answerOf(eventPageSchema, "One page of events."), ...readErrors(404) },
  }),
};

export function addStream(app: App, deps: RouteDeps): void {
  const { service } = deps;
  app.openapi(streamRoutes.stream, (c) => {
    if (c.req.method === "HEAD") return c.body(null, 200, streamHeaders);
    const { lane, types, lastEventId } = c.req.valid("query");
    const after = c.req.valid("header")["last-event-id"] || lastEventId || undefined;
    return answerStream(c, deps, { lane, types }, after);
  });
  app.openapi(streamRoutes.events, async (c) => {
    const page = await service.log({ ...c.req.valid("query"), types: universalEventTypes });
    return c.json({ events: page.items.flatMap(eventOf), cursor: page.cursor, reset: page.reset !== null }, 200);
  });
}

async function answerStream(c: Context<Env>, deps: RouteDeps, filter: LogFilter, resumeAfter: string | undefined) {
  const { service, clock, metrics, heartbeatMs, report } = deps;
  // A reader that resumes can still follow a removed lane to its end.
  if (filter.lane !== undefined && resumeAfter === undefined) await service.lane(filter.lane);
  if (resumeAfter !== undefined) await service.log({ after: resumeAfter, limit: 1 });
  const after = resumeAfter ?? service.logEnd();
  const end = streamEnd(c);
  const opened = JSON.stringify({ type: "open", at: isoTime(clock.now()) });
  const body = eventStream({
    items: service.follow({ ...filter, after, signal: end.signal })[Symbol.asyncIterator](),
    opening: comment("open") + (resumeAfter === undefined ? frame(after, "open", opened) : ""),
    frameOf: frameMaker(service, clock),
    heartbeatMs,
    clock,
    end,
    onOpen: () => metrics.streamClients.inc(),
    onClose: () => metrics.streamClients.dec(),
    onError: (error) => report(error, path),
  });
  return c.body(body, 200, streamHeaders);
}

function eventOf(item: LogItem) {
  return item.type === "event" && item.cursor !== null ? [{ cursor: item.cursor, event: item.event }] : [];
}
