/**
 * The keys of `delivery`: the numbers of the delivery policy. What is missing here has a name of its own:
 * `maxRepairs` is `sessionRetryAttempts`, `limits` are those of the day, and `automaticRetry` is the switch
 * WAYBILL_WATCHDOG.
 */
import type { Policy } from "../../core/delivery/policy.ts";
import { defaultPolicy } from "../../core/delivery/policy.ts";
import type { Kind } from "./kinds.ts";
import { flag, milliseconds, positive, someMilliseconds, someWaits, waits } from "./kinds.ts";
import type { Setting } from "./settings.ts";

type PolicyKey = Exclude<keyof Policy, "maxRepairs" | "automaticRetry" | "retention" | "limits">;

function of<K extends PolicyKey>(key: K, kind: Kind<Policy[K]>, meaning: string) {
  return { kind, default: defaultPolicy[key], meaning, effect: "now" } as const satisfies Setting<Policy[K]>;
}

export const deliverySettings = {
  maxAttempts: of("maxAttempts", positive, "How many prompts a message may cost before its delivery fails for good."),
  retryDelaysMs: of(
    "retryDelaysMs",
    someWaits,
    "The wait before the second, the third, … attempt. The last one counts for all that follow.",
  ),
  graceMs: of("graceMs", milliseconds, "How long an accepted prompt may show nothing before that means anything."),
  graceForTaskMs: of("graceForTaskMs", milliseconds, "The same for a message that refers to tasks."),
  rereadMs: of("rereadMs", milliseconds, "Between the two reads that must both miss a prompt before it is sent again."),
  firstReconcileDelayMs: of(
    "firstReconcileDelayMs",
    someMilliseconds,
    "When a delivery is first looked at; then at longer and longer waits.",
  ),
  maxReconcileDelayMs: of("maxReconcileDelayMs", someMilliseconds, "The longest wait between two looks."),
  lateReconcileDelaysMs: of(
    "lateReconcileDelaysMs",
    waits,
    "When a delivery that failed for good is looked at again, in case its proof is late.",
  ),
  observeLimitMs: of("observeLimitMs", someMilliseconds, "The deadline of one read of a transcript."),
  submitLimitMs: of("submitLimitMs", someMilliseconds, "The deadline for an agent program to take a prompt."),
  readLimit: of("readLimit", positive, "How many rows of a transcript the first read asks for."),
  stuckAfterMs: of(
    "stuckAfterMs",
    someMilliseconds,
    "A busy session that asks nothing, runs no tool and shows no sign of life for this long is stuck, and replaced.",
  ),
  summarizeSilentWork: of(
    "summarizeSilentWork",
    flag,
    "Whether an agent that changed files and said nothing is asked once for a short summary, so that there is an answer.",
  ),
  followUpMissingFiles: of(
    "followUpMissingFiles",
    flag,
    "Whether an agent is told once which of the files that its answer names are not there. They are noted in any case.",
  ),
  fileCheckMs: of("fileCheckMs", someMilliseconds, "Between two looks for a file that an answer names."),
  fileWaitMs: of("fileWaitMs", milliseconds, "How long such a file is looked for before it counts as missing."),
  watchdogConcurrency: of("watchdogConcurrency", positive, "How many due looks are worked on at the same time."),
  watchdogConcurrencyPerTeam: of("watchdogConcurrencyPerTeam", positive, "How many of them may be of one team."),
} as const satisfies Record<PolicyKey, Setting>;

export const retentionSettings = {
  respondedMs: {
    kind: milliseconds,
    default: defaultPolicy.retention.respondedMs,
    meaning: "How long the record of an answered or cancelled delivery is kept.",
    effect: "now",
  },
  failedMs: {
    kind: milliseconds,
    default: defaultPolicy.retention.failedMs,
    meaning: "The same for one that had failed before.",
    effect: "now",
  },
} as const satisfies Record<keyof Policy["retention"], Setting>;
