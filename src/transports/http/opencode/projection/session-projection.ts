/** A lane's events as OpenCode's. */
import type { Message, Part } from "@opencode-ai/sdk/v2/types";
import type { UniversalEvent } from "../../../../events/universal-event.ts";

/** Where the session is, as OpenCode's objects name it. */
export type Place = { lane: string; directory: string; providerID: string; modelID: string; agent: string };
/** An event of OpenCode's, without its id. */
export type Emitted = { type: string; properties: Record<string, unknown> };
export type MessageRow = { info: Message; parts: Part[] };

export class SessionProjection {
  readonly place: Place;
  isBusy = false;
  constructor(place: Place) {
    this.place = place;
  }
  take(_event: UniversalEvent): Emitted[] {
    return [];
  }
  /** In their order; of the lane's own session, or of one below. */
  messages(_sessionID: string): readonly MessageRow[] {
    return [];
  }
}
