/** Prometheus metrics of the API and of the process. Labels are route patterns, never client input. */

import { readdir } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { Registry } from "prom-client";
import { Counter, Gauge, Histogram } from "prom-client";
import type { Service } from "../../service/service.ts";
import type { Env } from "./env.ts";

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

/**
 * Prometheus metrics of this process, under prom-client's names, read on each scrape. prom-client's own default metrics
 * also measure event loop lag, which wakes an idle process a hundred times a second.
 */
function addProcessMetrics(registry: Registry): void {
  const registers = [registry];
  const total = (name: string, help: string, seconds: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(seconds());
      },
    });
  const gauge = (name: string, help: string, value: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await value());
      },
    });
  const { cpuUsage, memoryUsage } = process;
  total("process_cpu_user_seconds_total", "CPU time in user mode.", () => cpuUsage().user / 1e6);
  total("process_cpu_system_seconds_total", "CPU time in the kernel.", () => cpuUsage().system / 1e6);
  total("process_cpu_seconds_total", "CPU time.", () => (cpuUsage().user + cpuUsage().system) / 1e6);
  gauge("process_start_time_seconds", "When the process started.", () => performance.timeOrigin / 1000);
  gauge("process_resident_memory_bytes", "Resident memory.", () => memoryUsage.rss());
  gauge("nodejs_heap_size_total_bytes", "Size of the heap.", () => memoryUsage().heapTotal);
  gauge("nodejs_heap_size_used_bytes", "Used size of the heap.", () => memoryUsage().heapUsed);
  gauge("nodejs_external_memory_bytes", "Memory outside the heap.", () => memoryUsage().external);
  gauge("nodejs_active_resources_total", "Resources that keep the event loop alive.", activeResources);
  gauge("nodejs_eventloop_utilization", "Busy fraction of the event loop since the last scrape.", utilization());
  if (process.platform === "linux") gauge("process_open_fds", "Open file descriptors.", openFiles);
}

function activeResources(): number {
  return process.getActiveResourcesInfo().length;
}

async function openFiles(): Promise<number> {
  // One of them is the directory handle itself.
  return (await readdir("/proc/self/fd")).length - 1;
}

/** Between two calls, from 0 to 1. */
function utilization(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
