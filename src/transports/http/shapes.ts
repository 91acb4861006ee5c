/**
 * The shapes of the API, version 1: what goes in, checked, and what comes out, as the OpenAPI document says it.
 * Times are ISO 8601 in UTC, but in universal events, which are handed on as they were written. New fields may be added to what comes out; nothing is renamed or removed in version 1.
 */
import { z } from "@hono/zod-openapi";
import { alertKinds } from "../../core/delivery/alert.ts";
import { responseStates, statuses } from "../../core/delivery/record.ts";
import { actionModes, maxCharacters, sources } from "../../core/message/message.ts";

export const slug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, "must be a slug: 1 to 64 of a-z 0-9 _ -, beginning with a letter or digit");

const name = z.string().trim().min(1).max(128);
const laneRef = z.string().min(1).max(128);
const time = z.iso.datetime().openapi({ format: "date-time", example: "2026-01-31T12:00:00.000Z" });
const messageId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/, "must be 1 to 128 of A-Z a-z 0-9 . _ : -");

export const errorShape = z
  .object({ error: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }) })
  .openapi("Error");

// ---- messages

const taskRef = z.strictObject({ id: name, team: name.optional(), title: z.string().max(500).optional() });
const attachment = z.strictObject({
  id: name,
  name: z.string().min(1).max(255),
  mimeType: z.string().min(1).max(255),
  size: z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER),
});

export const newMessageShape = z
  .strictObject({
    to: z.union([z.strictObject({ lane: laneRef }), z.strictObject({ team: name, member: name })], {
      error: 'must be {"lane": …} or {"team": …, "member": …}',
    }),
    text: z.string().min(1).max(maxCharacters),
    messageId: messageId.optional().openapi({ description: "Chosen by the sender, so that sending twice is safe." }),
    from: name.optional().openapi({ description: 'Who sends; "user" unless said otherwise.' }),
    actionMode: z.enum(actionModes).optional(),
    summary: z.string().max(1000).optional(),
    taskRefs: z.array(taskRef).max(100).optional(),
    relayOfMessageId: messageId.optional(),
    attachments: z.array(attachment).max(20).optional(),
    replyTo: name.optional().openapi({ description: "Who gets the answer; the sender unless said otherwise." }),
    expiresAt: time.optional(),
    source: z.enum(["ui", "cli", "manual"]).optional(),
  })
  .openapi("NewMessage");

const visibleReply = z.object({
  messageId: z.string().nullable(),
  mailbox: z.string().nullable(),
  correlation: z.enum(["relayOfMessageId", "direct_child_message_send", "plain_assistant_text"]),
});

/** What a sender needs to know of a delivery. */
export const sentShape = z
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

export const messageShape = z
  .object({
    id: z.string(),
    to: z.union([z.object({ lane: z.string() }), z.object({ person: z.string() })]),
    from: z.string(),
    lane: z.string().nullable().openapi({ description: "The lane in whose conversation it stands." }),
    text: z.string(),
    summary: z.string().nullable(),
    actionMode: z.enum(actionModes).nullable(),
    taskRefs: z.array(z.object({ id: z.string(), team: z.string().optional(), title: z.string().optional() })),
    relayOfMessageId: z.string().nullable(),
    replyTo: z.string(),
    source: z.enum(sources),
    expiresAt: time.nullable(),
    createdAt: time,
    readAt: time.nullable(),
  })
  .openapi("Message");

// ---- deliveries

export const deliveryShape = sentShape
  .extend({
    id: z.string(),
    lane: z.string(),
    team: z.string().nullable(),
    member: z.string().nullable(),
    actionMode: z.enum(actionModes).nullable(),
    source: z.enum(sources),
    attempts: z.number().int().openapi({ description: "How many attempts were made." }),
    maxAttempts: z.number().int(),
    repairs: z.number().int(),
    replyTo: z.string(),
    payloadHash: z.string(),
    createdAt: time,
    updatedAt: time,
    acceptedAt: time.nullable(),
    respondedAt: time.nullable(),
    failedAt: time.nullable(),
    cancelledAt: time.nullable(),
    readCommittedAt: time.nullable(),
    nextLookAt: time.nullable(),
    expiresAt: time.nullable(),
    version: z.number().int(),
  })
  .openapi("Delivery");

export const attemptShape = z
  .object({
    number: z.number().int(),
    kind: z.string(),
    because: z.string().nullable(),
    sessionId: z.string(),
    runtimeMessageId: z.string(),
    sends: z.number().int(),
    submittedAt: time,
    storedAt: time.nullable().openapi({ description: "The agent program had the prompt." }),
    firstTokenAt: time.nullable().openapi({ description: "The first word, thought or tool call for it." }),
    lastActivityAt: time.nullable(),
    finishedAt: time.nullable().openapi({ description: "The end of its turn, as the agent program says it." }),
    provenAt: time.nullable().openapi({ description: "What it brought was found to be proof." }),
  })
  .openapi("Attempt");

export const auditShape = z
  .object({ at: time, event: z.string(), reason: z.string().nullable(), by: z.string().nullable() })
  .openapi("AuditEvent");

