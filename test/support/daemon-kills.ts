/**
 * The whole daemon is killed with SIGKILL again and again while messages are sent to it: every one that was answered
 * with 202 must end in an outcome, and none may be given to the agent twice.
 */
import type { WaybillClient } from "../../src/client/index.ts";
import { WaybillError } from "../../src/client/index.ts";
import { isGone } from "./daemon-process.ts";
import { freePort, Program } from "./program.ts";

export type KilledRun = {
  kills: number;
  /** Message ids that the daemon said it had taken. */
  taken: string[];
  /** By message id, what became of it. */
  outcomes: Map<string, string>;
  /** By message id, how often the agent was given it, by its own journal. */
  prompts: Map<string, number>;
  /** By message id, how many answers its sender has got. */
  answers: Map<string, number>;
};

const lanes = ["a", "b", "c"];
const answers = { always: [{ steps: [{ wait: 30 }, { say: "Done: 3 files." }] }] };

export async function killAgainAndAgain(kills: number): Promise<KilledRun> {
  const waybill = new Program({ PORT: String(await freePort()) });
  try {
    waybill.configure(Object.fromEntries(lanes.map((lane) => [lane, answers])));
    await waybill.up();
    const stop = new AbortController();
    const sending = lanes.map((lane) => sendUntil(stop.signal, waybill.client(), lane));
    for (let kill = 0; kill < kills; kill++) {
      await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 300));
      await killAll(waybill);
      await waybill.up();
    }
    stop.abort();
    const taken = (await Promise.all(sending)).flat();
    return { kills, taken, ...(await whatBecameOf(taken, waybill)) };
  } finally {
    await waybill.dispose();
  }
}

/** One after the other, each under an id of its own. */
async function sendUntil(signal: AbortSignal, client: WaybillClient, lane: string): Promise<string[]> {
  const taken: string[] = [];
  while (!signal.aborted) taken.push(await sendSurely(client, lane, taken.length));
  return taken;
}

/** Again under the same id until the daemon has taken it. */
async function sendSurely(client: WaybillClient, lane: string, number: number): Promise<string> {
  for (;;) {
    try {
      return (await client.send({ to: { lane }, text: `Number ${number}.`, messageId: `${lane}-${number}` })).messageId;
    } catch (error) {
      // No answer: it is not known whether the message was taken.
      if (!(error instanceof WaybillError) || error.status !== 0) throw error;
    }
  }
}

/** The supervisor first, so that it cannot start another worker. */
async function killAll(waybill: Program): Promise<void> {
  const { supervisorPid, workerPid } = waybill.daemonFile;
  for (const pid of [supervisorPid, workerPid]) if (pid !== null && !isGone(pid)) process.kill(pid, "SIGKILL");
  for (const pid of [supervisorPid, workerPid]) {
    while (pid !== null && !isGone(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function whatBecameOf(taken: readonly string[], waybill: Program) {
  const client = waybill.client();
  const outcomes = new Map<string, string>();
  for (const messageId of taken) {
    const { deliveries } = await client.deliveries({ messageId });
    const [delivery] = deliveries;
    if (delivery) outcomes.set(messageId, (await client.wait(delivery.id)).status);
  }
  const prompts = new Map<string, number>();
  for (const { lane, text } of waybill.prompts()) {
    const number = /Number (\d+)\.$/.exec(text)?.[1];
    count(prompts, `${lane}-${number}`);
  }
  const answered = new Map<string, number>();
  let cursor: string | undefined;
  do {
    const page = await client.messages({ limit: 200, cursor });
    for (const message of page.messages) if ("person" in message.to) count(answered, message.relayOfMessageId ?? "");
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { outcomes, prompts, answers: answered };
}

function count(counts: Map<string, number>, id: string): void {
  counts.set(id, (counts.get(id) ?? 0) + 1);
}
