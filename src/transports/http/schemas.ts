/**
 * The schemas of the API, version 1. They validate requests, responses are projected onto them (see views.ts), and the
 * OpenAPI document is generated from them. Times are ISO 8601 in UTC, except in universal events, which are passed on
 * unchanged. From the first release on, fields may be added to responses; nothing is renamed or removed in version 1.
 */

import { z } from "@hono/zod-openapi";
import { alertKinds, responseStates, statuses } from "../../core/delivery/record.ts";
import { handOverStates } from "../../core/inbox/hand-over.ts";
import { actionModes, maxAttachments, messageOutcomes, replyOutcomes, sources } from "../../core/message/message.ts";
import { nameSchema, newMessageSchema, attachmentSchema as storedFile } from "../../mail/message-schema.ts";
import { isoTime } from "../../platform/clock.ts";

export const laneSlug = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9_-]{0,63}$/,
    "must be a slug: 1 to 64 characters of a-z 0-9 _ -, beginning with a letter or digit",
  );

const timeFormat = { type: "string", format: "date-time", example: "2026-01-31T12:00:00.000Z" } as const;

/** For responses: converts Waybill's internal milliseconds. */
export const timeSchema = z.union([z.iso.datetime(), z.number().transform(isoTime)]).openapi(timeFormat);
export const nullableTime = timeSchema.nullable().openapi({ ...timeFormat, type: ["string", "null"] });
export const nullableString = z.string().nullable();

/** An object in responses, under its name in the OpenAPI document. */
export function responseSchema<S extends z.ZodRawShape>(name: string, fields: S) {
  return z.object(fields).openapi(name);
}

/** An object in requests. Unknown fields are refused. */
export function requestSchema<S extends z.ZodRawShape>(name: string, fields: S) {
  return z.strictObject(fields).openapi(name);
}

export const errorSchema = responseSchema("Error", {
  error: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }),
});

// ---- messages

export const attachmentSchema = z.strictObject(storedFile.shape).openapi("Attachment");

export const newMessageRequestSchema = newMessageSchema
  .omit({ id: true, conversation: true, system: true })
  .extend({
    messageId: newMessageSchema.shape.id.optional(),
    from: nameSchema.optional().describe('The sender; "user" by default.'),
    expiresAt: z.iso.datetime().transform(Date.parse).openapi(timeFormat).optional(),
    source: z.enum(sources).extract(["ui", "cli", "manual"]).optional(),
    attachments: z
      .array(attachmentSchema)
      .max(maxAttachments)
      .optional()
      .describe("Stored files, as returned by POST /v1/attachments."),
  })
  .openapi("NewMessage");

const visibleReply = z.object({
  messageId: nullableString,
  mailbox: nullableString,
  correlation: z.enum(["relayOfMessageId", "direct_child_message_send", "plain_assistant_text"]),
});

/** The fields of a delivery that its sender needs. */
export const sentSchema = responseSchema("Sent", {
  messageId: z.string(),
  deliveryId: z.string(),
  status: z.enum(statuses),
  responseState: z.enum(responseStates),
  responsePending: z.boolean().describe("Whether the outcome is still pending."),
  acceptanceUnknown: z.boolean(),
  queuedBehindMessageId: z.string().optional(),
  visibleReply: visibleReply.optional(),
  reason: z.string().optional(),
  diagnostics: z.array(z.string()),
});

const handOverSchema = responseSchema("HandOver", {
  state: z
    .enum(handOverStates)
    .describe(
      "`waiting`: not written yet. `handed_over`: it is in the file. `taken`: flagged as read, or removed by the " +
        "program that reads it; this is not an answer. `gone`: taken or lost.",
    ),
  reason: nullableString,
  changedAt: timeSchema,
});

/** The response to a sent message. A person, or a member that Waybill does not run, reads a mailbox: no delivery. */
export const sendResultSchema = responseSchema("SendResult", {
  ...sentSchema.shape,
  deliveryId: nullableString.describe("Null for a message to a mailbox, where it waits to be read."),
  status: z
    .enum([...statuses, "handed_over"])
    .describe("`handed_over`: it is where its recipient reads. `pending`: its row has not been written there yet."),
  waits: z.string().optional().describe("Why it is not sent yet, as text for people."),
  handOver: handOverSchema.optional().describe("Only for a message to a member with an inbox file."),
});

