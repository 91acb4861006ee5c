/** A lane as OpenCode's clients see it, fed by hand with the runtime's signals and the ledger's notes. */

import type { Message } from "../../../src/core/message/message.ts";
import { beginNotes, endNote } from "../../../src/core/turn/delivery-notes.ts";
import type { SignalBody } from "../../../src/core/turn/signal.ts";
import { TurnTracker } from "../../../src/core/turn/turn-tracker.ts";
import type { Draft, EventBody, UniversalEvent } from "../../../src/core/turn/universal-event.ts";
import { SessionProjection } from "../../../src/transports/opencode-api/projection/session-projection.ts";
import type { NativeEvent, SessionSettings } from "../../../src/transports/opencode-api/projection/session-view.ts";

export const settings: SessionSettings = {
  lane: "chat",
  directory: "/project",
  providerID: "claude",
  modelID: "default",
  agent: "default",
};

export class ProjectedLane {
  readonly projection: SessionProjection;
  /** Everything in the lane's log, including deltas. */
  readonly log: UniversalEvent[] = [];
  readonly published: NativeEvent[] = [];
  readonly #tracker = new TurnTracker();
  readonly #admitted = new Map<string, { message: Message; rounds: number }>();
  #seq = 0;

  constructor(projection = new SessionProjection(settings)) {
    this.projection = projection;
  }

  /** The events for each. */
  says(...all: (SignalBody & { nativeSession?: string })[]): NativeEvent[] {
    const drafts = all.flatMap((said) => this.#tracker.take({ at: 1000 + this.#seq, session: "s1", ...said }));
    return this.#take(drafts);
  }

  admits(id: string, text = "go"): NativeEvent[] {
    const message = { id, from: "user", text, source: "ui", createdAt: 1000 + this.#seq } as Message;
    this.#admitted.set(id, { message, rounds: 1 });
    return this.#note(beginNotes(message, 1));
  }

  /** A retry by a person after it failed. */
  isRetried(id: string): NativeEvent[] {
    const admitted = this.#admitted.get(id);
    if (!admitted) throw new Error(`${id} was not admitted`);
    admitted.rounds += 1;
    return this.#note(beginNotes(admitted.message, admitted.rounds));
  }

  /** Sends a prompt for it. */
  sends(message: string, prompt: string | null, number = 1): NativeEvent[] {
    const id = `attempt:${message}:${number}`;
    const value = { message, number, kind: number === 1 ? "prompt" : "retry", prompt };
    const item = { id, kind: "status", role: null, name: "attempt", parent: null, status: "completed" } as const;
    return this.#note([{ type: "item.completed", data: { item: { ...item, parts: [{ type: "json", id, value }] } } }]);
  }

  /** After this attempt it will be asked again. */
  schedules(message: string, attempt: number, next: number, reason: string): NativeEvent[] {
    const id = `retry:${message}:${attempt}`;
    const value = { message, attempt, reason, next };
    const item = {
      id,
      kind: "status",
      role: null,
      name: "retry_scheduled",
      parent: null,
      status: "completed",
    } as const;
    return this.#note([{ type: "item.completed", data: { item: { ...item, parts: [{ type: "json", id, value }] } } }]);
  }

  ends(messageId: string, status: "responded" | "failed_terminal" | "cancelled", lastReason: string | null = null) {
    const rounds = this.#admitted.get(messageId)?.rounds ?? 1;
    return this.#note([endNote({ messageId, rounds, status, lastReason })]);
  }

  #note(bodies: readonly EventBody[]): NativeEvent[] {
    const envelope = { time: 1000 + this.#seq, session: "s1", turn: this.#tracker.turn, source: "daemon" } as const;
    return this.#take(bodies.map((body) => ({ ...envelope, synthetic: false, ...body })));
  }

  #take(drafts: readonly Draft[]): NativeEvent[] {
    const published = drafts.flatMap((draft) => {
      if (draft.type !== "item.delta") this.#seq += 1;
      const event: UniversalEvent = { id: `evt_${this.#seq}`, seq: this.#seq, lane: settings.lane, ...draft };
      this.log.push(event);
      return this.projection.take(event);
    });
    this.published.push(...published);
    return published;
  }
}
