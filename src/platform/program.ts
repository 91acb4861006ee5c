/** Finds a program the way a shell would, and asks it for its version. */
import { spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { messageOf } from "./app-error.ts";
import { abortedAfter } from "./clock.ts";

export function findProgram(program: string, env: NodeJS.ProcessEnv): string | null {
  // Absolute, because it is started in other directories.
  if (program.includes("/")) return isProgram(program) ? resolve(program) : null;
  const directories = (env.PATH ?? "").split(delimiter).filter((directory) => directory !== "");
  return directories.map((directory) => resolve(directory, program)).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

export type CommandLimits = { deadlineMs: number; signal: AbortSignal };
export type VersionResult = { ok: true; text: string } | { ok: false; why: string };

/**
 * Returns the first line of its output, or of standard error if there is none, as with pi. It runs in its own process
 * group, so that nothing it starts is left running.
 */
export function programVersion(
  path: string,
  env: NodeJS.ProcessEnv,
  { deadlineMs, signal }: CommandLimits,
): Promise<VersionResult> {
  return new Promise((resolve) => {
    const child = spawn(path, ["--version"], { env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const limit = abortedAfter(deadlineMs, signal);
    let [output, errors] = ["", ""];
    const end = () => {
      endGroup(child.pid);
      // A process that left the group may hold the pipe; then `close` would never come.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    // Node 20 may garbage-collect a combined signal that only its listeners refer to; this closure keeps it alive.
    const settle = (version: VersionResult) => {
      limit.removeEventListener("abort", end);
      resolve(version);
    };
    limit.addEventListener("abort", end);
    child.stdout.on("data", (chunk) => {
      output = (output + chunk).slice(0, 4096);
    });
    child.stderr.on("data", (chunk) => {
      errors = (errors + chunk).slice(0, 4096);
    });
    child.once("error", (error) => settle({ ok: false, why: messageOf(error) }));
    child.once("exit", () => endGroup(child.pid));
    child.once("close", (code, killedBy) => {
      const why = signal.aborted ? "it was aborted" : `no answer within ${deadlineMs / 1000} s`;
      settle(limit.aborted ? { ok: false, why } : versionIn(code, killedBy, output.trim() === "" ? errors : output));
    });
    if (limit.aborted) end();
  });
}

function versionIn(code: number | null, killedBy: NodeJS.Signals | null, output: string): VersionResult {
  if (code !== 0) return { ok: false, why: killedBy ? `it was killed by ${killedBy}` : `exit code ${code}` };
  const text = stripVTControlCharacters(output).trim().split("\n")[0]?.slice(0, 100) ?? "";
  return text === "" ? { ok: false, why: "it printed nothing" } : { ok: true, text };
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
