/** The program itself: its health, version, metrics, OpenAPI document, restart, and the checks of `waybill doctor`. */

import { z } from "@hono/zod-openapi";
import { AppError } from "../../../platform/app-error.ts";
import { isoTime } from "../../../platform/clock.ts";
import type { Readiness } from "../../../service/service.ts";
import type { App } from "../env.ts";
import { doctorSchema, readySchema, versionSchema } from "../program-schemas.ts";
import { answerOf, changeErrors, guardedRoute, openErrors, openRoute, readErrors } from "../route-descriptions.ts";
import { responseSchema } from "../schemas.ts";
import type { RouteDeps } from "./route-deps.ts";

export const programRoutes = {
  version: guardedRoute("program", "GET /version", "version", {
    summary: "Show the version, and when this run started",
    responses: { 200: answerOf(versionSchema, "The version, and the current run."), ...readErrors() },
  }),
  metrics: guardedRoute("program", "GET /metrics", "metrics", {
    summary: "Metrics for Prometheus",
    responses: {
      200: { description: "Metrics in the Prometheus text format.", content: { "text/plain": { schema: z.string() } } },
      ...readErrors(),
    },
  }),
  document: guardedRoute("program", "GET /openapi.json", "openapi", {
    summary: "This document",
    responses: { 200: answerOf(z.looseObject({}), "An OpenAPI 3.1 document."), ...readErrors() },
  }),
  restart: guardedRoute("program", "POST /v1/restart", "restart", {
    summary: "Restart the worker",
    description:
      "The worker shuts down gracefully and its supervisor starts a new one. No admitted message is lost. If the next " +
      "start would refuse the configuration, nothing is restarted.",
    responses: {
      202: answerOf(
        responseSchema("Restarting", { status: z.literal("restarting") }),
        "The restart follows this response.",
      ),
      ...changeErrors(409),
    },
  }),
};

export function addProgram(app: App, { service, metrics, about }: RouteDeps, document: () => object): void {
  const version = {
    name: "waybill" as const,
    version: about.version,
    api: 1 as const,
    runId: about.runId,
    startedAt: isoTime(about.startedAt),
    demo: about.demo,
  };
  app.openapi(programRoutes.version, (c) => c.json(version, 200));

  app.openapi(programRoutes.metrics, async (c) =>
    c.text(await metrics.text(), 200, { "Content-Type": metrics.contentType }),
  );

  app.openapi(programRoutes.document, (c) => c.json({ ...document() }, 200));

  app.openapi(programRoutes.restart, (c) => {
    service.checkRestart();
    c.env.afterAnswer(() => service.restart());
    return c.json({ status: "restarting" as const }, 202);
  });
}

/** They need no token, so their responses name no lanes, people or paths. */
export const healthRoutes = {
  health: openRoute("program", "GET /health", "health", {
    summary: "Check that the process is alive",
    responses: {
      200: answerOf(responseSchema("Health", { status: z.literal("ok") }), "The process is alive."),
      ...openErrors,
    },
  }),
  ready: openRoute("program", "GET /ready", "ready", {
    summary: "Check that messages can be accepted and delivered to agents",
    description: "Checks the store and the runtimes. Uses no model tokens.",
    responses: {
      200: answerOf(readySchema, "Ready, possibly degraded."),
      503: answerOf(readySchema, "Not ready; `reasons` lists the reason codes."),
      ...openErrors,
    },
  }),
};

export function addHealth(app: App, { service, report }: RouteDeps): void {
  app.openapi(healthRoutes.health, (c) => c.json({ status: "ok" as const }, 200));

  app.openapi(healthRoutes.ready, async (c) => {
    const { ready, degraded, reasons } = await service.readiness().catch((error): Readiness => {
      report(error, "/ready");
      return { ready: false, degraded: true, reasons: [error instanceof AppError ? error.code : "internal"] };
    });
    const body = { ready, degraded, reasons: [...reasons] };
    return ready ? c.json(body, 200) : c.json(body, 503, { "Retry-After": "5" });
  });
}

export const doctorRoutes = {
  doctor: guardedRoute("program", "GET /v1/doctor", "doctor", {
    summary: "Check that Waybill has everything it needs, with a fix for each problem",
    description:
      "The report of `waybill doctor --json`. It takes up to about 20 seconds; concurrent requests share one report.",
    responses: { 200: answerOf(doctorSchema, "The checks and their results."), ...readErrors() },
  }),
};

export function addDoctor(app: App, { doctor }: RouteDeps): void {
  app.openapi(doctorRoutes.doctor, async (c) => c.json(doctorSchema.parse(await doctor()), 200));
}
