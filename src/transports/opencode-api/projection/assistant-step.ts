/**
 * One message of the agent and its parts, as OpenCode shows a step of a turn. Each change returns the events that
 * OpenCode would send. Published objects are never changed: every change makes a new one.
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
import type { Tokens, UniversalEvent } from "../../../core/turn/universal-event.ts";
import { timedId } from "../ids.ts";
import type { NativeEvent, SessionMessage, SessionSettings, StepError } from "./session-view.ts";
import { messageUpdated, partUpdated } from "./session-view.ts";
import { fileDiff, toolInput, toolMetadata, toolName, toolTitle, writes } from "./tool-shapes.ts";

/** The part that waits for the answer to an ask. */
export type AskingPart = {
  messageID: string;
  callID: string;
  tool: string;
  input: Readonly<Record<string, unknown>>;
} | null;

type TextKind = "text" | "reasoning";
type WithoutIds<T> = T extends Part ? Omit<T, "id" | "sessionID" | "messageID"> : never;
type NewMessage = Pick<AssistantMessage, "id" | "sessionID" | "parentID"> & { created: number };

/** Clients show parts in the order of their ids: texts, then calls, as in the agent programs. */
const orders = { start: 0, texts: 1, tools: 1000, finish: 3000, patch: 4000 } as const;
/** How much of a running tool's output is sent with each change. */
const maxOutput = 4000;

export function newAssistantMessage(settings: SessionSettings, message: NewMessage): AssistantMessage {
  const { directory, providerID, modelID, agent } = settings;
  const { created, ...ids } = message;
  return {
    ...ids,
    role: "assistant",
    time: { created },
    modelID,
    providerID,
    mode: agent,
    agent,
    path: { cwd: directory, root: directory },
    cost: 0,
    tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
  };
}

export class AssistantStep {
  #info: AssistantMessage;
  readonly #parts = new Map<string, Part>();
  #texts = 0;
  #tools = 0;
  readonly #diffs: SnapshotFileDiff[] = [];

  constructor(info: AssistantMessage) {
    this.#info = info;
  }

  get completedAt(): number | undefined {
    return this.#info.time.completed;
  }

  get diffs(): readonly SnapshotFileDiff[] {
    return this.#diffs;
  }

  get message(): SessionMessage {
    const parts = [...this.#parts.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
    return { info: this.#info, parts };
  }

  announce(): NativeEvent[] {
    return [messageUpdated(this.#info)];
  }

  begin(at: number): NativeEvent[] {
    return this.#put("start", orders.start, { type: "step-start" }, at);
  }

  appendText(part: string, kind: TextKind, text: string, at: number): NativeEvent[] {
    const begun = this.#textOf(part) ? [] : this.#putText(part, { type: kind, text: "", time: { start: at } }, at);
    const now = this.#textOf(part);
    if (!now) return begun;
    this.#parts.set(part, { ...now, text: now.text + text });
    const { sessionID, id: messageID } = this.#info;
    const properties = { sessionID, messageID, partID: now.id, field: "text", delta: text };
    return [...begun, { type: "message.part.delta", properties }];
  }

  /** Texts before a call are complete. */
  startCall(call: string, name: string, at: number): NativeEvent[] {
    if (this.#toolOf(call)) return [];
    const texts = [...this.#parts].flatMap(([key, part]) =>
      (part.type === "text" || part.type === "reasoning") && part.time?.end === undefined
        ? this.#endText(key, part.type, part.text, at)
        : [],
    );
    const tool = toolName(this.#info.providerID, name);
    const order = orders.tools + this.#tools;
    this.#tools += 1;
    const state = { status: "pending", input: {}, raw: "" } as const;
    return [...texts, ...this.#put(`call:${call}`, order, { type: "tool", callID: call, tool, state }, at)];
  }

  runCall(call: string, name: string, given: unknown, at: number): NativeEvent[] {
    const input = toolInput(this.#info.providerID, name, given);
    return this.#putState(call, at, () => ({
      status: "running",
      input,
      title: toolTitle(input),
      time: { start: at },
    }));
  }

  appendOutput(call: string, text: string, at: number): NativeEvent[] {
    return this.#putState(call, at, (state) => {
      if (state.status !== "running") return null;
      const before = typeof state.metadata?.output === "string" ? state.metadata.output : "";
      return { ...state, metadata: { ...state.metadata, output: (before + text).slice(-maxOutput) } };
    });
  }

  completeCall(call: string, result: { output: string; isError: boolean }, at: number): NativeEvent[] {
    const { output, isError } = result;
    return this.#putState(call, at, (state) => {
      const { input } = state;
      const time = { start: "time" in state ? state.time.start : at, end: at };
      if (isError) return { status: "error", input, error: output, time };
      const known = "metadata" in state ? state.metadata : {};
      const metadata = { ...toolMetadata(input), ...known, output };
      return { status: "completed", input, output, title: toolTitle(input), metadata, time };
    });
  }

  addMetadata(call: string, metadata: Record<string, unknown>, at: number): NativeEvent[] {
    return this.#putState(call, at, (state) =>
      state.status === "running" ? { ...state, metadata: { ...state.metadata, ...metadata } } : null,
    );
  }

