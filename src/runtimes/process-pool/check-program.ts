/** The doctor's check for a program that a runtime starts. */
import type { Check } from "../../platform/doctor-check.ts";
import { failed, ok } from "../../platform/doctor-check.ts";
import { programVersion } from "../../platform/program.ts";
import { shellQuote } from "../../platform/shell-quote.ts";
import type { DoctorContext } from "../descriptor.ts";
import { inheritedEnvironment } from "../process/agent-environment.ts";
import type { AgentProgram } from "./find-agent.ts";
import { locateAgent } from "./find-agent.ts";

const versionTimeoutMs = 10_000;

export async function checkProgram(
  agent: AgentProgram,
  program: string,
  { env, signal }: DoctorContext,
): Promise<Check> {
  const name = `program ${agent.code}`;
  const path = locateAgent(agent, program, env);
  if (path === null) return failed(name, `${program} was not found.`, "Install it, and add it to PATH.");
  // The program does not need Waybill's own keys to report its version.
  const version = await programVersion(
    path,
    inheritedEnvironment(env, () => true),
    { deadlineMs: versionTimeoutMs, signal },
  );
  if (version.ok) return ok(name, `${path}, version ${version.text}.`);
  const fix = `Run \`${shellQuote(path)} --version\` to see what is wrong.`;
  return failed(name, `${path} did not report its version: ${version.why}.`, fix);
}
