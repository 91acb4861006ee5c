/**
 * What agents do and ask, and what happens to messages, deliveries and lanes, in the OpenAPI document. `core/turn` defines
 * the meaning of universal events; the compiler checks that the two match.
 */

import { z } from "@hono/zod-openapi";
import { handOverStates } from "../../core/inbox/hand-over.ts";
import { inboxEvents, systemRowTypes } from "../../core/inbox/inbox-note.ts";
import { memberStates, teamStates } from "../../core/team/team.ts";
import { itemKinds } from "../../core/turn/item.ts";
import type { UniversalEvent } from "../../core/turn/universal-event.ts";
import { turnEndReasons } from "../../core/turn/universal-event.ts";
import { nextCursor } from "./route-descriptions.ts";
import {
  addressSchema,
  alertSchema,
  deliverySchema,
  laneSchema,
  messageSchema,
  nullableString,
  nullableTime,
  requestSchema,
  responseSchema,
  timeSchema,
} from "./schemas.ts";

const partSchema = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("text"), id: z.string(), text: z.string() }),
    z.object({ type: z.literal("reasoning"), id: z.string(), text: z.string() }),
    z.object({ type: z.literal("tool_call"), call: z.string(), name: z.string(), input: z.unknown() }),
    z.object({
      type: z.literal("tool_result"),
      call: z.string(),
      name: z.string(),
      output: z.string(),
      isError: z.boolean(),
      rejected: z.boolean(),
    }),
    z.object({
      type: z.literal("file"),
      path: z.string(),
      change: z.enum(["added", "modified", "deleted", "unknown"]),
      diff: nullableString,
    }),
    z.object({ type: z.literal("image"), id: z.string(), mime: z.string(), name: nullableString }),
    z.object({ type: z.literal("json"), id: z.string(), value: z.unknown() }),
  ])
  .openapi("Part");

const itemSchema = responseSchema("Item", {
  id: z.string(),
  kind: z.enum(itemKinds),
  role: z.enum(["user", "assistant"]).nullable(),
  name: nullableString,
  parent: nullableString,
  status: z.enum(["in_progress", "completed", "failed"]),
  parts: z.array(partSchema),
});

const questionSchema = z.object({
  header: nullableString,
  question: z.string(),
  options: z.array(z.object({ label: z.string(), description: nullableString })),
  multiple: z.boolean(),
});

const tokensSchema = z.object({
  input: z.number(),
  output: z.number(),
  reasoning: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
});

/** The `data` of each type of event. */
const eventData = {
  "session.started": z.object({ resumed: z.boolean() }),
  "session.ended": z.object({ reason: z.string() }),
  "turn.started": z.object({ prompt: nullableString }),
  "turn.ended": z.object({ reason: z.enum(turnEndReasons), error: nullableString, queued: z.int() }),
  "item.started": z.object({ item: itemSchema }),
  "item.delta": z.object({
    item: z.string(),
    part: z.string(),
    kind: z.enum(["text", "reasoning", "input", "output"]),
    text: z.string(),
    offset: z.int().optional().describe("How many characters of the part came before it. Absent when unknown."),
  }),
  "item.completed": z.object({ item: itemSchema }),
  "permission.requested": z.object({
    ask: z.string(),
    title: z.string(),
    call: nullableString,
    detail: z.unknown(),
  }),
  "permission.resolved": z.object({ ask: z.string(), outcome: z.enum(["once", "always", "reject", "expired"]) }),
  "question.requested": z.object({ ask: z.string(), call: nullableString, questions: z.array(questionSchema) }),
  "question.resolved": z.object({
    ask: z.string(),
    outcome: z.enum(["answered", "reject", "expired"]),
    answers: z.array(z.array(z.string())).nullable(),
  }),
  usage: z.object({
    of: z.enum(["message", "turn"]),
    item: nullableString,
    model: nullableString,
    tokens: tokensSchema,
    cost: z.number().nullable(),
  }),
  error: z.object({ message: z.string(), item: nullableString, status: z.int().optional() }),
  unparsed: z.object({ reason: z.string() }),
};
type EventType = keyof typeof eventData;
type EventBody = { [T in EventType]: { type: T; data: z.output<(typeof eventData)[T]> } }[EventType];

const envelopeSchema = z.object({
  id: z.string(),
  seq: z.int(),
  time: z.number(),
  lane: z.string(),
  session: z.string(),
  nativeSession: z.string().optional(),
  turn: z.int().nullable(),
  source: z.enum(["agent", "daemon"]),
  synthetic: z.boolean(),
  copied: z.boolean().optional(),
  raw: z.string().optional(),
});

