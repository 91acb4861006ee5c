/**
 * An attempt is one prompt that Waybill sends. Its runtime ids are derived, so that they are the same after a
 * crash, and they include the session generation, so that no session ever sees the ids of another.
 */
import { createHash } from "node:crypto";
import type { Lane } from "../lane/lane.ts";
import type { RuntimeIds } from "../transcript/transcript.ts";

/** Prompts after the message itself is proven; see `core/decision/follow-up.ts`. */
export const followUpKinds = ["summary", "follow_up"] as const;
export type FollowUpKind = (typeof followUpKinds)[number];
export type AttemptKind = "prompt" | "retry" | FollowUpKind;

/** What an attempt is paid from. A repair spends the message's own attempts only when its budget is gone; asking further never does. */
export type Budget = "attempts" | "repairs" | "follow_ups";

/** Agent and model of a delivery. They stay as they were at its first attempt, whatever becomes of its lane. */
export type FixedChoice = Pick<Lane, "agent" | "model">;

export type Attempt = RuntimeIds &
  Timing & {
    number: number;
    kind: AttemptKind;
    spends: Budget;
    /** For a retry: what was missing before, which picks its wording. */
    because: string | null;
    /** Null where it is not known: in older records, and in attempts that were found in a transcript. */
    choice: FixedChoice | null;
    sessionId: string;
    generation: number;
    /** Newest row of the session before this prompt, or null in an empty session. */
    prePromptCursor: string | null;
    /** How often it was sent with these ids. */
    sends: number;
    /** False while it is certain that no request has left. */
    left: boolean;
    submittedAt: number;
    /** When what it brought was found to be proof. */
    provenAt: number | null;
  };

/** What became of the request that sent it. */
export type SubmitOutcome =
  | { outcome: "accepted" }
  /** The request may have arrived. Nothing is sent again before the transcript was read. */
  | { outcome: "unknown"; reason: string }
  /** The request did not leave, or was turned away for now. */
  | { outcome: "not_sent"; reason: string }
  /** It will never be taken in this form. */
  | { outcome: "refused"; reason: string };

/** How the next attempt is to be made, of a `retry_scheduled` delivery or of one that is asked further. */
export type NextAttempt = {
  kind: AttemptKind;
  spends: Budget;
  freshSession: boolean;
  /** How long the model's provider asked to be left alone. */
  backOffMs?: number;
};

/** One first send and two more; after that it is a new attempt. */
export const maxSendsPerAttempt = 3;

export function isFollowUp(kind: AttemptKind): kind is FollowUpKind {
  return kind === "summary" || kind === "follow_up";
}

/** Unique to one attempt in one session; a runtime turns it into the form of id that its program takes. */
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
  /** The agent program has the prompt. */
  storedAt: number | null;
  /** The first word, thought or tool call for it. */
  firstTokenAt: number | null;
  lastActivityAt: number | null;
  /** The end of its turn. */
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

/** What attempts have in the fields that older ones were written without. */
export const laterAttemptFields = { ...untimed, choice: null };

export function mergeTiming(known: Timing, seen: Timing): Timing {
  return {
    storedAt: earliest([known.storedAt, seen.storedAt]),
    firstTokenAt: earliest([known.firstTokenAt, seen.firstTokenAt]),
    lastActivityAt: latest([known.lastActivityAt, seen.lastActivityAt]),
    finishedAt: latest([known.finishedAt, seen.finishedAt]),
  };
}

/** The attempt that a proof is credited to: the newest one that brought anything. */
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
