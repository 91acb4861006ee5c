/** What the session routes are made from. */
import type { EventHub } from "../events/event-hub.ts";
import type { NoteFor } from "../ignored-notes.ts";
import type { OpenCodeDeps } from "../opencode-deps.ts";
import type { UnattendedLanes } from "./asks/unattended-lanes.ts";

export type SessionDeps = OpenCodeDeps & {
  hub: Pick<EventHub, "liveMessages" | "turnEnd" | "busySessions">;
  unattended: UnattendedLanes;
  /** Tells a client what of its request was ignored. */
  noteFor: NoteFor;
  /** After this time the answer to a prompt begins with a blank, and gets another each time that it has passed. */
  timeoutMs: number;
};
