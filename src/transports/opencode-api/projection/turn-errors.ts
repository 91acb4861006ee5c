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
      return refused ? null : abortedError;
    case "interrupted":
      return unknownError("The agent program ended in the middle of the turn.");
    default:
      return reason satisfies never;
  }
}

/** With the status of the provider's response it is the provider's error; a client may offer to try again by it. */
export function errorFrom(message: string, status: number | undefined): StepError {
  if (status === undefined) return unknownError(message);
  const isRetryable = status === 408 || status === 409 || status === 429 || status >= 500;
  return { name: "APIError", data: { message, statusCode: status, isRetryable } };
}

/** In OpenCode's own words, which clients look for. */
export const abortedError: StepError = { name: "MessageAbortedError", data: { message: "Aborted" } };

/** A stop is nothing that a second try would change, nor is a request that was wrong. */
export function mayBeMended({ name, data }: StepError): boolean {
  if (name === "APIError") return (data as { isRetryable: boolean }).isRetryable;
  return name !== "MessageAbortedError";
}

export function unknownError(message: string): StepError {
  return { name: "UnknownError", data: { message } };
}
