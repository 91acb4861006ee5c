/** Agent programs for lanes. Pure. */
import type { RunningProgram, Runtime } from "waybill/client";

/** The one that was chosen; else the default of the configuration. */
export function chosenRuntime(runtimes: readonly Runtime[], chosen: string | null): Runtime | undefined {
  return runtimes.find(({ kind, isDefault }) => (chosen === null ? isDefault : kind === chosen)) ?? runtimes[0];
}

/** Why lanes with this runtime cannot work; null if they can. */
export function runtimeProblem({ ready, reason }: Pick<Runtime, "ready" | "reason">): string | null {
  if (reason !== null) return reason;
  return ready ? null : "Not set up. Messages to its lanes wait until it is.";
}

export function eventsWords(events: RunningProgram["events"]): string {
  switch (events) {
    case "connected":
      return "events connected";
    case "reconnecting":
      return "events reconnecting";
    case "none":
      return "events not connected";
    default:
      return events satisfies never;
  }
}
