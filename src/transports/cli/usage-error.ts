/** A command line that was not understood. Exit code 2, and where to read how it is meant. */
import { AppError } from "../../app-error.ts";

export function usageError(message: string, command?: string, cause?: unknown): AppError {
  const help = command === undefined ? "waybill --help" : `waybill ${command} --help`;
  return new AppError({ code: "usage", message, hint: `Run \`${help}\` for how it is used.`, cause });
}
