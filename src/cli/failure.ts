/** What a person or a script reads when a command could not do what it was asked to. */
import { AppError } from "../app-error.ts";
import { WaybillError } from "../client/index.ts";
import type { Paint } from "./output/terminal.ts";
import { printable } from "./output/terminal.ts";

export type Failure = AppError | WaybillError;

/** Everything else that is thrown is a bug, and keeps its stack. */
export function isFailure(error: unknown): error is Failure {
  return error instanceof AppError || error instanceof WaybillError;
}

export function failureText(
  { code, message, hint }: Failure,
  { json, paint }: { json: boolean; paint: Paint },
): string {
  if (json) return JSON.stringify({ error: { code, message, ...(hint !== undefined && { hint }) } });
  const words = `${paint("red", "waybill:")} ${printable(message)}`;
  return hint === undefined ? words : `${words}\n${printable(hint)}`;
}
