/** What is wrong with a configuration: where, which key, why, and what to do. Never a secret's value. */
import { AppError } from "../../app-error.ts";

/** Where a value came from, so that an error can name what to change. */
export type Origin = { kind: "file"; file: string; key: string } | { kind: "environment"; variable: string };

export type Problem = { key: string; reason: string; hint?: string };

export function configMissing(file: string): AppError {
  return new AppError({
    code: "config_missing",
    message: `The configuration ${file} does not exist, and WAYBILL_CONFIG names it.`,
    hint: "Run `waybill init` to write one there, correct WAYBILL_CONFIG, or unset it.",
  });
}

export function configUnreadable(file: string, why: string, cause?: unknown): AppError {
  return new AppError({
    code: "config_invalid",
    message: `The configuration ${file} cannot be used: ${why}.`,
    hint: "Correct the file, or move it away and run `waybill init`.",
    cause,
  });
}

/** All problems of a file, the first one in the sentence and the others in the hint. */
export function configProblems(
  file: string,
  [first, ...others]: readonly [Problem, ...Problem[]],
  cause?: unknown,
): AppError {
  const hints = [first.hint ?? "Correct it in the file; docs/configuration.md describes every key."];
  if (others.length > 0) {
    const more = others.slice(0, 5).map(({ key, reason, hint }) => `${key} ${reason}${hint ? ` (${hint})` : ""}`);
    const rest = others.length - more.length;
    hints.push(`Also: ${more.join("; ")}${rest > 0 ? `; and ${rest} more` : ""}.`);
  }
  return new AppError({
    code: "config_invalid",
    message: `The configuration ${file} is not valid: ${first.key} ${first.reason}.`,
    hint: hints.join("\n"),
    cause,
  });
}

/** One value that does not fit, wherever it was set. */
export function badSetting(origin: Origin, reason: string, hint?: string, cause?: unknown): AppError {
  if (origin.kind === "file") {
    const problem = { key: origin.key, reason, ...(hint === undefined ? {} : { hint }) };
    return configProblems(origin.file, [problem], cause);
  }
  return new AppError({
    code: "config_invalid",
    message: `The environment variable ${origin.variable} ${reason}.`,
    hint: hint ?? `Correct it or unset ${origin.variable}; docs/configuration.md describes every variable.`,
    cause,
  });
}
