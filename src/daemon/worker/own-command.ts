/** Runs a command of this program in a separate process of low priority, and reads its output. */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";

export type OwnCommand = {
  /** Its whole output; empty if it could not be run. */
  output: Promise<string>;
  kill(signal: NodeJS.Signals): void;
};

export type RunOptions = {
  env: NodeJS.ProcessEnv;
  /** The program to run; by default the one that this process runs. */
  program?: string | undefined;
};

export function runOwnCommand(
  args: readonly string[],
  { env, program = process.argv[1] ?? "" }: RunOptions,
): OwnCommand {
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "pipe", "ignore"] });
  giveWay(child);
  const output = new Promise<string>((resolve) => {
    let printed = "";
    child.stdout.on("data", (chunk) => {
      printed += chunk;
    });
    child.on("error", () => resolve(""));
    child.on("close", () => resolve(printed));
  });
  return { output, kill: (signal) => void child.kill(signal) };
}

function giveWay({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has just exited.
  }
}
