/**
 * The schemas of the API, version 1: requests are checked by them, responses are projected onto them (see views.ts), and
 * the OpenAPI document is made from them. Times are ISO 8601 in UTC, except in universal events, which are passed on as
 * they were written. From the first release on fields may be added to responses, and nothing is renamed or removed in version 1.
 */
import { z } from "@hono/zod-openapi";
import { alertKinds } from "../../core/delivery/alert.ts";
import { responseStates, statuses } from "../../core/delivery/record.ts";
import { handOverStates } from "../../core/inbox/hand-over.ts";
import { inboxEvents } from "../../core/inbox/inbox-note.ts";
import { systemRowTypes } from "../../core/inbox/system-row.ts";
import { actionModes, maxAttachments, messageOutcomes, replyOutcomes, sources } from "../../core/message/message.ts";
import { memberStates, teamStates } from "../../core/team/team.ts";
import { nameSchema, newMessageSchema, attachmentSchema as storedFile } from "../../mail/message-schema.ts";

export const laneSlug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, "must be a slug: 1 to 64 of a-z 0-9 _ -, beginning with a letter or digit");

const timeFormat = { type: "string", format: "date-time", example: "2026-01-31T12:00:00.000Z" } as const;

export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** Of a response: milliseconds inside Waybill. */
export const timeSchema = z.union([z.iso.datetime(), z.number().transform(isoTime)]).openapi(timeFormat);
export const nullableTime = timeSchema.nullable().openapi({ ...timeFormat, type: ["string", "null"] });
export const nullableString = z.string().nullable();

export const errorSchema = z
  .object({ error: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }) })
  .openapi("Error");

// ---- messages

export const attachmentSchema = z.strictObject(storedFile.shape).openapi("Attachment");

export const newMessageRequestSchema = newMessageSchema
  .omit({ id: true, conversation: true, system: true })
  .extend({
    messageId: newMessageSchema.shape.id.optional(),
    from: nameSchema.optional().openapi({ description: 'Who sends; "user" unless said otherwise.' }),
    expiresAt: z.iso.datetime().transform(Date.parse).openapi(timeFormat).optional(),
    source: z.enum(sources).extract(["ui", "cli", "manual"]).optional(),
    attachments: z.array(attachmentSchema).max(maxAttachments).optional().openapi({
      description: "Files that were stored before, as POST /v1/attachments answered.",
    }),
  })
  .openapi("NewMessage");

const visibleReply = z.object({
  messageId: nullableString,
  mailbox: nullableString,
  correlation: z.enum(["relayOfMessageId", "direct_child_message_send", "plain_assistant_text"]),
});

/** What a sender needs to know of a delivery. */
export const sentSchema = z
  .object({
    messageId: z.string(),
    deliveryId: z.string(),
    status: z.enum(statuses),
    responseState: z.enum(responseStates),
    responsePending: z.boolean().openapi({ description: "Whether an outcome is still to come." }),
    acceptanceUnknown: z.boolean(),
    queuedBehindMessageId: z.string().optional(),
    visibleReply: visibleReply.optional(),
    reason: z.string().optional(),
    diagnostics: z.array(z.string()),
  })
  .openapi("Sent");

const handOverSchema = z
  .object({
    state: z.enum(handOverStates).openapi({
      description:
        "`waiting`: to be written. `handed_over`: it stands in the file. `taken`: flagged as read, or removed by the " +
        "program that reads it; no answer. `gone`: taken or lost.",
    }),
    reason: nullableString,
    changedAt: timeSchema,
  })
  .openapi("HandOver");

/** What becomes of a message. There is no delivery to whoever reads a mailbox: a person, or a member that others run. */
export const sendResultSchema = z
  .object({
    ...sentSchema.shape,
    deliveryId: nullableString.openapi({ description: "Null for a message that waits in a mailbox to be read." }),
    status: z.enum([...statuses, "handed_over"]).openapi({
      description: "`handed_over`: it is where its recipient reads. `pending`: its row is still to be written there.",
    }),
    waits: z.string().optional().openapi({ description: "Why it is not sent for now, in words." }),
    handOver: handOverSchema.optional().openapi({ description: "Of a message to a member whose inbox is a file." }),
  })
  .openapi("SendResult");

