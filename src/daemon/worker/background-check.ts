/**
 * Checks the whole store once, a while after the start, in a process of its own that gives way to all others. A start only
 * checks as much as it can do in a moment.
 */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { z } from "zod";
import type { Finding } from "../../store/port.ts";

export type BackgroundCheckOptions = {
  storePath: string;
  env: NodeJS.ProcessEnv;
  delayMs?: number;
  onFinding: (finding: Finding) => void;
};

const checked = z.object({ findings: z.array(z.object({ subject: z.string(), problem: z.string() })) });

/** Returns how to stop it. */
export function startBackgroundCheck({ storePath, env, delayMs = 5000, onFinding }: BackgroundCheckOptions) {
  let child: ChildProcess | null = null;
  const timer = setTimeout(() => {
    child = runCheck(storePath, env, onFinding);
  }, delayMs);
  timer.unref();
  return () => {
    clearTimeout(timer);
    child?.kill("SIGKILL");
  };
}

function runCheck(storePath: string, env: NodeJS.ProcessEnv, onFinding: (finding: Finding) => void): ChildProcess {
  const [, program = ""] = process.argv;
  const args = [program, "store", "check", storePath, "--json"];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  // It did not run, or was stopped: then it says nothing about the store.
  child.on("error", () => {});
  child.on("close", () => {
    const [finding] = findingsIn(output);
    if (finding) onFinding(finding);
  });
  giveWay(child);
  return child;
}

function findingsIn(output: string): readonly Finding[] {
  try {
    return checked.safeParse(JSON.parse(output)).data?.findings ?? [];
  } catch {
    return [];
  }
}

function giveWay({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has just ended.
  }
}
