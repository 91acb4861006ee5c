/** Runs a daemon as a child process, reports its warnings, and stops it together with the command that needed it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { readDaemonFile } from "../daemon/supervisor/daemon-file.ts";
import { packageFile } from "../platform/package-files.ts";

export type ChildDaemon = {
  pid: number | undefined;
  /** Resolves with its exit code. */
  ended: Promise<number | null>;
  /** Whether there was a worker to kill. */
  killWorker(): boolean;
  stop(): Promise<void>;
};

const warningLevel = 40;

type ChildDaemonOptions = { env: NodeJS.ProcessEnv; home: string; onWarning: (line: string) => void };

export function startChildDaemon({ env, home, onWarning }: ChildDaemonOptions): ChildDaemon {
  // Its own process group: Ctrl-C reaches only the command, which then stops the daemon.
  const child = spawn(process.execPath, [ownProgram(), "up"], {
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  createInterface(child.stdout).on("line", (line) => {
    const warning = warningIn(line);
    if (warning !== null) onWarning(warning);
  });
  createInterface(child.stderr).on("line", onWarning);
  const ended = once(child, "exit").then(([code]: (number | null)[]) => code ?? null);
  return {
    pid: child.pid,
    ended,
    killWorker() {
      const pid = readDaemonFile(home)?.workerPid ?? null;
      if (pid === null) return false;
      process.kill(pid, "SIGKILL");
      return true;
    },
    async stop() {
      // The second signal stops it without waiting for running turns.
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

/** The program that this process runs, to start it again as another command. */
export function ownProgram(): string {
  return process.argv[1] ?? packageFile("bin/waybill");
}
