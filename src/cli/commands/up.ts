/** `waybill up`: runs the daemon in the foreground, as a supervisor with one worker. */

import { runDaemon } from "../../daemon/supervisor/run-daemon.ts";
import type { SupervisorEvent } from "../../daemon/supervisor/supervisor.ts";
import { version } from "../../daemon/version.ts";
import { storeAt } from "../../daemon/wiring/store-at.ts";
import { messageOf } from "../../platform/app-error.ts";
import { waybillHome } from "../../platform/home.ts";
import { ownProgram } from "../child-daemon.ts";
import type { Command } from "../command.ts";

/** V8 never frees the default 16 MB: an idle worker with 1,000 lanes would take 90 MB instead of 75. */
const workerFlags = ["--max-semi-space-size=2"];

export const up: Command = {
  name: "up",
  summary: "run the daemon",
  help: `Usage: waybill up

Runs Waybill in the foreground until it is stopped. Running turns then get some time to finish; unfinished work stays in
the ledger, and the next start continues it.

  Ctrl-C or SIGTERM    stop, and wait for running turns
  a second one         stop now

Exit codes: 0 stopped, 1 could not start, 2 invalid command line.

Examples:
  waybill up
  WAYBILL_HOME=~/waybill-test PORT=7301 waybill up`,
  options: {},
  ignoresClosedOutput: true,
  run(_input, { env, json, printNote }) {
    return runDaemon({
      home: waybillHome(env),
      // Loaded only when needed: the worker reads and checks the configuration, and this process stays small.
      store: async () => storeAt((await import("../../daemon/config/config.ts")).readConfig(env).storePath),
      command: [process.execPath, ...workerFlags, ownProgram(), "worker", ...(json ? ["--json"] : [])],
      version: version(),
      onEvent: (event) => {
        const text = eventText(event);
        if (text !== null) printNote(`waybill: ${text}`);
      },
    });
  },
};

/** Null for events that the worker logs itself. */
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
      return `The worker ended unexpectedly (${how}). Restarting it in ${next.delayMs / 1000} s.`;
    }
    case "worker_killed":
      return "The worker did not stop in time and was killed. Its unfinished work is in the ledger.";
    case "orphaned_worker_found":
      return `A worker of an earlier run (process ${event.pid}) is still running. Asking it to stop.`;
    case "orphaned_worker_killed":
      return `The worker of the earlier run (process ${event.pid}) did not stop in time and was killed.`;
    case "error":
      return messageOf(event.error);
    default:
      return event satisfies never;
  }
}
