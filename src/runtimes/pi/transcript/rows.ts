/**
 * The rows of one turn, from its messages in pi's format. Pure.
 *
 * pi retries a failed message on its own, so a failed message that is followed by another is not an answer. A stopped
 * turn ends with an empty message; the stop then belongs to the message before it.
 */
import type { RowError, TranscriptRow } from "../../../core/transcript/transcript.ts";
import type { Json } from "../../json-fields.ts";
import { asNumber, asObject, asText, textOfBlocks } from "../../json-fields.ts";
import type { MutableRow, MutableToolCall } from "../../process-pool/transcript-slice.ts";
import { emptyRow } from "../../process-pool/transcript-slice.ts";
import type { callIn } from "../lines.ts";
import { errorOf, isEmpty, messageBlocks, messageId, messageUsage } from "../lines.ts";
import { piFileChange } from "./file-change.ts";

export type SessionTurn = {
  /** The prompt first; then the messages of the agent, and the results of its tools. */
  messages: readonly Json[];
  /** Calls that a person refused. */
  refused: ReadonlySet<string>;
  /** The error message if the turn reached the limit of model calls. */
  stepLimit: string | null;
};

/** Tool results can be very long; anything beyond this is not needed. */
const maxOutput = 20_000;

export function rowsOf({ messages, refused, stepLimit }: SessionTurn, sessionId: string): TranscriptRow[] {
  const rows: MutableRow[] = [];
  const prompt = messages.find(({ role }) => role === "user");
  const promptId = prompt ? messageId(sessionId, prompt) : null;
  const results = new Map(messages.filter(isResult).map((one) => [asText(one.toolCallId) ?? "", one]));
  const answers = messages.filter(({ role }) => role === "assistant");
  if (prompt) rows.push(promptRow(prompt, promptId ?? ""));
  for (const [index, message] of answers.entries()) {
    if (wasRetried(message, answers[index + 1])) continue;
    const error = errorOf(message, stepLimit);
    const before = rows.findLast(({ role }) => role === "assistant");
    if (error?.kind === "aborted" && isEmpty(message) && before) markStopped(before, error);
    else rows.push(answerRow(message, { sessionId, promptId, error, results, refused }));
  }
  return rows;
}

const isResult = ({ role }: Json) => role === "toolResult";

function wasRetried(message: Json, next: Json | undefined): boolean {
  return message.stopReason === "error" && isEmpty(message) && next !== undefined;
}

/** After a refused tool call no error is added, since the call already shows the reason. */
function markStopped(row: MutableRow, error: RowError): void {
  if (row.tools.some(({ rejected }) => rejected)) return;
  row.error ??= error;
}

function promptRow(message: Json, id: string): MutableRow {
  return {
    ...emptyRow,
    id,
    role: "user",
    parentId: null,
    createdAt: asNumber(message.timestamp),
    text: textOfBlocks(message.content),
    tools: [],
    completedAt: endedAt(message),
  };
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
  const startedAt = asNumber(message.timestamp);
  const row: MutableRow = {
    ...emptyRow,
    id: messageId(of.sessionId, message),
    role: "assistant",
    parentId: of.promptId,
    createdAt: startedAt,
    tools: [],
  };
  for (const block of messageBlocks(message)) {
    if (block.kind === "call") row.tools.push(toolOf(block, of.results, of.refused));
    else row[block.kind] += block.text;
  }
  rejectFailedTools(row.tools);
  const usage = messageUsage(message);
  return Object.assign(row, {
    firstActivityAt: isEmpty(message) ? null : startedAt,
    finish: finishOf(asText(message.stopReason)),
    error: of.error,
    completedAt: endedAt(message),
    usage: { tokens: usage?.total ?? 0, cost: usage?.cost ?? 0 },
  });
}

function toolOf(
  { id: given, name, input }: ReturnType<typeof callIn>,
  results: ReadonlyMap<string, Json>,
  refused: ReadonlySet<string>,
): MutableToolCall {
  const id = given ?? "";
  const result = results.get(id);
  if (!result) return { id, name, status: "running", input, output: "", rejected: false };
  const status = result.isError === true ? "error" : "completed";
  const output = textOfBlocks(result.content).slice(0, maxOutput);
  const shell = name === "bash" ? shellResult(status, textOfBlocks(result.content)) : {};
  const tool: MutableToolCall = { id, name, status, input, output, rejected: refused.has(id), ...shell };
  const change = status === "completed" ? piFileChange(name, input, asObject(result.details) ?? {}) : null;
  return change ? { ...tool, files: [{ path: change.path, change: change.change, diff: change.diff }] } : tool;
}

/** pi appends a failed command's exit code or timeout to its output. */
function shellResult(status: "completed" | "error", output: string): Pick<MutableToolCall, "exitCode" | "timedOut"> {
  if (status === "completed") return { exitCode: 0 };
  const end = output.slice(-200);
  const code = /Command exited with code (\d+)\s*$/.exec(end)?.[1];
  return {
    ...(code === undefined ? {} : { exitCode: Number(code) }),
    ...(/Command timed out after \S+ seconds\s*$/.test(end) ? { timedOut: true } : {}),
  };
}

/** One refusal stops all calls of the message. */
function rejectFailedTools(tools: readonly MutableToolCall[]): void {
  if (!tools.some(({ rejected }) => rejected)) return;
  for (const tool of tools) tool.rejected = tool.status === "error";
}

function finishOf(stopReason: string | null): string {
  if (stopReason === "toolUse") return "tool-calls";
  return stopReason === "length" ? "length" : "stop";
}

/** When the message's row was written, or when the process reported it as complete. */
function endedAt(message: Json): number {
  return asNumber(message.endedAt) || asNumber(message.timestamp);
}
