/** Health and readiness. They need no token, so their responses name no lanes, people or paths. */
import { createRoute, z } from "@hono/zod-openapi";
import { AppError } from "../../../platform/app-error.ts";
import type { Readiness } from "../../../service/service.ts";
import type { App } from "../env.ts";
import { answerOf, openErrors } from "../route-descriptions.ts";
import { readySchema } from "../schemas.ts";
import type { RouteDeps } from "./route-deps.ts";

const tags = ["program"];

export const healthRoutes = {
  health: createRoute({
    method: "get",
    path: "/health",
    operationId: "health",
    tags,
    security: [],
    summary: "Check that the process is alive",
    responses: {
      200: answerOf(z.object({ status: z.literal("ok") }).openapi("Health"), "The process is alive."),
      ...openErrors,
    },
  }),
  ready: createRoute({
    method: "get",
    path: "/ready",
    operationId: "ready",
    tags,
    security: [],
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
