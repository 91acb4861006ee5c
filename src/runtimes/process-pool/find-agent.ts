/**
 * Finds an agent program: the configured one, else the one in PATH, else the copy installed for the tests. If the
 * configured program is missing, that is an error; there is no fallback.
 */
import { AppError } from "../../platform/app-error.ts";
import { packageFile } from "../../platform/package-files.ts";
import { findProgram } from "../../platform/program.ts";
import type { ProgramKind } from "./json-line-process.ts";

/** What `program.json` in a runtime's folder says. `scripts/ready.mjs` installs the tested version for the tests. */
export type ProgramFacts = {
  name: string;
  /** Its name in PATH. */
  command: string;
  /** Its package in npm. */
  package: string;
  testedVersion: string;
  testDirectory: string;
};

export function agentProgram(code: string, facts: ProgramFacts, bin: { key: string; env: string }): AgentProgram {
  const { name, command, testDirectory } = facts;
  return {
    ...{ name, code, command },
    setting: `${bin.key} (${bin.env})`,
    testCopy: packageFile(`${testDirectory}/node_modules/.bin/${command}`),
    installCommand: `npm install -g ${facts.package}`,
  };
}

export type AgentProgram = ProgramKind & {
  /** Its name in PATH if none is configured. */
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
    message: isConfigured
      ? `${setting} names "${program}", but that program does not exist.`
      : `${name} is not in PATH.`,
    hint: isConfigured
      ? `Correct ${setting}, or leave it out; \`${installCommand}\` installs ${name}.`
      : `Install it with \`${installCommand}\`, or set ${setting} to its path.`,
  });
}
