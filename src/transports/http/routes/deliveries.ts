/** Deliveries: what became of messages, and what a person may do about it. */
import { createRoute, z } from "@hono/zod-openapi";
import { statuses } from "../../../core/delivery/record.ts";
import { answerOf, changeErrors, guarded, idParam, readErrors } from "../documented.ts";
import type { App } from "../env.ts";
import { nextOf, pageAnswers, pageQuery } from "../paging.ts";
import { deliveryDetailShape, deliveryShape } from "../shapes.ts";
import { deliveryDetailView, deliveryView } from "../views.ts";
import type { RouteDeps } from "./route-deps.ts";

const tags = ["deliveries"];
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
  list: createRoute({
    method: "get",
    path: "/v1/deliveries",
    operationId: "listDeliveries",
    tags,
    security: guarded,
    summary: "Deliveries, newest first",
    request: {
      query: pageQuery({
        status: statusList,
        messageId: z.string().min(1).max(128).optional().openapi({ description: "Only those of this message." }),
      }),
    },
    responses: pageAnswers("DeliveryPage", { deliveries: z.array(deliveryShape) }),
  }),
  show: createRoute({
    method: "get",
    path: "/v1/deliveries/{id}",
    operationId: "showDelivery",
    tags,
    security: guarded,
    summary: "One delivery with attempts, audit, evidence, and what happens next",
    request: { params },
    responses: { 200: answerOf(deliveryDetailShape, "All that is known of it."), ...readErrors(404) },
  }),
  retry: createRoute({
    method: "post",
    path: "/v1/deliveries/{id}/retry",
    operationId: "retryDelivery",
    tags,
    security: guarded,
    summary: "Give a delivery that failed for good a new budget",
    description: "Its old attempts are looked at first, so late proof is found before the agent is asked again.",
    request: { params },
    responses: { 202: answerOf(deliveryShape, "It waits for its turn again."), ...changeErrors(404, 409) },
  }),
  cancel: createRoute({
    method: "post",
    path: "/v1/deliveries/{id}/cancel",
    operationId: "cancelDelivery",
    tags,
    security: guarded,
    summary: "End a delivery for good",
    description: "If its turn runs, that is stopped.",
    request: { params },
    responses: { 202: answerOf(deliveryShape, "It is over."), ...changeErrors(404, 409) },
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
