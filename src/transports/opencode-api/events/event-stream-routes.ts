/**
 * `GET /event` and `GET /global/event`: the events of one directory, or of all. Unlike OpenCode's, each event has an
 * `id` from which a disconnected client resumes (`Last-Event-ID`, or `?lastEventId=`).
 */
import { randomUUID } from "node:crypto";
import type { Context } from "hono";
import type { Env } from "../../http/env.ts";
import { eventStream, streamEnd, streamHeaders } from "../../http/event-stream.ts";
import type { HttpMetrics } from "../../http/metrics.ts";
import type { RouteDeps } from "../../http/routes/route-deps.ts";
import { timedId } from "../ids.ts";
import type { OpenCodeApp } from "../opencode-deps.ts";
import { requestDirectory, requestWorkspace } from "../request.ts";
import type { EventHub } from "./event-hub.ts";
import type { SseFrame } from "./frames.ts";
import { sseText } from "./frames.ts";

type EventStreamDeps = Pick<RouteDeps, "service" | "clock" | "report"> & {
  hub: Pick<EventHub, "follow">;
  metrics: Pick<HttpMetrics, "streamClients">;
};

/** The same as OpenCode's, which its clients may rely on. Sent even while other events flow. */
const heartbeatMs = 10_000;
/** How long SDK clients wait before they reconnect; their default is three seconds. */
const reconnectAfter = "retry: 500\n\n";

type StreamForm = {
  path: string;
  /** Whether a client without a cursor gets the current state first. */
  withSnapshot: boolean;
  textOf: (frame: SseFrame) => string;
  wrap: (text: string) => string;
};

/**
 * Clients of `/event` resume with `Last-Event-ID`, and treat everything they get as new: with a snapshot, `opencode
 * run` would print the previous answer, and reject the asks of another client's turn.
 */
const plain: StreamForm = {
  path: "/event",
  withSnapshot: false,
  textOf: (frame) => frame.plain,
  wrap: (text) => text,
};
const wrapped: StreamForm = {
  path: "/global/event",
  withSnapshot: true,
  textOf: (frame) => frame.wrapped,
  wrap: (text) => `{"payload":${text}}`,
};

export function addEventStreamRoutes(app: OpenCodeApp, deps: EventStreamDeps): void {
  app.get(plain.path, async (c) => {
    const isNamed = requestDirectory(c) !== undefined;
    return answer(c, deps, plain, isNamed ? (await requestWorkspace(c, deps.service)).directory : undefined);
  });
  app.get(wrapped.path, (c) => answer(c, deps, wrapped, undefined));
}

async function answer(c: Context<Env>, deps: EventStreamDeps, form: StreamForm, directory: string | undefined) {
  if (c.req.method === "HEAD") return c.body(null, 200, streamHeaders);
  const { hub, clock, metrics, report } = deps;
  const after = c.req.header("last-event-id") || c.req.query("lastEventId") || undefined;
  const end = streamEnd(c);
  const { withSnapshot } = form;
  const following = hub.follow({ after, directory, withSnapshot, signal: end.signal });
  const { from, hasSnapshot, frames } = await following.catch((error: unknown) => {
    // Otherwise its listeners would stay until the server closes.
    end.abort();
    throw error;
  });
  const ownEvent = (type: string) => {
    const id = timedId("evt", clock.now(), 0, randomUUID());
    return form.wrap(JSON.stringify({ id, type, properties: {} }));
  };
  const body = eventStream({
    items: frames,
    opening: reconnectAfter + sseText(hasSnapshot ? null : from, ownEvent("server.connected")),
    frameOf: form.textOf,
    beat: () => sseText(null, ownEvent("server.heartbeat")),
    heartbeatMs,
    beatsSteadily: true,
    clock,
    end,
    // The SDK resumes a stream that is cut off, but treats one that ends cleanly as finished.
    cutOff: () => c.env.cutOff(),
    onOpen: () => metrics.streamClients.inc(),
    onClose: () => metrics.streamClients.dec(),
    onError: (error) => report(error, form.path),
  });
  return c.body(body, 200, streamHeaders);
}
