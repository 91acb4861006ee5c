/**
 * Finds the Claude Code program: the one that was named, else the one in PATH, else the copy that was installed for the
 * tests. One that was named and is not there is an error; nothing else is taken in its place.
 */
import { fileURLToPath } from "node:url";
import { AppError } from "../../app-error.ts";
import { findProgram } from "../../program.ts";

/** The value of `claudeBin` that nobody wrote. */
export const defaultProgram = "claude";

const beside = fileURLToPath(new URL("../../../node_modules/.claude-code/node_modules/.bin/claude", import.meta.url));

/** Null where there is none. */
export function placeOfClaude(program: string, env: NodeJS.ProcessEnv): string | null {
  return findProgram(program, env) ?? (program === defaultProgram ? findProgram(beside, env) : null);
}

export function findClaude(program: string, env: NodeJS.ProcessEnv): string {
  const path = placeOfClaude(program, env);
  if (path !== null) return path;
  const wasNamed = program !== defaultProgram;
  throw new AppError({
    code: "claude_not_found",
    message: wasNamed ? `There is no program "${program}", which claudeBin names.` : "Claude Code is not in PATH.",
    hint: wasNamed
      ? "Correct claudeBin (CLAUDE_BIN), or leave it out; `npm install -g @anthropic-ai/claude-code` installs Claude Code."
      : "Install it with `npm install -g @anthropic-ai/claude-code`, or say where it is with claudeBin (CLAUDE_BIN).",
  });
}
