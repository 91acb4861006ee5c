/** Messages: sending, finding, taking back. */
import { z } from "@hono/zod-openapi";
import type { App } from "../env.ts";
import { nextOf, pageAnswers, pageQuery } from "../paging.ts";
import { answerOf, changeErrors, guardedRoute, idParam, requestBody } from "../route-descriptions.ts";
import { messageSchema, newMessageRequestSchema, sendResultSchema, sentSchema } from "../schemas.ts";
import { messageView, sendResultView, sentView } from "../views.ts";
import type { RouteDeps } from "./route-deps.ts";

export const messageRoutes = {
  send: guardedRoute("messages", {
    method: "post",
    path: "/v1/messages",
    operationId: "sendMessage",
    summary: "Send a message to an agent, or to somebody who reads a mailbox",
    description:
      "Once this is answered the message is durable and will have an outcome. The same message id with the same body " +
      "may be sent again and changes nothing; with another body it is a conflict.",
    request: { body: requestBody(newMessageRequestSchema) },
    responses: { 202: answerOf(sendResultSchema, "Admitted, now or before."), ...changeErrors(404, 409) },
  }),
  list: guardedRoute("messages", {
    method: "get",
    path: "/v1/messages",
    operationId: "listMessages",
    summary: "What was said, newest first",
    request: {
      query: pageQuery({
        q: z.string().max(500).optional().openapi({ description: "Only those in which all of these words were said." }),
      }),
    },
    responses: pageAnswers("MessagePage", { messages: z.array(messageSchema) }),
  }),
  withdraw: guardedRoute("messages", {
    method: "delete",
    path: "/v1/messages/{id}",
    operationId: "withdrawMessage",
    summary: "Take back a message that has not been sent",
    request: {
      params: idParam("The message's id."),
      query: z.strictObject({
        lane: z
          .string()
          .min(1)
          .max(128)
          .optional()
          .openapi({ description: "Needed when several lanes have a message of that id." }),
      }),
    },
    responses: { 200: answerOf(sentSchema, "Taken back."), ...changeErrors(404, 409) },
  }),
};

export function addMessages(app: App, { service }: RouteDeps): void {
  app.openapi(messageRoutes.send, async (c) => {
    const { messageId: id, from = "user", ...message } = c.req.valid("json");
    return c.json(sendResultView(await service.send({ ...message, id, from })), 202);
  });

  app.openapi(messageRoutes.list, async (c) => {
    const { q, ...filter } = c.req.valid("query");
    const page = await service.messages({ ...filter, query: q?.trim() || undefined });
    return c.json({ messages: page.items.map(messageView), ...nextOf(page) }, 200);
  });

  app.openapi(messageRoutes.withdraw, async (c) => {
    const { id } = c.req.valid("param");
    return c.json(sentView(await service.withdraw(id, c.req.valid("query").lane)), 200);
  });
}
