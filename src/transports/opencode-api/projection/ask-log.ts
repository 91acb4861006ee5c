/** What agents ask: what was last said of each ask, that it is open or how it was answered, and which call waits for it. */
import { askReplied, permissionAsked, questionAsked } from "./ask-shapes.ts";
import type { Emitted } from "./emitted.ts";
import type { EventOf } from "./event-of.ts";
import type { Thread } from "./thread.ts";

type Asked = EventOf<"permission.requested" | "question.requested">;
type Resolved = EventOf<"permission.resolved" | "question.resolved">;

export class AskLog {
  readonly #asks = new Map<string, { told: Emitted; isOpen: boolean }>();
  /** The calls behind the questions that are open. */
  readonly #asking = new Map<string, { call: string; thread: Thread }>();

  asked(event: Asked, thread: Thread): Emitted[] {
    const { ask, call } = event.data;
    if (call !== null && event.type === "question.requested") this.#asking.set(ask, { call, thread });
    const { sessionID } = thread;
    const part = thread.asking(call);
    const told =
      event.type === "permission.requested"
        ? permissionAsked(event, sessionID, part)
        : questionAsked(event, sessionID, part);
    this.#asks.set(ask, { told, isOpen: true });
    return [told];
  }

  resolved(event: Resolved, { sessionID }: Thread): Emitted[] {
    const told = askReplied(event, sessionID);
    this.#asks.set(event.data.ask, { told, isOpen: false });
    return [told, ...this.#answered(event)];
  }

  of(sessionID: string): Emitted[] {
    return [...this.#asks.values()].flatMap(({ told }) => (told.properties.sessionID === sessionID ? [told] : []));
  }

  forgetClosed(): void {
    for (const [ask, { isOpen }] of this.#asks) if (!isOpen) this.#asks.delete(ask);
  }

  /** Clients show the answers with the call that asked. */
  #answered({ type, data, time }: Resolved): Emitted[] {
    const asking = this.#asking.get(data.ask);
    this.#asking.delete(data.ask);
    if (!asking || type !== "question.resolved" || data.answers === null) return [];
    const { call, thread } = asking;
    return thread.stepOfCall(call)?.adds(call, { answers: data.answers }, time) ?? [];
  }
}
