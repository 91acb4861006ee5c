/** The error that a failed turn leaves in its last message. Pure. */
import type { StepError } from "./assistant-step.ts";
import type { UniversalEventOf } from "./native-event.ts";

type Ended = UniversalEventOf<"turn.ended">["data"];

/** A refusal ends a turn without an error. `known` is the error that the agent reported in the turn. */
export function errorOfEnd({ reason, error }: Ended, refused: boolean, known: StepError | null): StepError | null {
  switch (reason) {
    case "completed":
      return null;
    case "error":
      return known ?? unknownError(error ?? "The turn failed.");
    case "aborted":
      return refused ? null : abortedError;
    case "interrupted":
      return unknownError("The agent program ended mid-turn.");
    default:
      return reason satisfies never;
  }
}

/** With a status it is the provider's error; clients use it to decide whether to offer a retry. */
export function errorFrom(message: string, status: number | undefined): StepError {
  if (status === undefined) return unknownError(message);
  const isRetryable = status === 408 || status === 409 || status === 429 || status >= 500;
  return { name: "APIError", data: { message, statusCode: status, isRetryable } };
}

/** Exactly as in OpenCode: clients look for this text. */
export const abortedError: StepError = { name: "MessageAbortedError", data: { message: "Aborted" } };

/** A retry helps neither after an abort nor with an invalid request. */
export function mayBeMended({ name, data }: StepError): boolean {
  if (name === "APIError") return (data as { isRetryable: boolean }).isRetryable;
  return name !== "MessageAbortedError";
}

export function unknownError(message: string): StepError {
  return { name: "UnknownError", data: { message } };
}
