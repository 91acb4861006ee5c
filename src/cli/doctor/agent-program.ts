/** Looks for the agent programs, and at what they say about themselves. */

import type { Config } from "../../daemon/config/config.ts";
import type { Setting } from "../../daemon/config/settings.ts";
import { settings } from "../../daemon/config/settings.ts";
import type { CommandLimits } from "../../program.ts";
import { findProgram, programVersion } from "../../program.ts";
import { claudeProgram } from "../../runtimes/claude/process/claude-program.ts";
import { piProgram } from "../../runtimes/pi/process/pi-program.ts";
import { locateAgent } from "../../runtimes/process-pool/find-agent.ts";
import { printable } from "../output/terminal.ts";
import type { ProgramFacts } from "./facts.ts";

export const agentRuntimes = ["opencode", "claude", "pi"] as const;

export function programOf(runtime: string, config: Pick<Config, "opencodeBin" | "claudeBin" | "piBin">): string {
  if (runtime === "claude") return config.claudeBin;
  if (runtime === "pi") return config.piBin;
  return runtime === "opencode" ? config.opencodeBin : runtime;
}

export async function inspectProgram(
  runtime: string,
  program: string,
  env: NodeJS.ProcessEnv,
  patience: CommandLimits,
): Promise<ProgramFacts> {
  const path = placeOf(runtime, program, env);
  const version = path === null ? null : await programVersion(path, withoutSecrets(env), patience);
  return { runtime, program, path, version: version?.ok ? { ok: true, text: printable(version.text) } : version };
}

function placeOf(runtime: string, program: string, env: NodeJS.ProcessEnv): string | null {
  if (runtime === "claude") return locateAgent(claudeProgram, program, env);
  return runtime === "pi" ? locateAgent(piProgram, program, env) : findProgram(program, env);
}

/** A program that is only asked for its version has no business with our tokens. */
function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const secrets = new Set(Object.values<Setting>(settings).map((setting) => setting.secret && setting.env));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secrets.has(name)));
}
