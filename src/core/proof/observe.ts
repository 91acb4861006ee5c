/**
 * Reads a delivery's transcripts and reports what they show. It judges nothing: `sufficiency` decides whether it
 * suffices for the message's intent, and `decide` what to do about it. Pure.
 */
import type { Attempt, AttemptTiming } from "../delivery/attempt.ts";
import { earliest, latest } from "../delivery/attempt.ts";
import type { ObservedFacts } from "../delivery/delivery-event.ts";
import { reasons } from "../delivery/reasons.ts";
import type { ResponseState } from "../delivery/record.ts";
import { hasMarker, promptMarker } from "../delivery/texts.ts";
import type { LastWords } from "../transcript/clean-text.ts";
import { cleanText, lastWordsOf } from "../transcript/clean-text.ts";
import type { ToolClass } from "../transcript/tool-calls.ts";
import { classOf, normalizeToolName, succeeded } from "../transcript/tool-calls.ts";
import type { ToolCall, TranscriptRow, TranscriptSlice } from "../transcript/transcript.ts";
import { judgeSubstance } from "./acknowledgement.ts";
import type { Evidence, Observation } from "./observation.ts";
import { unobserved } from "./observation.ts";
import type { ProviderError } from "./provider-error.ts";
import { providerErrorOf, retryAfterIn } from "./provider-error.ts";
import { mayBeNotice, providerErrorAsText } from "./provider-notice.ts";
import type { ArrivedMessage } from "./sends.ts";
import { isReply, noSends, sendsIn } from "./sends.ts";

export type ObserveInput = {
  /** One for each session that an attempt was sent to. */
  slices: readonly TranscriptSlice[];
  attempts: readonly Attempt[];
  messageId: string;
  replyRecipient: string;
  takesIds: boolean;
  /** What the lane's agent has written to others, if it was looked up: the truth about sends by Waybill's tools. */
  mailbox?: readonly ArrivedMessage[] | undefined;
  /** The message's own text, if it was looked up: it may have asked for exactly this reply. */
  request?: string | null;
};

export function observe(input: ObserveInput): Observation {
  const anchored = input.attempts.map((attempt) => anchor(attempt, input.slices, input)).filter((one) => one !== null);
  const last = anchored.at(-1);
  if (!last || last.attempt !== input.attempts.at(-1)) return unobserved;

  const children = anchored.flatMap((one) => one.children);
  const tools = children.flatMap((row) => row.tools);
  const sends = tools.length === 0 ? noSends : sendsIn(tools, input);
  const closing = closingWords(
    anchored.map((one) => one.children),
    input.request ?? null,
  );
  const evidence: Evidence = {
    ...workIn(children),
    sent: sends.sent,
    failedSends: sends.failed,
    finalText: closing.words?.text ?? null,
    rawText: closing.words?.raw ?? null,
    noticeText: closing.notice?.text ?? null,
    request: input.request ?? null,
  };
  const busy = last.slice.status === "busy" || last.slice.status === "retry";
  const settled = !busy && last.slice.asks.length === 0;
  const ended = last.children.at(-1);
  const providerError = ended?.error ? providerErrorOf(ended.error) : (closing.notice?.error ?? null);
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
    lastTurn: { ran: last.children.length > 0, closingText: closingWords([last.children], null).words?.text ?? null },
    aborted: ended?.error?.kind === "aborted",
    interrupted: settled && ended !== undefined && isOpen(ended),
    askRejected,
    providerError,
    retryAfterMs: providerError === null ? null : waitAskedFor(ended, evidence),
    awaitsSend: settled && sends.unconfirmed,
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

type ClosingWords = {
  /** The newest with substance, or the newest at all. */
  words: LastWords | null;
  /** A text that is only a provider's error, if the newest turn ended with it. */
  notice: (LastWords & { error: ProviderError }) | null;
};

/** `turns`: the rows of each attempt's turn. */
function closingWords(turns: readonly (readonly TranscriptRow[])[], request: string | null): ClosingWords {
  const spoken = turns.map((rows) => lastWordsOf(rows).map((words) => ({ ...words, error: noticeIn(words, request) })));
  const answers = spoken.flat().filter(({ error }) => error === null);
  const newest = answers.findLast(({ text }) => judgeSubstance(text, request) !== "acknowledgement") ?? answers.at(-1);
  const last = spoken.at(-1)?.at(-1);
  return {
    words: newest ? { text: newest.text, raw: newest.raw } : null,
    notice: last?.error ? { ...last, error: last.error } : null,
  };
}

function noticeIn({ text }: LastWords, request: string | null): ProviderError | null {
  return mayBeNotice.test(text) ? providerErrorAsText(text, request) : null;
}

function waitAskedFor(ended: TranscriptRow | undefined, { noticeText }: Evidence): number | null {
  return ended?.error?.retryAfterMs ?? retryAfterIn(ended?.error?.message ?? noticeText ?? "");
}

/** The order of the checks is the order of precedence. */
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
    if (evidence.noticeText !== null) return is("session_error", reasons.notice);
    return is("session_error", input.providerError ? `provider_${input.providerError}` : "assistant_error");
  }
  if (isOpen(newest)) return is("interrupted", "turn_interrupted");
  if (last.children.some((row) => row.tools.some((tool) => isMeaningful(tool) && !succeeded(tool)))) {
    return is("tool_error", input.askRejected ? "ask_rejected" : "tool_error");
  }
  return is("empty_assistant_turn", "empty_assistant_turn");
}