  addFileChanges(files: readonly FilePart[], at: number): NativeEvent[] {
    this.#diffs.push(...files.map(fileDiff));
    const shown = files.flatMap((file) => this.#showDiff(file, at));
    const edited = files.map(({ path: file }): NativeEvent => ({ type: "file.edited", properties: { file } }));
    return [...edited, ...shown];
  }

  setUsage(tokens: Tokens, cost: number | null, model: string | null): void {
    const { input, output, reasoning, cacheRead: read, cacheWrite: write } = tokens;
    this.#info = {
      ...this.#info,
      tokens: { input, output, reasoning, cache: { read, write } },
      cost: cost ?? this.#info.cost,
      // Some programs put the provider before the model.
      modelID: model === null ? this.#info.modelID : model.slice(model.indexOf("/") + 1),
    };
  }

  complete(item: Pick<Item, "parts"> | null, at: number, error: StepError | null): NativeEvent[] {
    const texts = (item?.parts ?? []).flatMap((part) => {
      if (part.type !== "text" && part.type !== "reasoning") return [];
      const known = this.#textOf(part.id);
      const isPublished = known?.time?.end !== undefined && known.text === part.text;
      return isPublished ? [] : this.#endText(part.id, part.type, part.text, at);
    });
    const reason = this.#tools > 0 ? "tool-calls" : "stop";
    const { tokens, cost } = this.#info;
    const finish: WithoutIds<StepFinishPart> = { type: "step-finish", reason, cost, tokens };
    const isFinished = error === null && this.#parts.size > 0;
    const finished = isFinished ? this.#put("finish", orders.finish, finish, at) : [];
    const patched = this.#patch(at);
    const time = { ...this.#info.time, completed: at };
    this.#info = { ...this.#info, time, ...(error === null ? { finish: reason } : { error }) };
    return [...texts, ...finished, ...patched, ...this.announce()];
  }

  /** OpenCode's hash names a snapshot to revert to. Waybill has none, so it uses the hash of the changes. */
  #patch(at: number): NativeEvent[] {
    if (this.#diffs.length === 0) return [];
    const hash = createHash("sha256").update(JSON.stringify(this.#diffs)).digest("hex").slice(0, 40);
    const files = this.#diffs.map(({ file = "" }) => file);
    return [...this.announce(), ...this.#put("patch", orders.patch, { type: "patch", hash, files }, at)];
  }

  askingPart(call: string): AskingPart {
    const part = this.#toolOf(call);
    return part && { messageID: this.#info.id, callID: call, tool: part.tool, input: part.state.input };
  }

  #toolOf(call: string): ToolPart | null {
    const part = this.#parts.get(`call:${call}`);
    return part?.type === "tool" ? part : null;
  }

  #textOf(part: string): TextPart | ReasoningPart | null {
    const known = this.#parts.get(part);
    return known?.type === "text" || known?.type === "reasoning" ? known : null;
  }

  #putText(part: string, text: WithoutIds<TextPart | ReasoningPart>, at: number): NativeEvent[] {
    const known = this.#textOf(part);
    if (known) return this.#publish(part, { ...known, ...text }, at);
    const order = orders.texts + this.#texts;
    this.#texts += 1;
    return this.#put(part, order, text, at);
  }

  #endText(part: string, type: TextKind, text: string, at: number): NativeEvent[] {
    const start = this.#textOf(part)?.time?.start ?? at;
    return this.#putText(part, { type, text, time: { start, end: at } }, at);
  }

  #putState(call: string, at: number, next: (state: ToolState) => ToolState | null): NativeEvent[] {
    const part = this.#toolOf(call);
    const state = part && next(part.state);
    return part && state ? this.#publish(`call:${call}`, { ...part, state }, at) : [];
  }

