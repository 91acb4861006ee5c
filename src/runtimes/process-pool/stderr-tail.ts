/** What a program said last, for the sentence about its end: it is shown with deliveries and stands in the log. Pure. */
import { stripVTControlCharacters } from "node:util";
import { redactSecrets, secretValues } from "../process/agent-environment.ts";

export function lastWords(output: string, environment: Readonly<Record<string, string>>): string {
  const clean = redactSecrets(stripVTControlCharacters(output), secretValues(environment));
  const said = clean.split("\n").map((line) => line.trim());
  return said
    .filter((line) => line !== "")
    .slice(-5)
    .join(" / ")
    .slice(-500);
}