/** `turn.started` is `TurnStartedEvent`. */
function nameOf(type: string): string {
  const words = type.split(".").map((word) => word[0]?.toUpperCase() + word.slice(1));
  return `${words.join("")}Event`;
}

const [first, ...more] = Object.entries(eventData).map(([type, data]) =>
  z.object({ ...envelopeSchema.shape, type: z.literal(type), data }).openapi(nameOf(type)),
);
if (!first) throw new Error("there are no events");

export const universalEventSchema = z.discriminatedUnion("type", [first, ...more]).openapi("UniversalEvent");

type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : never) : never;
/** Fails to compile when the schema and the core's type differ. */
export const schemaMatchesType: Same<z.output<typeof envelopeSchema> & EventBody, UniversalEvent> = true;

export const eventPageSchema = responseSchema("EventPage", {
  events: z.array(
    z.object({
      cursor: z.string().describe("Continues after this event."),
      event: universalEventSchema,
    }),
  ),
  cursor: nextCursor.unwrap().describe("Where to continue. An empty page means that you are up to date."),
  reset: z.boolean().describe("Some events after the given cursor are no longer kept."),
});

export const laneEventPageSchema = responseSchema("LaneEventPage", {
  events: z.array(universalEventSchema),
  nextBefore: z.int().nullable().describe("`before` of the next page; null when nothing older is kept."),
});

export const liveTurnSchema = responseSchema("LiveTurn", {
  seq: z.int().describe("The number of the lane's last event. The stream may not have sent it yet."),
  turn: z.int().nullable().describe("The number of the running turn; null when none is running."),
  startedAt: nullableTime,
  items: z.array(itemSchema).describe("The open items, oldest first, with their content so far."),
  cut: z
    .array(z.object({ item: z.string(), part: z.string(), length: z.int() }))
    .describe("Texts that are too long for this response, with their full length."),
});

/** Changes of messages, deliveries, lanes, teams and asks in the stream. */
export const ledgerItemSchema = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("message"), at: timeSchema, message: messageSchema }),
    z.object({
      type: z.literal("delivery"),
      at: timeSchema,
      event: z.string().describe("What happened: submit, accepted, unanswered, proven, …"),
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
      state: z.enum(memberStates).describe("What the member is doing now. This event is not kept."),
    }),
    z.object({
      type: z.literal("ask"),
      at: timeSchema,
      id: z.string(),
      lane: z.string(),
      open: z
        .boolean()
        .describe("Whether the ask is open or resolved. This event is not kept: GET /v1/asks lists open asks."),
    }),
    z.object({
      type: z.literal("read"),
      at: timeSchema,
      to: addressSchema.describe("The mailbox where messages were marked as read. This event is not kept."),
    }),
    z.object({
      type: z.literal("inbox"),
      at: timeSchema,
      team: z.string(),
      inbox: nullableString.describe("The owner of the inbox file; null for the team's directory."),
      lane: nullableString,
      event: z.enum(inboxEvents).describe("What happened in a team's inbox files."),
      messageId: nullableString,
      state: z.enum(handOverStates).nullable(),
      rowType: z.enum(systemRowTypes).nullable(),
      from: nullableString,
      reason: nullableString,
      detail: nullableString,
    }),
  ])
  .openapi("LedgerItem");

const openedSchema = responseSchema("StreamOpened", { type: z.literal("open"), at: timeSchema });

export const resetSchema = responseSchema("StreamReset", {
  type: z.literal("reset"),
  at: timeSchema,
  lanes: z.array(laneSchema).describe("The current state of all lanes, with the delivery that holds each."),
});

/** The data of the server-sent events; the name of each event is its `type`. */
export const streamEventSchema = z
  .union([ledgerItemSchema, universalEventSchema, openedSchema, resetSchema])
  .openapi("StreamEvent");

export const askSchema = responseSchema("Ask", {
  id: z.string(),
  kind: z.enum(["permission", "question"]),
  title: z.string(),
  lane: z.string(),
  deliveryId: nullableString,
  messageId: nullableString,
  since: timeSchema,
  directory: nullableString.describe("Where the agent works; null when its lane was removed."),
  call: nullableString.describe("The tool call that is waiting: the item `call:ID` of its turn."),
  tool: nullableString,
  input: z.unknown().describe("The tool's input, if known. Very long values are truncated."),
  detail: z.unknown().describe("The agent program's own data about the ask, in its own format."),
  diff: nullableString.describe("The change to be allowed, if the program provides it."),
  questions: z.array(questionSchema).describe("Empty for a permission."),
  nativeSession: nullableString.describe("The session of the subagent that asks; null for the lane's own agent."),
});

export const askAnswerSchema = requestSchema("AskAnswer", {
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
    .describe("Why a permission is rejected. The agent reads it and continues."),
});
