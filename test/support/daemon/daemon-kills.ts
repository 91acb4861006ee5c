/**
 * Kills the whole daemon with SIGKILL again and again while messages are sent to it: every message that was answered with
 * 202 must get an outcome, and none may reach the agent twice.
 */
import { freePort } from "./free-port.ts";
import { Program } from "./program.ts";

export type KilledRun = {
  kills: number;
  /** Ids of messages that the daemon confirmed. */
  taken: string[];
  /** Outcomes by message id. */
  outcomes: Map<string, string>;
  /** How often the agent got each message, according to its own journal. */
  prompts: Map<string, number>;
  /** How many answers the sender got for each message. */
  answers: Map<string, number>;
};

type Address = { url: string; token: string };

const lanes = ["a", "b", "c"];
const answers = { always: [{ steps: [{ say: "Done: 3 files." }] }], stepMs: 2 };

export async function killAgainAndAgain(kills: number): Promise<KilledRun> {
  const waybill = new Program({ PORT: String(await freePort()) });
  try {
    waybill.configure(Object.fromEntries(lanes.map((lane) => [lane, answers])));
    await waybill.up();
    const taken: string[] = [];
    let killed = 0;
    // On a busy machine some runs end before anything was sent.
    const isEnough = () => killed === kills && taken.length > kills;
    const address = { url: waybill.daemonFile.url ?? "", token: waybill.token };
    const sending = Promise.all(lanes.map((lane) => sendUntil(isEnough, address, lane, taken)));
    for (; killed < kills; killed++) {
      await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 300));
      await waybill.kill();
      await waybill.up();
    }
    await sending;
    return { kills, taken, ...(await whatBecameOf(taken, waybill)) };
  } finally {
    await waybill.dispose();
  }
}

/** One after the other, each with its own id. */
async function sendUntil(isEnough: () => boolean, waybill: Address, lane: string, taken: string[]): Promise<void> {
  for (let number = 0; !isEnough(); number++) taken.push(await sendSurely(waybill, lane, number));
}

/** Repeats the request with the same id until the daemon confirms it, without the client's delays: it is down half the time. */
async function sendSurely({ url, token }: Address, lane: string, number: number): Promise<string> {
  const messageId = `${lane}-${number}`;
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ to: { lane }, text: `Number ${number}.`, messageId });
  for (;;) {
    const answer = await fetch(`${url}/v1/messages`, { method: "POST", headers, body }).catch(() => null);
    if (answer?.status === 202) return messageId;
    // No answer: the message may or may not have been accepted.
    if (answer !== null) throw new Error(`refused with ${answer.status}: ${await answer.text()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
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
