/** Asks and their answers in the OpenAPI document. */
import { z } from "@hono/zod-openapi";
import { questionSchema } from "./event-schemas.ts";
import { nullableString, timeSchema } from "./schemas.ts";

export const askSchema = z
  .object({
    id: z.string(),
    kind: z.enum(["permission", "question"]),
    title: z.string(),
    lane: z.string(),
    deliveryId: nullableString,
    messageId: nullableString,
    since: timeSchema,
    directory: nullableString.openapi({ description: "Where the agent works; null when its lane was removed." }),
    call: nullableString.openapi({ description: "The tool call that is waiting: the item `call:ID` of its turn." }),
    tool: nullableString,
    input: z.unknown().openapi({ description: "The tool's input, if known. Very long values are truncated." }),
    detail: z.unknown().openapi({ description: "The agent program's own data about the ask, in its own format." }),
    diff: nullableString.openapi({ description: "The change to be allowed, if the program provides it." }),
    questions: z.array(questionSchema).openapi({ description: "Empty for a permission." }),
    nativeSession: nullableString.openapi({
      description: "The session of the subagent that asks; null for the lane's own agent.",
    }),
  })
  .openapi("Ask");

export const askAnswerSchema = z
  .strictObject({
    decision: z.enum(["once", "always", "reject"]),
    answers: z
      .array(z.array(z.string().max(10_000)).max(100))
      .max(100)
      .optional(),
    message: z
      .string()
      .min(1)
      .max(10_000)
      .optional()
      .openapi({ description: "Why a permission is rejected. The agent reads it and continues." }),
  })
  .openapi("AskAnswer");
