/** The daemon of the demo as a process: its warnings are passed on, and it ends with the demo. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { readDaemonFile } from "../../daemon/supervisor/daemon-file.ts";

export type DemoDaemon = {
  /** Resolves with its exit code. */
  ended: Promise<number | null>;
  /** Whether there was a worker to kill. */
  killWorker(): boolean;
  stop(): Promise<void>;
};

const warningLevel = 40;

export function startDemoDaemon(
  program: string,
  { env, home, onWarning }: { env: NodeJS.ProcessEnv; home: string; onWarning: (line: string) => void },
): DemoDaemon {
  // A group of its own: Ctrl-C reaches the demo alone, which stops the daemon.
  const child = spawn(process.execPath, [program, "up"], { env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  createInterface(child.stdout).on("line", (line) => {
    const warning = warningIn(line);
    if (warning !== null) onWarning(warning);
  });
  createInterface(child.stderr).on("line", onWarning);
  const ended = once(child, "exit").then(([code]: (number | null)[]) => code ?? null);
  return {
    ended,
    killWorker() {
      const pid = readDaemonFile(home)?.workerPid ?? null;
      if (pid === null) return false;
      process.kill(pid, "SIGKILL");
      return true;
    },
    async stop() {
      // The second request ends turns that still run.
      child.kill("SIGTERM");
      child.kill("SIGINT");
      await ended;
    },
  };
}

/** The message of a log line that is a warning or worse. */
function warningIn(line: string): string | null {
  try {
    const { level, msg } = Object(JSON.parse(line)) as { level?: unknown; msg?: unknown };
    return typeof level === "number" && level >= warningLevel && typeof msg === "string" ? msg : null;
  } catch {
    return null;
  }
}
