/** Finds a program the way a shell would, and asks it for its version. */
import { spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { messageOf } from "./app-error.ts";

export function findProgram(program: string, env: NodeJS.ProcessEnv): string | null {
  // Absolute, since it is started in other directories than this one.
  if (program.includes("/")) return isProgram(program) ? resolve(program) : null;
  const places = (env.PATH ?? "").split(delimiter).filter((place) => place !== "");
  return places.map((place) => resolve(place, program)).find(isProgram) ?? null;
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
 * The first line that it says. In a process group of its own, so that nothing that it started is left
 * running, whatever comes of it.
 */
export function programVersion(
  path: string,
  env: NodeJS.ProcessEnv,
  { deadlineMs, signal }: CommandLimits,
): Promise<VersionResult> {
  return new Promise((resolve) => {
    const child = spawn(path, ["--version"], {
      env,
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    let said = "";
    let why: string | null = null;
    const end = (reason: string) => {
      why = reason;
      endGroup(child.pid);
      // Somebody who left the group may hold the pipe, and `close` would not come.
      child.stdout.destroy();
    };
    const timer = setTimeout(() => end(`no answer within ${deadlineMs / 1000} s`), deadlineMs);
    const onAbort = () => end("it was broken off");
    const settle = (version: VersionResult) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      resolve(version);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    child.stdout.on("data", (chunk) => {
      said = (said + chunk).slice(0, 4096);
    });
    child.once("error", (error) => settle({ ok: false, why: messageOf(error) }));
    child.once("exit", () => endGroup(child.pid));
    child.once("close", (code, killedBy) => settle(why === null ? verdict(code, killedBy, said) : { ok: false, why }));
    if (signal.aborted) onAbort();
  });
}

function verdict(code: number | null, killedBy: NodeJS.Signals | null, said: string): VersionResult {
  if (code !== 0) return { ok: false, why: killedBy ? `it was ended by ${killedBy}` : `exit code ${code}` };
  const text = stripVTControlCharacters(said).trim().split("\n")[0]?.slice(0, 100) ?? "";
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
