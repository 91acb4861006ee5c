/**
 * The rows of one turn, made of its messages as pi keeps them. Pure.
 *
 * What bites: a message that failed and was followed by another one was tried again by pi itself, and is no answer. A
 * turn that is stopped leaves a message without a word: the stop belongs to the message before it.
 */

import type { RowError, TranscriptRow } from "../../../core/transcript/transcript.ts";
import type { Json } from "../../json-fields.ts";
import { asNumber, asObject, asText, blocksOf, textOfBlocks } from "../../json-fields.ts";
import type { MutableRow, MutableToolCall } from "../../transcript-row.ts";
import { emptyRow } from "../../transcript-row.ts";
import { fileChange } from "./file-change.ts";
import { messageId } from "./message-id.ts";

export type Turn = {
  /** The prompt first; then what the agent said, and what its tools gave. */
  messages: readonly Json[];
  /** Calls that a person refused. */
  refused: ReadonlySet<string>;
  /** What ended it because the model was asked too often. */
  limit: string | null;
};

/** Results of tools can be very long, and nobody decides by their tail. */
const longestOutput = 20_000;

export function rowsOf({ messages, refused, limit }: Turn, sessionId: string): TranscriptRow[] {
  const rows: MutableRow[] = [];
  const prompt = messages.find(({ role }) => role === "user");
  const promptId = prompt ? messageId(sessionId, prompt) : null;
  const results = new Map(messages.filter(isResult).map((one) => [asText(one.toolCallId) ?? "", one]));
  const said = messages.filter(({ role }) => role === "assistant");
  if (prompt) rows.push(promptRow(prompt, promptId ?? ""));
  for (const [place, message] of said.entries()) {
    if (wasTriedAgain(message, said[place + 1])) continue;
    const error = errorOf(message, limit);
    const before = rows.findLast(({ role }) => role === "assistant");
    if (error?.kind === "aborted" && isEmpty(message) && before) stop(before, error);
    else rows.push(answerRow(message, { sessionId, promptId, error, results, refused }));
  }
  return rows;
}

const isResult = ({ role }: Json) => role === "toolResult";

export const isEmpty = (message: Json) => blocksOf(message.content).length === 0;

export function wasTriedAgain(message: Json, next: Json | undefined): boolean {
  return message.stopReason === "error" && isEmpty(message) && next !== undefined;
}

/** What a message ended with, if not well. */
export function errorOf(message: Json, limit: string | null): RowError | null {
  if (message.stopReason === "error") return { kind: "failed", message: asText(message.errorMessage) ?? "error" };
  if (message.stopReason !== "aborted") return null;
  return limit === null ? { kind: "aborted", message: "stopped" } : { kind: "failed", message: limit };
}

/** What a person refused says so itself. */
function stop(row: MutableRow, error: RowError): void {
  if (row.tools.some(({ rejected }) => rejected)) return;
  row.error ??= error;
}

function promptRow(message: Json, id: string): MutableRow {
  const row = emptyRow({ id, role: "user", parentId: null, createdAt: asNumber(message.timestamp) });
  return Object.assign(row, { text: textOfBlocks(message.content), completedAt: endOf(message) });
}

function answerRow(
  message: Json,
  of: {
    sessionId: string;
    promptId: string | null;
    error: RowError | null;
    results: ReadonlyMap<string, Json>;
    refused: ReadonlySet<string>;
  },
): MutableRow {
  const began = asNumber(message.timestamp);
  const row = emptyRow({
    id: messageId(of.sessionId, message),
    role: "assistant",
    parentId: of.promptId,
    createdAt: began,
  });
  for (const block of blocksOf(message.content)) {
    if (block.type === "text") row.text += asText(block.text) ?? "";
    else if (block.type === "thinking") row.reasoning += asText(block.thinking) ?? "";
    else if (block.type === "toolCall") row.tools.push(toolOf(block, of.results, of.refused));
  }
  refuseTheRest(row.tools);
  const usage = asObject(message.usage) ?? {};
  return Object.assign(row, {
    firstActivityAt: isEmpty(message) ? null : began,
    finish: finishOf(asText(message.stopReason)),
    error: of.error,
    completedAt: endOf(message),
    usage: { tokens: asNumber(usage.totalTokens), cost: asNumber(asObject(usage.cost)?.total) },
  });
}

function toolOf(block: Json, results: ReadonlyMap<string, Json>, refused: ReadonlySet<string>): MutableToolCall {
  const id = asText(block.id) ?? "";
  const name = asText(block.name) ?? "";
  const input = asObject(block.arguments) ?? {};
  const result = results.get(id);
  if (!result) return { id, name, status: "running", input, output: "", rejected: false };
  const status = result.isError === true ? "error" : "completed";
  const output = textOfBlocks(result.content).slice(0, longestOutput);
  const tool: MutableToolCall = { id, name, status, input, output, rejected: refused.has(id) };
  const changed = status === "completed" ? fileChange(name, input, asObject(result.details) ?? {}) : null;
  return changed ? { ...tool, files: [{ path: changed.path, change: changed.change, diff: changed.diff }] } : tool;
}

/** One refusal stops all that the message was to do. */
function refuseTheRest(tools: readonly MutableToolCall[]): void {
  if (!tools.some(({ rejected }) => rejected)) return;
  for (const tool of tools) tool.rejected = tool.status === "error";
}

function finishOf(stopReason: string | null): string {
  if (stopReason === "toolUse") return "tool-calls";
  return stopReason === "length" ? "length" : "stop";
}

/** When its row was written, or when it was heard to be whole. */
function endOf(message: Json): number {
  return asNumber(message.endedAt) || asNumber(message.timestamp);
}
