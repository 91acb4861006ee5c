/** What the transcript shows for a delivery's attempts: the state, and the evidence that `sufficiency` judges. */

import type { AttemptTiming } from "../delivery/attempt.ts";
import type { ResponseState } from "../delivery/record.ts";
import type { ProviderError } from "./provider-error.ts";
import type { FailedSend, SentMessage } from "./sends.ts";

export type Evidence = {
  sent: readonly SentMessage[];
  /** Normalised names of tools that succeeded, by what they show. */
  taskChanges: readonly string[];
  executions: readonly string[];
  lookups: readonly string[];
  others: readonly string[];
  /** Replies to whoever waits that did not arrive, or went astray. */
  failedSends: readonly FailedSend[];
  /** Work that was tried and failed: errors, exit codes, time-outs. */
  failedWork: readonly string[];
  /** The text that ended a turn, the newest that says something, cleaned; and as the program has it. */
  finalText: string | null;
  rawText: string | null;
  /** A text that is nothing but a provider's error, though its turn ended normally. Not in `finalText`. */
  noticeText: string | null;
  /** The text of the message itself, where it was looked up. */
  request: string | null;
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
  /** Of the row's error; or of a text that is nothing but one, and then `evidence.noticeText` has it. */
  providerError: ProviderError | null;
  /** How long the provider wants to be left alone. */
  retryAfterMs: number | null;
  /** A send by Waybill's own tool is not in its mailbox, or not yet. */
  awaitsSend: boolean;
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

export const noEvidence: Evidence = {
  sent: [],
  taskChanges: [],
  executions: [],
  lookups: [],
  others: [],
  failedSends: [],
  failedWork: [],
  finalText: null,
  rawText: null,
  noticeText: null,
  request: null,
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
  retryAfterMs: null,
  awaitsSend: false,
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
