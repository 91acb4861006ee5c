/** Prometheus metrics of the API. Labels are route patterns, never client input. */
import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { Registry } from "prom-client";
import { Counter, Gauge, Histogram } from "prom-client";
import type { Service } from "../../service/service.ts";
import type { Env } from "./env.ts";
import { addProcessMetrics } from "./process-metrics.ts";

export type HttpMetrics = {
  measure: MiddlewareHandler<Env>;
  streamClients: { inc(): void; dec(): void };
  text(): Promise<string>;
  contentType: string;
};

const knownMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** `registry` may already hold other metrics, including those of the process. */
export function makeMetrics(registry: Registry, service: Service): HttpMetrics {
  const registers = [registry];
  if (!registry.getSingleMetric("process_start_time_seconds")) addProcessMetrics(registry);
  new Gauge({
    name: "waybill_deliveries",
    help: "Deliveries in the ledger, by status.",
    labelNames: ["status"],
    registers,
    async collect() {
      for (const [status, count] of Object.entries(await service.counts())) this.set({ status }, count);
    },
  });
  const requests = new Counter({
    name: "waybill_http_requests_total",
    help: "Requests to the API.",
    labelNames: ["method", "route", "status"],
    registers,
  });
  const seconds = new Histogram({
    name: "waybill_http_request_seconds",
    help: "Time until a request was answered; for streams, until they opened.",
    labelNames: ["method", "route"],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
    registers,
  });
  const streamClients = new Gauge({ name: "waybill_stream_clients", help: "Open event streams.", registers });
  return {
    streamClients,
    text: () => registry.metrics(),
    contentType: registry.contentType,
    async measure(c, next) {
      const stop = seconds.startTimer();
      await next();
      const method = knownMethods.includes(c.req.method) ? c.req.method : "other";
      const route = routeOf(c);
      stop({ method, route });
      requests.inc({ method, route, status: c.res.status });
    },
  };
}

/** The pattern of the first route that matches, or `unmatched`. */
export function routeOf(c: Context<Env>): string {
  const route = matchedRoutes(c).find(({ path }) => !path.endsWith("*"));
  return c.get("mountedRoute") ?? route?.path ?? "unmatched";
}
