/**
 * Finds an agent program: the configured one, else the one in PATH, else the copy that is installed for the tests. A
 * configured program that is missing is an error; no other program is used instead.
 */
import { AppError } from "../../app-error.ts";
import { findProgram } from "../../program.ts";
import type { ProgramKind } from "./json-line-process.ts";

export type AgentProgram = ProgramKind & {
  /** Its name in PATH when none is configured. */
  command: string;
  /** The copy for the tests. */
  testCopy: string;
  installCommand: string;
};

export function locateAgent(agent: AgentProgram, program: string, env: NodeJS.ProcessEnv): string | null {
  return findProgram(program, env) ?? (program === agent.command ? findProgram(agent.testCopy, env) : null);
}

export function requireAgent(agent: AgentProgram, program: string, env: NodeJS.ProcessEnv): string {
  const path = locateAgent(agent, program, env);
  if (path !== null) return path;
  const { name, code, setting, installCommand } = agent;
  const isConfigured = program !== agent.command;
  throw new AppError({
    code: `${code}_not_found`,
    message: isConfigured ? `There is no program "${program}", which ${setting} names.` : `${name} is not in PATH.`,
    hint: isConfigured
      ? `Correct ${setting}, or leave it out; \`${installCommand}\` installs ${name}.`
      : `Install it with \`${installCommand}\`, or say where it is with ${setting}.`,
  });
}
