/** `waybill up`: runs the daemon in the foreground, as a supervisor with one worker. */
import { messageOf } from "../../app-error.ts";
import { runDaemon } from "../../daemon/supervisor/run-daemon.ts";
import type { SupervisorEvent } from "../../daemon/supervisor/supervisor.ts";
import { version } from "../../daemon/version.ts";
import { waybillHome } from "../../home.ts";
import { packageFile } from "../../package-files.ts";
import type { Command } from "../command.ts";

/** The default of 16 MB is never given back: a worker with 1,000 lanes rests at 90 MB instead of 75. */
const workerFlags = ["--max-semi-space-size=2"];

export const up: Command = {
  name: "up",
  summary: "run the daemon",
  help: `Usage: waybill up

Runs Waybill in the foreground until it is stopped. Running turns then get a while to end; what does not end stays in
the ledger, and the next start continues it.

  Ctrl-C or SIGTERM    stop, and wait for the running turns
  a second one         stop now

Exit codes: 0 it was stopped, 1 it could not start, 2 the command was not understood.

Examples:
  waybill up
  WAYBILL_HOME=~/waybill-test PORT=7301 waybill up`,
  options: {},
  ignoresClosedOutput: true,
  run(_input, { env, json, printNote }) {
    return runDaemon({
      home: waybillHome(env),
      // The worker reads the configuration and reports what is wrong with it; this process stays small without it.
      storePath: async () => (await import("../../daemon/config/config.ts")).readConfig(env).storePath,
      command: [process.execPath, ...workerFlags, ownProgram(), "worker", ...(json ? ["--json"] : [])],
      version: version(),
      onEvent: (event) => {
        const text = eventText(event);
        if (text !== null) printNote(`waybill: ${text}`);
      },
    });
  },
};

/** The program that this process runs: the worker is the same one. */
function ownProgram(): string {
  return process.argv[1] ?? packageFile("bin/waybill");
}

/** Null for what the worker itself logs. */
function eventText(event: SupervisorEvent): string | null {
  switch (event.type) {
    case "worker_started":
    case "worker_ready":
      return null;
    case "worker_ended": {
      const { end, next } = event;
      if (next.action === "exit") return null;
      if (next.crashes === 0) return "Restarting.";
      const how = end.signal === null ? `exit code ${end.code ?? "unknown"}` : end.signal;
      return `The worker ended unexpectedly (${how}). It is restarted in ${next.delayMs / 1000} s.`;
    }
    case "worker_killed":
      return "The worker did not end in time and was killed. Its unfinished work is in the ledger.";
    case "orphaned_worker_found":
      return `A worker of an earlier run (process ${event.pid}) is still running. It is asked to end.`;
    case "orphaned_worker_killed":
      return `The worker of the earlier run (process ${event.pid}) did not end in time and was killed.`;
    case "error":
      return messageOf(event.error);
    default:
      return event satisfies never;
  }
}
