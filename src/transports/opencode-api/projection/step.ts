/**
 * One message of the agent and its parts, as OpenCode shows a step of a turn: it begins, says and thinks, calls tools,
 * and finishes. Each change gives the events that OpenCode would send. What was sent is never changed afterwards: every
 * change makes a new object.
 */
import { createHash } from "node:crypto";
import type {
  AssistantMessage,
  Part,
  ReasoningPart,
  SnapshotFileDiff,
  StepFinishPart,
  TextPart,
  ToolPart,
  ToolState,
} from "@opencode-ai/sdk/v2/types";
import type { FilePart, Item } from "../../../core/turn/item.ts";
import type { Tokens } from "../../../core/turn/universal-event.ts";
import { timedId } from "../ids.ts";
import type { Emitted, MessageRow } from "./emitted.ts";
import { fileDiff } from "./file-diffs.ts";
import { toolInput, toolMetadata, toolName, toolTitle } from "./tool-shape.ts";

export type Words = { part: string; kind: "text" | "reasoning" };
export type StepError = NonNullable<AssistantMessage["error"]>;
type ToolResult = { output: string; isError: boolean };
type WithoutIds<T> = T extends Part ? Omit<T, "id" | "sessionID" | "messageID"> : never;

/** Parts are shown in the order of their ids: what is said, then what is called, as programs do it. */
const orders = { start: 0, words: 1, tools: 1000, finish: 3000, patch: 4000 } as const;
/** Of what a running tool has put out, this much is sent with each change. */
const longestOutput = 4000;

export class Step {
  #info: AssistantMessage;
  readonly #parts = new Map<string, Part>();
  #words = 0;
  #tools = 0;
  readonly #diffs: SnapshotFileDiff[] = [];

  constructor(info: AssistantMessage) {
    this.#info = info;
  }

  get id(): string {
    return this.#info.id;
  }

  get overAt(): number | undefined {
    return this.#info.time.completed;
  }

  /** Whether anything has been said or done in it. */
  get hasBegun(): boolean {
    return this.#parts.size > 0;
  }

  get diffs(): readonly SnapshotFileDiff[] {
    return this.#diffs;
  }

