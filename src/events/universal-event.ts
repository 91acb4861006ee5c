/**
 * One stream for every agent. `turn.ended` comes exactly once for each `turn.started`; whether an agent is at work
 * follows from these two and from nothing else. docs/events.md shows an example of each type.
 */
import { z } from "zod";
import { itemShape } from "./item.ts";

export const turnEndReasons = ["completed", "error", "aborted", "interrupted"] as const;

export const questionShape = z.object({
  header: z.string().nullable(),
  question: z.string(),
  options: z.array(z.object({ label: z.string(), description: z.string().nullable() })),
  multiple: z.boolean(),
});

export const tokensShape = z.object({
  input: z.number(),
  output: z.number(),
  reasoning: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
});

const askOutcomes = ["once", "always", "reject", "expired"] as const;

/** What can happen, by type. */
export const happeningKinds = [
  z.object({ type: z.literal("session.started"), data: z.object({ resumed: z.boolean() }) }),
  z.object({ type: z.literal("session.ended"), data: z.object({ reason: z.string() }) }),
  z.object({
    type: z.literal("turn.started"),
    /** The item that the turn answers; null when the agent went to work by itself. */
    data: z.object({ prompt: z.string().nullable() }),
  }),
  z.object({
    type: z.literal("turn.ended"),
    data: z.object({
      reason: z.enum(turnEndReasons),
      error: z.string().nullable(),
      /** Prompts that the program has already and takes next: while there are any, the agent is not idle. */
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
      /** The tool's call that waits for it. */
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
      /** What a message used, or what the whole turn did; the second repeats the first. */
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

const happeningShape = z.discriminatedUnion("type", happeningKinds);

export const envelopeShape = z.object({
  id: z.string(),
  /** Gapless in a lane. A delta is not kept, and has the number of the event that it follows. */
  seq: z.number().int(),
  time: z.number(),
  lane: z.string(),
  session: z.string(),
  /** Where it happened, when that is a session below the lane's own. */
  nativeSession: z.string().optional(),
  /** Counts the turns of the lane; null between them. */
  turn: z.number().int().nullable(),
  source: z.enum(["agent", "daemon"]),
  /** Concluded by Waybill, and not said by the program in these words. */
  synthetic: z.boolean(),
  /** It happened in the lane that this one was forked off. */
  copied: z.boolean().optional(),
  raw: z.string().optional(),
});

export const universalEventShape = z.intersection(envelopeShape, happeningShape);

/** What happened, without where and when. */
export type Happening = z.infer<typeof happeningShape>;
export type EventType = Happening["type"];
export type UniversalEvent = z.infer<typeof envelopeShape> & Happening;
export type Tokens = z.infer<typeof tokensShape>;
export type Question = z.infer<typeof questionShape>;
export type TurnEndReason = (typeof turnEndReasons)[number];

/** As the turn tracker makes it; its lane, number and id are the recorder's to give. */
export type Draft = Omit<z.infer<typeof envelopeShape>, "id" | "seq" | "lane"> & Happening;

/** Deltas pass by; everything else is kept. */
export function isKept(event: { type: EventType }): boolean {
  return event.type !== "item.delta";
}
