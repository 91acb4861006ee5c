/** The messages of one session in their order: those of people, and the agent's steps. */
import type { Part, SessionStatus, SnapshotFileDiff, UserMessage } from "@opencode-ai/sdk/v2/types";
import type { Part as ItemPart } from "../../../core/turn/item.ts";
import { timedId } from "../ids.ts";
import type { AskingPart } from "./ask-shapes.ts";
import { newAssistantMessage } from "./assistant-message.ts";
import type { Emitted, MessageRow, Place } from "./emitted.ts";
import { idleEvents, statusEvent } from "./session-status.ts";
import { Step } from "./step.ts";

type Entry = { step: Step } | { user: MessageRow };

export class Thread {
  readonly sessionID: string;
  readonly #place: Place;
  readonly #entries = new Map<string, Entry>();
  /** By the item that tells of it. */
  readonly #steps = new Map<string, Step>();
  readonly #calls = new Map<string, Step>();
  /** Announced, and not yet taken by a message of the agent. */
  #next: Step | null = null;
  #latest: Step | null = null;
  #user: string | null = null;
  /** When the newest message of a person was written: what answers it is later, whatever the clocks say. */
  #writtenAt = 0;
  /** Of a session below: the call that it works for, and whether it still does. */
  call: string | null = null;
  #works = false;

  constructor(sessionID: string, place: Place) {
    this.sessionID = sessionID;
    this.#place = place;
  }

  get rows(): MessageRow[] {
    return [...this.#entries.values()].map((entry) => ("step" in entry ? entry.step.row : entry.user)).sort(byTime);
  }

  get diffs(): SnapshotFileDiff[] {
    return [...this.#steps.values()].flatMap(({ diffs }) => diffs);
  }

  /** What follows answers this message. */
  answers(messageID: string): void {
    this.#user = messageID;
    const entry = this.#entries.get(messageID);
    if (entry && "user" in entry) this.#writtenAt = entry.user.info.time.created;
  }

  userMessage(id: string, created: number, parts: readonly ItemPart[]): Emitted[] {
    if (this.#entries.has(id)) return [];
    const { sessionID } = this;
    const { agent, providerID, modelID } = this.#place;
    const info: UserMessage = { id, sessionID, role: "user", time: { created }, agent, model: { providerID, modelID } };
    const texts = parts.flatMap((part, index): Part[] => {
      if (part.type !== "text") return [];
      return [
        {
          id: timedId("prt", created, 1 + index, `${id}/${index}`),
          sessionID,
          messageID: id,
          type: "text",
          text: part.text,
        },
      ];
    });
    this.#entries.set(id, { user: { info, parts: texts } });
    this.#user ??= id;
    if (this.#user === id) this.#writtenAt = created;
    return [
      { type: "message.updated", properties: { sessionID, info } },
      ...texts.map((part) => ({ type: "message.part.updated", properties: { sessionID, part, time: created } })),
    ];
  }

  /** As OpenCode does, before the model has said anything. */
  announce(at: number, order: number, seed: string): Emitted[] {
    this.#next = this.#newStep(at, order, seed);
    return this.#next.announce();
  }

  begin(item: string, at: number, order: number): Emitted[] {
    if (this.#steps.has(item)) return [];
    const announced = this.#next;
    const step = announced ?? this.nextStep(at, order, item);
    this.#next = null;
    this.#steps.set(item, step);
    return [...(announced ? [] : step.announce()), ...step.begin(at)];
  }

  step(item: string | null): Step | null {
    return (item !== null && this.#steps.get(item)) || null;
  }

  stepOfCall(call: string | null): Step | null {
    return (call !== null && this.#calls.get(call)) || null;
  }

  /** The part of a call that waits for an answer. */
  asking(call: string | null): AskingPart {
    const step = this.stepOfCall(call);
    const called = call === null ? null : (step?.called(call) ?? null);
    return step && call !== null && called ? { messageID: step.id, callID: call, ...called } : null;
  }

  called(call: string, step: Step): void {
    this.#calls.set(call, step);
  }

  /** The one that was announced and never came to anything. */
  takeAnnounced(): Step | null {
    const announced = this.#next;
    this.#next = null;
    return announced;
  }

  works(call: string): Emitted[] {
    this.call = call;
    this.#works = true;
    return [statusEvent(this.sessionID, { type: "busy" })];
  }

  rest(): Emitted[] {
    if (!this.#works) return [];
    this.#works = false;
    return idleEvents(this.sessionID);
  }

  get status(): SessionStatus {
    return { type: this.#works ? "busy" : "idle" };
  }

  /** For those who follow: what is over and done with is not needed any more. Messages that wait are. */
  forget(waiting: ReadonlySet<string>): void {
    this.#steps.clear();
    this.#calls.clear();
    for (const id of [...this.#entries.keys()]) {
      if (id !== this.#user && !waiting.has(id)) this.#entries.delete(id);
    }
  }

  /**
   * One within a turn begins when the one before is over, as OpenCode's do: the model is asked then, and what people write
   * from then on stands below it.
   */
  nextStep(at: number, order: number, seed: string): Step {
    return this.#newStep(this.#latest?.overAt ?? at, order, seed);
  }

  #newStep(at: number, order: number, seed: string): Step {
    const created = Math.max(at, this.#writtenAt + 1);
    const id = timedId("msg", created, order, `${this.#place.lane}/${seed}`);
    const { sessionID } = this;
    // One that answers nobody, as after a job in the background, stands by itself.
    const parentID = this.#user ?? id;
    const step = new Step(newAssistantMessage(this.#place, { id, sessionID, parentID, created }));
    this.#entries.set(id, { step });
    this.#latest = step;
    return step;
  }
}

function byTime({ info: one }: MessageRow, { info: other }: MessageRow): number {
  return one.time.created - other.time.created || (one.id < other.id ? -1 : 1);
}
