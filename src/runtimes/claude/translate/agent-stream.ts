/**
 * The messages of one agent of the program, the lane's own or a subagent: what its stream and its whole blocks say.
 *
 * A message comes block by block, each as pieces (`stream_event`) and then as a whole (`assistant`). Subagents, and a
 * program that was started without partial messages, send the whole blocks only. A message that has no block leaves no
 * trace in the transcript, so it begins with its first block here, too.
 */
import type { Said } from "../../../core/turn/signal.ts";
import type { Json } from "../../json-fields.ts";
import { asNumber, asObject, asText, blocksOf, textOfBlocks } from "../../json-fields.ts";
import { tokensOf } from "./translate-usage.ts";

export type Call = { message: string; name: string; input: Json; ofSubagent: boolean };

type Words = { kind: "text" | "reasoning"; part: string; isWhole: boolean };
type Message = {
  id: string;
  model: string | null;
  usage: Json;
  /** Whether the usage is that of the whole message: what a stream begins with, and a block has, is not. */
  isCounted: boolean;
  words: Words[];
  byIndex: Map<number, Words | { call: string }>;
  isTold: boolean;
  isDone: boolean;
};
type Ending = Extract<Said, { type: "message_done" }>["error"];

/** The model's name in messages that the program itself made up. */
const nobody = "<synthetic>";

export class AgentStream {
  /** The call that it works for; null for the lane's own agent. */
  readonly parentCall: string | null;
  readonly #calls: Map<string, Call>;
  #current: Message | null = null;
  hasSpoken = false;

  constructor(parentCall: string | null, calls: Map<string, Call>) {
    this.parentCall = parentCall;
    this.#calls = calls;
  }

