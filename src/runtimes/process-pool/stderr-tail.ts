/** The end of a program's error output, without secrets, for error messages and the log. Pure. */
import { stripVTControlCharacters } from "node:util";
import { redactSecrets, secretValues } from "../process/agent-environment.ts";

export function stderrTail(output: string, environment: Readonly<Record<string, string>>): string {
  const clean = redactSecrets(stripVTControlCharacters(output), secretValues(environment));
  const lines = clean.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .slice(-5)
    .join(" / ")
    .slice(-500);
}
