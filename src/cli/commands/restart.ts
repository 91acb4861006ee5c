/** `waybill restart`: makes the daemon start a new worker. */
import { setTimeout as wait } from "node:timers/promises";
import type { Version, WaybillClient } from "../../client/index.ts";
import { WaybillError } from "../../client/index.ts";
import type { Command } from "../command.ts";
import { printResult, textOption } from "../command.ts";
import { withDaemon } from "../connect.ts";
import { exitCodes, usageError } from "../errors.ts";
import { formatDuration, parseDuration } from "../output/format.ts";

export const restart: Command = {
  name: "restart",
  summary: "restart the daemon gracefully",
  help: {
    usage: "[--timeout DURATION]",
    description: `Shuts the daemon down gracefully, starts it again and waits until it answers. Running turns get time to finish, and
no accepted message is lost.`,
    json: "one line: the new daemon's version, run id and start time",
    exitCodes:
      "0 restarted, 124 not within the timeout, 5 no daemon is running, 2 invalid command line, 1 any other error.",
    examples: "waybill restart",
  },
  options: {
    timeout: textOption("DURATION", "stop waiting after this long: 90s, 5m (default 2m); the restart continues"),
  },
  run(input, context) {
    const { json, printNote, interrupted } = context;
    const timeout = input.value("timeout") ?? "2m";
    const timeoutMs = parseDuration(timeout);
    if (timeoutMs === null) throw usageError(`--timeout must be a duration like 30s or 2m, not ${timeout}`, "restart");
    return withDaemon(context, async (client) => {
      const startedAt = Date.now();
      const { runId } = await client.version();
      await client.restart();
      if (!json) printNote("The daemon is restarting…");
      const restarted = await waitForOtherRun(client, runId, startedAt + timeoutMs, interrupted);
      if (restarted === null) {
        if (!json) printNote(`The daemon did not come back within ${formatDuration(timeoutMs)}. See its log.`);
        return exitCodes.timedOut;
      }
      const done = `Waybill ${restarted.version} is running again, after ${formatDuration(Date.now() - startedAt)}.`;
      return printResult(context, restarted, done);
    });
  },
};

const pollMs = 200;

async function waitForOtherRun(
  client: WaybillClient,
  runId: string,
  deadline: number,
  interrupted: AbortSignal,
): Promise<Version | null> {
  while (Date.now() < deadline) {
    const version = await client.version().catch(nullWhileRestarting);
    if (version !== null && version.runId !== runId) return version;
    await wait(pollMs, undefined, { signal: interrupted });
  }
  return null;
}

function nullWhileRestarting(error: unknown): null {
  if (error instanceof WaybillError && (error.status === 0 || error.status >= 500)) return null;
  throw error;
}
