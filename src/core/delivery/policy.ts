/** Every number that decides when something is looked at or sent, in one place. All of them are configurable. */

import type { LaneLimitTable } from "../lane/daily-limit.ts";
import { noLimits } from "../lane/daily-limit.ts";

export type Policy = {
  maxAttempts: number;
  /** Wait before the second, third, … attempt; the last one repeats. */
  retryDelaysMs: readonly number[];
  /** How long an accepted prompt may show nothing before that means anything. */
  graceMs: number;
  graceForTaskMs: number;
  /** Between the two reads that must both miss a prompt before it is sent again. */
  rereadMs: number;
  firstReconcileDelayMs: number;
  maxReconcileDelayMs: number;
  /** Looks at a delivery that failed for good, in case its proof is late. */
  lateReconcileDelaysMs: readonly number[];
  /** Deadline of one read of a transcript, and of one submit. */
  observeLimitMs: number;
  submitLimitMs: number;
  /** Rows in the first, limited read. */
  readLimit: number;
  /** Fresh sessions (or fresh ids) that a delivery may get without spending an attempt. */
  maxRepairs: number;
  stuckAfterMs: number;
  /** The kill switch: false stops every automatic second prompt. */
  automaticRetry: boolean;
  /** Between two checks for a file that an answer names, and how long they go on. */
  fileCheckMs: number;
  fileWaitMs: number;
  /** Asks once for a few words after work in files that nobody said anything about. */
  summarizeSilentWork: boolean;
  /** How long its lane is kept for that. */
  summaryLimitMs: number;
  /** Tells the agent once which of the files that it named are not there. */
  followUpMissingFiles: boolean;
  watchdogConcurrency: number;
  watchdogConcurrencyPerTeam: number;
  retention: { respondedMs: number; failedMs: number };
  /** How many messages two agents may write to each other in a time while nothing else happens. */
  maxExchanges: number;
  exchangeWindowMs: number;
  /** How many messages an agent may send in a minute. */
  maxMessagesPerMinute: number;
  /** What a lane may use in a day; lanes with limits of their own have both of them here. */
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
