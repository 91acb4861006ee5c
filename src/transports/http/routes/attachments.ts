/** Attachments: uploaded before the message that names them is sent, and served as downloads. */
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { z } from "@hono/zod-openapi";
import { isProvable, provableTypes, unknownType } from "../../../core/message/file-type.ts";
import type { App } from "../env.ts";
import { bodyChunks } from "../gates.ts";
import { answerOf, changeErrors, guardedRoute, idParam, readErrors } from "../route-descriptions.ts";
import { attachmentSchema } from "../schemas.ts";
import type { RouteDeps } from "./route-deps.ts";

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

/** Add it before the gate that reads bodies as JSON. */
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
