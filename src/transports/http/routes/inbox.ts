/** What waits for people: their mailboxes with read marks, asks of agents, and agents on hold until one releases them. */

import { z } from "@hono/zod-openapi";
import type { App } from "../env.ts";
import { askAnswerSchema, askSchema } from "../event-schemas.ts";
import {
  answerOf,
  changeErrors,
  cursor,
  flagQuery,
  guardedRoute,
  idParam,
  limit,
  nextOf,
  pageAnswers,
  readErrors,
  requestBody,
} from "../route-descriptions.ts";
import { messageSchema, responseSchema } from "../schemas.ts";
import {
  holdSchema,
  readCountSchema,
  readMarksSchema,
  releasedSchema,
  releaseSchema,
  unreadSchema,
} from "../team-schemas.ts";
import { askView, messageView } from "../views.ts";
import type { RouteDeps } from "./route-deps.ts";

const owner = "user";
const person = z.string().trim().min(1).max(128).default(owner);

export const inboxRoutes = {
  list: guardedRoute("inbox", "GET /v1/inbox", "listInbox", {
    summary: "List messages to a person, newest first",
    request: {
      query: z.strictObject({
        person: person.describe('"user" by default.'),
        unread: flagQuery("`true`: only unread messages."),
        limit,
        cursor,
      }),
    },
    responses: pageAnswers("InboxPage", { messages: z.array(messageSchema) }),
  }),
  markRead: guardedRoute("inbox", "POST /v1/inbox/read", "markRead", {
    summary: "Mark messages to a person as read",
    request: { body: requestBody(readMarksSchema) },
    responses: { 200: answerOf(readCountSchema, "The messages are marked as read."), ...changeErrors() },
  }),
  unread: guardedRoute("inbox", "GET /v1/inbox/unread", "countUnread", {
    summary: "Count a person's unread messages, by conversation",
    request: { query: z.strictObject({ person: person.describe('"user" by default.') }) },
    responses: { 200: answerOf(unreadSchema, "The counts."), ...readErrors() },
  }),
  holds: guardedRoute("inbox", "GET /v1/holds", "listHolds", {
    summary: "List holds: pairs of agents that wrote to each other too often while nothing else happened",
    responses: {
      200: answerOf(responseSchema("HoldList", { holds: z.array(holdSchema) }), "All holds, oldest first."),
      ...readErrors(),
    },
  }),
  release: guardedRoute("inbox", "POST /v1/holds/release", "releaseHold", {
    summary: "Release a hold between two agents",
    description: "The held messages are delivered, and the count of their messages restarts.",
    request: { body: requestBody(releaseSchema) },
    responses: { 200: answerOf(releasedSchema, "The hold is released."), ...changeErrors(404, 409) },
  }),
  asks: guardedRoute("asks", "GET /v1/asks", "listAsks", {
    summary: "List open asks",
    responses: {
      200: answerOf(responseSchema("AskList", { asks: z.array(askSchema) }), "All open asks."),
      ...readErrors(),
    },
  }),
  answer: guardedRoute("asks", "POST /v1/asks/{id}", "answerAsk", {
    summary: "Answer an ask",
    description:
      "A permission takes `once`, `always` or `reject`; a question takes `answers`, or `reject`. Rejecting a permission with a `message` does not end the turn.",
    request: { params: idParam("The ask's id."), body: requestBody(askAnswerSchema) },
    responses: { 204: { description: "The agent has received the answer." }, ...changeErrors(404, 409) },
  }),
};

export function addInbox(app: App, { service }: RouteDeps): void {
  app.openapi(inboxRoutes.list, async (c) => {
    const { person: name, unread, ...paging } = c.req.valid("query");
    const page = await service.inbox(name, { ...paging, unreadOnly: unread === "true" });
    return c.json({ messages: page.items.map(messageView), ...nextOf(page) }, 200);
  });
  app.openapi(inboxRoutes.markRead, async (c) => {
    const { person: name = owner, ids } = c.req.valid("json");
    return c.json({ marked: await service.markRead(name, ids ?? "all") }, 200);
  });
  app.openapi(inboxRoutes.unread, async (c) => {
    const { person } = c.req.valid("query");
    return c.json({ person, ...(await service.unread(person)) }, 200);
  });

  app.openapi(inboxRoutes.holds, async (c) => {
    const holds = (await service.holds()).map(({ one, other, ...hold }) =>
      holdSchema.parse({ ...hold, lanes: [one, other] }),
    );
    return c.json({ holds }, 200);
  });
  app.openapi(inboxRoutes.release, async (c) =>
    c.json({ released: await service.releaseHold(c.req.valid("json").lanes) }, 200),
  );

  app.openapi(inboxRoutes.asks, async (c) => c.json({ asks: (await service.asks()).map(askView) }, 200));
  app.openapi(inboxRoutes.answer, async (c) => {
    await service.answer(c.req.valid("param").id, c.req.valid("json"));
    return c.body(null, 204);
  });
}
