/**
 * Translates the messages of one agent: the lane's own, or a subagent.
 *
 * A message arrives block by block, each first as deltas (`stream_event`) and then complete (`assistant`). Subagents,
 * and programs without partial messages, send only complete blocks. A message without blocks never reaches the
 * transcript, so the start of a message is reported with its first block.
 */

import type { MessageError, SignalBody } from "../../../core/turn/signal.ts";
import type { Json } from "../../json-fields.ts";
import { asNumber, asObject, asText, textOfBlocks } from "../../json-fields.ts";
import type { MessageBlock } from "../lines.ts";
import { apiErrorStatus, messageBlocks, syntheticModel, tokensOf } from "../lines.ts";

export type ToolUse = { message: string; name: string; input: Json; ofSubagent: boolean };

type TextPart = { kind: "text" | "reasoning"; part: string; isComplete: boolean };
type Message = {
  id: string;
  model: string | null;
  usage: Json;
  /** Whether the usage covers the whole message. The usage reported at the start, or with a block, does not. */
  hasFinalUsage: boolean;
  parts: TextPart[];
  byIndex: Map<number, TextPart | { call: string }>;
  isPublished: boolean;
  isDone: boolean;
};

export class AgentStream {
  /** The call that started this subagent; null for the lane's own agent. */
  readonly parentCall: string | null;
  readonly #calls: Map<string, ToolUse>;
  #current: Message | null = null;
  hasOutput = false;

  constructor(parentCall: string | null, calls: Map<string, ToolUse>) {
    this.parentCall = parentCall;
    this.#calls = calls;
  }

