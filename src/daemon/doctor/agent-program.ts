/** Finds an agent program the way a shell would, and asks it for its version. */
import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { messageOf } from "../../app-error.ts";
import { printable } from "../../transports/cli/terminal.ts";
import type { Config } from "../config/config.ts";
import type { Setting } from "../config/settings.ts";
import { settings } from "../config/settings.ts";
import type { ProgramFacts } from "./facts.ts";

export const agentRuntimes = ["opencode", "claude", "pi"] as const;

export function programOf(runtime: string, config: Pick<Config, "opencodeBin">): string {
  return runtime === "opencode" ? config.opencodeBin : runtime;
}

export function findProgram(program: string, env: NodeJS.ProcessEnv): string | null {
  if (program.includes("/")) return isProgram(program) ? program : null;
  const places = (env.PATH ?? "").split(delimiter).filter((place) => place !== "");
  return places.map((place) => join(place, program)).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

export async function lookAtProgram(
  runtime: string,
  program: string,
  env: NodeJS.ProcessEnv,
  patience: { deadlineMs: number; signal: AbortSignal },
): Promise<ProgramFacts> {
  const path = findProgram(program, env);
  return { runtime, program, path, version: path === null ? null : await versionOf(path, env, patience) };
}

function versionOf(
  path: string,
  env: NodeJS.ProcessEnv,
  { deadlineMs, signal }: { deadlineMs: number; signal: AbortSignal },
): Promise<NonNullable<ProgramFacts["version"]>> {
  const options = { env: withoutSecrets(env), timeout: deadlineMs, killSignal: "SIGKILL", signal } as const;
  return new Promise((resolve) => {
    const child = execFile(path, ["--version"], options, (error, stdout) => {
      const text = printable(stdout).trim().split("\n")[0]?.slice(0, 100) ?? "";
      if (error?.killed) resolve({ ok: false, why: `no answer within ${deadlineMs / 1000} s` });
      else if (error)
        resolve({ ok: false, why: typeof error.code === "number" ? `exit code ${error.code}` : messageOf(error) });
      else resolve(text === "" ? { ok: false, why: "it said nothing" } : { ok: true, text });
    });
    // Nobody has anything to tell it.
    child.stdin?.end();
  });
}

/** A program that is only asked for its version has no business with our tokens. */
function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const secrets = new Set(Object.values<Setting>(settings).map((setting) => setting.secret && setting.env));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secrets.has(name)));
}
