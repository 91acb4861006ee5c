/** Judges the cases of the corpus as the courier would, and compares the verdicts with their labels. */

import { reasons } from "../../../src/core/delivery/reasons.ts";
import type { ActionMode, ReplyOutcome } from "../../../src/core/message/message.ts";
import { observe } from "../../../src/core/proof/observe.ts";
import type { Verdict } from "../../../src/core/proof/sufficiency.ts";
import { intentOf, judgeEvidence, judgeReply } from "../../../src/core/proof/sufficiency.ts";
import type { TranscriptRow } from "../../../src/core/transcript/transcript.ts";
import { anAttempt, answerRow, aSlice, userRow } from "../core/transcript.ts";

export const labels = [
  "answered",
  "acknowledgement",
  "empty",
  "provider_error",
  "failed_send",
  "no_work",
  "progress",
] as const;
export type Label = (typeof labels)[number];

type ArrivedReply = { text: string; summary: string | null; outcome: ReplyOutcome | null };

export type CorpusCase = {
  id: string;
  kind: "text" | "reply" | "transcript";
  contract: "text" | "tool";
  intent: ActionMode | null;
  task: boolean;
  message: string;
  text?: string;
  summary?: string | null;
  outcome?: ReplyOutcome | null;
  rows?: readonly TranscriptRow[];
  replies?: readonly ArrivedReply[];
  expect: Label;
  why: string;
};

export type Judged = { case: CorpusCase; label: Label; reason: string };

export function casesIn(lines: string): CorpusCase[] {
  return lines
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as CorpusCase);
}

export function judgeCase(one: CorpusCase): Judged {
  const intent = intentOf({ actionMode: one.intent, taskRefs: one.task ? [{ id: "task-1" }] : [] });
  if (one.kind === "reply") {
    const { text = "", summary = null, outcome = null } = one;
    return judged(one, judgeReply({ text, summary, outcome, request: one.message }, intent), null);
  }
  const rows = one.rows ?? [answerRow("prompt", { text: one.text ?? "" })];
  const observation = observe({
    slices: [aSlice([userRow("prompt", { text: one.message }), ...rows])],
    attempts: [anAttempt({ messageId: "prompt" })],
    messageId: "m-1",
    replyRecipient: "lead",
    takesIds: true,
    mailbox: one.replies?.map(({ text }) => ({ isToSender: true, text, relayOfMessageId: "m-1" })),
    request: one.message,
  });
  for (const { text, summary, outcome } of one.replies ?? []) {
    const verdict = judgeReply({ text, summary, outcome, request: one.message }, intent);
    if (verdict.sufficient) return judged(one, verdict, null);
  }
  if (intent === "notify" && observation.turnEndedWell)
    return { case: one, label: "answered", reason: "notified_turn" };
  return judged(one, judgeEvidence(intent, one.contract, observation.evidence), observation.reason);
}

function judged(one: CorpusCase, verdict: Verdict, seen: string | null): Judged {
  if (verdict.sufficient) return { case: one, label: "answered", reason: verdict.by };
  const reason = verdict.reason === "no_response" ? (seen ?? verdict.reason) : verdict.reason;
  return { case: one, label: labelOf(reason), reason };
}

function labelOf(reason: string): Label {
  if (reason === reasons.acknowledgement) return "acknowledgement";
  if (reason === reasons.progress) return "progress";
  if (reason.startsWith(reasons.failedSend)) return "failed_send";
  if (reason === reasons.notice || reason.startsWith("provider_")) return "provider_error";
  return [reasons.failedWork, "visible_reply_still_required", "tool_error"].includes(reason) ? "no_work" : "empty";
}

export type Report = {
  matrix: Record<Label, Record<Label, number>>;
  /** Answers that were not recognised, so that the agent would be asked twice. */
  needless: readonly Judged[];
  /** Texts that are not answers but were taken for one. */
  falselyAnswered: readonly Judged[];
  /** Recognised as not an answer, but for another reason. */
  otherReason: readonly Judged[];
  answers: number;
};

export function reportOn(cases: readonly CorpusCase[]): Report {
  const all = cases.map(judgeCase);
  const row = () => Object.fromEntries(labels.map((label) => [label, 0])) as Record<Label, number>;
  const matrix = Object.fromEntries(labels.map((label) => [label, row()])) as Report["matrix"];
  for (const one of all) matrix[one.case.expect][one.label] += 1;
  const missed = all.filter((one) => one.label !== one.case.expect);
  return {
    matrix,
    needless: missed.filter((one) => one.case.expect === "answered"),
    falselyAnswered: missed.filter((one) => one.label === "answered"),
    otherReason: missed.filter((one) => one.case.expect !== "answered" && one.label !== "answered"),
    answers: all.filter((one) => one.case.expect === "answered").length,
  };
}
