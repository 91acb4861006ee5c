/**
 * `GET /event` and `GET /global/event`: what happens in one directory, or everywhere. As OpenCode's, but for the `id` of
 * each event, from which a client that was cut off goes on (`Last-Event-ID`, or `?lastEventId=`).
 */
import { randomUUID } from "node:crypto";
import type { Context, Hono } from "hono";
import type { Clock } from "../../../clock.ts";
import type { Service } from "../../../service/service.ts";
import type { Env } from "../../http/env.ts";
import { eventStream } from "../../http/event-stream.ts";
import type { HttpMetrics } from "../../http/metrics.ts";
import { streamEnd, streamHeaders } from "../../http/stream-answer.ts";
import { timedId } from "../ids.ts";
import { placeOf, wantedDirectory } from "../request-directory.ts";
import type { EventHub } from "./event-hub.ts";
import type { Line } from "./frame.ts";
import { sent } from "./frame.ts";

export type EventStreamDeps = {
  service: Service;
  hub: Pick<EventHub, "follow">;
  clock: Clock;
  metrics: Pick<HttpMetrics, "streamClients">;
  /** For what goes wrong after the answer has begun. */
  report: (error: unknown, route: string) => void;
};

/** OpenCode's own, which its clients may count on; it says so whatever else it says. */
const heartbeatMs = 10_000;
/** Clients of the SDK wait for this long before they come back, and three seconds otherwise. */
const comeBack = "retry: 500\n\n";

type Form = {
  path: string;
  /** Whether a client that does not say where it was is told how things stand. */
  withState: boolean;
  textOf: (line: Line) => string;
  wrap: (text: string) => string;
};

/**
 * Those who read `/event` go on with `Last-Event-ID`, and take what they are told for news: `opencode run` would print
 * the answer before its own, and refuse what another client's turn asks.
 */
const plain: Form = { path: "/event", withState: false, textOf: (line) => line.plain, wrap: (text) => text };
const wrapped: Form = {
  path: "/global/event",
  withState: true,
  textOf: (line) => line.wrapped,
  wrap: (text) => `{"payload":${text}}`,
};

export function addEventStreams(app: Hono<Env>, deps: EventStreamDeps): void {
  app.get(plain.path, async (c) => {
    const named = wantedDirectory(c) !== undefined;
    return answer(c, deps, plain, named ? (await placeOf(c, deps.service)).directory : undefined);
  });
  app.get(wrapped.path, (c) => answer(c, deps, wrapped, undefined));
}

async function answer(c: Context<Env>, deps: EventStreamDeps, form: Form, directory: string | undefined) {
  if (c.req.method === "HEAD") return c.body(null, 200, streamHeaders);
  const { hub, clock, metrics, report } = deps;
  const after = c.req.header("last-event-id") || c.req.query("lastEventId") || undefined;
  const end = streamEnd(c);
  const { withState } = form;
  const following = hub.follow({ after, directory, withState, signal: end.signal });
  const { from, tellsState, lines } = await following.catch((error: unknown) => {
    // What was to end the stream would listen for as long as the server lives.
    end.abort();
    throw error;
  });
  const ownEvent = (type: string) => {
    const id = timedId("evt", clock.now(), 0, randomUUID());
    return form.wrap(JSON.stringify({ id, type, properties: {} }));
  };
  const body = eventStream({
    items: lines,
    opening: comeBack + sent(tellsState ? null : from, ownEvent("server.connected")),
    frameOf: form.textOf,
    beat: () => sent(null, ownEvent("server.heartbeat")),
    heartbeatMs,
    beatsSteadily: true,
    clock,
    end,
    // The SDK takes a stream that ends for one that is over, and goes on with one that is cut.
    cutOff: () => c.env.cutOff(),
    onOpen: () => metrics.streamClients.inc(),
    onClose: () => metrics.streamClients.dec(),
    onError: (error) => report(error, form.path),
  });
  return c.body(body, 200, streamHeaders);
}
