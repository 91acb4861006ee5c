/**
 * Tracks which items of a session are open and which have ended. It turns a runtime's signals, however often
 * repeated, into one start and one end of each item, in the same order for all programs:
 *
 * message begins, call, result, the next call …, the changed files, the usage, message ends.
 *
 * Programs differ in when a message with tool calls ends: here it ends when its calls have their results. They also
 * differ in when one begins: here it begins with its first content.
 */
import type { FilePart, Item, Part } from "./item.ts";
import { growingText } from "./item.ts";
import type { SignalBody } from "./signal.ts";
import type { EventBody } from "./universal-event.ts";

type ItemDelta = Extract<EventBody, { type: "item.delta" }>["data"];

type Ending = Pick<Extract<SignalBody, { type: "message_done" }>, "error" | "usage">;
type Entry = {
  item: Item;
  /** For a message: calls without a result, the files they changed, and how it ended while they still ran. */
  calls: Set<string>;
  files: FilePart[];
  ending: Ending | null;
  /** For a message: somebody stopped the turn during one of its calls. */
  stopped: boolean;
  /** For a call: its input so far, as the program writes it. */
  input: string;
  /** For an item begun before a restart: the texts known from their start. Null: all of them. */
  heard: Set<string> | null;
};
type Words = Extract<SignalBody, { type: "part" | "delta" }>;
type Tool = Extract<SignalBody, { type: "tool" }>;

/** Repeats come soon after, so this only has to exceed the number of items in a very long turn. */
const maxKnownIds = 5000;

export class ItemTracker {
  readonly #open = new Map<string, Entry>();
  /** Messages that have begun and are still empty, with the call that a subagent works for. */
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

  /** Ignores all further signals about this message. */
  ignore(message: string): void {
    this.#ended.add(message);
  }

  prompt({ message, parts, parent }: Extract<SignalBody, { type: "prompt" }>): EventBody[] {
    return this.#whole({ id: message, kind: "message", role: "user", parent: parent ?? null, parts: [...parts] });
  }

  /**
   * A message is emitted with its first content: some programs announce one before the model has said anything, and
   * others do not.
   */
  message({ message, parent }: Pick<Extract<SignalBody, { type: "message" }>, "message" | "parent">): EventBody[] {
    if (!this.knows(message) && !this.#empty.has(message)) this.#empty.set(message, parent ?? null);
    return [];
  }

  /** The full text of a part, or only the new text. */
  words({ type, message, part: id, kind, text }: Words): EventBody[] {
    if (text === "") {
      if (type === "part") this.#beginText(message, id);
      return [];
    }
    const begun = this.#beginMessage(message);
    const entry = this.#open.get(message);
    if (!entry) return begun;
    const known = wordsIn(entry.item.parts, id, kind);
    const before = known.text;
    known.text = type === "delta" ? before + text : text;
    return [...begun, ...deltas(entry, { part: id, kind, type, text, before })];
  }

  /**
   * `stopped`: somebody has requested the end of the turn, so a call that fails now was stopped, and its message with
   * it.
   */
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
    const entry = this.#open.get(callItem(call));
    if (!entry || text === "") return [];
    const before = entry.input;
    entry.input += text;
    return deltas(entry, { part: call, kind: "input", type: "delta", text, before });
  }

  /** Each change is reported once. A less detailed one adds nothing to a change of the same path. */
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
      // It failed before it said anything; the turn reports that.
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

  /** The turn is over, and with it everything in it, newest first. */
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

  /** Restores state from earlier events, as after a restart. */
  restore(body: EventBody): void {
    if (body.type === "item.started") {
      const { item } = body.data;
      // Copied, because its texts grow here and must not grow in the event.
      const parts = item.parts.map((part) => ({ ...part }));
      this.#open.set(item.id, { ...entryOf({ ...item, parts }), heard: new Set() });
      if (item.kind === "tool_call" && item.parent !== null) this.#open.get(item.parent)?.calls.add(callOf(item.id));
    } else if (body.type === "item.completed") {
      const { id, kind, parent } = body.data.item;
      this.#open.delete(id);
      this.#ended.add(id);
      // A result's parent is its call, whose own parent is the message. Find the message by its open call.
      if (kind === "tool_result" && parent !== null)
        for (const { calls } of this.#open.values()) calls.delete(callOf(parent));
    }
  }

  /** Open items, oldest first, with their content so far; copies. A text whose start is unknown is left out. */
  openItems(): Item[] {
    return [...this.#open.values()].map((entry) => ({ ...entry.item, parts: partsSoFar(entry) }));
  }

  #beginMessage(id: string): EventBody[] {
    if (this.knows(id)) return [];
    const parent = this.#empty.get(id) ?? null;
    this.#empty.delete(id);
    return [this.#begin({ id, kind: "message", role: "assistant", parent })];
  }

  /** A text that begins after a restart is known from its start. */
  #beginText(message: string, part: string): void {
    const entry = this.#open.get(message);
    const isKnown = entry?.item.parts.some((one) => growingText(one)?.part === part);
    if (!isKnown) entry?.heard?.add(part);
  }

  #output(signal: Tool, output: string): EventBody[] {
    if (output === "") return [];
    const id = resultItem(signal.call);
    const bodies = this.#open.has(id) ? [] : [this.#begin(resultOf(signal))];
    const entry = this.#open.get(id);
    if (!entry) return bodies;
    const { call, name } = signal;
    const [known] = entry.item.parts;
    const before = known?.type === "tool_result" ? known.output : "";
    entry.item.parts = [{ type: "tool_result", call, name, output, isError: false, rejected: false }];
    return [...bodies, ...deltas(entry, { part: call, kind: "output", type: "part", text: output, before })];
  }

  #resolved(message: string, call: string): EventBody[] {
    const entry = this.#open.get(message);
    if (!entry) return [];
    entry.calls.delete(call);
    return entry.ending !== null && entry.calls.size === 0 ? this.#end(entry) : [];
  }

  /** A call that never got its result has failed, and is reported as such. */
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
  return { item, calls: new Set(), files: [], ending: null, stopped: false, input: "", heard: null };
}

type SaidText = {
  part: string;
  kind: ItemDelta["kind"];
  type: "part" | "delta";
  text: string;
  /** The text known before. */
  before: string;
};

/**
 * The new part of a text, and its offset. For a text begun before a restart, it is unknown how much was published and
 * where a delta belongs. When the full text is reported again, only its length is published, so that a reader sees
 * how much it lacks.
 */
function deltas({ item, heard }: Entry, { part, kind, type, text, before }: SaidText): EventBody[] {
  const delta = (added: string, offset?: number): EventBody[] => [
    {
      type: "item.delta",
      data: { item: item.id, part, kind, text: added, ...(offset === undefined ? {} : { offset }) },
    },
  ];
  if (heard?.has(part) === false) {
    if (type === "delta") return delta(text);
    heard.add(part);
    return delta("", text.length);
  }
  const added = type === "delta" ? text : newIn(text, before);
  return added === "" ? [] : delta(added, before.length);
}

function partsSoFar({ item, input, heard }: Entry): Part[] {
  const isKnown = (part: Part) => heard?.has(growingText(part)?.part ?? "") ?? true;
  const parts = item.parts.filter(isKnown).map((part) => ({ ...part }));
  if (input === "" || heard !== null) return parts;
  return [...parts, { type: "tool_call", call: callOf(item.id), name: item.name ?? "", input }];
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

  /** False if it was already known. */
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
