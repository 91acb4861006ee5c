/** The messages of a lane's sessions in order: people's messages and the agent's steps. */
import type { Part, SessionStatus, SnapshotFileDiff, UserMessage } from "@opencode-ai/sdk/v2/types";
import { withoutMarker } from "../../../core/delivery/texts.ts";
import type { Part as ItemPart } from "../../../core/turn/item.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import { childSessionOf, sessionOf, timedId } from "../ids.ts";
import type { AskingPart } from "./assistant-step.ts";
import { AssistantStep, newAssistantMessage } from "./assistant-step.ts";
import type {
  ItemEvent,
  NativeEvent,
  SessionMessage,
  SessionSettings,
  StepError,
  UniversalEventOf,
} from "./session-view.ts";
import { byTime, idleEvents, messageUpdated, partUpdated, statusEvent } from "./session-view.ts";

/** The metadata key in the parts of later prompts that Waybill sends for a message: names that message. */
export const repeatedMessage = "waybillMessageID";

export class SessionMessages {
  readonly sessionID: string;
  readonly #settings: SessionSettings;
  readonly #messages = new Map<string, AssistantStep | SessionMessage>();
  /** By the id of the agent's message item in the lane's events. */
  readonly #steps = new Map<string, AssistantStep>();
  readonly #calls = new Map<string, AssistantStep>();
  /** A step whose message has not begun yet. */
  #announced: AssistantStep | null = null;
  #latest: AssistantStep | null = null;
  /** The message that the agent answers, and when it was written: answers sort after it, even if clocks differ. */
  #prompt: string | null = null;
  #promptAt = 0;
  /** For a child session: the call that it works for, and whether it still does. */
  call: string | null = null;
  #works = false;

  constructor(sessionID: string, settings: SessionSettings) {
    this.sessionID = sessionID;
    this.#settings = settings;
  }

