/**
 * An attempt is one prompt that Waybill sends. Its runtime ids are derived, so that they are the same after a crash.
 * They include the session generation, so that ids never repeat across sessions.
 */
import { createHash } from "node:crypto";
import type { Lane } from "../lane/lane.ts";
import type { RuntimeIds } from "../transcript/transcript.ts";

/** Prompts sent after the message itself is proven; see `core/decision/follow-up.ts`. */
export const followUpKinds = ["summary", "follow_up"] as const;
export type FollowUpKind = (typeof followUpKinds)[number];
export type AttemptKind = "prompt" | "retry" | FollowUpKind;

/**
 * The budget that pays for an attempt. A repair uses the message's attempts only when the repair budget is spent; a
 * follow-up never does.
 */
export type Budget = "attempts" | "repairs" | "follow_ups";

/** Agent and model of a delivery. They are fixed at its first attempt, whatever happens to its lane. */
export type FixedChoice = Pick<Lane, "agent" | "model">;

export type Attempt = RuntimeIds &
  Timing & {
    number: number;
    kind: AttemptKind;
    spends: Budget;
    /** For a retry: what was missing before; it selects the wording. */
    because: string | null;
    /** Null if unknown: in older records, and in attempts found in a transcript. */
    choice: FixedChoice | null;
    sessionId: string;
    generation: number;
    /** Newest row of the session before this prompt, or null if the session was empty. */
    prePromptCursor: string | null;
    /** How many times it was sent with these ids. */
    sends: number;
    /** False only if it is certain that no request left. */
    left: boolean;
    submittedAt: number;
    /** When its result was found to be proof. */
    provenAt: number | null;
  };

/** The outcome of the submit request. */
export type SubmitOutcome =
  | { outcome: "accepted" }
  /** The request may have arrived. Nothing is sent again before the transcript has been read. */
  | { outcome: "unknown"; reason: string }
  /** The request did not leave, or was turned away for now. */
  | { outcome: "not_sent"; reason: string }
  /** The program will never accept it in this form. */
  | { outcome: "refused"; reason: string };

/** How to make the next attempt of a `retry_scheduled` delivery, or the next follow-up. */
export type NextAttempt = {
  kind: AttemptKind;
  spends: Budget;
  freshSession: boolean;
  /** How long the model's provider asked to wait. */
  backOffMs?: number;
};

/** One first send and two repeats; after that, a new attempt. */
export const maxSendsPerAttempt = 3;

export function isFollowUp(kind: AttemptKind): kind is FollowUpKind {
  return kind === "summary" || kind === "follow_up";
}

/** Unique to one attempt in one session; a runtime turns it into an id that its program accepts. */
export function attemptDigest(deliveryId: string, number: number, generation: number): string {
  return sha256(["waybill-attempt-v1", deliveryId, String(number), String(generation)]);
}

export function deliveryId(of: { team: string | null; member: string | null; laneId: string; messageId: string }) {
  return sha256(["waybill-delivery-v1", of.team ?? "", (of.member ?? "").toLowerCase(), of.laneId, of.messageId]);
}

function sha256(parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("hex");
}

export type Timing = {
  /** When the agent program stored the prompt. */
  storedAt: number | null;
  /** When the first text, thought or tool call for it began. */
  firstTokenAt: number | null;
  lastActivityAt: number | null;
  /** When its turn ended. */
  finishedAt: number | null;
};

export type AttemptTiming = Timing & { number: number };

export const untimed: Timing & { provenAt: number | null } = {
  storedAt: null,
  firstTokenAt: null,
  lastActivityAt: null,
  finishedAt: null,
  provenAt: null,
};

/** Defaults for fields that older attempts were stored without. */
export const laterAttemptFields = { ...untimed, choice: null };

export function mergeTiming(known: Timing, seen: Timing): Timing {
  return {
    storedAt: earliest([known.storedAt, seen.storedAt]),
    firstTokenAt: earliest([known.firstTokenAt, seen.firstTokenAt]),
    lastActivityAt: latest([known.lastActivityAt, seen.lastActivityAt]),
    finishedAt: latest([known.finishedAt, seen.finishedAt]),
  };
}

/** The attempt credited with a proof: the newest one with any result. */
export function provenAttempt(timings: readonly AttemptTiming[]): number | null {
  return timings.findLast((timing) => timing.firstTokenAt !== null || timing.finishedAt !== null)?.number ?? null;
}

export function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}

export function latest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.max(...known);
}
