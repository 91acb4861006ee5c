/**
 * Which items of a session are open and which are over. It turns what a runtime says, as often as it says it, into one
 * beginning and one end of each item, in one order for all programs:
 *
 * message begins, call, result, the next call …, the files that were changed, what it used, message ends.
 *
 * Programs differ in when a message that calls tools is over: here it is when its calls have their results. They differ
 * in when one begins: here it does with the first thing in it.
 */
import type { FilePart, Item, Part } from "./item.ts";
import type { SignalBody } from "./signal.ts";
import type { EventBody } from "./universal-event.ts";

type Ending = Pick<Extract<SignalBody, { type: "message_done" }>, "error" | "usage">;
type Entry = {
  item: Item;
  /** Of a message: calls that have no result yet, what they changed, and how it ended while they still ran. */
  calls: Set<string>;
  files: FilePart[];
  ending: Ending | null;
  /** Of a message: somebody stopped the turn in one of its calls. */
  stopped: boolean;
  /** It was begun before a restart: how much of its text was bodies as deltas, nobody knows. */
  restored: boolean;
};
type Words = Extract<SignalBody, { type: "part" | "delta" }>;
type Tool = Extract<SignalBody, { type: "tool" }>;

/** Repeats come soon after; more than a very long turn has items need not be maxKnownIds. */
const maxKnownIds = 5000;

export class ItemTracker {
  readonly #open = new Map<string, Entry>();
  /** Messages that have begun and have nothing in them yet, with the call that a subagent works for. */
  readonly #empty = new Map<string, string | null>();
  readonly #ended = new KnownIds(maxKnownIds);

  knows(id: string): boolean {
    return this.#open.has(id) || this.#ended.has(id);
  }

  isOver(id: string): boolean {
    return this.#ended.has(id);
  }

  get hasOpen(): boolean {
    return this.#open.size + this.#empty.size > 0;
  }

  /** Nothing that is said of this message counts any more. */
  ignore(message: string): void {
    this.#ended.add(message);
  }

  prompt({ message, parts, parent }: Extract<SignalBody, { type: "prompt" }>): EventBody[] {
    return this.#whole({ id: message, kind: "message", role: "user", parent: parent ?? null, parts: [...parts] });
  }