  get messages(): SessionMessage[] {
    return [...this.#messages.values()].map((one) => (one instanceof AssistantStep ? one.message : one)).sort(byTime);
  }

  get diffs(): SnapshotFileDiff[] {
    return [...this.#steps.values()].flatMap(({ diffs }) => diffs);
  }

  get status(): SessionStatus {
    return { type: this.#works ? "busy" : "idle" };
  }

  /** Later steps answer this message. */
  setPrompt(messageID: string): void {
    this.#prompt = messageID;
    this.#promptAt = this.#createdAt(messageID) || this.#promptAt;
  }

  #createdAt(messageID: string): number {
    const message = this.#messages.get(messageID);
    return message && !(message instanceof AssistantStep) ? message.info.time.created : 0;
  }

  /**
   * `repeats`: the message that Waybill's own prompt is for. Clients do not show such a prompt as typed by a person.
   */
  addUserMessage(id: string, created: number, given: readonly ItemPart[], repeats?: string): NativeEvent[] {
    if (this.#messages.has(id)) return [];
    const isOwn = repeats !== undefined;
    const { sessionID } = this;
    const { agent, providerID, modelID } = this.#settings;
    const info: UserMessage = { id, sessionID, role: "user", time: { created }, agent, model: { providerID, modelID } };
    const parts = given.flatMap((part, index): Part[] => {
      if (part.type !== "text") return [];
      const partID = timedId("prt", created, 1 + index, `${id}/${index}`);
      const shown = { id: partID, sessionID, messageID: id, type: "text" as const };
      if (!isOwn) return [{ ...shown, text: part.text }];
      return [{ ...shown, text: withoutMarker(part.text), synthetic: true, metadata: { [repeatedMessage]: repeats } }];
    });
    this.#messages.set(id, { info, parts });
    this.#prompt ??= id;
    if (this.#prompt === id) this.#promptAt = created;
    return [messageUpdated(info), ...parts.map((part) => partUpdated(part, created))];
  }

  /** As in OpenCode, before the model has answered anything. */
  announce(at: number, order: number, seed: string): NativeEvent[] {
    this.#announced = this.#newStep(at, order, seed);
    return this.#announced.announce();
  }

  /** The step that was announced and never began. */
  takeAnnounced(): AssistantStep | null {
    const announced = this.#announced;
    this.#announced = null;
    return announced;
  }

  /** The answer to a message that got no turn: only an error. */
  addFailed(messageID: string, { time, seq }: Moment, error: StepError): NativeEvent[] {
    const created = Math.max(time, this.#createdAt(messageID) + 1);
    const id = timedId("msg", created, orderOf(seq), `${this.#settings.lane}/failed ${messageID}`);
    return this.#add({ id, parentID: messageID, created }).complete(null, created, error);
  }

  begin(item: string, { time, seq }: Moment): NativeEvent[] {
    if (this.#steps.has(item)) return [];
    const announced = this.takeAnnounced();
    const step = announced ?? this.nextStep(time, orderOf(seq), item);
    this.#steps.set(item, step);
    return [...(announced ? [] : step.announce()), ...step.begin(time)];
  }

  step(item: string | null): AssistantStep | undefined {
    return item === null ? undefined : this.#steps.get(item);
  }

  stepOfCall(call: string): AssistantStep | undefined {
    return this.#calls.get(call);
  }

  /** The part of a call that waits for an answer. */
  askingPart(call: string | null): AskingPart {
    return call === null ? null : (this.#calls.get(call)?.askingPart(call) ?? null);
  }

  startCall(event: ItemEvent): NativeEvent[] {
    const { id, parent, name } = event.data.item;
    if (parent === null) return [];
    const call = id.slice("call:".length);
    const begun = this.begin(parent, event);
    const step = this.step(parent);
    if (step) this.#calls.set(call, step);
    return [...begun, ...(step?.startCall(call, name ?? "", event.time) ?? [])];
  }

  runCall({ data: { item }, time }: ItemEvent): NativeEvent[] {
    const [part] = item.parts;
    if (part?.type !== "tool_call") return [];
    return this.#calls.get(part.call)?.runCall(part.call, part.name, part.input, time) ?? [];
  }

  addFileChanges({ data: { item }, time }: ItemEvent): NativeEvent[] {
    const files = item.parts.filter((part) => part.type === "file");
    const shown = this.step(item.parent)?.addFileChanges(files, time) ?? [];
    const { sessionID, diffs: diff } = this;
    return [...shown, { type: "session.diff", properties: { sessionID, diff } }];
  }

  addDelta({ data: { item, part, kind, text }, time }: UniversalEventOf<"item.delta">): NativeEvent[] {
    if (kind === "output") return this.#calls.get(part)?.appendOutput(part, text, time) ?? [];
    return kind === "input" ? [] : (this.step(item)?.appendText(part, kind, text, time) ?? []);
  }

  startWork(call: string): NativeEvent[] {
    this.call = call;
    this.#works = true;
    return [statusEvent(this.sessionID, { type: "busy" })];
  }

  endWork(): NativeEvent[] {
    if (!this.#works) return [];
    this.#works = false;
    return idleEvents(this.sessionID);
  }

  /** Drops everything that can no longer change. Open messages still can. */
  forget(open: ReadonlySet<string>): void {
    this.#steps.clear();
    this.#calls.clear();
    for (const id of [...this.#messages.keys()]) if (id !== this.#prompt && !open.has(id)) this.#messages.delete(id);
  }

  /** As in OpenCode, a step begins when the previous one is over; people's later messages are shown below it. */
  nextStep(at: number, order: number, seed: string): AssistantStep {
    return this.#newStep(this.#latest?.completedAt ?? at, order, seed);
  }

  #newStep(at: number, order: number, seed: string): AssistantStep {
    const created = Math.max(at, this.#promptAt + 1);
    const id = timedId("msg", created, order, `${this.#settings.lane}/${seed}`);
    // A step without a prompt, such as after a background job, is its own parent.
    this.#latest = this.#add({ id, parentID: this.#prompt ?? id, created });
    return this.#latest;
  }

  #add(ids: { id: string; parentID: string; created: number }): AssistantStep {
    const { sessionID } = this;
    const step = new AssistantStep(newAssistantMessage(this.#settings, { sessionID, ...ids }));
    this.#messages.set(ids.id, step);
    return step;
  }
}

type Moment = { time: number; seq: number };

/** Orders messages of the same moment; people's messages come before the agent's. */
export function orderOf(seq: number): number {
  return 1 + (seq % 4000);
}

/** The lane's own session, and the child sessions that its subagents work in. */
export class LaneSessions {
  readonly main: SessionMessages;
  readonly #settings: SessionSettings;
  /** By the program's own session id. */
  readonly #children = new Map<string, SessionMessages>();

  constructor(settings: SessionSettings) {
    this.#settings = settings;
    this.main = new SessionMessages(sessionOf(settings.lane), settings);
  }

  get children(): readonly SessionMessages[] {
    return [...this.#children.values()];
  }

  /** The session that an event belongs to. A child is created by its first event. */
  of({ nativeSession }: UniversalEvent): SessionMessages {
    if (nativeSession === undefined) return this.main;
    const known = this.#children.get(nativeSession);
    if (known) return known;
    const child = new SessionMessages(childSessionOf(this.#settings.lane, nativeSession), this.#settings);
    this.#children.set(nativeSession, child);
    return child;
  }

  /** A subagent's first item names the call that it works for. */
  link({ data: { item }, time }: ItemEvent, session: SessionMessages): NativeEvent[] {
    if (session === this.main || session.call !== null || !item.parent?.startsWith("call:")) return [];
    const call = item.parent.slice("call:".length);
    const linked = this.main.stepOfCall(call)?.addMetadata(call, { sessionId: session.sessionID }, time) ?? [];
    return [...session.startWork(call), ...linked];
  }

  /** A child becomes idle when the call that it works for ends; all of them when the turn ends. */
  endWork(call?: string): NativeEvent[] {
    return this.children.flatMap((child) => (call === undefined || child.call === call ? child.endWork() : []));
  }

  forget(open: ReadonlySet<string>): void {
    this.main.forget(open);
    this.#children.clear();
  }
}
