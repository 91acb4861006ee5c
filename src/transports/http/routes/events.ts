/** What agents do and say, turn by turn: `GET /v1/events` by pages, `GET /v1/events/stream` as it happens. */
import { z } from "@hono/zod-openapi";
import type { FollowedEvent } from "../../../service/service.ts";
import type { App } from "../env.ts";
import { eventPageSchema, eventStreamSchema } from "../event-schemas.ts";
import { frame } from "../event-stream.ts";
import { cursor, limit } from "../paging.ts";
import { answerOf, guardedRoute, laneFilter, readErrors } from "../route-descriptions.ts";
import { isoTime } from "../schemas.ts";
import { answerStream, streamRoute } from "../stream-answer.ts";
import type { RouteDeps } from "./route-deps.ts";

const path = "/v1/events/stream";

export const eventRoutes = {
  list: guardedRoute("stream", {
    method: "get",
    path: "/v1/events",
    operationId: "listEvents",
    summary: "What agents did and said, oldest first",
    description: "Without `after`, from the oldest that is kept. Deltas are not kept.",
    request: {
      query: z.strictObject({
        lane: laneFilter,
        after: cursor.openapi({ description: "`cursor` of the page before, or the id of an event." }),
        limit,
      }),
    },
    responses: { 200: answerOf(eventPageSchema, "A page of them."), ...readErrors(404) },
  }),
  stream: guardedRoute("stream", {
    ...streamRoute(eventStreamSchema),
    path,
    operationId: "followEvents",
    summary: "What agents do and say, as it happens",
    description:
      "Server-sent events: `event` is the type, `id` an opaque cursor, `data` a UniversalEvent. It is opened and resumed " +
      "as `/v1/stream` is, with cursors of its own. An `item.delta` has no id, for it is not kept: whoever resumes finds " +
      "its text in the `item.completed`.",
  }),
};

export function addEvents(app: App, deps: RouteDeps): void {
  const { service, clock } = deps;
  app.openapi(eventRoutes.list, async (c) => {
    const { events, cursor, reset } = await service.events(c.req.valid("query"));
    return c.json({ events: [...events], cursor, reset: reset !== null }, 200);
  });
  app.openapi(eventRoutes.stream, (c) => {
    const { lane, lastEventId } = c.req.valid("query");
    return answerStream(c, deps, {
      path,
      query: { lane, lastEventId: c.req.valid("header")["last-event-id"] || lastEventId },
      checkCursor: (after) => service.events({ after, limit: 1 }),
      now: () => service.eventsEnd(),
      follow: (options) => service.followEvents(options),
      frameOf: (item) => frameOf(item, clock.now()),
    });
  });
}

/** The event's own text is passed on as it stands, however many read it. */
function frameOf(item: FollowedEvent, now: number): string {
  if (item.type === "event") return frame(item.cursor, item.event.type, item.text);
  return frame(item.cursor, "reset", JSON.stringify({ type: "reset", at: isoTime(now) }));
}
