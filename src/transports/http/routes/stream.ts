/** `GET /v1/stream`: everything that happens, as server-sent events that can be resumed without a gap. */
import type { App } from "../env.ts";
import { guardedRoute } from "../route-descriptions.ts";
import { streamEventSchema } from "../schemas.ts";
import { answerStream, streamRoute } from "../stream-answer.ts";
import { streamFrame } from "../views.ts";
import type { RouteDeps } from "./route-deps.ts";

const path = "/v1/stream";

export const streamRoutes = {
  stream: guardedRoute("stream", {
    ...streamRoute(streamEventSchema),
    path,
    operationId: "stream",
    summary: "What happens, as it happens",
    description:
      "Server-sent events: `event` is the type, `id` an opaque cursor, `data` a StreamEvent. With the id of the last " +
      "event in `Last-Event-ID` the stream goes on after it; without one it begins now, with an `open` event whose id " +
      "can be resumed from. After a `reset` everything has to be looked at anew.",
  }),
};

export function addStream(app: App, deps: RouteDeps): void {
  const { service } = deps;
  app.openapi(streamRoutes.stream, (c) => {
    const { lane, lastEventId } = c.req.valid("query");
    return answerStream(c, deps, {
      path,
      query: { lane, lastEventId: c.req.valid("header")["last-event-id"] || lastEventId },
      checkCursor: service.checkCursor.bind(service),
      now: () => service.now(),
      follow: (options) => service.follow(options),
      frameOf: streamFrame,
    });
  });
}
