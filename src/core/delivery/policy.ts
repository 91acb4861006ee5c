/** Every number that decides when something is reconciled or sent, in one place. All of them are configurable. */

import type { LaneLimitTable } from "../lane/lane.ts";
import { noLimits } from "../lane/lane.ts";

export type Policy = {
  maxAttempts: number;
  /** Wait before the second, third, … attempt; the last value repeats. */
  retryDelaysMs: readonly number[];
  /** How long an accepted prompt may show nothing before silence counts. */
  graceMs: number;
  graceForTaskMs: number;
  /** Between the two reads that must both miss a prompt before it is sent again. */
  rereadMs: number;
  firstReconcileDelayMs: number;
  maxReconcileDelayMs: number;
  /** When to reconcile a delivery that failed for good, in case its proof is late. */
  lateReconcileDelaysMs: readonly number[];
  /** Time limit for one read of a transcript, and for one submit. */
  observeLimitMs: number;
  submitLimitMs: number;
  /** Rows in the first, limited read. */
  readLimit: number;
  /** Fresh sessions (or fresh ids) that a delivery may get without using an attempt. */
  maxRepairs: number;
  stuckAfterMs: number;
  /** The kill switch: false stops every automatic second prompt. */
  automaticRetry: boolean;
  /** Interval between two checks for a file that an answer names, and how long to keep checking. */
  fileCheckMs: number;
  fileWaitMs: number;
  /** Whether to ask once for a summary after the agent changed files without saying anything. */
  summarizeSilentWork: boolean;
  /** How long the lane is kept for the summary. */
  summaryLimitMs: number;
  /** Whether to tell the agent once which of the files it named are missing. */
  followUpMissingFiles: boolean;
  watchdogConcurrency: number;
  watchdogConcurrencyPerTeam: number;
  retention: { respondedMs: number; failedMs: number };
  /** How many messages two agents may exchange in a time window while nothing else happens. */
  maxExchanges: number;
  exchangeWindowMs: number;
  /** How many messages an agent may send per minute. */
  maxMessagesPerMinute: number;
  /** Daily limits of lanes. A lane with its own limits has both values here. */
  limits: LaneLimitTable;
};

const second = 1000;
const minute = 60 * second;
const day = 24 * 60 * minute;

export const defaultPolicy: Policy = {
  maxAttempts: 3,
  retryDelaysMs: [30 * second, 90 * second, 180 * second],
  graceMs: 20 * second,
  graceForTaskMs: 45 * second,
  rereadMs: 2 * second,
  firstReconcileDelayMs: 5 * second,
  maxReconcileDelayMs: minute,
  lateReconcileDelaysMs: [minute, 5 * minute, 30 * minute],
  observeLimitMs: 8 * second,
  submitLimitMs: 10 * second,
  readLimit: 20,
  maxRepairs: 2,
  stuckAfterMs: 15 * minute,
  automaticRetry: true,
  fileCheckMs: 2 * second,
  fileWaitMs: 15 * second,
  summarizeSilentWork: true,
  summaryLimitMs: 90 * second,
  followUpMissingFiles: false,
  watchdogConcurrency: 2,
  watchdogConcurrencyPerTeam: 1,
  retention: { respondedMs: 7 * day, failedMs: 30 * day },
  maxExchanges: 16,
  exchangeWindowMs: 30 * minute,
  maxMessagesPerMinute: 60,
  limits: { everyLane: noLimits, byLane: {} },
};
