/** Asks: what agents wait for a person to allow or to answer. */
import { z } from "@hono/zod-openapi";
import type { App } from "../env.ts";
import { answerOf, changeErrors, guardedRoute, idParam, readErrors, requestBody } from "../route-descriptions.ts";
import { askAnswerSchema, askSchema } from "../schemas.ts";
import { askView } from "../views.ts";
import type { RouteDeps } from "./route-deps.ts";

export const askRoutes = {
  list: guardedRoute("asks", {
    method: "get",
    path: "/v1/asks",
    operationId: "listAsks",
    summary: "What waits for a person",
    responses: {
      200: answerOf(z.object({ asks: z.array(askSchema) }).openapi("AskList"), "All that are open."),
      ...readErrors(),
    },
  }),
  answer: guardedRoute("asks", {
    method: "post",
    path: "/v1/asks/{id}",
    operationId: "answerAsk",
    summary: "Answer an ask",
    description:
      "A permission takes `once`, `always` or `reject`; a question takes its answers, or `reject`. A permission that is rejected with a `message` does not end the turn.",
    request: { params: idParam("The ask's id."), body: requestBody(askAnswerSchema) },
    responses: { 204: { description: "The agent has it." }, ...changeErrors(404, 409) },
  }),
};

export function addAsks(app: App, { service }: RouteDeps): void {
  app.openapi(askRoutes.list, async (c) => c.json({ asks: (await service.asks()).map(askView) }, 200));
  app.openapi(askRoutes.answer, async (c) => {
    await service.answer(c.req.valid("param").id, c.req.valid("json"));
    return c.body(null, 204);
  });
}
