/** Messages: send, list, withdraw; and their attachments, which are uploaded before the message that names them. */

import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { z } from "@hono/zod-openapi";
import { isProvable, provableTypes, unknownType } from "../../../core/message/file-type.ts";
import type { App } from "../env.ts";
import { bodyChunks } from "../gates.ts";
import {
  answerOf,
  changeErrors,
  flagQuery,
  guardedRoute,
  idParam,
  nextOf,
  pageAnswers,
  pageQuery,
  readErrors,
  requestBody,
} from "../route-descriptions.ts";
import {
  attachmentSchema,
  deliverySchema,
  messageSchema,
  newMessageRequestSchema,
  sendResultSchema,
  sentSchema,
} from "../schemas.ts";
import { deliveryView, messageView, sendResultView, sentView } from "../views.ts";
import type { RouteDeps } from "./route-deps.ts";

export const messageRoutes = {
  send: guardedRoute("messages", "POST /v1/messages", "sendMessage", {
    summary: "Send a message to an agent, a person, or a member that Waybill does not run",
    description:
      "Once this responds, the message is durable and will have an outcome. Sending the same message id with the same " +
      "body again changes nothing; with a different body it is a conflict.",
    request: { body: requestBody(newMessageRequestSchema) },
    responses: {
      202: answerOf(sendResultSchema, "Admitted, by this or an earlier request."),
      ...changeErrors(404, 409),
    },
  }),
  list: guardedRoute("messages", "GET /v1/messages", "listMessages", {
    summary: "List messages, newest first",
    request: {
      query: pageQuery({
        member: z
          .string()
          .max(256)
          .regex(/^[^/]+\/[^/]+$/, "must be TEAM/MEMBER")
          .transform((name) => name.split("/"))
          .transform(([team = "", member = ""]) => ({ kind: "member" as const, team, member }))
          .optional()
          .openapi({
            type: "string",
            description: "`TEAM/MEMBER`: only messages to and from this member, which Waybill does not run.",
          }),
        messageId: z.string().min(1).max(128).optional().describe("Only messages with this id."),
        q: z.string().max(500).optional().describe("Only messages that contain all of these words."),
        deliveries: flagQuery("`true`: include the deliveries of these messages."),
      }),
    },
    responses: pageAnswers("MessagePage", {
      messages: z.array(messageSchema),
      deliveries: z
        .array(deliverySchema)
        .optional()
        .describe("If requested: the deliveries of the messages to lanes, newest first."),
    }),
  }),
  withdraw: guardedRoute("messages", "DELETE /v1/messages/{id}", "withdrawMessage", {
    summary: "Withdraw a message that has not been sent to its agent",
    request: {
      params: idParam("The message's id."),
      query: z.strictObject({
        lane: z
          .string()
          .min(1)
          .max(128)
          .optional()
          .describe("Required when several lanes have a message with this id."),
      }),
    },
    responses: { 200: answerOf(sentSchema, "The withdrawn message's delivery."), ...changeErrors(404, 409) },
  }),
};

export function addMessages(app: App, { service }: RouteDeps): void {
  app.openapi(messageRoutes.send, async (c) => {
    const { messageId: id, from = "user", ...message } = c.req.valid("json");
    return c.json(sendResultView(await service.send({ ...message, id, from })), 202);
  });

  app.openapi(messageRoutes.list, async (c) => {
    const { q, deliveries, ...filter } = c.req.valid("query");
    const page = await service.messages({ ...filter, query: q?.trim() || undefined });
    const found = deliveries === "true" ? await service.deliveriesOf(page.items) : null;
    const theirs = found === null ? {} : { deliveries: found.map(deliveryView) };
    return c.json({ messages: page.items.map(messageView), ...theirs, ...nextOf(page) }, 200);
  });

  app.openapi(messageRoutes.withdraw, async (c) => {
    const { id } = c.req.valid("param");
    return c.json(sentView(await service.withdraw(id, c.req.valid("query").lane)), 200);
  });
}

const bytes = { schema: z.string().openapi({ format: "binary" }) };

export const attachmentRoutes = {
  store: guardedRoute("attachments", "POST /v1/attachments", "storeAttachment", {
    summary: "Store a file for messages",
    description:
      "The body is the raw file, and `Content-Type` its type. Put the response into the `attachments` of a message. " +
      "Storing the same bytes again is fine; they are kept once. A file that no message names is removed after a day.",
    request: {
      query: z.strictObject({
        name: z.string().min(1).max(255).describe("The file's name, without directories."),
      }),
      body: { content: { "*/*": bytes }, required: true },
    },
    responses: { 201: answerOf(attachmentSchema, "Stored, by this or an earlier request."), ...changeErrors() },
  }),
  read: guardedRoute("attachments", "GET /v1/attachments/{id}", "readAttachment", {
    summary: "Download a file",
    description: "Types that a browser could run as a page are served as plain bytes, without their type.",
    request: { params: idParam("The attachment's id.") },
    responses: {
      200: {
        description: "The file.",
        content: Object.fromEntries([...provableTypes, unknownType].map((type) => [type, bytes])),
      },
      ...readErrors(404),
    },
  }),
};

/** Served as downloads. Add it before the gate that reads bodies as JSON. */
export function addAttachments(app: App, { service }: RouteDeps): void {
  app.openapi(attachmentRoutes.store, async (c) => {
    const stream = bodyChunks(c.req.raw.body);
    const mimeType = c.req.header("content-type") ?? unknownType;
    return c.json(await service.storeAttachment({ name: c.req.valid("query").name, mimeType, stream }), 201);
  });

  app.openapi(attachmentRoutes.read, async (c) => {
    const { name, mimeType, size, path } = await service.attachment(c.req.valid("param").id);
    const headers = {
      "Content-Type": isProvable(mimeType) ? mimeType : unknownType,
      "Content-Length": String(size),
      "Content-Disposition": `attachment; filename*=UTF-8''${encodeForHeader(name)}`,
    };
    // A response without a body would leave the file open.
    if (c.req.method === "HEAD") return c.body(null, 200, headers);
    return c.body(Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array<ArrayBuffer>>, 200, headers);
  });
}

/** RFC 8187 allows fewer characters than a URL does. */
function encodeForHeader(name: string): string {
  const encoded = encodeURIComponent(name);
  return encoded.replaceAll(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
