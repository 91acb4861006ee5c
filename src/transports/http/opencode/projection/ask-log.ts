/** What was last said of each ask: that it is open, or how it was answered. */
import type { Emitted } from "./emitted.ts";

export class AskLog {
  readonly #asks = new Map<string, { told: Emitted; isOpen: boolean }>();

  opened(ask: string, told: Emitted): Emitted {
    this.#asks.set(ask, { told, isOpen: true });
    return told;
  }

  closed(ask: string, told: Emitted): Emitted {
    this.#asks.set(ask, { told, isOpen: false });
    return told;
  }

  of(sessionID: string): Emitted[] {
    return [...this.#asks.values()].flatMap(({ told }) => (told.properties.sessionID === sessionID ? [told] : []));
  }

  forgetClosed(): void {
    for (const [ask, { isOpen }] of this.#asks) if (!isOpen) this.#asks.delete(ask);
  }
}
