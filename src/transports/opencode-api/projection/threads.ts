/** The lane's own session, and those below it that its subagents work in. */
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import { childSessionOf, sessionOf } from "../ids.ts";
import type { Emitted, Place } from "./emitted.ts";
import type { ItemEvent } from "./event-of.ts";
import { Thread } from "./thread.ts";

export class Threads {
  readonly main: Thread;
  readonly #place: Place;
  /** By the program's own id of the session. */
  readonly #below = new Map<string, Thread>();

  constructor(place: Place) {
    this.#place = place;
    this.main = new Thread(sessionOf(place.lane), place);
  }

  get below(): readonly Thread[] {
    return [...this.#below.values()];
  }

  /** The one that an event belongs to, from its first event on. */
  of({ nativeSession }: UniversalEvent): Thread {
    if (nativeSession === undefined) return this.main;
    const known = this.#below.get(nativeSession);
    if (known) return known;
    const child = new Thread(childSessionOf(this.#place.lane, nativeSession), this.#place);
    this.#below.set(nativeSession, child);
    return child;
  }

  /** The first that a subagent does says which call it works for. */
  linked({ data: { item }, time }: ItemEvent, thread: Thread): Emitted[] {
    if (thread === this.main || thread.call !== null || !item.parent?.startsWith("call:")) return [];
    const call = item.parent.slice("call:".length);
    const linked = this.main.stepOfCall(call)?.adds(call, { sessionId: thread.sessionID }, time) ?? [];
    return [...thread.works(call), ...linked];
  }

  /** Those below rest with the call that they work for, and all of them with the turn. */
  rest(call?: string): Emitted[] {
    return this.below.flatMap((child) => (call === undefined || child.call === call ? child.rest() : []));
  }

  forget(waiting: ReadonlySet<string>): void {
    this.main.forget(waiting);
    this.#below.clear();
  }
}
