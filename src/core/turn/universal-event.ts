/**
 * One stream of events for every agent. `turn.ended` comes exactly once for each `turn.started`; these two alone show
 * whether an agent is at work. docs/events.md shows an example of each type.
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

/** An event without its place and time. */
export type EventBody =
  | { type: "session.started"; data: { resumed: boolean } }
  | { type: "session.ended"; data: { reason: string } }
  /** `prompt`: the item that the turn answers; null if the agent started on its own. */
  | { type: "turn.started"; data: { prompt: string | null } }
  /** `queued`: prompts that the program already has and takes next. While there are any, the agent is not idle. */
  | { type: "turn.ended"; data: { reason: TurnEndReason; error: string | null; queued: number } }
  | { type: "item.started"; data: { item: Item } }
  /**
   * `offset`: how many characters of the part precede it. Missing if unknown, as after a restart. In that case a
   * delta without text reports the length of the text, once that is known.
   */
  | {
      type: "item.delta";
      data: {
        item: string;
        part: string;
        kind: "text" | "reasoning" | "input" | "output";
        text: string;
        offset?: number | undefined;
      };
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
  /** The usage of a message, or of the whole turn; the second includes the first. */
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
  /** `status`: of the provider's HTTP response, if the program reports it. */
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
/** Fails to compile if one is missing. */
export const allEventTypes: EventType extends (typeof universalEventTypes)[number] ? true : never = true;

type Envelope = {
  id: string;
  /** Gapless within a lane. A delta is not kept, and has the number of the event before it. */
  seq: number;
  time: number;
  lane: string;
  session: string;
  /** The child session in which it happened, if it was not the lane's own. */
  nativeSession?: string | undefined;
  /** Counts the turns of the lane; null between them. */
  turn: number | null;
  source: "agent" | "daemon";
  /** Inferred by Waybill, not reported by the program in this form. */
  synthetic: boolean;
  /** It happened in the lane that this one was forked from. */
  copied?: boolean | undefined;
  raw?: string | undefined;
};

export type UniversalEvent = Envelope & EventBody;

/** As the turn tracker creates it; the recorder adds lane, number and id. */
export type Draft = Omit<Envelope, "id" | "seq" | "lane"> & EventBody;
