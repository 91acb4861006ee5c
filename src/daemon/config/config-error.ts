/** Errors of a configuration: where, which key, why, and what to do. They never contain a secret's value. */
import { AppError } from "../../platform/app-error.ts";

/** The source of a value, so that an error can name what to change. */
export type Origin = { kind: "file"; file: string; key: string } | { kind: "environment"; variable: string };

export type Problem = { key: string; reason: string; hint?: string };

export function configMissing(file: string): AppError {
  return new AppError({
    code: "config_missing",
    message: `The configuration file ${file}, which WAYBILL_CONFIG names, does not exist.`,
    hint: "Run `waybill init` to write one there, correct WAYBILL_CONFIG, or unset it.",
  });
}

export function configUnreadable(file: string, why: string, cause?: unknown): AppError {
  return new AppError({
    code: "config_invalid",
    message: `The configuration file ${file} cannot be used: ${why}.`,
    hint: "Correct the file, or move it away and run `waybill init`.",
    cause,
  });
}

/** All problems of a file: the first in the message, the others in the hint. */
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
    message: `The configuration file ${file} is invalid: ${first.key} ${first.reason}.`,
    hint: hints.join("\n"),
    cause,
  });
}

/** One invalid value, wherever it was set. */
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