export const messageSchema = z
  .object({
    id: z.string(),
    to: z.union([
      z.object({ lane: z.string() }),
      z.object({ team: z.string(), member: z.string() }),
      z.object({ person: z.string() }),
    ]),
    from: z.string(),
    lane: nullableString.openapi({ description: "The lane in whose conversation it stands." }),
    text: z.string(),
    summary: nullableString,
    actionMode: z.enum(actionModes).nullable(),
    taskRefs: z.array(z.object({ id: z.string(), team: z.string().optional(), title: z.string().optional() })),
    attachments: z.array(attachmentSchema),
    relayOfMessageId: nullableString,
    outcome: z
      .enum(messageOutcomes)
      .nullable()
      .openapi({ description: "What it is: in its agent's own word, or what Waybill takes it for." }),
    replyTo: z.string(),
    source: z.enum(sources),
    expiresAt: nullableTime,
    createdAt: timeSchema,
    readAt: nullableTime,
    handOver: z.union([handOverSchema, z.null()]).openapi({
      description: "What became of its row, where its recipient reads an inbox file.",
    }),
  })
  .openapi("Message");

// ---- deliveries

export const deliverySchema = sentSchema
  .extend({
    id: z.string(),
    lane: z.string(),
    team: nullableString,
    member: nullableString,
    actionMode: z.enum(actionModes).nullable(),
    source: z.enum(sources),
    attempts: z.number().int().openapi({ description: "How many attempts were made." }),
    maxAttempts: z.number().int(),
    repairs: z.number().int(),
    replyTo: z.string(),
    payloadHash: z.string(),
    missingFiles: z.array(z.string()).openapi({ description: "Files that the answer names and that are not on disk." }),
    createdAt: timeSchema,
    updatedAt: timeSchema,
    acceptedAt: nullableTime,
    respondedAt: nullableTime,
    failedAt: nullableTime,
    cancelledAt: nullableTime,
    readCommittedAt: nullableTime,
    nextReconcileAt: nullableTime,
    expiresAt: nullableTime,
    version: z.number().int(),
  })
  .openapi("Delivery");

export const attemptSchema = z
  .object({
    number: z.number().int(),
    kind: z.string(),
    because: nullableString,
    sessionId: z.string(),
    runtimeMessageId: z.string(),
    sends: z.number().int(),
    submittedAt: timeSchema,
    storedAt: nullableTime.openapi({ description: "The agent program had the prompt." }),
    firstTokenAt: nullableTime.openapi({ description: "The first word, thought or tool call for it." }),
    lastActivityAt: nullableTime,
    finishedAt: nullableTime.openapi({ description: "The end of its turn, as the agent program says it." }),
    provenAt: nullableTime.openapi({ description: "What it brought was found to be proof." }),
  })
  .openapi("Attempt");

export const auditSchema = z
  .object({ at: timeSchema, event: z.string(), reason: nullableString, by: nullableString })
  .openapi("AuditEvent");