export const addressSchema = z.union([
  z.object({ lane: z.string() }),
  z.object({ team: z.string(), member: z.string() }),
  z.object({ person: z.string() }),
]);

export const messageSchema = responseSchema("Message", {
  id: z.string(),
  to: addressSchema,
  from: z.string(),
  lane: nullableString.describe("The lane whose conversation it belongs to."),
  member: z
    .object({ team: z.string(), name: z.string() })
    .nullable()
    .describe("The member whose conversation it belongs to, if Waybill does not run that member."),
  text: z.string(),
  summary: nullableString,
  actionMode: z.enum(actionModes).nullable(),
  taskRefs: z.array(z.object({ id: z.string(), team: z.string().optional(), title: z.string().optional() })),
  attachments: z.array(attachmentSchema),
  relayOfMessageId: nullableString,
  outcome: z
    .enum(messageOutcomes)
    .nullable()
    .describe("What kind of reply it is, as its agent declared it or as Waybill classified it."),
  replyTo: z.string(),
  source: z.enum(sources),
  expiresAt: nullableTime,
  createdAt: timeSchema,
  readAt: nullableTime,
  handOver: z.union([handOverSchema, z.null()]).describe("The state of its row, if its recipient reads an inbox file."),
});

// ---- deliveries

const proofSchema = z
  .enum(["destination_reply", "visible_reply", "tool", "plain_text", "notified_turn"])
  .nullable()
  .describe("The kind of proof that the agent acted on the message.");

export const deliverySchema = sentSchema
  .extend({
    id: z.string(),
    lane: z.string(),
    team: nullableString,
    member: nullableString,
    actionMode: z.enum(actionModes).nullable(),
    source: z.enum(sources),
    attempts: z.int().describe("The number of attempts so far."),
    maxAttempts: z.int(),
    repairs: z.int(),
    replyTo: z.string(),
    payloadHash: z.string(),
    missingFiles: z.array(z.string()).describe("Files that the answer names but that are not on disk."),
    createdAt: timeSchema,
    updatedAt: timeSchema,
    acceptedAt: nullableTime,
    respondedAt: nullableTime,
    failedAt: nullableTime,
    cancelledAt: nullableTime,
    readCommittedAt: nullableTime,
    nextReconcileAt: nullableTime,
    expiresAt: nullableTime,
    heldReason: nullableString.describe("Why it waits for a person to release it, although its lane is free."),
    why: nullableString.describe("The reason as text for people, or why it is held; null if there is none."),
    proof: proofSchema,
    sessionId: nullableString.describe("The session of its latest attempt."),
    deliveredUserMessageId: nullableString.describe(
      "The id of the prompt in the agent's transcript. It is the `prompt` of its turn, and one of the turn's items.",
    ),
    assistantMessageId: nullableString.describe(
      "The id of the newest transcript entry that belongs to it; one of its turn's items.",
    ),
    version: z.int(),
  })
  .openapi("Delivery");

export const listedDeliverySchema = deliverySchema
  .extend({ excerpt: nullableString.describe("The first 200 characters of the message's text.") })
  .openapi("ListedDelivery");

const attemptSchema = responseSchema("Attempt", {
  number: z.int(),
  kind: z.string(),
  because: nullableString,
  sessionId: z.string(),
  runtimeMessageId: z.string(),
  sends: z.int(),
  submittedAt: timeSchema,
  storedAt: nullableTime.describe("When the agent program had stored the prompt."),
  firstTokenAt: nullableTime.describe("When the first text, reasoning or tool call for it appeared."),
  lastActivityAt: nullableTime,
  finishedAt: nullableTime.describe("When its turn ended, as reported by the agent program."),
  provenAt: nullableTime.describe("When its result was accepted as proof."),
});

