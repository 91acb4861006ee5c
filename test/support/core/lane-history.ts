/** Quickly creates a lane's stored events: messages that are admitted, sent, worked on and answered. */
import { beginNotes, endNote } from "../../../src/core/turn/delivery-notes.ts";
import type { Item } from "../../../src/core/turn/item.ts";
import type { EventBody, UniversalEvent } from "../../../src/core/turn/universal-event.ts";
import { anEvent } from "./events.ts";
import { aMessage } from "./records.ts";

export class LaneHistory {
  readonly events: UniversalEvent[] = [];
  readonly lane: string;
  #turns = 0;
  #turn: number | null = null;
  /** Each event is a moment after the previous one. */
  time = 1_000_000;

  constructor(lane = "lane") {
    this.lane = lane;
  }

  tell(said: EventBody, where: Partial<UniversalEvent> = {}): void {
    this.time += 10;
    const seq = this.events.length + 1;
    this.events.push(anEvent({ seq, lane: this.lane, time: this.time, turn: this.#turn, ...where }, said));
  }

  admit(id: string, text = id, round = 1): void {
    const message = aMessage({ id, text, createdAt: this.time + 10, recipient: { kind: "lane", lane: this.lane } });
    for (const note of beginNotes(message, round)) this.tell(note, { source: "daemon" });
  }

  send(id: string): void {
    const value = { message: id, number: 1, kind: "prompt", prompt: `prompt-${id}` };
    const note = { ...anItem(`attempt:${id}:1`, "status"), name: "attempt", parent: `delivery:${id}` };
    this.tell({ type: "item.started", data: { item: note } }, { source: "daemon" });
    const whole: Item = { ...note, status: "completed", parts: [{ type: "json", id: note.id, value }] };
    this.tell({ type: "item.completed", data: { item: whole } }, { source: "daemon" });
  }

  begin(id: string): void {
    this.#turn = ++this.#turns;
    const prompt = `prompt-${id}`;
    this.tell({ type: "turn.started", data: { prompt } });
    this.item({ ...anItem(prompt, "message"), role: "user", parts: [{ type: "text", id: "text", text: id }] });
  }

  says(id: string, text: string, where: Partial<UniversalEvent> = {}): void {
    this.item({ ...anItem(id, "message"), role: "assistant", parts: [{ type: "text", id: `${id}-1`, text }] }, where);
  }

  item(item: Item, where: Partial<UniversalEvent> = {}): void {
    this.tell({ type: "item.started", data: { item: { ...item, parts: [] } } }, where);
    this.tell({ type: "item.completed", data: { item: { ...item, status: "completed" } } }, where);
  }

  /** The outcome may be known while the turn is still running. */
  end(id: string, { early = false } = {}): void {
    const note = endNote({ messageId: id, rounds: 1, status: "responded", lastReason: null });
    if (early) this.tell(note, { source: "daemon" });
    this.tell({ type: "turn.ended", data: { reason: "completed", error: null, queued: 0 } });
    this.#turn = null;
    if (!early) this.tell(note, { source: "daemon" });
  }

  /** Newest first, as the store returns them. */
  before(seq: number | null, limit: number): UniversalEvent[] {
    const end = seq === null ? this.events.length : seq - 1;
    return this.events.slice(Math.max(0, end - limit), end).reverse();
  }
}

export function anItem(id: string, kind: Item["kind"]): Item {
  return { id, kind, role: null, name: null, parent: null, status: "in_progress", parts: [] };
}
