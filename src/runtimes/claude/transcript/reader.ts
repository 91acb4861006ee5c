/**
 * Converts the rows of a Claude Code transcript, in file order, to the transcript format that all runtimes share.
 * It keeps the rows it has read, so that only new ones have to be read. No I/O.
 *
 * Claude Code writes a model message as several rows, one per block. An answer descends from its prompt through rows of
 * many kinds, including those of a compaction, so all parents are followed. After a killed turn the program writes a
 * synthetic answer.
 */

import type { RowError, TranscriptRow } from "../../../core/transcript/transcript.ts";
import type { Json } from "../../json-fields.ts";
import { asNumber, asObject, asText, textOfBlocks } from "../../json-fields.ts";
import type { MutableRow, MutableToolCall } from "../../process-pool/transcript-slice.ts";
import { emptyRow } from "../../process-pool/transcript-slice.ts";
import type { MessageBlock, ToolResult, TurnResult } from "../lines.ts";
import { apiErrorStatus, isInterrupt, messageBlocks, resultsIn, syntheticModel } from "../lines.ts";
import { claudeFileChange } from "./file-change.ts";

/** Tool results can be very long; anything beyond this is not needed. */
const maxOutput = 20_000;

export class TranscriptReader {
  readonly #rows: MutableRow[] = [];
  readonly #byMessage = new Map<string, MutableRow>();
  readonly #tools = new Map<string, MutableToolCall>();
  /** Maps the id of any row to the prompt that the row descends from. */
  readonly #promptOf = new Map<string, string>();
  lastActivityAt: number | null = null;

  /** Whether a row with this id was read. */
  has(uuid: string): boolean {
    return this.#promptOf.has(uuid);
  }

  /** The newest `limit` rows, or all of them. */
  newest(limit: number | null): TranscriptRow[] {
    return structuredClone(limit === null ? this.#rows : this.#rows.slice(-limit));
  }

  get size(): number {
    return this.#rows.length;
  }

  add(entry: Json): void {
    const uuid = asText(entry.uuid);
    if (uuid === null || entry.isSidechain === true) return;
    const parent = asText(entry.parentUuid) ?? asText(entry.logicalParentUuid);
    this.#promptOf.set(uuid, (parent === null ? undefined : this.#promptOf.get(parent)) ?? "");
    const at = timeOf(entry);
    if (entry.type === "user") this.#user(entry, uuid, at);
    else if (entry.type === "assistant") this.#assistant(entry, uuid, at);
    else if (entry.type === "attachment") this.#attachment(entry, at);
  }

  /** Adds facts that the program reports at the end of a turn but does not write: the cost, and an empty turn's end. */
  turnEnded({ prompts, at, error, cost }: TurnResult): void {
    for (const prompt of prompts) {
      if (this.#promptOf.get(prompt) !== prompt) continue;
      const row = this.#rows.findLast(({ parentId }) => parentId === prompt) ?? this.#addEmptyAnswer(prompt, at, error);
      if (cost !== null) row.usage = { tokens: row.usage?.tokens ?? 0, cost };
    }
  }

  #addEmptyAnswer(prompt: string, at: number, error: string | null): MutableRow {
    const row = this.#addRow({ id: `${prompt}:end`, role: "assistant", parentId: prompt, at });
    const failure = error === null ? null : { kind: "failed", message: error };
    return Object.assign(row, { completedAt: at, finish: "stop", error: failure });
  }

  #user(entry: Json, uuid: string, at: number): void {
    const { content } = asObject(entry.message) ?? {};
    const results = resultsIn(content);
    for (const block of results) this.#toolResult(block, entry, at);
    if (results.length > 0 || entry.isMeta === true || entry.isCompactSummary === true) return;
    const text = textOfBlocks(content);
    if (isInterrupt(text)) return this.#interrupted(uuid, at);
    this.#prompt(uuid, text, at, entry.promptSource === "system" ? "system" : "user");
  }

