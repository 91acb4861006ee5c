/** Asks: what agents wait for a person to allow or to answer. */
import { createRoute, z } from "@hono/zod-openapi";
import { answerOf, bodyOf, changeErrors, guarded, idParam, readErrors } from "../documented.ts";
import type { App } from "../env.ts";
import { askAnswerShape, askShape } from "../shapes.ts";
import { askView } from "../views.ts";
import type { RouteDeps } from "./route-deps.ts";

const tags = ["asks"];

export const askRoutes = {
  list: createRoute({
    method: "get",
    path: "/v1/asks",
    operationId: "listAsks",
    tags,
    security: guarded,
    summary: "What waits for a person",
    responses: {
      200: answerOf(z.object({ asks: z.array(askShape) }).openapi("AskList"), "All that are open."),
      ...readErrors(),
    },
  }),
  answer: createRoute({
    method: "post",
    path: "/v1/asks/{id}",
    operationId: "answerAsk",
    tags,
    security: guarded,
    summary: "Answer an ask",
    description: "A permission takes `once`, `always` or `reject`; a question takes its answers, or `reject`.",
    request: { params: idParam("The ask's id."), body: bodyOf(askAnswerShape) },
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
