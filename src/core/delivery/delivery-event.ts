/**
 * Everything that can happen to a delivery. Each accepted event is one audit row; folding them gives the record.
 * Events contain facts and reasons, never a message's text.
 */
import type { Message } from "../message/message.ts";
import type { Attempt, AttemptTiming, NextAttempt, Timing } from "./attempt.ts";
import type { Claims, DeliveryRecord, Proof, ResponseState } from "./record.ts";

/** A reconcile's observation, without the agent's own words. */
export type ObservedFacts = {
  state: ResponseState;
  deliveredUserMessageId: string | null;
  assistantMessageId: string | null;
  toolNames: readonly string[];
  newestRowId: string | null;
  lastActivityAt: number | null;
  diagnostics: readonly string[];
  /** Missing in events written before attempts were timed. */
  timings?: readonly AttemptTiming[];
};

export type NewAttempt = Omit<Attempt, "sends" | "left" | "submittedAt" | "provenAt" | keyof Timing>;

export type DeliveryEvent = { at: number } & (
  | { type: "admitted"; record: DeliveryRecord }
  /** The message was unread and its record was lost: it may have been sent before. */
  | { type: "rebuilt"; record: DeliveryRecord }
  /**
   * The attempts, found in the agent's transcripts, of a delivery that may have been sent before, or none. If the
   * transcripts cannot be searched at all, the delivery is held for a person.
   */
  | {
      type: "attempts_searched";
      found: readonly Attempt[];
      unreadable?: boolean;
      runtimeKind: string;
      reconcileAt: number;
    }
  | { type: "submit"; attempt: NewAttempt; runtimeKind: string; runId: string; reconcileAt: number }
  | { type: "send_again"; number: number; reconcileAt: number }
  | { type: "accepted"; number: number; storedAt?: number; reconcileAt: number }
  | { type: "acceptance_unknown"; reason: string; reconcileAt: number }
  | { type: "not_sent"; reason: string; reconcileAt: number }
  | {
      type: "reconciled";
      /** Null if the read showed nothing worth keeping. */
      observed: ObservedFacts | null;
      reason: string | null;
      /** The prompt is in the transcript. */
      found: boolean;
      /** The session is idle, and the prompt is missing or never ran. */
      missed: boolean;
      reconcileAt: number | null;
    }
  | {
      type: "proven";
      /** The attempt credited with it. */
      attempt?: number;
      proof: Proof;
      observed: ObservedFacts | null;
      turnEnded: boolean;
      readCommitted: boolean;
      diagnostics: readonly string[];
      /** Files that the answer names, to be checked on disk. */
      claims?: Claims | null;
      /** The follow-up to send before the lane is released. */
      next?: NextAttempt | null;
      reconcileAt: number;
    }
  | { type: "files_checked"; missing: readonly string[]; next: NextAttempt | null; reconcileAt: number }
  | { type: "submit_follow_up"; attempt: NewAttempt; runId: string; reconcileAt: number }
  | { type: "unanswered"; reason: string; observed: ObservedFacts; reconcileAt: number }
  | { type: "failed_retryable"; reason: string; observed: ObservedFacts; reconcileAt: number }
  | { type: "failed_terminal"; reason: string; observed: ObservedFacts | null; reconcileAt: number | null }
  | { type: "retry_scheduled"; next: NextAttempt; reconcileAt: number }
  /** Its times were further ahead than its schedule allows, set by a clock that was ahead. */
  | { type: "rescheduled"; reconcileAt: number; filesUntil: number | null }
  | { type: "turn_ended"; observed?: ObservedFacts | null; diagnostics?: readonly string[] }
  | { type: "read_committed"; diagnostics: readonly string[] }
  | { type: "read_commit_failed"; error: string; reconcileAt: number }
  | { type: "cancelled"; by: string; reason: string; readCommitted: boolean; reconcileAt: number }
  /** Before anything was sent: withdrawn by its sender, or expired. */
  | { type: "withdrawn"; by: string; reason: "withdrawn" | "expired"; readCommitted: boolean; reconcileAt: number }
  /** A person releases a held message. */
  | { type: "released"; by: string }
  /** `round` is the round that begins; missing in events written before rounds were counted. */
  | { type: "retried_by_person"; by: string; budget: number; round?: number }
);

export type DeliveryEventType = DeliveryEvent["type"];
export type EventOf<T extends DeliveryEventType> = Extract<DeliveryEvent, { type: T }>;

/** What to do once the commit is durable. Each effect can be derived again from the record after a crash. */
export type Effect = { type: "send"; attempt: Attempt } | { type: "commit_read" };

/** `before` is the previous record; a new delivery has none. */
export type DeliveryChange = {
  record: DeliveryRecord;
  before?: DeliveryRecord;
  events: readonly DeliveryEvent[];
  /** The message itself, if it was just admitted. */
  admitted?: Message;
};

/** Mail that is written in the same transaction as the event it reports. */
export type OutgoingMail = {
  message: Message;
  payloadHash: string;
  /** For a message to a lane: the delivery that begins when the message is stored. */
  delivery?: DeliveryRecord | null;
};
