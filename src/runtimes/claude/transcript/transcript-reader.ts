/**
 * Turns the rows of a Claude Code transcript, in the order in which they stand in its file, into the transcript that
 * every runtime shows. It holds what it has read, so that reading on costs only what is new. No I/O.
 *
 * What bites: one message of the model is several rows, one for each block. An answer hangs on its prompt through rows
 * of many kinds, also those that a compaction puts in between, so all parents are followed. After a turn that was
 * killed the program writes an answer that nobody gave.
 */

import type { TranscriptRow } from "../../../core/transcript/transcript.ts";
import type { Json } from "../../json-fields.ts";
import { asNumber, asObject, asText, blocksOf, textOfBlocks } from "../../json-fields.ts";
import type { MutableRow, MutableToolCall } from "../../transcript-row.ts";
import { emptyRow } from "../../transcript-row.ts";
import type { TurnResult } from "../process/stdio-client.ts";
import { fileChange } from "../translate/file-change.ts";

/** The model's name in rows that the program itself made up. */
const nobody = "<synthetic>";
/** Results of tools can be very long, and nobody decides by their tail. */
const longestOutput = 20_000;

export class TranscriptReader {
  readonly #rows: MutableRow[] = [];
  readonly #byMessage = new Map<string, MutableRow>();
  readonly #tools = new Map<string, MutableToolCall>();
  /** By the id of any row: the prompt below which it stands. */
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

  take(entry: Json): void {
    const uuid = asText(entry.uuid);
    if (uuid === null || entry.isSidechain === true) return;
    const parent = asText(entry.parentUuid) ?? asText(entry.logicalParentUuid);
    this.#promptOf.set(uuid, (parent === null ? undefined : this.#promptOf.get(parent)) ?? "");
    const at = timeOf(entry);
    if (entry.type === "user") this.#user(entry, uuid, at);
    else if (entry.type === "assistant") this.#assistant(entry, uuid, at);
    else if (entry.type === "attachment") this.#attachment(entry, at);
  }

  /**
   * What the program said at the end of a turn and did not write down: what it cost, and, where there was no word, that
   * there was none.
   */
  ended({ prompts, at, error, cost }: TurnResult): void {
    for (const prompt of prompts) {
      if (this.#promptOf.get(prompt) !== prompt) continue;
      const row = this.#rows.findLast(({ parentId }) => parentId === prompt) ?? this.#emptyEnd(prompt, at, error);
      if (cost !== null) row.usage = { tokens: row.usage?.tokens ?? 0, cost };
    }
  }

  #emptyEnd(prompt: string, at: number, error: string | null): MutableRow {
    const row = this.#addRow({ id: `${prompt}:end`, role: "assistant", parentId: prompt, at });
    const failed = error === null ? null : { kind: "failed", message: error };
    return Object.assign(row, { completedAt: at, finish: "stop", error: failed });
  }

  #user(entry: Json, uuid: string, at: number): void {
    const { content } = asObject(entry.message) ?? {};
    const results = blocksOf(content).filter((block) => block.type === "tool_result");
    for (const block of results) this.#result(block, entry, at);
    if (results.length > 0 || entry.isMeta === true || entry.isCompactSummary === true) return;
    const text = textOfBlocks(content);
    if (text.startsWith("[Request interrupted by user")) return this.#interrupted(uuid, at);
    this.#prompt(uuid, text, at, entry.promptSource === "system" ? "system" : "user");
  }

  /** A prompt that came into a running turn stands in the file as an attachment of it. */
  #attachment(entry: Json, at: number): void {
    const { type, source_uuid, prompt } = asObject(entry.attachment) ?? {};
    const id = asText(source_uuid);
    if (type === "queued_command" && id !== null) this.#prompt(id, textOfBlocks(prompt), at);
  }

  /** What the program prompts itself with, as after a task in the background, is nobody's prompt. */
  #prompt(id: string, text: string, at: number, role: "user" | "system" = "user"): void {
    this.#promptOf.set(id, id);
    const row = this.#addRow({ id, role, parentId: null, at });
    Object.assign(row, { text, completedAt: at });
  }

  #assistant(entry: Json, uuid: string, at: number): void {
    const message = asObject(entry.message) ?? {};
    const failed = entry.isApiErrorMessage === true;
    if (message.model === nobody && !failed) return;
    const id = asText(message.id) ?? uuid;
    const row = this.#byMessage.get(id) ?? this.#answer(id, uuid, at);
    row.firstActivityAt ??= at;
    for (const block of blocksOf(message.content)) this.#block(row, block);
    const stop = asText(message.stop_reason);
    if (stop !== null) Object.assign(row, { finish: finishOf(stop), completedAt: at });
    if (failed) {
      Object.assign(row, { completedAt: at, error: { kind: "failed", message: textOfBlocks(message.content) } });
    }
    const usage = asObject(message.usage);
    if (usage) row.usage = { tokens: tokensIn(usage), cost: row.usage?.cost ?? 0 };
  }

  #answer(id: string, uuid: string, at: number): MutableRow {
    const parentId = this.#promptOf.get(uuid) || null;
    const row = this.#addRow({ id, role: "assistant", parentId, at });
    this.#byMessage.set(id, row);
    return row;
  }

  #block(row: MutableRow, block: Json): void {
    if (block.type === "text") row.text += asText(block.text) ?? "";
    else if (block.type === "thinking") row.reasoning += asText(block.thinking) ?? "";
    else if (block.type === "tool_use") {
      const id = asText(block.id) ?? "";
      if (this.#tools.has(id)) return;
      const input = asObject(block.input) ?? {};
      const tool: MutableToolCall = {
        id,
        name: asText(block.name) ?? "",
        status: "running",
        input,
        output: "",
        rejected: false,
      };
      this.#tools.set(id, tool);
      row.tools.push(tool);
    }
  }

  #result(block: Json, entry: Json, at: number): void {
    this.lastActivityAt = at;
    const tool = this.#tools.get(asText(block.tool_use_id) ?? "");
    if (!tool) return;
    tool.status = block.is_error === true ? "error" : "completed";
    tool.output = textOfBlocks(block.content).slice(0, longestOutput);
    tool.rejected = entry.toolDenialKind === "user-rejected";
    const changed =
      tool.status === "completed" && fileChange(tool.name, tool.input, asObject(entry.toolUseResult) ?? {});
    if (changed) tool.files = [{ path: changed.path, change: changed.change, diff: changed.diff }];
  }

  /** A stop ends the turn where it is. What a person refused says so itself. */
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
    const made = emptyRow({ ...given, createdAt: at });
    this.#rows.push(made);
    this.lastActivityAt = at;
    return made;
  }
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