  /** Null when the event lacks a required field. */
  event(line: Json, prompt: string | null): SignalBody[] | null {
    const event = asObject(line.event) ?? {};
    if (event.type === "message_start") return this.#started(asObject(event.message) ?? {});
    const id = asText(line.api_message_id) ?? this.#current?.id;
    if (id === undefined) return null;
    const { message, signals } = this.#open(id);
    switch (event.type) {
      case "content_block_start":
        return [...signals, ...this.#blockStarted(message, event, prompt)];
      case "content_block_delta":
        return [...signals, ...this.#delta(message, event, prompt)];
      case "message_delta":
        message.usage = { ...message.usage, ...asObject(event.usage) };
        message.hasFinalUsage = asObject(event.usage) !== null;
        return asText(asObject(event.delta)?.stop_reason) === null ? signals : [...signals, ...this.finish()];
      default:
        return [...signals, ...this.finish()];
    }
  }

  /** A complete block. Null when the line has no message. */
  block(line: Json, prompt: string | null): SignalBody[] | null {
    const given = asObject(line.message);
    const id = asText(given?.id) ?? asText(line.uuid);
    if (!given || id === null) return null;
    const text = textOfBlocks(given.content);
    const isSynthetic = given.model === syntheticModel;
    const failed = line.is_api_error_message === true || (isSynthetic && asText(line.error) !== null);
    if (isSynthetic && !failed) return [{ type: "status", id, name: "synthetic_text", value: { text } }];
    const { message, signals } = this.#open(id);
    message.model = asText(given.model) ?? message.model;
    if (failed) return [...signals, ...this.#publish(message, prompt), ...this.finish(failure(text))];
    for (const block of messageBlocks(given.content)) signals.push(...this.#block(message, block, prompt));
    return line.aborted === true ? [...signals, ...this.finish(interrupted)] : signals;
  }

  /** Reports the end of the newest message once. An error is reported even after that end. */
  finish(error: MessageError | null = null): SignalBody[] {
    const message = this.#current;
    if (!message?.isPublished || (message.isDone && error === null)) return [];
    message.isDone = true;
    return [{ type: "message_done", message: message.id, error, usage: usageOf(message) }];
  }

  /** A person stopped the agent. If there was no output yet, the transcript has a separate row for the interrupt. */
  interrupt(row: string): SignalBody[] {
    if (this.#current?.isPublished) return this.finish(interrupted);
    if (this.hasOutput) return [];
    const { message, signals } = this.#open(row);
    return [...signals, ...this.#publish(message, null), ...this.finish(interrupted)];
  }

  /** Ends the message of a stopped call. A later message continues. */
  stopCall({ message }: ToolUse): SignalBody[] {
    return this.#current?.id === message ? this.finish(interrupted) : [];
  }

  #started(given: Json): SignalBody[] | null {
    const id = asText(given.id);
    if (id === null) return null;
    const { message, signals } = this.#open(id);
    message.model = asText(given.model);
    message.usage = asObject(given.usage) ?? {};
    return signals;
  }

  /** The current message, with the signals that end the one before it. */
  #open(id: string): { message: Message; signals: SignalBody[] } {
    if (this.#current?.id === id) return { message: this.#current, signals: [] };
    const signals = this.finish();
    const flags = { hasFinalUsage: false, isPublished: false, isDone: false };
    this.#current = { id, model: null, usage: {}, parts: [], byIndex: new Map(), ...flags };
    return { message: this.#current, signals };
  }

  #publish(message: Message, prompt: string | null): SignalBody[] {
    if (message.isPublished) return [];
    message.isPublished = true;
    this.hasOutput = true;
    const parent = this.parentCall === null ? {} : { parent: `call:${this.parentCall}` };
    return [{ type: "message", message: message.id, prompt, ...parent }];
  }

  #blockStarted(message: Message, event: Json, prompt: string | null): SignalBody[] {
    const block = asObject(event.content_block) ?? {};
    const index = asNumber(event.index);
    const signals = this.#publish(message, prompt);
    const call = asText(block.id);
    if (call !== null && asText(block.type)?.endsWith("tool_use")) {
      message.byIndex.set(index, { call });
      const name = asText(block.name) ?? "";
      this.#calls.set(call, { message: message.id, name, input: {}, ofSubagent: this.parentCall !== null });
      return [...signals, { type: "tool", message: message.id, call, name, state: { status: "pending" } }];
    }
    message.byIndex.set(index, addPart(message, block.type === "thinking" ? "reasoning" : "text"));
    return signals;
  }

  #delta(message: Message, event: Json, prompt: string | null): SignalBody[] {
    const signals = this.#publish(message, prompt);
    const delta = asObject(event.delta) ?? {};
    const index = asNumber(event.index);
    if (delta.type === "input_json_delta") {
      const block = message.byIndex.get(index);
      const text = asText(delta.partial_json) ?? "";
      if (text === "" || !block || !("call" in block)) return signals;
      return [...signals, { type: "tool_input_delta", call: block.call, text }];
    }
    const kind = delta.type === "thinking_delta" ? "reasoning" : "text";
    const known = message.byIndex.get(index);
    const part = known && "part" in known ? known : addPart(message, kind);
    message.byIndex.set(index, part);
    const text = asText(kind === "text" ? delta.text : delta.thinking) ?? "";
    if (text === "" || part.isComplete) return signals;
    return [...signals, { type: "delta", message: message.id, part: part.part, kind: part.kind, text }];
  }

  #block(message: Message, block: MessageBlock, prompt: string | null): SignalBody[] {
    const signals = this.#publish(message, prompt);
    if ("text" in block) return [...signals, ...completePart(message, block)];
    if (block.raw.type === "redacted_thinking") return signals;
    if (block.kind === "other" || block.call === null) {
      const reason = `unknown block ${asText(block.raw.type) ?? ""}`;
      return [...signals, { type: "unparsed", reason, raw: JSON.stringify(block.raw) }];
    }
    const { call } = block;
    const known = this.#calls.get(call);
    const name = block.name ?? known?.name ?? "";
    const tool = { type: "tool" as const, call, message: message.id, name };
    if (block.kind === "call") {
      const { input } = block;
      this.#calls.set(call, { message: message.id, name, input, ofSubagent: this.parentCall !== null });
      return [...signals, { ...tool, state: { status: "running", input } }];
    }
    // For the provider's own tools the message itself contains the results.
    const output = textOfBlocks(block.content) || JSON.stringify(block.content ?? null);
    const input = known?.input ?? {};
    return [...signals, { ...tool, state: { status: "completed", input, output } }];
  }
}

function failure(message: string): MessageError {
  return { kind: "failed", message, status: apiErrorStatus(message) };
}

const interrupted: MessageError = { kind: "aborted", message: "interrupted" };

/** Numbered by kind: a message usually has one of each, and the transcript joins them. */
function addPart(message: Message, kind: TextPart["kind"]): TextPart {
  const count = message.parts.filter((one) => one.kind === kind).length;
  const part = { kind, part: `${message.id}:${kind}${count === 0 ? "" : `:${count}`}`, isComplete: false };
  message.parts.push(part);
  return part;
}

/** Completes the part that got the last deltas, or adds one if there were no deltas. */
function completePart(message: Message, { kind, text }: { kind: TextPart["kind"]; text: string }): SignalBody[] {
  const part = message.parts.findLast((one) => one.kind === kind && !one.isComplete) ?? addPart(message, kind);
  part.isComplete = true;
  return text === "" ? [] : [{ type: "part", message: message.id, part: part.part, kind, text }];
}

function usageOf({ usage, hasFinalUsage, model }: Message): Extract<SignalBody, { type: "message_done" }>["usage"] {
  return hasFinalUsage ? { tokens: tokensOf(usage), cost: null, model } : null;
}
