/** An agent's permissions and questions: the last event of each, and the call that waits for it. */
import { askReplied, permissionAsked, questionAsked } from "./ask-shapes.ts";
import type { NativeEvent, UniversalEventOf } from "./native-event.ts";
import type { SessionMessages } from "./session-messages.ts";

type Requested = UniversalEventOf<"permission.requested" | "question.requested">;
type Resolved = UniversalEventOf<"permission.resolved" | "question.resolved">;

export class AskLog {
  readonly #asks = new Map<string, { last: NativeEvent; isOpen: boolean }>();
  /** The calls behind open questions. */
  readonly #callers = new Map<string, { call: string; session: SessionMessages }>();

  add(event: Requested, session: SessionMessages): NativeEvent[] {
    const { ask, call } = event.data;
    if (call !== null && event.type === "question.requested") this.#callers.set(ask, { call, session });
    const { sessionID } = session;
    const part = session.askingPart(call);
    const last =
      event.type === "permission.requested"
        ? permissionAsked(event, sessionID, part)
        : questionAsked(event, sessionID, part);
    this.#asks.set(ask, { last, isOpen: true });
    return [last];
  }

  resolve(event: Resolved, { sessionID }: SessionMessages): NativeEvent[] {
    const last = askReplied(event, sessionID);
    this.#asks.set(event.data.ask, { last, isOpen: false });
    return [last, ...this.#showAnswers(event)];
  }

  of(sessionID: string): NativeEvent[] {
    return [...this.#asks.values()].flatMap(({ last }) => (last.properties.sessionID === sessionID ? [last] : []));
  }

  forgetClosed(): void {
    for (const [ask, { isOpen }] of this.#asks) if (!isOpen) this.#asks.delete(ask);
  }

  /** Clients show the answers with the call that asked. */
  #showAnswers({ type, data, time }: Resolved): NativeEvent[] {
    const caller = this.#callers.get(data.ask);
    this.#callers.delete(data.ask);
    if (!caller || type !== "question.resolved" || data.answers === null) return [];
    return caller.session.stepOfCall(caller.call)?.addMetadata(caller.call, { answers: data.answers }, time) ?? [];
  }
}
