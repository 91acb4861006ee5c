/**
 * Finds an agent program: the one that was named, else the one in PATH, else the copy that was installed for the tests.
 * One that was named and is not there is an error; nothing else is taken in its place.
 */
import { AppError } from "../../app-error.ts";
import { findProgram } from "../../program.ts";
import type { ProgramKind } from "./json-line-process.ts";

export type AgentProgram = ProgramKind & {
  /** What it is called when nobody named one. */
  usual: string;
  /** The copy for the tests. */
  beside: string;
  /** The command that installs it. */
  install: string;
};

/** Null where there is none. */
export function locateAgent(agent: AgentProgram, program: string, env: NodeJS.ProcessEnv): string | null {
  return findProgram(program, env) ?? (program === agent.usual ? findProgram(agent.beside, env) : null);
}

export function requireAgent(agent: AgentProgram, program: string, env: NodeJS.ProcessEnv): string {
  const path = locateAgent(agent, program, env);
  if (path !== null) return path;
  const { name, code, setting, install } = agent;
  const wasNamed = program !== agent.usual;
  throw new AppError({
    code: `${code}_not_found`,
    message: wasNamed ? `There is no program "${program}", which ${setting} names.` : `${name} is not in PATH.`,
    hint: wasNamed
      ? `Correct ${setting}, or leave it out; \`${install}\` installs ${name}.`
      : `Install it with \`${install}\`, or say where it is with ${setting}.`,
  });
}
