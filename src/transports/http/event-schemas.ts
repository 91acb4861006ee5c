/**
 * Universal events in the OpenAPI document. `core/turn` defines their meaning; the compiler checks that the two match.
 */
import { z } from "@hono/zod-openapi";
import { itemKinds } from "../../core/turn/item.ts";
import type { UniversalEvent } from "../../core/turn/universal-event.ts";
import { turnEndReasons } from "../../core/turn/universal-event.ts";
import { nextCursor } from "./paging.ts";
import { nullableTime } from "./schemas.ts";
import { ledgerItemSchema, openedSchema, resetSchema } from "./stream-schemas.ts";

const nullableString = z.string().nullable();

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

const itemSchema = z
  .object({
    id: z.string(),
    kind: z.enum(itemKinds),
    role: z.enum(["user", "assistant"]).nullable(),
    name: nullableString,
    parent: nullableString,
    status: z.enum(["in_progress", "completed", "failed"]),
    parts: z.array(partSchema),
  })
  .openapi("Item");

export const questionSchema = z.object({
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
  "turn.ended": z.object({ reason: z.enum(turnEndReasons), error: nullableString, queued: z.number().int() }),
  "item.started": z.object({ item: itemSchema }),
  "item.delta": z.object({
    item: z.string(),
    part: z.string(),
    kind: z.enum(["text", "reasoning", "input", "output"]),
    text: z.string(),
    offset: z.number().int().optional().openapi({
      description: "How many characters of the part came before it. Absent when unknown.",
    }),
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
  error: z.object({ message: z.string(), item: nullableString, status: z.number().int().optional() }),
  unparsed: z.object({ reason: z.string() }),
};
type EventType = keyof typeof eventData;
type EventBody = { [T in EventType]: { type: T; data: z.output<(typeof eventData)[T]> } }[EventType];

const envelopeSchema = z.object({
  id: z.string(),
  seq: z.number().int(),
  time: z.number(),
  lane: z.string(),
  session: z.string(),
  nativeSession: z.string().optional(),
  turn: z.number().int().nullable(),
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

export const eventPageSchema = z
  .object({
    events: z.array(
      z.object({
        cursor: z.string().openapi({ description: "Continues after this event." }),
        event: universalEventSchema,
      }),
    ),
    cursor: nextCursor
      .unwrap()
      .openapi({ description: "Where to continue. An empty page means that you are up to date." }),
    reset: z.boolean().openapi({ description: "Some events after the given cursor are no longer kept." }),
  })
  .openapi("EventPage");

export const laneEventPageSchema = z
  .object({
    events: z.array(universalEventSchema),
    nextBefore: z
      .number()
      .int()
      .nullable()
      .openapi({ description: "`before` of the next page; null when nothing older is kept." }),
  })
  .openapi("LaneEventPage");
export const liveTurnSchema = z
  .object({
    seq: z
      .number()
      .int()
      .openapi({ description: "The number of the lane's last event. The stream may not have sent it yet." }),
    turn: z
      .number()
      .int()
      .nullable()
      .openapi({ description: "The number of the running turn; null when none is running." }),
    startedAt: nullableTime,
    items: z.array(itemSchema).openapi({ description: "The open items, oldest first, with their content so far." }),
    cut: z
      .array(z.object({ item: z.string(), part: z.string(), length: z.number().int() }))
      .openapi({ description: "Texts that are too long for this response, with their full length." }),
  })
  .openapi("LiveTurn");

/** The data of the server-sent events; the name of each event is its `type`. */
export const streamEventSchema = z
  .union([ledgerItemSchema, universalEventSchema, openedSchema, resetSchema])
  .openapi("StreamEvent");