export const deliveryDetailShape = deliveryShape
  .extend({
    message: z.union([messageShape, z.null()]),
    replies: z.array(messageShape).openapi({ description: "What the agent or Waybill wrote back, oldest first." }),
    attemptList: z.array(attemptShape),
    audit: z.array(auditShape),
    evidence: z.object({
      proof: z.enum(["destination_reply", "visible_reply", "tool", "plain_text", "notified_turn"]).nullable(),
      visibleReply: visibleReply.nullable(),
      runtime: z.string().nullable(),
      sessionId: z.string().nullable(),
      deliveredUserMessageId: z.string().nullable(),
      assistantMessageId: z.string().nullable(),
      toolNames: z.array(z.string()),
      observedAt: time.nullable(),
      turnEndedAt: time.nullable(),
      readCommitError: z.string().nullable(),
    }),
    next: z.object({
      step: z.string(),
      at: time.nullable(),
      words: z.string().openapi({ description: "What happens next, for people." }),
    }),
  })
  .openapi("DeliveryDetail");

// ---- lanes

/** The kinds of runtimes are those of this program's registry. */
export function newLaneShape(runtimeKinds: readonly string[]) {
  return z
    .strictObject({
      id: slug,
      displayName: z.string().trim().min(1).max(128).optional(),
      team: slug.optional(),
      member: slug.optional(),
      runtime: z.enum(runtimeKinds).optional(),
      directory: z
        .string()
        .min(1)
        .max(4096)
        .regex(/^[^\0]*$/, "must not contain a NUL character"),
      agent: name.optional(),
      model: name.optional(),
      contract: z.enum(["text", "tool"]).optional(),
    })
    .openapi("NewLane");
}

export const laneShape = z
  .object({
    id: z.string(),
    displayName: z.string().nullable(),
    team: z.string().nullable(),
    member: z.string().nullable(),
    runtime: z.string(),
    runtimeReady: z.boolean(),
    directory: z.string(),
    agent: z.string().nullable(),
    model: z.string().nullable(),
    contract: z.enum(["text", "tool"]),
    pausedReason: z.string().nullable(),
    sessionId: z.string().nullable(),
    generation: z.number().int(),
    createdAt: time,
    holder: z.union([sentShape, z.null()]).openapi({ description: "The delivery that holds the lane." }),
    waiting: z.number().int().openapi({ description: "How many messages wait behind it." }),
    waitReason: z.string().nullable(),
    notices: z.array(z.object({ code: z.string(), message: z.string() })).openapi({
      description: "What does not go as it should, although its runtime works.",
    }),
    usage: z.object({ tokens: z.number().int(), cost: z.number() }).nullable().openapi({
      description: "What its agent has used today, in tokens and dollars; null where nothing is known of it.",
    }),
  })
  .openapi("Lane");

export const pauseShape = z.strictObject({ reason: name.optional() }).openapi("Pause");

export const adoptionShape = z
  .strictObject({
    sessionId: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, "must be the id of a session: 1 to 128 of A-Z a-z 0-9 . _ -")
      .openapi({ example: "ses_0123456789abcdef" }),
  })
  .openapi("Adoption");

// ---- asks and alerts

export const askShape = z
  .object({
    id: z.string(),
    kind: z.enum(["permission", "question"]),
    title: z.string(),
    lane: z.string(),
    deliveryId: z.string().nullable(),
    messageId: z.string().nullable(),
    since: time,
  })
  .openapi("Ask");

export const askAnswerShape = z
  .strictObject({
    decision: z.enum(["once", "always", "reject"]),
    answers: z
      .array(z.array(z.string().max(10_000)).max(100))
      .max(100)
      .optional(),
  })
  .openapi("AskAnswer");

export const alertShape = z
  .object({
    id: z.string(),
    kind: z.enum(alertKinds),
    lane: z.string(),
    deliveryId: z.string().nullable(),
    messageId: z.string().nullable(),
    askId: z.string().nullable(),
    person: z.string().nullable(),
    reason: z.string(),
    since: time,
    raisedAt: time,
  })
  .openapi("Alert");

// ---- the stream

/** The data of the server-sent events; the name of each event is its `type`. */
export const streamEventShape = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("message"), at: time, message: messageShape }),
    z.object({
      type: z.literal("delivery"),
      at: time,
      event: z.string().openapi({ description: "What happened: submit, accepted, unanswered, proven, …" }),
      reason: z.string().nullable(),
      delivery: deliveryShape,
    }),
    z.object({
      type: z.literal("lane"),
      at: time,
      id: z.string(),
      removed: z.boolean(),
      pausedReason: z.string().nullable(),
    }),
    z.object({ type: z.literal("alert"), at: time, alert: alertShape }),
    z.object({ type: z.literal("reset"), at: time }),
    z.object({ type: z.literal("open"), at: time }),
  ])
  .openapi("StreamEvent");

// ---- the program itself

export const readyShape = z
  .object({ ready: z.boolean(), degraded: z.boolean(), reasons: z.array(z.string()) })
  .openapi("Readiness");

export const versionShape = z
  .object({ name: z.literal("waybill"), version: z.string(), api: z.literal(1), runId: z.string(), startedAt: time })
  .openapi("Version");

export const loginShape = z
  .object({ code: z.string().openapi({ description: "For `GET /login?code=…`, once." }), expiresAt: time })
  .openapi("LoginCode");
