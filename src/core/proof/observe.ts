/**
 * Reads a delivery's transcripts and says what they show. Pure, and judges nothing: whether it suffices for the
 * message's intent is decided in `sufficiency`, and what to do about it in `decide`.
 */

import type { Attempt } from "../delivery/attempt.ts";
import type { ObservedFacts } from "../delivery/delivery-event.ts";
import type { ResponseState } from "../delivery/record.ts";
import { classifyTool, normalizeToolName, reportsFailure } from "../transcript/tool-names.ts";
import type { ToolCall, TranscriptRow, TranscriptSlice } from "../transcript/transcript.ts";
import { judgeSubstance } from "./acknowledgement.ts";
import type { Anchored } from "./anchors.ts";
import { anchor, hasLaterPrompt, isOpen, timingOf } from "./anchors.ts";
import type { Evidence, Observation, SentMessage } from "./observation.ts";
import { isReply, unobserved } from "./observation.ts";
import { providerErrorAsText, providerErrorIn } from "./provider-error.ts";

export type ObserveInput = {
  /** One for each session that an attempt was sent to. */
  slices: readonly TranscriptSlice[];
  attempts: readonly Attempt[];
  messageId: string;
  replyRecipient: string;
  takesIds: boolean;
};

export function observe(input: ObserveInput): Observation {
  const anchored = input.attempts.map((attempt) => anchor(attempt, input.slices, input)).filter((one) => one !== null);
  const last = anchored.at(-1);
  if (!last || last.attempt !== input.attempts.at(-1)) return unobserved;

  const children = anchored.flatMap((one) => one.children);
  const evidence = collectEvidence(children, input);
  const busy = last.slice.status === "busy" || last.slice.status === "retry";
  const settled = !busy && last.slice.asks.length === 0;
  const ended = last.children.at(-1);
  const providerError = findProviderError(last.children);
  const askRejected = endedInRefusal(last.children);
  const { state, reason } = classify({ last, busy, evidence, askRejected, providerError });
  const newestFound = [...anchored].reverse().find((one) => one.row !== null);

  return {
    state,
    reason,
    evidence,
    settled,
    found: last.row !== null,
    laterPrompt: hasLaterPrompt(last),
    turnEndedWell: ended !== undefined && !isOpen(ended) && ended.error === null && providerError === null,
    lastTurn: { ran: last.children.length > 0, closingText: finalText(last.children) },
    aborted: ended?.error?.kind === "aborted",
    interrupted: settled && ended !== undefined && isOpen(ended),
    askRejected,
    providerError,
    toolRunning: busy && hasRunningTool(last.slice.rows),
    lastActivityAt: last.slice.lastActivityAt,
    needsFullHistory: anchored.some((one) => one.outOfReach),
    deliveredUserMessageId: newestFound?.row?.id ?? null,
    assistantMessageId: children.at(-1)?.id ?? null,
    toolNames: [...new Set(children.flatMap((row) => row.tools.map((tool) => normalizeToolName(tool.name))))],
    newestRowId: last.slice.rows.at(-1)?.id ?? null,
    diagnostics: diagnose(evidence, providerError, ended),
    timings: anchored.map((one) => timingOf(one, !hasLaterPrompt(one))),
  };
}

/** The order of this function is the order of precedence. */
function classify(input: {
  last: Anchored;
  busy: boolean;
  evidence: Evidence;
  askRejected: boolean;
  providerError: string | null;
}): { state: ResponseState; reason: string | null } {
  const { last, busy, evidence } = input;
  const is = (state: ResponseState, reason: string | null = null) => ({ state, reason });

  if (last.slice.status === "stale") return is("session_stale", "session_stale");
  const ask = last.slice.asks[0];
  if (ask) return is(ask.kind === "permission" ? "permission_blocked" : "question_blocked", `${ask.kind}_pending`);
  if (busy) return last.row ? is("pending") : is("prompt_not_indexed");

  if (evidence.sent.some(isReply)) return is("responded_visible_message");
  if (evidence.taskChanges.length + evidence.executions.length + evidence.lookups.length > 0) {
    return is("responded_non_visible_tool");
  }
  if (evidence.others.length + evidence.sent.length > 0) return is("responded_tool_call");
  if (evidence.finalText !== null) return is("responded_plain_text");

  if (!last.row) return is("not_observed", "delivered_user_message_not_found");
  const newest = last.children.at(-1);
  if (!newest) return is("prompt_delivered_no_assistant_message", hasLaterPrompt(last) ? "coalesced" : "never_run");
  if (newest.error || input.providerError) {
    return is("session_error", input.providerError ? `provider_${input.providerError}` : "assistant_error");
  }
  if (isOpen(newest)) return is("interrupted", "turn_interrupted");
  if (last.children.some((row) => row.tools.some((tool) => isMeaningful(tool) && !succeeded(tool)))) {
    return is("tool_error", input.askRejected ? "ask_rejected" : "tool_error");
  }
  return is("empty_assistant_turn", "empty_assistant_turn");
}

