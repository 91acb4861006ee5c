/** `waybill restart`: a new worker, in good order. */
import type { Version, WaybillClient } from "../../client/index.ts";
import { WaybillError } from "../../client/index.ts";
import type { Command } from "../command.ts";
import { refuseMore } from "../command.ts";
import { talk } from "../connect.ts";
import { exitCodes } from "../exit-codes.ts";
import { parseSpan, span } from "../output/words.ts";
import { usageError } from "../usage-error.ts";

const help = `Usage: waybill restart [--timeout SECONDS]

Asks the daemon to end in good order and start anew, and waits until the new one answers. Turns that run are given time
to end; nothing that was taken is lost.

Options:
  --timeout SECONDS   stop waiting after so long (default 120); the restart goes on
  --json              one line: the version, run id and start of the new one

Exit codes: 0 the new one answers, 124 not within the time, 5 no daemon runs, 1 any other error.

Examples:
  waybill restart`;

export const restart: Command = {
  name: "restart",
  summary: "restart the daemon in good order",
  help,
  options: { timeout: { type: "string" } },
  run(input, context) {
    const { json, print, remark, interrupted } = context;
    refuseMore(input, 0, "restart");
    const given = input.value("timeout") ?? "120";
    const timeoutMs = parseSpan(given);
    if (timeoutMs === null) throw usageError(`--timeout is a number of seconds, not ${given}`, "restart");
    return talk(context, async (client) => {
      const started = Date.now();
      const before = await client.version();
      await client.restart();
      if (!json) remark("The daemon ends its work and starts anew…");
      const after = await anotherRun(client, before.runId, started + timeoutMs, interrupted);
      if (after === null) {
        if (!json) remark(`No new daemon answers after ${span(timeoutMs)}. Its log says more.`);
        return exitCodes.timedOut;
      }
      if (json) print(JSON.stringify(after));
      else print(`Waybill ${after.version} runs again, after ${span(Date.now() - started)}.`);
      return exitCodes.ok;
    });
  },
};

const pollMs = 200;

async function anotherRun(
  client: WaybillClient,
  runId: string,
  deadline: number,
  interrupted: AbortSignal,
): Promise<Version | null> {
  while (Date.now() < deadline) {
    const now = await ifItAnswers(client.version());
    if (now !== null && now.runId !== runId) return now;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    interrupted.throwIfAborted();
  }
  return null;
}

/** In between there is nobody to answer. */
async function ifItAnswers(asked: Promise<Version>): Promise<Version | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof WaybillError && (error.status === 0 || error.status >= 500)) return null;
    throw error;
  }
}