export const deliveryDetailSchema = deliverySchema
  .extend({
    message: z.union([messageSchema, z.null()]),
    replies: z.array(messageSchema).openapi({ description: "What the agent or Waybill wrote back, oldest first." }),
    attemptList: z.array(attemptSchema),
    audit: z.array(auditSchema),
    evidence: z.object({
      proof: z.enum(["destination_reply", "visible_reply", "tool", "plain_text", "notified_turn"]).nullable(),
      outcome: z.enum(replyOutcomes).nullable().openapi({ description: "What the agent said that its reply is." }),
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
    next: z.object({
      step: z.string(),
      at: nullableTime,
      words: z.string().openapi({ description: "What happens next, for people." }),
    }),
  })
  .openapi("DeliveryDetail");

// ---- lanes

export const newLaneSchema = (runtimeKinds: readonly string[]) =>
  z
    .strictObject({
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
    })
    .openapi("NewLane");

export const laneSchema = z
  .object({
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
    generation: z.number().int(),
    createdAt: timeSchema,
    holder: z.union([sentSchema, z.null()]).openapi({ description: "The delivery that holds the lane." }),
    waiting: z.number().int().openapi({ description: "How many messages wait behind it." }),
    waitReason: nullableString,
    notices: z.array(z.object({ code: z.string(), message: z.string() })).openapi({
      description: "What does not go as it should, although its runtime works.",
    }),
    usage: z.object({ tokens: z.number().int(), cost: z.number() }).nullable().openapi({
      description: "What its agent has used today, in tokens and dollars; null where nothing is known of it.",
    }),
  })
  .openapi("Lane");

export const pauseSchema = z.strictObject({ reason: nameSchema.optional() }).openapi("Pause");

export const adoptionSchema = z
  .strictObject({
    sessionId: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, "must be the id of a session: 1 to 128 of A-Z a-z 0-9 . _ -")
      .openapi({ example: "ses_0123456789abcdef" }),
  })
  .openapi("Adoption");

// ---- asks and alerts

export const askSchema = z
  .object({
    id: z.string(),
    kind: z.enum(["permission", "question"]),
    title: z.string(),
    lane: z.string(),
    deliveryId: nullableString,
    messageId: nullableString,
    since: timeSchema,
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
      .openapi({ description: "Why a permission is rejected. The agent reads it and goes on." }),
  })
  .openapi("AskAnswer");

export const alertSchema = z
  .object({
    id: z.string(),
    kind: z.enum(alertKinds),
    lane: z.string(),
    deliveryId: nullableString,
    messageId: nullableString,
    askId: nullableString,
    person: nullableString,
    reason: z.string(),
    since: timeSchema,
    raisedAt: timeSchema,
  })
  .openapi("Alert");

// ---- the stream

/** What happens to messages, deliveries and lanes, as the stream tells it. */
export const ledgerItemSchema = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("message"), at: timeSchema, message: messageSchema }),
    z.object({
      type: z.literal("delivery"),
      at: timeSchema,
      event: z.string().openapi({ description: "What happened: submit, accepted, unanswered, proven, …" }),
      reason: nullableString,
      delivery: deliverySchema,
    }),
    z.object({
      type: z.literal("lane"),
      at: timeSchema,
      id: z.string(),
      removed: z.boolean(),
      pausedReason: nullableString,
    }),
    z.object({ type: z.literal("alert"), at: timeSchema, alert: alertSchema }),
    z.object({
      type: z.literal("team"),
      at: timeSchema,
      name: z.string(),
      removed: z.boolean(),
      state: z.enum(teamStates).nullable(),
      members: z.array(z.string()),
    }),
    z.object({
      type: z.literal("member"),
      at: timeSchema,
      team: z.string(),
      member: z.string(),
      lane: nullableString,
      state: z.enum(memberStates).openapi({ description: "What the member is doing from now on. It is not kept." }),
    }),
    z.object({
      type: z.literal("inbox"),
      at: timeSchema,
      team: z.string(),
      inbox: nullableString.openapi({ description: "Whose inbox file it is; null for the team's directory." }),
      lane: nullableString,
      event: z.enum(inboxEvents).openapi({ description: "What happened in a team's inbox files." }),
      messageId: nullableString,
      state: z.enum(handOverStates).nullable(),
      rowType: z.enum(systemRowTypes).nullable(),
      from: nullableString,
      reason: nullableString,
      detail: nullableString,
    }),
  ])
  .openapi("LedgerItem");

export const openedSchema = z.object({ type: z.literal("open"), at: timeSchema }).openapi("StreamOpened");

export const resetSchema = z
  .object({
    type: z.literal("reset"),
    at: timeSchema,
    lanes: z.array(laneSchema).openapi({ description: "The lanes as they are now, with what holds each of them." }),
  })
  .openapi("StreamReset");

// ---- the program itself

export const readySchema = z
  .object({ ready: z.boolean(), degraded: z.boolean(), reasons: z.array(z.string()) })
  .openapi("Readiness");

export const versionSchema = z
  .object({
    name: z.literal("waybill"),
    version: z.string(),
    api: z.literal(1),
    runId: z.string(),
    startedAt: timeSchema,
  })
  .openapi("Version");

export const loginSchema = z
  .object({ code: z.string().openapi({ description: "For `GET /login?code=…`, once." }), expiresAt: timeSchema })
  .openapi("LoginCode");
