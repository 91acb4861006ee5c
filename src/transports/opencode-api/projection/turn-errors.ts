/** How a turn that did not end well is told: the error of its last message. Pure. */
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { StepError } from "./step.ts";

type Ended = Extract<UniversalEvent, { type: "turn.ended" }>["data"];

/** A refusal ends a turn without an error. `known` is what the agent has reported in the turn. */
export function errorOfEnd({ reason, error }: Ended, refused: boolean, known: StepError | null): StepError | null {
  switch (reason) {
    case "completed":
      return null;
    case "error":
      return known ?? unknownError(error ?? "The turn failed.");
    case "aborted":
      return refused ? null : { name: "MessageAbortedError", data: { message: "The turn was stopped." } };
    case "interrupted":
      return unknownError("The agent program ended in the middle of the turn.");
    default:
      return reason satisfies never;
  }
}

export function unknownError(message: string): StepError {
  return { name: "UnknownError", data: { message } };
}
