/** An error that a person can do something about: one line, and the next step. Never a stack trace. */
import type { AppError } from "../../app-error.ts";
import { paintFor } from "./terminal.ts";

export function printAppError(error: Pick<AppError, "message" | "hint">, env: NodeJS.ProcessEnv): void {
  const paint = paintFor(process.stderr, env);
  process.stderr.write(`${paint("red", "waybill:")} ${error.message}\n${error.hint ? `${error.hint}\n` : ""}`);
}
