/** What the transcript shows for a delivery's attempts: the state, and the evidence that `sufficiency` judges. */

import type { AttemptTiming } from "../delivery/attempt.ts";
import type { ResponseState } from "../delivery/record.ts";
import type { ProviderError } from "./provider-error.ts";

/** A successful `message_send` in the agent's own transcript. */
export type SentMessage = {
  text: string;
  summary: string | null;
  /** Whether it names this message, no message, or another one. */
  relay: "this" | "none" | "another";
  /** Whether it went to the person or agent who waits for the answer; true when that cannot be told. */
  toReplyRecipient: boolean;
};

export type Evidence = {
  sent: readonly SentMessage[];
  /** Normalised names of tools that succeeded, by what they show. */
  taskChanges: readonly string[];
  executions: readonly string[];
  lookups: readonly string[];
  others: readonly string[];
  /** The text that ended a turn, the newest that says something; a text between two tools is not an answer. */
  finalText: string | null;
};

export type Observation = {
  state: ResponseState;
  /** Refines the state, for people and for the retry text. */
  reason: string | null;
  evidence: Evidence;
  /** The session that took the last attempt is at rest and nobody is asked anything. */
  settled: boolean;
  /** The last attempt's prompt stands in the transcript. */
  found: boolean;
  /** Something else was prompted in the same session after the last attempt. */
  laterPrompt: boolean;
  /** An assistant row belongs to an attempt and the newest one ended without an error. */
  turnEndedWell: boolean;
  /** Of the last attempt alone: whether anything ran for it, and the text that its turn ended with. */
  lastTurn: { ran: boolean; closingText: string | null };
  /** Somebody stopped the turn in the session itself. */
  aborted: boolean;
  /** The session rests, and the turn's newest row was never finished. */
  interrupted: boolean;
  /** A person refused what the agent asked, and the agent did nothing more. */
  askRejected: boolean;
  providerError: ProviderError | null;
  /** Busy with a tool that runs: however long that takes, it is work. */
  toolRunning: boolean;
  lastActivityAt: number | null;
  /** The slice was too short to hold what was looked for. */
  needsFullHistory: boolean;
  deliveredUserMessageId: string | null;
  assistantMessageId: string | null;
  toolNames: readonly string[];
  newestRowId: string | null;
  diagnostics: readonly string[];
  /** One for each attempt whose session was read. */
  timings: readonly AttemptTiming[];
};

/** A message to whoever waits for the answer that names ours or, failing that, names none. */
export function isReply(sent: SentMessage): boolean {
  return sent.toReplyRecipient && sent.relay !== "another";
}

export const noEvidence: Evidence = {
  sent: [],
  taskChanges: [],
  executions: [],
  lookups: [],
  others: [],
  finalText: null,
};

const nothingSeen: Observation = {
  state: "not_observed",
  reason: null,
  evidence: noEvidence,
  settled: false,
  found: false,
  laterPrompt: false,
  turnEndedWell: false,
  lastTurn: { ran: false, closingText: null },
  aborted: false,
  interrupted: false,
  askRejected: false,
  providerError: null,
  toolRunning: false,
  lastActivityAt: null,
  needsFullHistory: false,
  deliveredUserMessageId: null,
  assistantMessageId: null,
  toolNames: [],
  newestRowId: null,
  diagnostics: [],
  timings: [],
};

/** A read that failed. It is unknown what the agent did, and unknown is never failed. */
export function unreadable(reason: string): Observation {
  return { ...nothingSeen, state: "reconcile_failed", reason };
}

/** Nothing was sent yet, so there is nothing to see. */
export const unobserved: Observation = nothingSeen;
