/** Errors that a person or a script can act on, and how they are printed. */

import type { Status } from "../client/index.ts";
import { WaybillError } from "../client/waybill-error.ts";
import type { TurnEndReason } from "../core/turn/universal-event.ts";
import { AppError } from "../platform/app-error.ts";
import { nearest } from "../platform/nearest.ts";
import type { Paint } from "./output/terminal.ts";
import { printable } from "./output/terminal.ts";

export const exitCodes = {
  ok: 0,
  error: 1,
  usage: 2,
  failed: 3,
  cancelled: 4,
  noDaemon: 5,
  timedOut: 124,
  interrupted: 130,
} as const;

export function exitCodeOfError({ code }: { code: string }): number {
  if (code === "usage") return exitCodes.usage;
  return code === "no_daemon" ? exitCodes.noDaemon : exitCodes.error;
}

export function exitCodeOfOutcome(status: Status): number {
  if (status === "failed_terminal") return exitCodes.failed;
  return status === "cancelled" ? exitCodes.cancelled : exitCodes.ok;
}

export function exitCodeOfTurn(reason: TurnEndReason): number {
  if (reason === "completed") return exitCodes.ok;
  return reason === "aborted" ? exitCodes.cancelled : exitCodes.failed;
}

type ExpectedError = AppError | WaybillError;

/** Anything else that is thrown is a bug and keeps its stack. */
export function isExpectedError(error: unknown): error is ExpectedError {
  return error instanceof AppError || error instanceof WaybillError;
}

type Format = { json: boolean; paint: Paint };

export function errorText({ code, message, hint }: ExpectedError, { json, paint }: Format): string {
  if (json) return JSON.stringify({ error: { code, message, hint } });
  const text = `${paint("red", "waybill:")} ${printable(message)}`;
  return hint === undefined ? text : `${text}\n${printable(hint)}`;
}

/** Reports that a stream lost its connection: once, not at every retry. */
export function connectionErrorReporter(
  context: Format & { printNote: (line: string) => void },
): (error: WaybillError) => void {
  let reported = "";
  return (error) => {
    if (error.message === reported) return;
    reported = error.message;
    context.printNote(context.json ? errorText(error, context) : `${error.message} Trying again.`);
  };
}

/** An invalid command line: exit code 2. */
export function usageError(
  message: string,
  command?: string,
  suggestion: string | null = null,
  cause?: unknown,
): AppError {
  const help = command === undefined ? "waybill --help" : `waybill ${command} --help`;
  const guess = suggestion === null ? "" : `Did you mean \`${suggestion}\`? `;
  return new AppError({ code: "usage", message, hint: `${guess}See \`${help}\`.`, cause });
}

/** Checks a value if one was given; undefined stays undefined. */
export function parseChoice<T extends string>(
  value: string | undefined,
  choices: readonly T[],
  label: string,
  command: string | undefined,
): T | undefined {
  const choice = choices.find((one) => one === value);
  if (choice !== undefined || value === undefined) return choice;
  const message = `${label} must be one of ${choices.join(", ")}, not ${value}`;
  throw usageError(message, command, nearest(value, choices));
}
