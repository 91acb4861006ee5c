/**
 * Everything that can happen to a delivery. Each accepted event is one audit row; folding them gives the record.
 * Events hold facts and reasons, never a message's text.
 */
import type { Message } from "../message/message.ts";
import type { Attempt, AttemptTiming, NextAttempt, Timing } from "./attempt.ts";
import type { Claims, DeliveryRecord, Proof, ResponseState } from "./record.ts";

/** What reconciling observed, without the words that the agent used. */
export type ObservedFacts = {
  state: ResponseState;
  deliveredUserMessageId: string | null;
  assistantMessageId: string | null;
  toolNames: readonly string[];
  newestRowId: string | null;
  lastActivityAt: number | null;
  diagnostics: readonly string[];
  /** Missing in what was written before attempts were timed. */
  timings?: readonly AttemptTiming[];
};

export type NewAttempt = Omit<Attempt, "sends" | "left" | "submittedAt" | "provenAt" | keyof Timing>;

export type DeliveryEvent = { at: number } & (
  | { type: "admitted"; record: DeliveryRecord }
  /** The message was unread and its record was gone: it may have been sent before. */
  | { type: "rebuilt"; record: DeliveryRecord }
  /**
   * The attempts of a delivery that may have been sent before, as they stand in the agent's transcripts, or none. Where
   * these cannot be searched at all it is held for a person.
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
      /** Null when nothing could be seen that is worth keeping. */
      observed: ObservedFacts | null;
      reason: string | null;
      /** The prompt stands in the transcript. */
      found: boolean;
      /** A resting session without the prompt, or in which the prompt never ran. */
      missed: boolean;
      reconcileAt: number | null;
    }
  | {
      type: "proven";
      /** The attempt that brought it. */
      attempt?: number;
      proof: Proof;
      observed: ObservedFacts | null;
      turnEnded: boolean;
      readCommitted: boolean;
      diagnostics: readonly string[];
      /** Files that the answer names, to be looked for. */
      claims?: Claims | null;
      /** What the agent is asked further, before its lane is given back. */
      next?: NextAttempt | null;
      reconcileAt: number;
    }
  | { type: "files_checked"; missing: readonly string[]; next: NextAttempt | null; reconcileAt: number }
  | { type: "submit_follow_up"; attempt: NewAttempt; runId: string; reconcileAt: number }
  | { type: "unanswered"; reason: string; observed: ObservedFacts; reconcileAt: number }
  | { type: "failed_retryable"; reason: string; observed: ObservedFacts; reconcileAt: number }
  | { type: "failed_terminal"; reason: string; observed: ObservedFacts | null; reconcileAt: number | null }
  | { type: "retry_scheduled"; next: NextAttempt; reconcileAt: number }
  /** Its dates lay further ahead than its schedule allows: they were written by a clock that was ahead. */
  | { type: "rescheduled"; reconcileAt: number; filesUntil: number | null }
  | { type: "turn_ended"; observed?: ObservedFacts | null; diagnostics?: readonly string[] }
  | { type: "read_committed"; diagnostics: readonly string[] }
  | { type: "read_commit_failed"; error: string; reconcileAt: number }
  | { type: "cancelled"; by: string; reason: string; readCommitted: boolean; reconcileAt: number }
  /** Before anything was sent: taken back by its sender, or out of time. */
  | { type: "withdrawn"; by: string; reason: "withdrawn" | "expired"; readCommitted: boolean; reconcileAt: number }
  /** A person lets a message go on that was held. */
  | { type: "released"; by: string }
  /** `round` is the one that begins; missing in what was written before rounds were counted. */
  | { type: "retried_by_person"; by: string; budget: number; round?: number }
);

export type DeliveryEventType = DeliveryEvent["type"];
export type EventOf<T extends DeliveryEventType> = Extract<DeliveryEvent, { type: T }>;

/** What is to be done once the commit is durable. Each can be found again from the record after a crash. */
export type Effect = { type: "send"; attempt: Attempt } | { type: "commit_read" };

/** `before` is the record as it was; one that begins has none. */
export type DeliveryChange = {
  record: DeliveryRecord;
  before?: DeliveryRecord;
  events: readonly DeliveryEvent[];
  /** The message itself, when it was admitted just now. */
  admitted?: Message;
};
