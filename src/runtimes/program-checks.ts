/** The doctor's checks for agent programs that run once per lane. */
import type { Check } from "../platform/doctor-check.ts";
import { failed, ok } from "../platform/doctor-check.ts";
import { programVersion } from "../platform/program.ts";
import { shellQuote } from "../platform/shell-quote.ts";
import type { AgentAndModel, DoctorContext } from "./descriptor.ts";
import { inheritedEnvironment } from "./process/agent-environment.ts";

const versionTimeoutMs = 10_000;

/** `path` is where `program` was found, if it was. */
export async function checkProgram(
  kind: string,
  { program, path }: { program: string; path: string | null },
  { env, signal }: DoctorContext,
): Promise<Check> {
  const name = `program ${kind}`;
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

/** The models of lanes, with `fallback` for lanes that name none. */
export function modelsOf(lanes: readonly AgentAndModel[], fallback: string | null = null): string {
  return [...new Set(lanes.map(({ model }) => model ?? fallback ?? "left to the program"))].join(", ");
}
