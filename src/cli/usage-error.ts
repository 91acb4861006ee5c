/** A command line that was not understood. Exit code 2, and where to read how it is meant. */
import { AppError } from "../app-error.ts";
import { nearest } from "../nearest.ts";

export function usageError(message: string, command?: string, cause?: unknown, meant: string | null = null): AppError {
  const help = command === undefined ? "waybill --help" : `waybill ${command} --help`;
  const guess = meant === null ? "" : `Did you mean \`${meant}\`? `;
  return new AppError({ code: "usage", message, hint: `${guess}Run \`${help}\` for how it is used.`, cause });
}

/** For a command with verbs that got none, or one that it does not know. */
export function unknownVerb(command: string, verb: string | undefined, verbs: readonly string[]): AppError {
  if (verb === undefined) return usageError(`${verbs.slice(0, -1).join(", ")} or ${verbs.at(-1)}?`, command);
  return usageError(`unknown: ${command} ${verb}`, command, undefined, nearest(verb, verbs));
}

/** A value that is not one of those it can be. */
export function checkedChoice<T extends string>(
  value: string | undefined,
  choices: readonly T[],
  { option, command }: { option: string; command: string },
): T | undefined {
  const choice = choices.find((one) => one === value);
  if (choice !== undefined || value === undefined) return choice;
  const message = `${option} is one of ${choices.join(", ")}, not ${value}`;
  throw usageError(message, command, undefined, nearest(value, choices));
}
