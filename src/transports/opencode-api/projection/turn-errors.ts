/** The error that a turn which did not end well leaves in its last message. Pure. */
import type { StepError } from "./assistant-step.ts";
import type { UniversalEventOf } from "./native-event.ts";

type Ended = UniversalEventOf<"turn.ended">["data"];

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