  /** Null when the event lacks what it is about. */
  event(line: Json, prompt: string | null): Said[] | null {
    const event = asObject(line.event) ?? {};
    if (event.type === "message_start") return this.#started(asObject(event.message) ?? {});
    const id = asText(line.api_message_id) ?? this.#current?.id;
    if (id === undefined) return null;
    const message = this.#messageOf(id);
    switch (event.type) {
      case "content_block_start":
        return [...message.said, ...this.#blockStarted(message.of, event, prompt)];
      case "content_block_delta":
        return [...message.said, ...this.#delta(message.of, event, prompt)];
      case "message_delta":
        message.of.usage = { ...message.of.usage, ...asObject(event.usage) };
        message.of.isCounted = asObject(event.usage) !== null;
        return asText(asObject(event.delta)?.stop_reason) === null ? message.said : [...message.said, ...this.finish()];
      default:
        return [...message.said, ...this.finish()];
    }
  }

  /** A block as a whole. Null when the line has no message. */
  whole(line: Json, prompt: string | null): Said[] | null {
    const message = asObject(line.message);
    const id = asText(message?.id) ?? asText(line.uuid);
    if (!message || id === null) return null;
    const text = textOfBlocks(message.content);
    const failed = line.is_api_error_message === true || (message.model === nobody && asText(line.error) !== null);
    if (message.model === nobody && !failed) return [{ type: "status", id, name: "synthetic_text", value: { text } }];
    const { of, said } = this.#messageOf(id);
    of.model = asText(message.model) ?? of.model;
    if (failed) return [...said, ...this.#begin(of, prompt), ...this.finish({ kind: "failed", message: text })];
    for (const block of blocksOf(message.content)) said.push(...this.#block(of, block, prompt));
    return line.aborted === true ? [...said, ...this.finish(stopped)] : said;
  }

  /** Says that the newest message is over, once; that it was stopped is said of one that is over, too. */
  finish(error: Ending = null): Said[] {
    const message = this.#current;
    if (!message?.isTold || (message.isDone && error === null)) return [];
    message.isDone = true;
    return [{ type: "message_done", message: message.id, error, usage: usedBy(message) }];
  }

  /** Somebody stopped the agent. Where it had said nothing, the transcript has a row of its own for that. */
  interrupt(row: string): Said[] {
    if (this.#current?.isTold) return this.finish(stopped);
    if (this.hasSpoken) return [];
    const { of, said } = this.#messageOf(row);
    return [...said, ...this.#begin(of, null), ...this.finish(stopped)];
  }

  /** The call of a message that was stopped; a message that came after it goes on. */
  stopCall({ message }: Call): Said[] {
    return this.#current?.id === message ? this.finish(stopped) : [];
  }

  #started(message: Json): Said[] | null {
    const id = asText(message.id);
    if (id === null) return null;
    const { of, said } = this.#messageOf(id);
    of.model = asText(message.model);
    of.usage = asObject(message.usage) ?? {};
    return said;
  }

  #messageOf(id: string): { of: Message; said: Said[] } {
    if (this.#current?.id === id) return { of: this.#current, said: [] };
    const said = this.finish();
    const unsaid = { isCounted: false, isTold: false, isDone: false };
    this.#current = { id, model: null, usage: {}, words: [], byIndex: new Map(), ...unsaid };
    return { of: this.#current, said };
  }

  #begin(message: Message, prompt: string | null): Said[] {
    if (message.isTold) return [];
    message.isTold = true;
    this.hasSpoken = true;
    const parent = this.parentCall === null ? {} : { parent: `call:${this.parentCall}` };
    return [{ type: "message", message: message.id, prompt, ...parent }];
  }

  #blockStarted(message: Message, event: Json, prompt: string | null): Said[] {
    const block = asObject(event.content_block) ?? {};
    const index = asNumber(event.index);
    const said = this.#begin(message, prompt);
    const call = asText(block.id);
    if (call !== null && asText(block.type)?.endsWith("tool_use")) {
      message.byIndex.set(index, { call });
      const name = asText(block.name) ?? "";
      this.#calls.set(call, { message: message.id, name, input: {}, ofSubagent: this.parentCall !== null });
      return [...said, { type: "tool", message: message.id, call, name, state: { status: "pending" } }];
    }
    message.byIndex.set(index, newWords(message, block.type === "thinking" ? "reasoning" : "text"));
    return said;
  }

  #delta(message: Message, event: Json, prompt: string | null): Said[] {
    const said = this.#begin(message, prompt);
    const delta = asObject(event.delta) ?? {};
    const index = asNumber(event.index);
    if (delta.type === "input_json_delta") {
      const block = message.byIndex.get(index);
      const text = asText(delta.partial_json) ?? "";
      if (text === "" || !block || !("call" in block)) return said;
      return [...said, { type: "tool_input_delta", call: block.call, text }];
    }
    const kind = delta.type === "thinking_delta" ? "reasoning" : "text";
    const known = message.byIndex.get(index);
    const words = known && "part" in known ? known : newWords(message, kind);
    message.byIndex.set(index, words);
    const text = asText(kind === "text" ? delta.text : delta.thinking) ?? "";
    if (text === "" || words.isWhole) return said;
    return [...said, { type: "delta", message: message.id, part: words.part, kind: words.kind, text }];
  }

  #block(message: Message, block: Json, prompt: string | null): Said[] {
    const said = this.#begin(message, prompt);
    const type = asText(block.type) ?? "";
    if (type === "text" || type === "thinking") return [...said, ...wholeWords(message, block)];
    if (type === "redacted_thinking") return said;
    const call = asText(block.id) ?? asText(block.tool_use_id);
    if (call === null || !/tool_(use|result)$/.test(type)) {
      return [...said, { type: "unparsed", reason: `unknown block ${type}`, raw: JSON.stringify(block) }];
    }
    const known = this.#calls.get(call);
    const name = asText(block.name) ?? known?.name ?? "";
    const state = { call, message: message.id, name };
    if (type.endsWith("tool_use")) {
      const input = asObject(block.input) ?? {};
      this.#calls.set(call, { message: message.id, name, input, ofSubagent: this.parentCall !== null });
      return [...said, { type: "tool", ...state, state: { status: "running", input } }];
    }
    // The provider's own tools have their results in the message itself.
    const output = textOfBlocks(block.content) || JSON.stringify(block.content ?? null);
    const input = known?.input ?? {};
    return [...said, { type: "tool", ...state, state: { status: "completed", input, output } }];
  }
}

const stopped: Ending = { kind: "aborted", message: "interrupted" };

/** Those of a kind are counted: a message has at most one of each as a rule, and the transcript knows no others. */
function newWords(message: Message, kind: Words["kind"]): Words {
  const number = message.words.filter((one) => one.kind === kind).length;
  const words = { kind, part: `${message.id}:${kind}${number === 0 ? "" : `:${number}`}`, isWhole: false };
  message.words.push(words);
  return words;
}

/** Of the block whose pieces came last, or of one that came without. */
function wholeWords(message: Message, block: Json): Said[] {
  const kind = block.type === "thinking" ? "reasoning" : "text";
  const words = message.words.findLast((one) => one.kind === kind && !one.isWhole) ?? newWords(message, kind);
  words.isWhole = true;
  const text = asText(kind === "text" ? block.text : block.thinking) ?? "";
  return text === "" ? [] : [{ type: "part", message: message.id, part: words.part, kind, text }];
}

function usedBy({ usage, isCounted, model }: Message): Extract<Said, { type: "message_done" }>["usage"] {
  return isCounted ? { tokens: tokensOf(usage), cost: null, model } : null;
}