  /** A prompt that arrives during a turn is stored as an attachment. */
  #attachment(entry: Json, at: number): void {
    const { type, source_uuid, prompt } = asObject(entry.attachment) ?? {};
    const id = asText(source_uuid);
    if (type === "queued_command" && id !== null) this.#prompt(id, textOfBlocks(prompt), at);
  }

  /** A prompt that the program gives itself, for example after a background task, has the role `system`. */
  #prompt(id: string, text: string, at: number, role: "user" | "system" = "user"): void {
    this.#promptOf.set(id, id);
    const row = this.#addRow({ id, role, parentId: null, at });
    Object.assign(row, { text, completedAt: at });
  }

  #assistant(entry: Json, uuid: string, at: number): void {
    const message = asObject(entry.message) ?? {};
    const failed = entry.isApiErrorMessage === true;
    if (message.model === syntheticModel && !failed) return;
    const id = asText(message.id) ?? uuid;
    const row = this.#byMessage.get(id) ?? this.#addAnswer(id, uuid, at);
    row.firstActivityAt ??= at;
    for (const block of messageBlocks(message.content)) this.#block(row, block);
    const stop = asText(message.stop_reason);
    if (stop !== null) Object.assign(row, { finish: finishOf(stop), completedAt: at });
    if (failed) {
      Object.assign(row, { completedAt: at, error: apiError(entry, textOfBlocks(message.content)) });
    }
    const usage = asObject(message.usage);
    if (usage) row.usage = { tokens: tokensIn(usage), cost: row.usage?.cost ?? 0 };
  }

  #addAnswer(id: string, uuid: string, at: number): MutableRow {
    const parentId = this.#promptOf.get(uuid) || null;
    const row = this.#addRow({ id, role: "assistant", parentId, at });
    this.#byMessage.set(id, row);
    return row;
  }

  #block(row: MutableRow, block: MessageBlock): void {
    if (block.kind === "text" || block.kind === "reasoning") row[block.kind] += block.text;
    if (block.kind !== "call" || !block.isOwn) return;
    const id = block.call ?? "";
    if (this.#tools.has(id)) return;
    const { name, input } = block;
    const tool: MutableToolCall = { id, name: name ?? "", status: "running", input, output: "", rejected: false };
    this.#tools.set(id, tool);
    row.tools.push(tool);
  }

  #toolResult({ call, isError, content }: ToolResult, entry: Json, at: number): void {
    this.lastActivityAt = at;
    const tool = this.#tools.get(call ?? "");
    if (!tool) return;
    tool.status = isError ? "error" : "completed";
    tool.output = textOfBlocks(content).slice(0, maxOutput);
    tool.rejected = entry.toolDenialKind === "user-rejected";
    Object.assign(tool, shellResult(tool));
    const change =
      tool.status === "completed" && claudeFileChange(tool.name, tool.input, asObject(entry.toolUseResult) ?? {});
    if (change) tool.files = [{ path: change.path, change: change.change, diff: change.diff }];
  }

  /**
   * An interrupt ends the turn. After a refused tool call no error is added, since the call already shows the reason.
   */
  #interrupted(uuid: string, at: number): void {
    const prompt = this.#promptOf.get(uuid) || null;
    const newest = this.#rows.findLast((row) => row.role === "assistant" && row.parentId === prompt);
    if (newest?.tools.at(-1)?.rejected) {
      newest.completedAt ??= at;
      return;
    }
    const row = newest ?? this.#addRow({ id: uuid, role: "assistant", parentId: prompt, at });
    Object.assign(row, { completedAt: at, error: { kind: "aborted", message: "interrupted" } });
  }

  #addRow(row: Pick<TranscriptRow, "id" | "role" | "parentId"> & { at: number }): MutableRow {
    const { at, ...given } = row;
    const added: MutableRow = { ...emptyRow, ...given, createdAt: at, tools: [] };
    this.#rows.push(added);
    this.lastActivityAt = at;
    return added;
  }
}

/** The program writes a command's exit code or timeout above its output. */
function shellResult({ name, output, status }: MutableToolCall): Pick<MutableToolCall, "exitCode" | "timedOut"> {
  if (name !== "Bash") return {};
  if (status === "completed") return { exitCode: 0 };
  const code = /^(?:Error: )?Exit code (\d+)/.exec(output)?.[1];
  const timedOut = /\bcommand timed out after\b/i.test(output.slice(0, 500) + output.slice(-500));
  return { ...(code === undefined ? {} : { exitCode: Number(code) }), ...(timedOut ? { timedOut } : {}) };
}

/** The program names the API error, and gives the HTTP status if there was a response. */
function apiError(entry: Json, message: string): RowError {
  const name = asText(entry.error);
  const status = asNumber(entry.apiErrorStatus) || apiErrorStatus(message);
  return { kind: "failed", message, ...(name === null ? {} : { name }), ...(status ? { status } : {}) };
}

function finishOf(stopReason: string): string {
  if (stopReason === "tool_use" || stopReason === "pause_turn") return "tool-calls";
  return stopReason === "max_tokens" ? "length" : "stop";
}

function tokensIn(usage: Json): number {
  const kinds = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
  return kinds.reduce((sum, kind) => sum + asNumber(usage[kind]), 0);
}

function timeOf(entry: Json): number {
  const at = Date.parse(asText(entry.timestamp) ?? "");
  return Number.isNaN(at) ? 0 : at;
}
