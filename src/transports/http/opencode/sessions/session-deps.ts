/** What the session routes are made from. */
import type { EventHub } from "../events/event-hub.ts";
import type { OpenCodeDeps } from "../opencode-deps.ts";

export type SessionDeps = OpenCodeDeps & {
  hub: Pick<EventHub, "liveMessages" | "turnEnd" | "working">;
  /** Lanes whose client has said that nobody there answers questions; forgotten when the daemon ends. */
  questionless: Set<string>;
  /** After this time the answer to a prompt begins with a blank, and gets another each time that it has passed. */
  patienceMs: number;
};