function workIn(rows: readonly TranscriptRow[]) {
  const tools = rows.flatMap((row) => row.tools).filter((tool) => !isUnfinished(tool));
  const named = (wanted: ToolClass, done: boolean) =>
    tools
      .filter((tool) => classOf(tool) === wanted && succeeded(tool) === done)
      .map((tool) => normalizeToolName(tool.name));
  const failed = tools.some((tool) => tool.rejected)
    ? []
    : [...named("task_change", false), ...named("execution", false)];
  return {
    taskChanges: named("task_change", true),
    executions: named("execution", true),
    lookups: named("lookup", true),
    others: named("other", true),
    failedWork: failed,
  };
}

/**
 * In the turn that the session is busy with, whoever started it. A tool left open by an earlier crash does not count.
 */
export function hasRunningTool(rows: readonly TranscriptRow[]): boolean {
  const turn = rows.slice(rows.findLastIndex((row) => row.role === "user") + 1);
  return turn.some((row) => row.tools.some(isUnfinished));
}

function isUnfinished(tool: ToolCall): boolean {
  return tool.status === "pending" || tool.status === "running";
}

function isMeaningful(tool: ToolCall): boolean {
  return classOf(tool) !== "bootstrap";
}

/** The last thing the agent did was a refused call; text before the call does not count. */
function endedInRefusal(rows: readonly TranscriptRow[]): boolean {
  const place = rows.findLastIndex((row) => row.tools.at(-1)?.rejected === true);
  return place !== -1 && rows.slice(place + 1).every((row) => row.tools.length === 0 && cleanText(row.text) === "");
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

/** The stored part of an observation: facts, without the agent's own words. */
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

type Anchored = {
  attempt: Attempt;
  slice: TranscriptSlice;
  /** The user row with the prompt, or null. */
  row: TranscriptRow | null;
  /** All assistant rows of its turn, across compactions, in transcript order. */
  children: readonly TranscriptRow[];
  /** The slice contains neither the prompt nor the place where it would be. */
  outOfReach: boolean;
};

/**
 * Finds the prompts of a delivery in its transcripts.
 *
 * If a runtime takes Waybill's ids, an id is the only anchor: text is never evidence. Otherwise, a user row after the
 * pre-prompt cursor counts if it *begins* with this message's marker, so that a message which quotes another one's id
 * proves nothing.
 *
 * A cursor may disappear from a transcript, as when a program leaves a branch of its session or drops rows. Positions
 * then no longer show what came before the prompt, and an answer to something earlier must not become proof. In that
 * case only a marked row that is not older than the attempt counts; a clock that was set back costs a retry, and
 * proves nothing.
 */
function anchor(
  attempt: Attempt,
  slices: readonly TranscriptSlice[],
  input: { messageId: string; takesIds: boolean },
): Anchored | null {
  const slice = slices.find((candidate) => candidate.sessionId === attempt.sessionId);
  if (!slice) return null;
  const inReach = slice.complete || slice.rows.some((row) => row.id === attempt.prePromptCursor);
  const row = input.takesIds ? byId(slice, attempt) : inReach ? byMarker(slice, attempt, input.messageId) : null;
  return {
    attempt,
    slice,
    row,
    children: row ? childrenOf(slice.rows, row) : [],
    outOfReach: row === null && !inReach,
  };
}

/** The prompt itself, or the row that a compaction put in its place. */
function byId(slice: TranscriptSlice, attempt: Attempt): TranscriptRow | null {
  const users = slice.rows.filter((row) => row.role === "user");
  return (
    users.find((row) => row.id === attempt.messageId) ??
    users.find((row) => row.continuesId === attempt.messageId) ??
    null
  );
}

/** The first row after the attempt's cursor that begins with the marker; a later one belongs to a later attempt. */
function byMarker({ rows }: TranscriptSlice, attempt: Attempt, messageId: string): TranscriptRow | null {
  const cursor = rows.findIndex((row) => row.id === attempt.prePromptCursor);
  const isLost = cursor === -1 && attempt.prePromptCursor !== null;
  const behind = isLost ? rows.filter((row) => row.createdAt >= attempt.submittedAt) : rows.slice(cursor + 1);
  const candidates = behind.filter((row) => row.role === "user");
  const marked = candidates.find((row) => row.text.trimStart().startsWith(promptMarker(messageId)));
  if (marked || isLost) return marked ?? null;
  // A single row without a marker or id can only be this prompt with its start cut off.
  const [only, ...others] = candidates;
  const isOurs = only && others.length === 0 && !hasMarker(only.text) && !only.text.includes(messageId);
  return isOurs ? only : null;
}

function childrenOf(rows: readonly TranscriptRow[], prompt: TranscriptRow): readonly TranscriptRow[] {
  const chain = new Set([prompt.id]);
  for (const row of rows) {
    if (row.role === "user" && row.continuesId !== null && chain.has(row.continuesId)) chain.add(row.id);
  }
  return rows.filter((row) => row.role === "assistant" && row.parentId !== null && chain.has(row.parentId));
}

/** Whether another prompt follows this one in its session. If its place is unknown, any other prompt may. */
function hasLaterPrompt(anchored: Anchored): boolean {
  const { rows } = anchored.slice;
  const index = anchored.row
    ? rows.indexOf(anchored.row)
    : rows.findIndex((row) => row.id === anchored.attempt.prePromptCursor);
  if (index === -1 && !anchored.slice.complete) return true;
  const chain = new Set([anchored.row?.id]);
  return rows.slice(index + 1).some((row) => {
    if (row.role !== "user") return false;
    if (row.continuesId !== null && chain.has(row.continuesId)) {
      chain.add(row.id);
      return false;
    }
    return true;
  });
}

/** The timing of one attempt, from its transcript; `isNewest` if no other prompt followed it in its session. */
function timingOf({ attempt, slice, row, children }: Anchored, isNewest: boolean): AttemptTiming {
  const newest = children.at(-1);
  const busy = slice.status === "busy" || slice.status === "retry";
  const ended = newest !== undefined && !isOpen(newest) && (newest.finish !== "tool-calls" || !busy || !isNewest);
  const signs = children.flatMap((child) => [child.createdAt, child.firstActivityAt, child.completedAt]);
  return {
    number: attempt.number,
    storedAt: row?.createdAt ?? null,
    firstTokenAt: earliest(children.map((child) => child.firstActivityAt)),
    lastActivityAt: row === null ? null : latest([...signs, isNewest ? slice.lastActivityAt : row.createdAt]),
    finishedAt: ended ? newest.completedAt : null,
  };
}

/** Unfinished. In a busy session that is work; in an idle session the turn was cut off. */
function isOpen(row: TranscriptRow): boolean {
  return row.completedAt === null || row.tools.some((tool) => tool.status === "pending" || tool.status === "running");
}