  /**
   * A message is emitted with the first thing in it: some programs announce one before the model has said anything, and
   * others do not.
   */
  message({ message, parent }: Pick<Extract<SignalBody, { type: "message" }>, "message" | "parent">): EventBody[] {
    if (!this.knows(message) && !this.#empty.has(message)) this.#empty.set(message, parent ?? null);
    return [];
  }

  /** The whole text of a part, or what is new of it. */
  words({ type, message, part: id, kind, text }: Words): EventBody[] {
    if (text === "") return [];
    const begun = this.#beginMessage(message);
    const entry = this.#open.get(message);
    if (!entry) return begun;
    const known = wordsIn(entry.item.parts, id, kind);
    const isRepeat = entry.restored && known.text === "";
    const added = type === "delta" ? text : isRepeat ? "" : newIn(text, known.text);
    known.text = type === "delta" ? known.text + text : text;
    return added === ""
      ? begun
      : [...begun, { type: "item.delta", data: { item: message, part: id, kind, text: added } }];
  }

  /** `stopped`: somebody has asked for the end of the turn, so a call that fails now was stopped, and its message with it. */
  tool(signal: Tool, stopped = false): EventBody[] {
    const { message, call, name, state } = signal;
    const [callId, resultId] = [callItem(call), resultItem(call)];
    if (this.#ended.has(resultId)) return [];
    const bodies = this.#beginMessage(message);
    if (!this.knows(callId)) {
      this.#open.get(message)?.calls.add(call);
      bodies.push(this.#begin({ id: callId, kind: "tool_call", name, parent: message }));
    }
    if (state.status === "pending") return bodies;
    if (this.#open.has(callId)) {
      bodies.push(this.#complete(callId, [{ type: "tool_call", call, name, input: state.input }]));
    }
    if (state.status === "running") return [...bodies, ...this.#output(signal, state.output ?? "")];
    if (!this.#open.has(resultId)) bodies.push(this.#begin(resultOf(signal)));
    const failed = state.status === "error";
    const rejected = failed && state.rejected;
    const entry = this.#open.get(message);
    if (entry && failed && stopped) entry.stopped = true;
    const part: Part = { type: "tool_result", call, name, output: state.output, isError: failed, rejected };
    bodies.push(this.#complete(resultId, [part], failed ? "failed" : "completed"));
    return [...bodies, ...this.#resolved(message, call)];
  }

  inputDelta({ call, text }: Extract<SignalBody, { type: "tool_input_delta" }>): EventBody[] {
    const id = callItem(call);
    if (!this.#open.has(id)) return [];
    return [{ type: "item.delta", data: { item: id, part: call, kind: "input", text } }];
  }

  /** The same change is bodies once. One that says less adds nothing to one of the same path. */
  file({ message, file }: Extract<SignalBody, { type: "file" }>): EventBody[] {
    const begun = this.#beginMessage(message);
    const files = this.#open.get(message)?.files;
    if (!files) return begun;
    const same = files.findIndex(({ path, diff }) => path === file.path && (diff === file.diff || diff === null));
    if (same >= 0 && file.change === "unknown" && file.diff === null) return begun;
    if (same >= 0) files[same] = file;
    else if (file.diff !== null || !files.some(({ path }) => path === file.path)) files.push(file);
    return begun;
  }

  plan({ id, value }: Extract<SignalBody, { type: "plan" }>): EventBody[] {
    return this.#whole({ id, kind: "plan", parts: [{ type: "json", id, value }] });
  }

  status({ id, name, value, failed }: Extract<SignalBody, { type: "status" }>): EventBody[] {
    const status = failed === true ? "failed" : "completed";
    return this.#whole({ id, kind: "status", name, parts: [{ type: "json", id, value }] }, status);
  }

  done({ message, error, usage }: Extract<SignalBody, { type: "message_done" }>): EventBody[] {
    if (error && !this.#open.has(message)) {
      // It failed before it said anything; that is news of the turn.
      this.#empty.delete(message);
      this.#ended.add(message);
      return [];
    }
    const begun = this.#beginMessage(message);
    const entry = this.#open.get(message);
    if (!entry) return begun;
    entry.ending = { error, usage };
    return entry.calls.size > 0 ? begun : [...begun, ...this.#end(entry)];
  }

  /** The turn is over: so is everything in it, what was made last first. */
  closeAll(): EventBody[] {
    const bodies: EventBody[] = [];
    for (const id of this.#empty.keys()) this.#ended.add(id);
    this.#empty.clear();
    for (const entry of [...this.#open.values()].reverse()) {
      const { item, calls } = entry;
      if (!this.#open.has(item.id)) continue;
      if (item.kind !== "message") bodies.push(this.#complete(item.id, item.parts, "failed"));
      else {
        for (const call of calls) bodies.push(...this.#leftOver(call));
        bodies.push(...this.#end(entry));
      }
    }
    return bodies;
  }

  /** Takes back what was bodies before, as after a restart. */
  restore(body: EventBody): void {
    if (body.type === "item.started") {
      const { item } = body.data;
      // Its texts grow here, and not in the event.
      const parts = item.parts.map((part) => ({ ...part }));
      this.#open.set(item.id, { ...entryOf({ ...item, parts }), restored: true });
      if (item.kind === "tool_call" && item.parent !== null) this.#open.get(item.parent)?.calls.add(callOf(item.id));
    } else if (body.type === "item.completed") {
      const { id, kind, parent } = body.data.item;
      this.#open.delete(id);
      this.#ended.add(id);
      // A result's parent is its call, whose own parent is the message: found by the call it had open.
      if (kind === "tool_result" && parent !== null)
        for (const { calls } of this.#open.values()) calls.delete(callOf(parent));
    }
  }

  #beginMessage(id: string): EventBody[] {
    if (this.knows(id)) return [];
    const parent = this.#empty.get(id) ?? null;
    this.#empty.delete(id);
    return [this.#begin({ id, kind: "message", role: "assistant", parent })];
  }

  #output(signal: Tool, output: string): EventBody[] {
    if (output === "") return [];
    const id = resultItem(signal.call);
    const bodies = this.#open.has(id) ? [] : [this.#begin(resultOf(signal))];
    const entry = this.#open.get(id);
    const { call, name } = signal;
    const part: Part = { type: "tool_result", call, name, output, isError: false, rejected: false };
    const [known] = entry?.item.parts ?? [];
    const before = known?.type === "tool_result" ? known.output : "";
    if (entry) entry.item.parts = [part];
    const isRepeat = entry?.restored === true && before === "";
    const added = isRepeat ? "" : newIn(output, before);
    if (added === "") return bodies;
    return [...bodies, { type: "item.delta", data: { item: id, part: call, kind: "output", text: added } }];
  }

  #resolved(message: string, call: string): EventBody[] {
    const entry = this.#open.get(message);
    if (!entry) return [];
    entry.calls.delete(call);
    return entry.ending !== null && entry.calls.size === 0 ? this.#end(entry) : [];
  }

  /** A call that never got its result has failed, and says so. */
  #leftOver(call: string): EventBody[] {
    const id = resultItem(call);
    if (this.knows(id)) return [];
    const name = "";
    const part: Part = { type: "tool_result", call, name, output: "", isError: true, rejected: false };
    const begun = this.#begin({ id, kind: "tool_result", parent: callItem(call) });
    return [begun, this.#complete(id, [part], "failed")];
  }

  #end({ item, files, ending, stopped }: Entry): EventBody[] {
    const failed = stopped || ending === null || ending.error !== null;
    const bodies: EventBody[] = [];
    if (files.length > 0) {
      bodies.push(...this.#whole({ id: `files:${item.id}`, kind: "file_change", parent: item.id, parts: [...files] }));
    }
    if (ending?.usage) {
      const { tokens, cost, model } = ending.usage;
      bodies.push({ type: "usage", data: { of: "message", item: item.id, model, tokens, cost } });
    }
    bodies.push(this.#complete(item.id, item.parts, failed ? "failed" : "completed"));
    return bodies;
  }

  #whole(item: Pick<Item, "id" | "kind" | "parts"> & Partial<Item>, status: Item["status"] = "completed"): EventBody[] {
    if (this.knows(item.id)) return [];
    return [this.#begin({ ...item, parts: [] }), this.#complete(item.id, item.parts, status)];
  }

  #begin(item: Pick<Item, "id" | "kind"> & Partial<Item>): EventBody {
    const whole: Item = { role: null, name: null, parent: null, parts: [], ...item, status: "in_progress" };
    this.#open.set(whole.id, entryOf(whole));
    return { type: "item.started", data: { item: { ...whole, parts: [...whole.parts] } } };
  }

  #complete(id: string, parts: readonly Part[], status: Item["status"] = "completed"): EventBody {
    const entry = this.#open.get(id);
    if (!entry) throw new Error(`item ${id} is not open`);
    this.#open.delete(id);
    this.#ended.add(id);
    return { type: "item.completed", data: { item: { ...entry.item, parts: [...parts], status } } };
  }
}

function callItem(call: string): string {
  return `call:${call}`;
}

function resultItem(call: string): string {
  return `result:${call}`;
}

function callOf(callItemId: string): string {
  return callItemId.slice("call:".length);
}

function resultOf({ call, name }: Tool): Pick<Item, "id" | "kind" | "name" | "parent"> {
  return { id: resultItem(call), kind: "tool_result", name, parent: callItem(call) };
}

function entryOf(item: Item): Entry {
  return { item, calls: new Set(), files: [], ending: null, stopped: false, restored: false };
}

function newIn(text: string, known: string): string {
  return text.startsWith(known) ? text.slice(known.length) : "";
}

function wordsIn(parts: Part[], id: string, kind: "text" | "reasoning") {
  const known = parts.find((part) => (part.type === "text" || part.type === "reasoning") && part.id === id);
  if (known?.type === "text" || known?.type === "reasoning") return known;
  const made = { type: kind, id, text: "" };
  parts.push(made);
  return made;
}

export class KnownIds {
  readonly #ids = new Set<string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  ids(): Iterable<string> {
    return this.#ids;
  }

  /** False when it was known before. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    for (const oldest of this.#ids) {
      if (this.#ids.size <= this.#most) break;
      this.#ids.delete(oldest);
    }
    return true;
  }
}
