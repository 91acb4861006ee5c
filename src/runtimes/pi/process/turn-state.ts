/**
 * Derives from pi's events whether it is working. `agent_end` does not end a turn: pi may retry after an error, or
 * compact and continue, and reports that only afterwards. So the client then requests pi's state, and the events before
 * the response count. The client and the translator see the same lines and reach the same result. No I/O.
 */
import type { Json } from "../../json-fields.ts";
import { asObject, asText } from "../../json-fields.ts";

/** `check`: request pi's state with the id `checkId`. `idle`: the turn has ended. */
export type TurnChange = "check" | "idle" | null;

export class TurnState {
  #phase: "idle" | "working" | "ended" = "idle";
  #isCompacting = false;
  #checks = 0;
  /** Whether pi is waiting before it calls its model again. */
  isRetrying = false;

  get isWorking(): boolean {
    return this.#phase !== "idle" || this.#isCompacting;
  }

  get checkId(): string {
    return `rest:${this.#checks}`;
  }

  receive(line: Json): TurnChange {
    switch (line.type) {
      case "agent_start":
        this.#phase = "working";
        this.#isCompacting = false;
        this.isRetrying = false;
        return null;
      case "agent_end":
        this.#phase = "ended";
        return this.#check();
      case "auto_retry_start":
        this.isRetrying = true;
        return null;
      case "auto_retry_end":
        this.isRetrying = false;
        return this.#check();
      case "compaction_start":
        this.#isCompacting = true;
        return null;
      case "compaction_end":
        this.#isCompacting = line.willRetry === true;
        return this.#check();
      case "response":
        return line.id === this.checkId && asText(line.command) === "get_state" ? this.#stateReceived(line) : null;
      default:
        return null;
    }
  }

  #check(): TurnChange {
    this.#checks += 1;
    return "check";
  }

  #stateReceived(line: Json): TurnChange {
    if (this.#phase !== "ended" || this.isRetrying || this.#isCompacting) return null;
    // pi has reported the end and is about to stop.
    if (asObject(line.data)?.isStreaming === true) return this.#check();
    this.#phase = "idle";
    return "idle";
  }
}
