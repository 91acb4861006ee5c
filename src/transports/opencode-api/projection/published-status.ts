/** Whether the lane's own session works, as it was told last: every change is told, and once. */
import type { SessionStatus } from "@opencode-ai/sdk/v2/types";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { Emitted } from "./emitted.ts";
import { idleEvents, statusEvent } from "./session-status.ts";

export class ToldStatus {
  readonly #sessionID: string;
  #now: SessionStatus = { type: "idle" };

  constructor(sessionID: string) {
    this.#sessionID = sessionID;
  }

  get now(): SessionStatus {
    return this.#now;
  }

  get isBusy(): boolean {
    return this.#now.type !== "idle";
  }

  busy(): Emitted[] {
    return this.isBusy ? [] : this.#becomes({ type: "busy" });
  }

  idle(): Emitted[] {
    if (!this.isBusy) return [];
    this.#now = { type: "idle" };
    return idleEvents(this.#sessionID);
  }

  retries(retry: SessionStatus): Emitted[] {
    return this.#becomes(retry);
  }

  /** What the agent does shows that the model was asked again with success. */
  worksAgain({ type, data }: UniversalEvent): Emitted[] {
    const isWork =
      type === "item.delta" || ((type === "item.started" || type === "item.completed") && data.item.kind !== "status");
    return this.#now.type === "retry" && isWork ? this.#becomes({ type: "busy" }) : [];
  }

  #becomes(status: SessionStatus): Emitted[] {
    this.#now = status;
    return [statusEvent(this.#sessionID, status)];
  }
}
