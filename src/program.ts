/** Finds a program the way a shell would, and asks it for its version. */
import { spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { messageOf } from "./app-error.ts";
import { abortedAfter } from "./clock.ts";

export function findProgram(program: string, env: NodeJS.ProcessEnv): string | null {
  // Absolute, since it is started in other directories.
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

/** The first line that it prints. It runs in a process group of its own, so that nothing it starts is left running. */
export function programVersion(
  path: string,
  env: NodeJS.ProcessEnv,
  { deadlineMs, signal }: CommandLimits,
): Promise<VersionResult> {
  return new Promise((resolve) => {
    const child = spawn(path, ["--version"], { env, detached: true, stdio: ["ignore", "pipe", "ignore"] });
    const limit = abortedAfter(deadlineMs, signal);
    let output = "";
    const end = () => {
      endGroup(child.pid);
      // A process that left the group may hold the pipe, and `close` would not come.
      child.stdout.destroy();
    };
    // Node 20 may collect a combined signal that only its listeners refer to; this closure holds it.
    const settle = (version: VersionResult) => {
      limit.removeEventListener("abort", end);
      resolve(version);
    };
    limit.addEventListener("abort", end);
    child.stdout.on("data", (chunk) => {
      output = (output + chunk).slice(0, 4096);
    });
    child.once("error", (error) => settle({ ok: false, why: messageOf(error) }));
    child.once("exit", () => endGroup(child.pid));
    child.once("close", (code, killedBy) => {
      const why = signal.aborted ? "it was aborted" : `no answer within ${deadlineMs / 1000} s`;
      settle(limit.aborted ? { ok: false, why } : versionIn(code, killedBy, output));
    });
    if (limit.aborted) end();
  });
}

function versionIn(code: number | null, killedBy: NodeJS.Signals | null, output: string): VersionResult {
  if (code !== 0) return { ok: false, why: killedBy ? `it was ended by ${killedBy}` : `exit code ${code}` };
  const text = stripVTControlCharacters(output).trim().split("\n")[0]?.slice(0, 100) ?? "";
  return text === "" ? { ok: false, why: "it said nothing" } : { ok: true, text };
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
