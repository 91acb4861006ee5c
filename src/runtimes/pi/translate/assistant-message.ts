/**
 * Translates one message of the agent: text, reasoning and calls, first as deltas and then complete. The message is
 * published with its first content, since the transcript has no empty messages.
 */
import type { RowError } from "../../../core/transcript/transcript.ts";
import type { SignalBody } from "../../../core/turn/signal.ts";
import type { Json } from "../../json-fields.ts";
import { asList, asNumber, asObject, asText } from "../../json-fields.ts";
import { callIn, messageBlocks, messageUsage } from "../lines.ts";

export type ToolCallState = { message: string; name: string; input: Json };

type Kind = "text" | "reasoning";

export class AssistantMessage {
  readonly id: string;
  readonly #prompt: string | null;
  /** The calls of the whole turn, since their results arrive after the message. */
  readonly #calls: Map<string, ToolCallState>;
  #isPublished = false;

  constructor(id: string, prompt: string | null, calls: Map<string, ToolCallState>) {
    this.id = id;
    this.#prompt = prompt;
    this.#calls = calls;
  }

  /** Null when the event lacks a required field. */
  update(event: Json, message: Json): SignalBody[] | null {
    const index = asNumber(event.contentIndex);
    const block = asObject(asList(message.content)[index]);
    const [content = "", step = ""] = (asText(event.type) ?? "").split("_");
    const delta = asText(event.delta) ?? "";
    if (content === "toolcall") return this.#toolUpdate(step, delta, asObject(event.toolCall) ?? block);
    const kind = content === "thinking" ? "reasoning" : "text";
    const part = this.#part(kind, index, message);
    if (step === "delta") {
      return delta === "" ? [] : [...this.#publish(), { type: "delta", message: this.id, part, kind, text: delta }];
    }
    if (step === "end") return this.#text(kind, part, asText(event.content) ?? "");
    return step === "start" ? this.#publish() : null;
  }

  complete(message: Json, error: RowError | null): SignalBody[] {
    const signals = this.#publish();
    const counts = { text: 0, reasoning: 0 };
    for (const block of messageBlocks(message)) {
      if (block.kind === "call") signals.push(...this.#call(block));
      else signals.push(...this.#text(block.kind, this.#partId(block.kind, counts[block.kind]++), block.text));
    }
    return [...signals, { type: "message_done", message: this.id, error, usage: usageOf(message) }];
  }

  /** Also reported for a message that has already ended. */
  stopped(error: RowError): SignalBody[] {
    return [{ type: "message_done", message: this.id, error, usage: null }];
  }

  #publish(): SignalBody[] {
    if (this.#isPublished) return [];
    this.#isPublished = true;
    return [{ type: "message", message: this.id, prompt: this.#prompt }];
  }

  #text(kind: Kind, part: string, text: string): SignalBody[] {
    return text === "" ? [] : [...this.#publish(), { type: "part", message: this.id, part, kind, text }];
  }

  /** Numbered by kind, since the transcript joins parts of the same kind. */
  #part(kind: Kind, index: number, message: Json): string {
    const type = kind === "text" ? "text" : "thinking";
    const before = asList(message.content).slice(0, index);
    return this.#partId(kind, before.filter((one) => asObject(one)?.type === type).length);
  }

  #partId(kind: Kind, count: number): string {
    return `${this.id}:${kind}${count === 0 ? "" : `:${count}`}`;
  }

  #toolUpdate(step: string, delta: string, block: Json | null): SignalBody[] | null {
    const read = block && callIn(block);
    const call = read?.id ?? null;
    if (!read || call === null) return null;
    const tool = { type: "tool" as const, message: this.id, call, name: read.name };
    if (step === "start") return [...this.#publish(), { ...tool, state: { status: "pending" } }];
    if (step === "delta") return delta === "" ? [] : [{ type: "tool_input_delta", call, text: delta }];
    return [...this.#publish(), ...this.#call(read)];
  }

  #call({ id: call, name, input }: ReturnType<typeof callIn>): SignalBody[] {
    if (call === null) return [];
    this.#calls.set(call, { message: this.id, name, input });
    return [{ type: "tool", message: this.id, call, name, state: { status: "running", input } }];
  }
}

function usageOf(message: Json): Extract<SignalBody, { type: "message_done" }>["usage"] {
  const usage = messageUsage(message);
  return usage && { tokens: usage.tokens, cost: usage.cost, model: usage.model };
}
