/**
 * One message of the agent while it is said: words, thoughts and calls in pieces, and then as a whole. It begins with its
 * first piece, as in the transcript a message without any is no message.
 */

import type { RowError } from "../../../core/transcript/transcript.ts";
import type { Said } from "../../../core/turn/signal.ts";
import type { Json } from "../../json-fields.ts";
import { asList, asNumber, asObject, asText, blocksOf } from "../../json-fields.ts";

export type Call = { message: string; name: string; input: Json };

type Kind = "text" | "reasoning";

export class SpokenMessage {
  readonly id: string;
  readonly #prompt: string | null;
  /** Of the whole turn: their results come after the message. */
  readonly #calls: Map<string, Call>;
  #isTold = false;

  constructor(id: string, prompt: string | null, calls: Map<string, Call>) {
    this.id = id;
    this.#prompt = prompt;
    this.#calls = calls;
  }

  /** Null when the event lacks what it is about. */
  update(event: Json, message: Json): Said[] | null {
    const place = asNumber(event.contentIndex);
    const block = asObject(asList(message.content)[place]);
    const [what = "", step = ""] = (asText(event.type) ?? "").split("_");
    const delta = asText(event.delta) ?? "";
    if (what === "toolcall") return this.#toolUpdate(step, delta, asObject(event.toolCall) ?? block);
    const kind = what === "thinking" ? "reasoning" : "text";
    const part = this.#part(kind, place, message);
    if (step === "delta") {
      return delta === "" ? [] : [...this.#begin(), { type: "delta", message: this.id, part, kind, text: delta }];
    }
    if (step === "end") return this.#words(kind, part, asText(event.content) ?? "");
    return step === "start" ? this.#begin() : null;
  }

  /** All that it says, once it is whole. */
  whole(message: Json, error: RowError | null): Said[] {
    const said = this.#begin();
    for (const [place, block] of blocksOf(message.content).entries()) {
      const kind = block.type === "thinking" ? "reasoning" : "text";
      const text = asText(kind === "text" ? block.text : block.thinking) ?? "";
      if (block.type === "toolCall") said.push(...this.#call(block));
      else said.push(...this.#words(kind, this.#part(kind, place, message), text));
    }
    return [...said, { type: "message_done", message: this.id, error, usage: usedBy(message) }];
  }

  /** That it was stopped is said of one that is over, too. */
  stopped(error: RowError): Said[] {
    return [{ type: "message_done", message: this.id, error, usage: null }];
  }

  #begin(): Said[] {
    if (this.#isTold) return [];
    this.#isTold = true;
    return [{ type: "message", message: this.id, prompt: this.#prompt }];
  }

  #words(kind: Kind, part: string, text: string): Said[] {
    return text === "" ? [] : [...this.#begin(), { type: "part", message: this.id, part, kind, text }];
  }

  /** Those of a kind are counted: the transcript knows one of each, and has them in one. */
  #part(kind: Kind, place: number, message: Json): string {
    const type = kind === "text" ? "text" : "thinking";
    const before = asList(message.content).slice(0, place);
    const number = before.filter((one) => asObject(one)?.type === type).length;
    return `${this.id}:${kind}${number === 0 ? "" : `:${number}`}`;
  }

  #toolUpdate(step: string, delta: string, block: Json | null): Said[] | null {
    const call = asText(block?.id);
    if (!block || call === null) return null;
    const told = { type: "tool" as const, message: this.id, call, name: asText(block.name) ?? "" };
    if (step === "start") return [...this.#begin(), { ...told, state: { status: "pending" } }];
    if (step === "delta") return delta === "" ? [] : [{ type: "tool_input_delta", call, text: delta }];
    return [...this.#begin(), ...this.#call(block)];
  }

  #call(block: Json): Said[] {
    const call = asText(block.id);
    if (call === null) return [];
    const name = asText(block.name) ?? "";
    const input = asObject(block.arguments) ?? {};
    this.#calls.set(call, { message: this.id, name, input });
    return [{ type: "tool", message: this.id, call, name, state: { status: "running", input } }];
  }
}

function usedBy(message: Json): Extract<Said, { type: "message_done" }>["usage"] {
  const usage = asObject(message.usage);
  if (!usage) return null;
  const count = (name: string) => asNumber(usage[name]);
  const tokens = {
    input: count("input"),
    output: count("output"),
    reasoning: 0,
    cacheRead: count("cacheRead"),
    cacheWrite: count("cacheWrite"),
  };
  return { tokens, cost: asNumber(asObject(usage.cost)?.total), model: asText(message.model) };
}
