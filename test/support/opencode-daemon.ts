/**
 * A Waybill with an OpenCode server of its own, as a process that can be killed anywhere. At every start it sends the
 * same messages, as a client would that got no answer, and says what has become of them once all have ended.
 */
import { join } from "node:path";
import { systemClock } from "../../src/clock.ts";
import { startWaybill } from "../../src/daemon/compose.ts";
import { isOutstanding } from "../../src/delivery/record.ts";
import { OpencodeRuntime } from "../../src/runtimes/opencode/opencode-runtime.ts";
import type { KeeperOptions } from "../../src/runtimes/opencode/server-keeper.ts";
import { ServerKeeper } from "../../src/runtimes/opencode/server-keeper.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { quickPolicy } from "./quick-policy.ts";

export type OpencodeDaemonOptions = {
  directory: string;
  work: string;
  keeper: Omit<KeeperOptions, "env">;
  messages: { id: string; text: string }[];
};

/** By message id. */
export type Outcomes = Record<string, { status: string; attempts: number; reason: string | null; answers: number }>;

const { directory, work, messages, keeper }: OpencodeDaemonOptions = JSON.parse(process.argv[2] ?? "");
const say = (line: unknown) => process.stdout.write(`${JSON.stringify(line)}\n`);
const onTrouble = (error: unknown) => void process.stderr.write(`${error}\n`);

const lane = {
  id: "lane",
  displayName: null,
  team: null,
  member: null,
  runtime: "opencode",
  directory: work,
  agent: null,
  model: null,
  contract: "text" as const,
  createdAt: 0,
};
const waybill = await startWaybill({
  store: openSqliteStore({ path: join(directory, "waybill.db") }),
  policy: quickPolicy,
  lanes: [lane],
  runtimes: () => [
    new OpencodeRuntime({ keeper: new ServerKeeper({ ...keeper, env: process.env }), clock: systemClock, onTrouble }),
  ],
  onTrouble: ({ error }) => onTrouble(error),
});
say("started");
for (const { id, text } of messages) await waybill.send({ id, to: { lane: "lane" }, from: "user", text });

async function outcomes(): Promise<Outcomes | null> {
  const mail = await waybill.store.mailOf({ kind: "person", name: "user" }, 1000);
  const found: Outcomes = {};
  for (const { id } of messages) {
    const record = await waybill.store.deliveryOf("lane", id);
    if (!record || record.status === "pending" || isOutstanding(record)) return null;
    const answers = mail.filter((one) => one.relayOfMessageId === id).length;
    found[id] = { status: record.status, attempts: record.attempts, reason: record.lastReason, answers };
  }
  return found;
}

let told = false;
async function tellIfEnded(): Promise<void> {
  const all = told ? null : await outcomes();
  if (!all || told) return;
  told = true;
  say(all);
}
waybill.ledger.onChange(() => void tellIfEnded());
await tellIfEnded();
process.stdin.resume().once("end", () => void waybill.close());