  /** Clients show a diff with the call that made it. */
  #showDiff({ path, diff }: FilePart, at: number): NativeEvent[] {
    if (diff === null) return [];
    for (const part of this.#parts.values()) {
      if (part.type !== "tool" || part.state.status !== "completed") continue;
      const { filePath } = part.state.input;
      if (typeof filePath !== "string" || !(filePath.endsWith(path) || path.endsWith(filePath))) continue;
      if (part.state.metadata.diff !== undefined) continue;
      const state = { ...part.state, metadata: { ...part.state.metadata, diff } };
      return this.#publish(`call:${part.callID}`, { ...part, state }, at);
    }
    return [];
  }

  #put(key: string, order: number, part: WithoutIds<Part>, at: number): NativeEvent[] {
    const { sessionID, id: messageID, time } = this.#info;
    const id = timedId("prt", time.created, order, `${messageID}/${key}`);
    return this.#publish(key, { id, sessionID, messageID, ...part } as Part, at);
  }

  #publish(key: string, part: Part, at: number): NativeEvent[] {
    this.#parts.set(key, part);
    return [partUpdated(part, at)];
  }
}

/**
 * Whether an event is deferred until the next one before it is published. A failed message, and the missing results of
 * its calls: OpenCode publishes the reason first. The result of a call that writes a file: OpenCode publishes it
 * together with the change.
 */
export function isDeferred(event: UniversalEvent, providerID: string, hasDeferred: boolean): boolean {
  return isFailure(event) || isWrite(event, providerID, hasDeferred);
}

function isFailure(event: UniversalEvent): boolean {
  if (event.type !== "item.completed" || event.nativeSession !== undefined) return false;
  const { kind, role, status } = event.data.item;
  return status === "failed" && (role === "assistant" || (kind === "tool_result" && event.synthetic));
}

/** The result of a call that writes a file, or the start of its file change. */
function isWrite({ type, data }: UniversalEvent, providerID: string, hasDeferred: boolean): boolean {
  if (type === "item.started") return data.item.kind === "file_change" && hasDeferred;
  if (type !== "item.completed" || data.item.status !== "completed") return false;
  const [part] = data.item.parts;
  return part?.type === "tool_result" && writes(toolName(providerID, part.name));
}

/** Events between the last message of a stopped turn and its end: asks that expire with it, and its usage. */
export function passesDeferred({ type }: UniversalEvent): boolean {
  return type === "permission.resolved" || type === "question.resolved" || type === "usage";
}

/** Of several updates of one call, only the last. */
export function dedupeToolUpdates(events: readonly NativeEvent[]): NativeEvent[] {
  const last = new Map(events.map((event, index) => [toolPartId(event), index]));
  return events.filter((event, index) => toolPartId(event) === null || last.get(toolPartId(event)) === index);
}

function toolPartId({ type, properties }: NativeEvent): string | null {
  const { part } = properties as { part?: { type: string; id: string } };
  return type === "message.part.updated" && part?.type === "tool" ? part.id : null;
}
