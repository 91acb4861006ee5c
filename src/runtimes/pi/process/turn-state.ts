/**
 * Whether pi works, by its events. `agent_end` is not the end of a turn: pi may try again after an error, or compact and
 * go on, and says so only after it. So it is asked for its state then, and what stood before the answer counts. Whoever
 * hears the same lines comes to the same result. No I/O.
 */
import type { Json } from "../../json-fields.ts";
import { asObject, asText } from "../../json-fields.ts";

/** `ask`: its state is to be asked for, under `askId`. `rests`: the turn has ended. */
export type Watched = "ask" | "rests" | null;

export class TurnWatch {
  #phase: "rest" | "works" | "ended" = "rest";
  #compacts = false;
  #asked = 0;
  /** pi waits before it asks its model once more. */
  retries = false;

  get isWorking(): boolean {
    return this.#phase !== "rest" || this.#compacts;
  }

  get askId(): string {
    return `rest:${this.#asked}`;
  }

  hear(line: Json): Watched {
    switch (line.type) {
      case "agent_start":
        this.#phase = "works";
        this.#compacts = false;
        this.retries = false;
        return null;
      case "agent_end":
        this.#phase = "ended";
        return this.#ask();
      case "auto_retry_start":
        this.retries = true;
        return null;
      case "auto_retry_end":
        this.retries = false;
        return this.#ask();
      case "compaction_start":
        this.#compacts = true;
        return null;
      case "compaction_end":
        this.#compacts = line.willRetry === true;
        return this.#ask();
      case "response":
        return line.id === this.askId && asText(line.command) === "get_state" ? this.#answered(line) : null;
      default:
        return null;
    }
  }

  #ask(): Watched {
    this.#asked += 1;
    return "ask";
  }

  #answered(line: Json): Watched {
    if (this.#phase !== "ended" || this.retries || this.#compacts) return null;
    // It has said that it ends, and is about to.
    if (asObject(line.data)?.isStreaming === true) return this.#ask();
    this.#phase = "rest";
    return "rests";
  }
}
