/** Deliveries: the state and outcome of messages, and how a person may intervene. */
import { z } from "@hono/zod-openapi";
import { statuses } from "../../../core/delivery/record.ts";
import type { App } from "../env.ts";
import {
  answerOf,
  changeErrors,
  guardedRoute,
  idParam,
  nextOf,
  pageAnswers,
  pageQuery,
  readErrors,
} from "../route-descriptions.ts";
import { deliveryDetailSchema, deliverySchema, listedDeliverySchema } from "../schemas.ts";
import { deliveryDetailView, deliveryView, listedDeliveryView } from "../views.ts";
import type { RouteDeps } from "./route-deps.ts";

const params = idParam("The delivery's id.");

const statusList = z
  .string()
  .transform((list) => list.split(","))
  .pipe(z.array(z.enum(statuses)).max(statuses.length))
  .optional()
  .openapi({
    type: "string",
    description: `Only deliveries with one of these statuses, separated by commas: ${statuses.join(", ")}.`,
    example: "pending,accepted",
  });

export const deliveryRoutes = {
  list: guardedRoute("deliveries", "GET /v1/deliveries", "listDeliveries", {
    summary: "List deliveries, newest first",
    request: {
      query: pageQuery({
        status: statusList,
        messageId: z.string().min(1).max(128).optional().describe("Only deliveries of this message."),
        q: z
          .string()
          .max(500)
          .optional()
          .describe(
            "Only deliveries whose message id, lane, status or reason contains all of these words, or whose id begins with them. Searches the newest 5,000.",
          ),
      }),
    },
    responses: pageAnswers("DeliveryPage", { deliveries: z.array(listedDeliverySchema) }),
  }),
  show: guardedRoute("deliveries", "GET /v1/deliveries/{id}", "showDelivery", {
    summary: "Show a delivery with its attempts, audit, evidence and next step",
    request: { params },
    responses: { 200: answerOf(deliveryDetailSchema, "The delivery with all details."), ...readErrors(404) },
  }),
  retry: guardedRoute("deliveries", "POST /v1/deliveries/{id}/retry", "retryDelivery", {
    summary: "Retry a delivery that failed for good, with a new budget",
    description: "Its old attempts are checked first, so late proof is found before the agent gets another prompt.",
    request: { params },
    responses: { 202: answerOf(deliverySchema, "The delivery is queued again."), ...changeErrors(404, 409) },
  }),
  cancel: guardedRoute("deliveries", "POST /v1/deliveries/{id}/cancel", "cancelDelivery", {
    summary: "Cancel a delivery for good",
    description: "If its turn is running, the turn is stopped.",
    request: { params },
    responses: { 202: answerOf(deliverySchema, "The cancelled delivery."), ...changeErrors(404, 409) },
  }),
};

export function addDeliveries(app: App, { service }: RouteDeps): void {
  app.openapi(deliveryRoutes.list, async (c) => {
    const { status, q, ...filter } = c.req.valid("query");
    const page = await service.deliveries({ ...filter, statuses: status, query: q?.trim() || undefined });
    return c.json({ deliveries: page.items.map(listedDeliveryView), ...nextOf(page) }, 200);
  });

  app.openapi(deliveryRoutes.show, async (c) =>
    c.json(deliveryDetailView(await service.delivery(c.req.valid("param").id)), 200),
  );

  app.openapi(deliveryRoutes.retry, async (c) =>
    c.json(deliveryView(await service.retry(c.req.valid("param").id)), 202),
  );

  app.openapi(deliveryRoutes.cancel, async (c) =>
    c.json(deliveryView(await service.cancel(c.req.valid("param").id)), 202),
  );
}
