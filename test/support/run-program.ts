/** Runs the built program as a process of its own. */
import { spawn } from "node:child_process";

export type ProgramResult = { code: number | null; stdout: string; stderr: string };

export function runProgram(
  program: string,
  args: readonly string[],
  { input, env }: { input: string; env: Record<string, string> },
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...args], { env: { ...process.env, NO_COLOR: "1", ...env } });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("close", (code) => resolve({ code, stdout, stderr }));
    // It may be gone before it read anything.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
