/** The dependencies of the session routes. */
import type { EventHub } from "../events/event-hub.ts";
import type { NoteFor } from "../ignored-notes.ts";
import type { OpenCodeDeps } from "../opencode-deps.ts";
import type { UnattendedLanes } from "./asks/unattended-lanes.ts";

export type SessionDeps = OpenCodeDeps & {
  hub: Pick<EventHub, "liveMessages" | "turnEnd" | "busySessions">;
  unattended: UnattendedLanes;
  /** Tells a client which part of its request was ignored. */
  noteFor: NoteFor;
  /** The interval at which the response to a prompt gets a blank while it waits. */
  timeoutMs: number;
};