const auditSchema = responseSchema("AuditEvent", {
  at: timeSchema,
  event: z.string(),
  reason: nullableString,
  by: nullableString,
  attempt: z.int().nullable().describe("The attempt that the event is about; null before the first."),
  observed: z
    .object({
      state: z.enum(responseStates),
      deliveredUserMessageId: nullableString,
      assistantMessageId: nullableString,
      toolNames: z.array(z.string()),
      diagnostics: z.array(z.string()),
      lastActivityAt: nullableTime,
    })
    .nullable()
    .describe("What the agent's transcript showed at that time, if it was read."),
  next: nullableTime.describe("When the next reconcile was due after this event."),
  why: z.string().describe("What happened, and why it is or is not sufficient, as text for people."),
});

export const deliveryDetailSchema = deliverySchema
  .extend({
    message: z.union([messageSchema, z.null()]),
    replies: z.array(messageSchema).describe("Replies from the agent or from Waybill, oldest first."),
    attemptList: z.array(attemptSchema),
    audit: z.array(auditSchema),
    evidence: z.object({
      proof: proofSchema,
      outcome: z.enum(replyOutcomes).nullable().describe("The outcome that the agent declared for its reply."),
      visibleReply: visibleReply.nullable(),
      runtime: nullableString,
      sessionId: nullableString,
      deliveredUserMessageId: nullableString,
      assistantMessageId: nullableString,
      toolNames: z.array(z.string()),
      observedAt: nullableTime,
      turnEndedAt: nullableTime,
      readCommitError: nullableString,
    }),
    explanation: z.string().describe("Its state and the reason for it, as text for people. If it is late, why."),
    next: z.object({
      step: z.string(),
      at: nullableTime,
      words: z.string().describe("What happens next, as text for people."),
    }),
  })
  .openapi("DeliveryDetail");

// ---- lanes

export const newLaneSchema = (runtimeKinds: readonly string[]) =>
  requestSchema("NewLane", {
    id: laneSlug,
    displayName: z.string().trim().min(1).max(128).optional(),
    team: laneSlug.optional(),
    member: laneSlug.optional(),
    runtime: z.enum(runtimeKinds).optional(),
    directory: z
      .string()
      .min(1)
      .max(4096)
      .regex(/^[^\0]*$/, "must not contain a NUL character"),
    agent: nameSchema.optional(),
    model: nameSchema.optional(),
    contract: z.enum(["text", "tool"]).optional(),
  });

export const laneSchema = responseSchema("Lane", {
  id: z.string(),
  displayName: nullableString,
  team: nullableString,
  member: nullableString,
  runtime: z.string(),
  runtimeReady: z.boolean(),
  directory: z.string(),
  agent: nullableString,
  model: nullableString,
  contract: z.enum(["text", "tool"]),
  pausedReason: nullableString,
  sessionId: nullableString,
  generation: z.int(),
  createdAt: timeSchema,
  holder: z.union([sentSchema, z.null()]).describe("The delivery that holds the lane."),
  waiting: z.int().describe("The number of messages queued behind it."),
  waitReason: nullableString,
  notices: z
    .array(z.object({ code: z.string(), message: z.string() }))
    .describe("Problems with this lane that do not stop its runtime."),
  usage: z
    .object({ tokens: z.int(), cost: z.number() })
    .nullable()
    .describe("Its agent's usage today, in tokens and dollars; null if unknown."),
});

export const pauseSchema = requestSchema("Pause", { reason: nameSchema.optional() });

export const adoptionSchema = requestSchema("Adoption", {
  sessionId: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, "must be a session id: 1 to 128 characters of A-Z a-z 0-9 . _ -")
    .openapi({ example: "ses_0123456789abcdef" }),
});

// ---- alerts

export const alertSchema = responseSchema("Alert", {
  id: z.string(),
  kind: z.enum(alertKinds),
  lane: z.string(),
  deliveryId: nullableString,
  messageId: nullableString,
  askId: nullableString,
  person: nullableString,
  reason: z.string(),
  why: z.string().describe("The reason as text for people."),
  since: timeSchema,
  raisedAt: timeSchema,
});
