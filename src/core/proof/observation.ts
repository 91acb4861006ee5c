/** What the transcript shows for a delivery's attempts: the state, and the evidence that `sufficiency` judges. */

import type { AttemptTiming } from "../delivery/attempt.ts";
import type { ResponseState } from "../delivery/record.ts";
import type { ProviderError } from "./provider-error.ts";
import type { FailedSend, SentMessage } from "./sends.ts";

export type Evidence = {
  sent: readonly SentMessage[];
  /** Normalised names of successful tools, by what they show. */
  taskChanges: readonly string[];
  executions: readonly string[];
  lookups: readonly string[];
  others: readonly string[];
  /** Replies to the sender that did not arrive, or went to the wrong place. */
  failedSends: readonly FailedSend[];
  /** Work that was tried and failed: errors, exit codes, timeouts. */
  failedWork: readonly string[];
  /** The text that ended a turn, the newest one with substance, cleaned; and as the program stored it. */
  finalText: string | null;
  rawText: string | null;
  /** A text that is only a provider's error, although its turn ended normally. Not in `finalText`. */
  noticeText: string | null;
  /** The text of the message itself, if it was looked up. */
  request: string | null;
};

export type Observation = {
  state: ResponseState;
  /** Refines the state, for people and for the retry text. */
  reason: string | null;
  evidence: Evidence;
  /** The session of the last attempt is idle and has no open ask. */
  settled: boolean;
  /** The last attempt's prompt is in the transcript. */
  found: boolean;
  /** Another prompt followed the last attempt in the same session. */
  laterPrompt: boolean;
  /** An assistant row belongs to an attempt and the newest one ended without an error. */
  turnEndedWell: boolean;
  /** For the last attempt alone: whether anything ran for it, and the text that its turn ended with. */
  lastTurn: { ran: boolean; closingText: string | null };
  /** Somebody stopped the turn in the session itself. */
  aborted: boolean;
  /** The session is idle, and the turn's newest row was never finished. */
  interrupted: boolean;
  /** A person refused what the agent asked, and the agent did nothing more. */
  askRejected: boolean;
  /** From the row's error; or from a text that is only an error, which `evidence.noticeText` then contains. */
  providerError: ProviderError | null;
  /** How long the provider asks to wait. */
  retryAfterMs: number | null;
  /** A send by Waybill's own tool is not in its mailbox, or not yet. */
  awaitsSend: boolean;
  /** Busy with a running tool: however long it takes, that is work. */
  toolRunning: boolean;
  lastActivityAt: number | null;
  /** The slice was too short to contain what was needed. */
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

/** A failed read. What the agent did is unknown, and unknown never counts as failed. */
export function unreadable(reason: string): Observation {
  return { ...nothingSeen, state: "reconcile_failed", reason };
}

/** Nothing was sent yet, so there is nothing to see. */
export const unobserved: Observation = nothingSeen;
