/** What a program said last, for the sentence about its end: it is shown with deliveries and stands in the log. Pure. */
import { stripVTControlCharacters } from "node:util";
import { secretsIn } from "../agent-process/agent-environment.ts";

export function lastWords(output: string, environment: Readonly<Record<string, string>>): string {
  // Before it is cut: half of a secret would not be found. The longest first, since one may hold another.
  const secrets = secretsIn(environment).sort((a, b) => b.length - a.length);
  const clean = secrets.reduce((text, secret) => text.replaceAll(secret, "(secret)"), stripVTControlCharacters(output));
  const said = clean.split("\n").map((line) => line.trim());
  return said
    .filter((line) => line !== "")
    .slice(-5)
    .join(" / ")
    .slice(-500);
}
