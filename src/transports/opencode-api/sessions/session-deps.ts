/** What the session routes are made from. */
import type { EventHub } from "../events/event-hub.ts";
import type { OpenCodeDeps } from "../opencode-deps.ts";
import type { QuestionlessLanes } from "./asks/questionless-lanes.ts";

export type SessionDeps = OpenCodeDeps & {
  hub: Pick<EventHub, "liveMessages" | "turnEnd" | "working">;
  questionless: QuestionlessLanes;
  /** After this time the answer to a prompt begins with a blank, and gets another each time that it has passed. */
  patienceMs: number;
};
