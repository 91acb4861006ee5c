/** The lane's own session, and the child sessions that its subagents work in. */
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import { childSessionOf, sessionOf } from "../ids.ts";
import type { ItemEvent, NativeEvent, SessionSettings } from "./native-event.ts";
import { SessionMessages } from "./session-messages.ts";

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
