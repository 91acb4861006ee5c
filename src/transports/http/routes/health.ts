/** Alive, and able to work. Both need no token, so they name nothing and nobody. */
import { createRoute, z } from "@hono/zod-openapi";
import { AppError } from "../../../app-error.ts";
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
    summary: "Whether the process is alive",
    responses: { 200: answerOf(z.object({ status: z.literal("ok") }).openapi("Health"), "It is."), ...openErrors },
  }),
  ready: createRoute({
    method: "get",
    path: "/ready",
    operationId: "ready",
    tags,
    security: [],
    summary: "Whether messages can be taken and brought to agents",
    description: "Looks at the store and the runtimes; spends no tokens of a model.",
    responses: {
      200: answerOf(readySchema, "It can work, perhaps degraded."),
      503: answerOf(readySchema, "It cannot; `reasons` says why, in codes."),
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
