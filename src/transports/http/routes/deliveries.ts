/** Deliveries: what became of messages, and what a person may do about it. */
import { z } from "@hono/zod-openapi";
import { statuses } from "../../../core/delivery/record.ts";
import type { App } from "../env.ts";
import { nextOf, pageAnswers, pageQuery } from "../paging.ts";
import { answerOf, changeErrors, guardedRoute, idParam, readErrors } from "../route-descriptions.ts";
import { deliveryDetailSchema, deliverySchema } from "../schemas.ts";
import { deliveryDetailView, deliveryView } from "../views.ts";
import type { RouteDeps } from "./route-deps.ts";

const params = idParam("The delivery's id.");

const statusList = z
  .string()
  .transform((list) => list.split(","))
  .pipe(z.array(z.enum(statuses)).max(statuses.length))
  .optional()
  .openapi({
    type: "string",
    description: `Only those in one of these, separated by commas: ${statuses.join(", ")}.`,
    example: "pending,accepted",
  });

export const deliveryRoutes = {
  list: guardedRoute("deliveries", {
    method: "get",
    path: "/v1/deliveries",
    operationId: "listDeliveries",
    summary: "Deliveries, newest first",
    request: {
      query: pageQuery({
        status: statusList,
        messageId: z.string().min(1).max(128).optional().openapi({ description: "Only those of this message." }),
      }),
    },
    responses: pageAnswers("DeliveryPage", { deliveries: z.array(deliverySchema) }),
  }),
  show: guardedRoute("deliveries", {
    method: "get",
    path: "/v1/deliveries/{id}",
    operationId: "showDelivery",
    summary: "One delivery with attempts, audit, evidence, and what happens next",
    request: { params },
    responses: { 200: answerOf(deliveryDetailSchema, "All that is known of it."), ...readErrors(404) },
  }),
  retry: guardedRoute("deliveries", {
    method: "post",
    path: "/v1/deliveries/{id}/retry",
    operationId: "retryDelivery",
    summary: "Give a delivery that failed for good a new budget",
    description: "Its old attempts are looked at first, so late proof is found before the agent is asked again.",
    request: { params },
    responses: { 202: answerOf(deliverySchema, "It waits for its turn again."), ...changeErrors(404, 409) },
  }),
  cancel: guardedRoute("deliveries", {
    method: "post",
    path: "/v1/deliveries/{id}/cancel",
    operationId: "cancelDelivery",
    summary: "End a delivery for good",
    description: "If its turn runs, that is stopped.",
    request: { params },
    responses: { 202: answerOf(deliverySchema, "It is over."), ...changeErrors(404, 409) },
  }),
};

export function addDeliveries(app: App, { service }: RouteDeps): void {
  app.openapi(deliveryRoutes.list, async (c) => {
    const { status, ...filter } = c.req.valid("query");
    const page = await service.deliveries({ ...filter, statuses: status });
    return c.json({ deliveries: page.items.map(deliveryView), ...nextOf(page) }, 200);
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