  get row(): MessageRow {
    const parts = [...this.#parts.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
    return { info: this.#info, parts };
  }

  announce(): Emitted[] {
    return [{ type: "message.updated", properties: { sessionID: this.#info.sessionID, info: this.#info } }];
  }

  begin(at: number): Emitted[] {
    return this.#put("start", orders.start, { type: "step-start" }, at);
  }

  says({ part, kind }: Words, text: string, at: number): Emitted[] {
    const known = this.#wordsIn(part);
    const begun = known ? [] : this.#putWords(part, { type: kind, text: "", time: { start: at } }, at);
    const now = this.#wordsIn(part);
    if (!now) return begun;
    this.#parts.set(part, { ...now, text: now.text + text });
    const { sessionID, id: messageID } = this.#info;
    const properties = { sessionID, messageID, partID: now.id, field: "text", delta: text };
    return [...begun, { type: "message.part.delta", properties }];
  }

  /** What was said before a tool is called is whole. */
  wordsAreOver(at: number): Emitted[] {
    return [...this.#parts].flatMap(([key, part]) =>
      (part.type === "text" || part.type === "reasoning") && part.time?.end === undefined
        ? this.#endWords(key, part.type, part.text, at)
        : [],
    );
  }

  calls(call: string, name: string, at: number): Emitted[] {
    if (this.#toolOf(call)) return [];
    const tool = toolName(this.#info.providerID, name);
    const order = orders.tools + this.#tools;
    this.#tools += 1;
    const state = { status: "pending", input: {}, raw: "" } as const;
    return [
      ...this.wordsAreOver(at),
      ...this.#put(`call:${call}`, order, { type: "tool", callID: call, tool, state }, at),
    ];
  }

  runs(call: string, name: string, input: unknown, at: number): Emitted[] {
    const given = toolInput(this.#info.providerID, name, input);
    return this.#putState(
      call,
      () => ({ status: "running", input: given, title: toolTitle(given), time: { start: at } }),
      at,
    );
  }

  /** What a tool has put out so far. */
  puts(call: string, text: string, at: number): Emitted[] {
    return this.#putState(
      call,
      (state) => {
        if (state.status !== "running") return null;
        const before = typeof state.metadata?.output === "string" ? state.metadata.output : "";
        return { ...state, metadata: { ...state.metadata, output: (before + text).slice(-longestOutput) } };
      },
      at,
    );
  }

  hasRun(call: string, { output, isError }: ToolResult, at: number): Emitted[] {
    return this.#putState(
      call,
      (state) => {
        const start = "time" in state ? state.time.start : at;
        const { input } = state;
        const time = { start, end: at };
        if (isError) return { status: "error", input, error: output, time };
        const known = "metadata" in state ? state.metadata : {};
        const metadata = { ...toolMetadata(input), ...known, output };
        return { status: "completed", input, output, title: toolTitle(input), metadata, time };
      },
      at,
    );
  }

  /** What clients show with a call beside its input and output. */
  adds(call: string, metadata: Record<string, unknown>, at: number): Emitted[] {
    return this.#putState(
      call,
      (state) => (state.status === "running" ? { ...state, metadata: { ...state.metadata, ...metadata } } : null),
      at,
    );
  }

  changes(files: readonly FilePart[], at: number): Emitted[] {
    this.#diffs.push(...files.map(fileDiff));
    const shown = files.flatMap((file) => this.#showDiff(file, at));
    const edited = files.map(({ path: file }): Emitted => ({ type: "file.edited", properties: { file } }));
    return [...edited, ...shown];
  }

  used(tokens: Tokens, cost: number | null, model: string | null): void {
    const { input, output, reasoning, cacheRead: read, cacheWrite: write } = tokens;
    this.#info = {
      ...this.#info,
      tokens: { input, output, reasoning, cache: { read, write } },
      cost: cost ?? this.#info.cost,
      modelID: model === null ? this.#info.modelID : modelName(model),
    };
  }

  complete(item: Pick<Item, "parts"> | null, at: number, error: StepError | null): Emitted[] {
    const words = (item?.parts ?? []).flatMap((part) => {
      if (part.type !== "text" && part.type !== "reasoning") return [];
      const known = this.#wordsIn(part.id);
      const isSaid = known?.time?.end !== undefined && known.text === part.text;
      return isSaid ? [] : this.#endWords(part.id, part.type, part.text, at);
    });
    const reason = this.#tools > 0 ? "tool-calls" : "stop";
    const { tokens, cost } = this.#info;
    const finish: WithoutIds<StepFinishPart> = { type: "step-finish", reason, cost, tokens };
    const finished = error === null && this.hasBegun ? this.#put("finish", orders.finish, finish, at) : [];
    const patched = this.#patch(at);
    const time = { ...this.#info.time, completed: at };
    this.#info = { ...this.#info, time, ...(error === null ? { finish: reason } : { error }) };
    return [...words, ...finished, ...patched, ...this.announce()];
  }

  /** OpenCode's hash is that of a snapshot to go back to; here there is none, and it is that of the changes. */
  #patch(at: number): Emitted[] {
    if (this.#diffs.length === 0) return [];
    const hash = createHash("sha256").update(JSON.stringify(this.#diffs)).digest("hex").slice(0, 40);
    const files = this.#diffs.map(({ file = "" }) => file);
    return [...this.announce(), ...this.#put("patch", orders.patch, { type: "patch", hash, files }, at)];
  }

  called(call: string): { tool: string; input: Record<string, unknown> } | null {
    const part = this.#toolOf(call);
    return part && { tool: part.tool, input: part.state.input };
  }

  #toolOf(call: string): ToolPart | null {
    const part = this.#parts.get(`call:${call}`);
    return part?.type === "tool" ? part : null;
  }

  #wordsIn(part: string): TextPart | ReasoningPart | null {
    const known = this.#parts.get(part);
    return known?.type === "text" || known?.type === "reasoning" ? known : null;
  }

  #putWords(part: string, words: WithoutIds<TextPart | ReasoningPart>, at: number): Emitted[] {
    const known = this.#wordsIn(part);
    if (known) return this.#send(part, { ...known, ...words }, at);
    const order = orders.words + this.#words;
    this.#words += 1;
    return this.#put(part, order, words, at);
  }

  #endWords(part: string, type: Words["kind"], text: string, at: number): Emitted[] {
    const start = this.#wordsIn(part)?.time?.start ?? at;
    return this.#putWords(part, { type, text, time: { start, end: at } }, at);
  }

  #putState(call: string, next: (state: ToolState) => ToolState | null, at: number): Emitted[] {
    const part = this.#toolOf(call);
    const state = part && next(part.state);
    return part && state ? this.#send(`call:${call}`, { ...part, state }, at) : [];
  }

  /** With the call that made it, which is where clients show it. */
  #showDiff({ path, diff }: FilePart, at: number): Emitted[] {
    if (diff === null) return [];
    for (const part of this.#parts.values()) {
      if (part.type !== "tool" || part.state.status !== "completed") continue;
      const { filePath } = part.state.input;
      if (typeof filePath !== "string" || !(filePath.endsWith(path) || path.endsWith(filePath))) continue;
      if (part.state.metadata.diff !== undefined) continue;
      const state = { ...part.state, metadata: { ...part.state.metadata, diff } };
      return this.#send(`call:${part.callID}`, { ...part, state }, at);
    }
    return [];
  }

  #put(key: string, order: number, part: WithoutIds<Part>, at: number): Emitted[] {
    const { sessionID, id: messageID, time } = this.#info;
    const id = timedId("prt", time.created, order, `${messageID}/${key}`);
    return this.#send(key, { id, sessionID, messageID, ...part } as Part, at);
  }

  #send(key: string, part: Part, at: number): Emitted[] {
    this.#parts.set(key, part);
    return [{ type: "message.part.updated", properties: { sessionID: this.#info.sessionID, part, time: at } }];
  }
}

/** Some programs name the provider with it. */
function modelName(model: string): string {
  return model.slice(model.indexOf("/") + 1);
}
