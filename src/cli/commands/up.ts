/** `waybill up`: runs the daemon in the foreground, as a supervisor with one worker. */
import { fileURLToPath } from "node:url";
import { messageOf } from "../../app-error.ts";
import { loadConfig } from "../../daemon/config/config.ts";
import { up } from "../../daemon/supervisor/run-daemon.ts";
import type { SupervisorEvent } from "../../daemon/supervisor/supervisor.ts";
import { version } from "../../daemon/version.ts";
import type { Command } from "../command.ts";
import { refuseMore } from "../command.ts";

const program = fileURLToPath(new URL("../../../bin/waybill", import.meta.url));

const help = `Usage: waybill up

Runs Waybill in the foreground until it is stopped. What runs when it is stopped gets a while to end; what does not end
stays in the ledger, and the next start goes on with it.

  Ctrl-C or SIGTERM    stop, and wait for the turns that run
  a second one         stop now

Exit codes: 0 it was stopped, 1 it could not start, 2 the command was not understood.

Examples:
  waybill up
  WAYBILL_HOME=~/waybill-test PORT=7301 waybill up`;

export const upCommand: Command = {
  name: "up",
  summary: "run the daemon",
  help,
  options: {},
  outlivesReaders: true,
  run(input, { env, remark }) {
    refuseMore(input, 0, "up");
    // Read here too, so that what is wrong with it is said before anything is started.
    const { home, storePath } = loadConfig(env);
    return up({
      home,
      storePath,
      command: [process.execPath, program, "worker"],
      version: version(),
      onEvent: (event) => {
        const words = wordsFor(event);
        if (words !== null) remark(`waybill: ${words}`);
      },
    });
  },
};

/** Null for what the worker itself says better. */
function wordsFor(event: SupervisorEvent): string | null {
  switch (event.type) {
    case "worker_started":
    case "worker_ready":
      return null;
    case "worker_ended": {
      const { end, after } = event;
      if (after.do === "end") return null;
      if (after.crashes === 0) return "Restarting.";
      const how = end.signal === null ? `exit code ${end.code ?? "unknown"}` : end.signal;
      return `The worker ended unexpectedly (${how}). It is started again in ${after.afterMs / 1000} s.`;
    }
    case "worker_killed":
      return "The worker did not end in time and was killed. What it had not finished is in the ledger.";
    case "stale_worker_found":
      return `A worker of an earlier run (process ${event.pid}) is still there. It is asked to end.`;
    case "stale_worker_killed":
      return `The worker of the earlier run (process ${event.pid}) did not end in time and was killed.`;
    case "trouble":
      return messageOf(event.error);
    default:
      return event satisfies never;
  }
}
