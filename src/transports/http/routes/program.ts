/** The program itself: its version, metrics, OpenAPI document, and restart. */
import { z } from "@hono/zod-openapi";
import type { App } from "../env.ts";
import { answerOf, changeErrors, guardedRoute, readErrors } from "../route-descriptions.ts";
import { isoTime, versionSchema } from "../schemas.ts";
import type { RouteDeps } from "./route-deps.ts";

export const programRoutes = {
  version: guardedRoute("program", {
    method: "get",
    path: "/version",
    operationId: "version",
    summary: "Show the version, and when this run started",
    responses: { 200: answerOf(versionSchema, "The version, and the current run."), ...readErrors() },
  }),
  metrics: guardedRoute("program", {
    method: "get",
    path: "/metrics",
    operationId: "metrics",
    summary: "Metrics for Prometheus",
    responses: {
      200: { description: "Metrics in the Prometheus text format.", content: { "text/plain": { schema: z.string() } } },
      ...readErrors(),
    },
  }),
  document: guardedRoute("program", {
    method: "get",
    path: "/openapi.json",
    operationId: "openapi",
    summary: "This document",
    responses: { 200: answerOf(z.looseObject({}), "An OpenAPI 3.1 document."), ...readErrors() },
  }),
  restart: guardedRoute("program", {
    method: "post",
    path: "/v1/restart",
    operationId: "restart",
    summary: "Restart the worker",
    description:
      "The worker shuts down gracefully and its supervisor starts a new one. No admitted message is lost. If the next " +
      "start would refuse the configuration, nothing is restarted.",
    responses: {
      202: answerOf(
        z.object({ status: z.literal("restarting") }).openapi("Restarting"),
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
