/** Brings the hints of the runtimes to the lanes that they are about. One that is lost costs time and nothing else. */

import type { Lane } from "../core/lane/lane.ts";
import type { Runtime } from "../runtimes/port.ts";

export class Hints {
  readonly #wake: (laneId: string) => void;
  readonly #laneOfSession = new Map<string, string>();
  readonly #unsubscribe: (() => void)[] = [];

  constructor(wake: (laneId: string) => void) {
    this.#wake = wake;
  }

  listen(runtimes: Iterable<Runtime>): void {
    for (const runtime of runtimes) {
      this.#unsubscribe.push(
        runtime.onHint((hint) => {
          const laneId = this.#laneOfSession.get(hint.sessionId);
          if (laneId !== undefined) this.#wake(laneId);
        }),
      );
    }
  }

  /** From now on what happens in the lane's session is heard. */
  follow(lane: Lane): void {
    if (lane.sessionId !== null) this.#laneOfSession.set(lane.sessionId, lane.id);
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }
}
