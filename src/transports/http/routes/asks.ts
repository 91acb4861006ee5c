/** Asks: the permissions and questions that agents wait for a person to answer. */
import { z } from "@hono/zod-openapi";
import { askAnswerSchema, askSchema } from "../ask-schemas.ts";
import type { App } from "../env.ts";
import { answerOf, changeErrors, guardedRoute, idParam, readErrors, requestBody } from "../route-descriptions.ts";
import { askView } from "../views.ts";
import type { RouteDeps } from "./route-deps.ts";

export const askRoutes = {
  list: guardedRoute("asks", {
    method: "get",
    path: "/v1/asks",
    operationId: "listAsks",
    summary: "List open asks",
    responses: {
      200: answerOf(z.object({ asks: z.array(askSchema) }).openapi("AskList"), "All open asks."),
      ...readErrors(),
    },
  }),
  answer: guardedRoute("asks", {
    method: "post",
    path: "/v1/asks/{id}",
    operationId: "answerAsk",
    summary: "Answer an ask",
    description:
      "A permission takes `once`, `always` or `reject`; a question takes `answers`, or `reject`. Rejecting a permission with a `message` does not end the turn.",
    request: { params: idParam("The ask's id."), body: requestBody(askAnswerSchema) },
    responses: { 204: { description: "The agent has received the answer." }, ...changeErrors(404, 409) },
  }),
};

export function addAsks(app: App, { service }: RouteDeps): void {
  app.openapi(askRoutes.list, async (c) => c.json({ asks: (await service.asks()).map(askView) }, 200));
  app.openapi(askRoutes.answer, async (c) => {
    await service.answer(c.req.valid("param").id, c.req.valid("json"));
    return c.body(null, 204);
  });
}
