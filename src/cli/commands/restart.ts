/** `waybill restart`: has the daemon start a new worker. */
import { setTimeout as wait } from "node:timers/promises";
import type { Version, WaybillClient } from "../../client/index.ts";
import { WaybillError } from "../../client/index.ts";
import type { Command } from "../command.ts";
import { printResult, textOption } from "../command.ts";
import { withDaemon } from "../connect.ts";
import { usageError } from "../errors.ts";
import { exitCodes } from "../exit-codes.ts";
import { formatDuration, parseDuration } from "../output/format.ts";

export const restart: Command = {
  name: "restart",
  summary: "restart the daemon gracefully",
  help: {
    usage: "[--timeout SECONDS]",
    description: `Asks the daemon to shut down gracefully and start again, and waits until the new one answers. Running turns are given
time to end; no accepted message is lost.`,
    json: "one line: the version, run id and start of the new one",
    exitCodes: "0 the new one answers, 124 not within the time, 5 no daemon runs, 1 any other error.",
    examples: "waybill restart",
  },
  options: {
    timeout: textOption("SECONDS", "stop waiting after this time (default 120); the restart goes on"),
  },
  run(input, context) {
    const { json, printNote, interrupted } = context;
    const timeout = input.value("timeout") ?? "120";
    const timeoutMs = parseDuration(timeout);
    if (timeoutMs === null) throw usageError(`--timeout is a number of seconds, not ${timeout}`, "restart");
    return withDaemon(context, async (client) => {
      const startedAt = Date.now();
      const { runId } = await client.version();
      await client.restart();
      if (!json) printNote("The daemon is restarting…");
      const restarted = await waitForOtherRun(client, runId, startedAt + timeoutMs, interrupted);
      if (restarted === null) {
        if (!json) printNote(`No new daemon answers after ${formatDuration(timeoutMs)}. Its log says more.`);
        return exitCodes.timedOut;
      }
      const done = `Waybill ${restarted.version} runs again, after ${formatDuration(Date.now() - startedAt)}.`;
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
