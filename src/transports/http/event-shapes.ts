/**
 * Universal events as the OpenAPI document has them: each type of event under a name of its own. What they mean is said
 * in `core/turn`, whose types these schemas are compared with by the compiler.
 */
import { z } from "@hono/zod-openapi";
import { itemKinds } from "../../core/turn/item.ts";
import type { UniversalEvent } from "../../core/turn/universal-event.ts";
import { turnEndReasons } from "../../core/turn/universal-event.ts";
import { nextCursor } from "./paging.ts";

const partShape = z.discriminatedUnion("type", [
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
    diff: z.string().nullable(),
  }),
  z.object({ type: z.literal("image"), id: z.string(), mime: z.string(), name: z.string().nullable() }),
  z.object({ type: z.literal("json"), id: z.string(), value: z.unknown() }),
]);

const itemShape = z.object({
  id: z.string(),
  kind: z.enum(itemKinds),
  role: z.enum(["user", "assistant"]).nullable(),
  name: z.string().nullable(),
  parent: z.string().nullable(),
  status: z.enum(["in_progress", "completed", "failed"]),
  parts: z.array(partShape),
});

const questionShape = z.object({
  header: z.string().nullable(),
  question: z.string(),
  options: z.array(z.object({ label: z.string(), description: z.string().nullable() })),
  multiple: z.boolean(),
});

const tokensShape = z.object({
  input: z.number(),
  output: z.number(),
  reasoning: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
});

const askOutcomes = ["once", "always", "reject", "expired"] as const;
const eventBodies = [
  z.object({ type: z.literal("session.started"), data: z.object({ resumed: z.boolean() }) }),
  z.object({ type: z.literal("session.ended"), data: z.object({ reason: z.string() }) }),
  z.object({
    type: z.literal("turn.started"),
    data: z.object({ prompt: z.string().nullable() }),
  }),
  z.object({
    type: z.literal("turn.ended"),
    data: z.object({
      reason: z.enum(turnEndReasons),
      error: z.string().nullable(),
      queued: z.number().int(),
    }),
  }),
  z.object({ type: z.literal("item.started"), data: z.object({ item: itemShape }) }),
  z.object({
    type: z.literal("item.delta"),
    data: z.object({
      item: z.string(),
      part: z.string(),
      kind: z.enum(["text", "reasoning", "input", "output"]),
      text: z.string(),
    }),
  }),
  z.object({ type: z.literal("item.completed"), data: z.object({ item: itemShape }) }),
  z.object({
    type: z.literal("permission.requested"),
    data: z.object({
      ask: z.string(),
      title: z.string(),
      call: z.string().nullable(),
      detail: z.unknown(),
    }),
  }),
  z.object({
    type: z.literal("permission.resolved"),
    data: z.object({ ask: z.string(), outcome: z.enum(askOutcomes) }),
  }),
  z.object({
    type: z.literal("question.requested"),
    data: z.object({ ask: z.string(), call: z.string().nullable(), questions: z.array(questionShape) }),
  }),
  z.object({
    type: z.literal("question.resolved"),
    data: z.object({
      ask: z.string(),
      outcome: z.enum(["answered", "reject", "expired"]),
      answers: z.array(z.array(z.string())).nullable(),
    }),
  }),
  z.object({
    type: z.literal("usage"),
    data: z.object({
      of: z.enum(["message", "turn"]),
      item: z.string().nullable(),
      model: z.string().nullable(),
      tokens: tokensShape,
      cost: z.number().nullable(),
    }),
  }),
  z.object({ type: z.literal("error"), data: z.object({ message: z.string(), item: z.string().nullable() }) }),
  z.object({ type: z.literal("unparsed"), data: z.object({ reason: z.string() }) }),
] as const;

const envelopeShape = z.object({
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

const [first, ...more] = eventBodies.map((kind) =>
  z.object({ ...envelopeShape.shape, ...kind.shape }).openapi(nameOf(kind.shape.type.value)),
);
if (!first) throw new Error("there are no events");

export const universalEventShape = z.discriminatedUnion("type", [first, ...more]).openapi("UniversalEvent");

type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : never) : never;
/** Fails to compile when the schema and the type that the core works with differ. */
export const schemaIsTheType: Same<
  z.output<typeof envelopeShape> & z.output<(typeof eventBodies)[number]>,
  UniversalEvent
> = true;

export const eventPageShape = z
  .object({
    events: z.array(
      z.object({
        cursor: z.string().openapi({ description: "Its place: goes on after it." }),
        event: universalEventShape,
      }),
    ),
    cursor: nextCursor.unwrap().openapi({ description: "Where to go on. A page without events is the end for now." }),
    reset: z.boolean().openapi({ description: "Some that came after the cursor are not kept any more." }),
  })
  .openapi("EventPage");

const time = z.iso.datetime();

/** The data of the server-sent events. */
export const eventStreamShape = z
  .union([
    universalEventShape,
    z.object({ type: z.literal("open"), at: time }).openapi("EventStreamOpened"),
    z.object({ type: z.literal("reset"), at: time }).openapi("EventStreamReset"),
  ])
  .openapi("EventStreamData");
