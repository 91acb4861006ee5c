/**
 * One stream for every agent. `turn.ended` comes exactly once for each `turn.started`; whether an agent is at work
 * follows from these two and from nothing else. docs/events.md shows an example of each type.
 */
import type { Item } from "./item.ts";

export const turnEndReasons = ["completed", "error", "aborted", "interrupted"] as const;
export type TurnEndReason = (typeof turnEndReasons)[number];

export type Question = {
  header: string | null;
  question: string;
  options: { label: string; description: string | null }[];
  multiple: boolean;
};

export type Tokens = { input: number; output: number; reasoning: number; cacheRead: number; cacheWrite: number };

/** What happened, without where and when. */
export type EventBody =
  | { type: "session.started"; data: { resumed: boolean } }
  | { type: "session.ended"; data: { reason: string } }
  /** `prompt`: the item that the turn answers; null when the agent went to work by itself. */
  | { type: "turn.started"; data: { prompt: string | null } }
  /** `queued`: prompts that the program has already and takes next. While there are any, the agent is not idle. */
  | { type: "turn.ended"; data: { reason: TurnEndReason; error: string | null; queued: number } }
  | { type: "item.started"; data: { item: Item } }
  | {
      type: "item.delta";
      data: { item: string; part: string; kind: "text" | "reasoning" | "input" | "output"; text: string };
    }
  | { type: "item.completed"; data: { item: Item } }
  /** `call`: the tool call that waits for it. */
  | { type: "permission.requested"; data: { ask: string; title: string; call: string | null; detail: unknown } }
  | { type: "permission.resolved"; data: { ask: string; outcome: "once" | "always" | "reject" | "expired" } }
  | { type: "question.requested"; data: { ask: string; call: string | null; questions: Question[] } }
  | {
      type: "question.resolved";
      data: { ask: string; outcome: "answered" | "reject" | "expired"; answers: string[][] | null };
    }
  /** What a message used, or what the whole turn did; the second repeats the first. */
  | {
      type: "usage";
      data: {
        of: "message" | "turn";
        item: string | null;
        model: string | null;
        tokens: Tokens;
        cost: number | null;
      };
    }
  /** `status`: of the provider's HTTP response, where the program says it. */
  | { type: "error"; data: { message: string; item: string | null; status?: number | undefined } }
  | { type: "unparsed"; data: { reason: string } };

export type EventType = EventBody["type"];

export const universalEventTypes = [
  "session.started",
  "session.ended",
  "turn.started",
  "turn.ended",
  "item.started",
  "item.delta",
  "item.completed",
  "permission.requested",
  "permission.resolved",
  "question.requested",
  "question.resolved",
  "usage",
  "error",
  "unparsed",
] as const satisfies readonly EventType[];
/** Fails to compile when one is missing. */
export const allEventTypes: EventType extends (typeof universalEventTypes)[number] ? true : never = true;

type Envelope = {
  id: string;
  /** Gapless in a lane. A delta is not kept, and has the number of the event that it follows. */
  seq: number;
  time: number;
  lane: string;
  session: string;
  /** Where it happened, when that is a session below the lane's own. */
  nativeSession?: string | undefined;
  /** Counts the turns of the lane; null between them. */
  turn: number | null;
  source: "agent" | "daemon";
  /** Concluded by Waybill, and not said by the program in these words. */
  synthetic: boolean;
  /** It happened in the lane that this one was forked off. */
  copied?: boolean | undefined;
  raw?: string | undefined;
};

export type UniversalEvent = Envelope & EventBody;

/** As the turn tracker makes it; its lane, number and id are the recorder's to give. */
export type Draft = Omit<Envelope, "id" | "seq" | "lane"> & EventBody;
