/**
 * Finds the pi program: the one that was named, else the one in PATH, else the copy that was installed for the tests.
 * One that was named and is not there is an error; nothing else is taken in its place.
 */
import { fileURLToPath } from "node:url";
import { AppError } from "../../app-error.ts";
import { findProgram } from "../../program.ts";

/** The value of `piBin` that nobody wrote. */
export const defaultProgram = "pi";

const install = "npm install -g @mariozechner/pi-coding-agent";
const beside = fileURLToPath(new URL("../../../node_modules/.pi/node_modules/.bin/pi", import.meta.url));

/** Null where there is none. */
export function placeOfPi(program: string, env: NodeJS.ProcessEnv): string | null {
  return findProgram(program, env) ?? (program === defaultProgram ? findProgram(beside, env) : null);
}

export function findPi(program: string, env: NodeJS.ProcessEnv): string {
  const path = placeOfPi(program, env);
  if (path !== null) return path;
  const wasNamed = program !== defaultProgram;
  throw new AppError({
    code: "pi_not_found",
    message: wasNamed ? `There is no program "${program}", which piBin names.` : "pi is not in PATH.",
    hint: wasNamed
      ? `Correct piBin (PI_BIN), or leave it out; \`${install}\` installs pi.`
      : `Install it with \`${install}\`, or say where it is with piBin (PI_BIN).`,
  });
}