function collectEvidence(rows: readonly TranscriptRow[], input: ObserveInput): Evidence {
  const done = rows.flatMap((row) => row.tools.filter(succeeded));
  const named = (wanted: string) =>
    done.map((tool) => normalizeToolName(tool.name)).filter((name) => classifyTool(name) === wanted);
  return {
    sent: done
      .filter((tool) => classifyTool(normalizeToolName(tool.name)) === "visible")
      .map((tool) => sentMessage(tool, input)),
    taskChanges: named("task_change"),
    executions: named("execution"),
    lookups: named("lookup"),
    others: named("other"),
    finalText: finalText(rows),
  };
}

function finalText(rows: readonly TranscriptRow[]): string | null {
  const finals = rows.filter(isFinal).filter((row) => row.text.trim() !== "" && !providerErrorAsText(row.text));
  return (finals.findLast((row) => judgeSubstance(row.text) !== "acknowledgement") ?? finals.at(-1))?.text ?? null;
}

function sentMessage(tool: ToolCall, input: ObserveInput): SentMessage {
  const field = (name: string) => (typeof tool.input[name] === "string" ? (tool.input[name] as string).trim() : "");
  const relayOf = field("relayOfMessageId");
  const to = field("to").toLowerCase();
  return {
    text: field("text"),
    summary: field("summary") || null,
    relay: relayOf === "" ? "none" : relayOf === input.messageId ? "this" : "another",
    toReplyRecipient: to === "" || to === input.replyRecipient.toLowerCase(),
  };
}

/** A row that ended its turn. A row that ended in tool calls was followed, or was to be followed, by another. */
function isFinal(row: TranscriptRow): boolean {
  return row.completedAt !== null && row.error === null && row.finish !== "tool-calls";
}

function succeeded(tool: ToolCall): boolean {
  return tool.status === "completed" && !tool.rejected && !reportsFailure(tool.output);
}

/** In the turn that the session is busy with, whoever began it. A tool that a crash left open earlier runs no more. */
export function hasRunningTool(rows: readonly TranscriptRow[]): boolean {
  const turn = rows.slice(rows.findLastIndex((row) => row.role === "user") + 1);
  return turn.some((row) => row.tools.some(isUnfinished));
}

function isUnfinished(tool: ToolCall): boolean {
  return tool.status === "pending" || tool.status === "running";
}

function isMeaningful(tool: ToolCall): boolean {
  return classifyTool(normalizeToolName(tool.name)) !== "bootstrap";
}

/** A refused call was the last thing that the agent did; what it said before the call does not count. */
function endedInRefusal(rows: readonly TranscriptRow[]): boolean {
  const place = rows.findLastIndex((row) => row.tools.at(-1)?.rejected === true);
  return place !== -1 && rows.slice(place + 1).every((row) => row.tools.length === 0 && row.text.trim() === "");
}

function findProviderError(rows: readonly TranscriptRow[]) {
  const newest = rows.at(-1);
  if (!newest) return null;
  return newest.error ? providerErrorIn(newest.error.message) : providerErrorAsText(newest.text);
}

function firstLine(words: string): string {
  return (words.split("\n")[0] ?? "").slice(0, 200);
}

function diagnose(evidence: Evidence, providerError: string | null, ended: TranscriptRow | undefined): string[] {
  const found: string[] = [];
  if (evidence.sent.some((sent) => sent.relay === "none" && sent.toReplyRecipient)) {
    found.push("visible_reply_missing_relayOfMessageId");
  }
  if (providerError) found.push(`provider_error_${providerError}`);
  else if (ended?.error?.kind === "failed") found.push(`agent_error: ${firstLine(ended.error.message)}`);
  if (ended?.finish === "length") found.push("answer_cut_off");
  return found;
}

/** What is kept of an observation: facts, without the words that the agent used. */
export function factsOf(observation: Observation): ObservedFacts {
  return {
    state: observation.state,
    deliveredUserMessageId: observation.deliveredUserMessageId,
    assistantMessageId: observation.assistantMessageId,
    toolNames: observation.toolNames,
    newestRowId: observation.newestRowId,
    lastActivityAt: observation.lastActivityAt,
    diagnostics: observation.diagnostics,
    timings: observation.timings,
  };
}
