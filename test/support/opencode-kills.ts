/**
 * OpenCode, the daemon, or both are killed with SIGKILL in the middle of a turn, again and again: the built program as a
 * user runs it, with a real OpenCode. Every message must end, and the model, which nobody kills, knows how often it was
 * asked for each.
 */
import { setTimeout as wait } from "node:timers/promises";
import { familyOf } from "../../src/runtimes/agent-process/process-family.ts";
import { processTable } from "../../src/runtimes/agent-process/process-table.ts";
import type { ServerRecord } from "../../src/runtimes/opencode/server-record.ts";
import { readServerRecord } from "../../src/runtimes/opencode/server-record.ts";
import type { Call } from "../../src/scripted-model/call-log.ts";
import { homeOfItsOwn, scriptedProvider } from "../../src/scripted-model/opencode-settings.ts";
import type { ScriptInput } from "../../src/scripted-model/script.ts";
import type { DaemonProcess } from "./daemon-process.ts";
import { ModelProcess } from "./model-process.ts";
import { opencodeBin } from "./opencode-server.ts";
import { freePort, Program } from "./program.ts";

export type Victim = "opencode" | "daemon" | "both";
const victims: readonly Victim[] = ["opencode", "daemon", "both"];

/** What became of one message. */
export type Fate = {
  id: string;
  /** Who was killed in its first turn; null for the last message, which nothing happens to. */
  victim: Victim | null;
  status: string;
  attempts: number;
  reason: string | null;
  /** How many messages its sender has got for it. */
  answers: number;
  /** That the model got for it, in order. */
  calls: Call[];
};

export type OpencodeKills = {
  fates: Fate[];
  /** How the daemon ended when it was asked to. */
  exitCode: number | null;
  /** Processes of any of the servers that were alive after that. */
  leftOver: number[];
};

type Message = Pick<Fate, "id" | "victim">;

export async function killOpencodeAgainAndAgain(kills: number): Promise<OpencodeKills> {
  const messages = Array.from({ length: kills + 1 }, (_, index): Message => {
    return { id: `m${index}`, victim: index < kills ? (victims[index % victims.length] ?? null) : null };
  });
  const model = new ModelProcess(scriptFor(messages));
  const waybill = new Program({ PORT: String(await freePort()) });
  try {
    await configure(waybill, await model.url);
    return await new Loop(waybill, model).run(messages);
  } finally {
    await waybill.dispose();
    await model.close();
  }
}

/**
 * A turn in which OpenCode dies stops somewhere and never ends by itself, so the kill cannot come too late. One in which
 * only the daemon dies goes on, and ends before the next daemon is there, or after.
 */
function scriptFor(messages: readonly Message[]): ScriptInput {
  const say = "Done with {{1}}: I changed one file, and everything builds.";
  const firstTurns = messages.map(({ id, victim }, index) => {
    const dies = { say, pieceMs: 50, breaks: { how: "hang" as const, afterPieces: index % 4 } };
    const lives = { say, waitMs: 300, pieceMs: 100 };
    return { when: `/Message (${id})\\./`, once: true, steps: [victim === "daemon" ? lives : dies] };
  });
  return { rules: [...firstTurns.slice(0, -1), { when: "/Message (m\\d+)\\./", steps: [{ say }] }] };
}

async function configure(waybill: Program, modelUrl: string): Promise<void> {
  const port = await freePort();
  Object.assign(waybill.env, homeOfItsOwn(waybill.directory), {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(scriptedProvider(modelUrl)),
  });
  waybill.configure(
    {},
    {
      modelProvider: "opencode_cli",
      opencodeBin,
      opencodeAttachUrl: `http://127.0.0.1:${port}`,
      opencodeServePort: port,
      lanes: [{ id: "lane", directory: waybill.work }],
      delivery: { retryDelaysMs: [300], graceMs: 1500, rereadMs: 200, firstLookDelayMs: 300, maxLookDelayMs: 1000 },
    },
  );
}

/** A minute and a half is much more than a start of everything takes, also on a machine that is under load. */
const patience = () => AbortSignal.timeout(90_000);

const isFor = (id: string) => (call: Call) => call.kind === "turn" && call.prompt.includes(`Message ${id}.`);

class Loop {
  readonly #waybill: Program;
  readonly #model: ModelProcess;
  /** By nonce, every server that a turn was seen to run on. */
  readonly #servers = new Map<string, ServerRecord>();

  constructor(waybill: Program, model: ModelProcess) {
    this.#waybill = waybill;
    this.#model = model;
  }

  async run(messages: readonly Message[]): Promise<OpencodeKills> {
    let daemon = await this.#waybill.up();
    const deliveries = new Map<string, string>();
    for (const { id } of messages) {
      const sent = await this.#waybill.client().send({ messageId: id, to: { lane: "lane" }, text: `Message ${id}.` });
      deliveries.set(id, sent.deliveryId);
    }
    for (const { id, victim } of messages) {
      await this.#asked(id, daemon);
      const server = this.#server();
      if (victim === null) continue;
      await wait(Math.random() * 900);
      if (victim !== "opencode") await this.#waybill.kill();
      if (victim !== "daemon") process.kill(-(server.pid ?? 0), "SIGKILL");
      if (victim !== "opencode") daemon = await this.#waybill.up();
    }
    const fates: Fate[] = [];
    for (const message of messages) fates.push(await this.#fateOf(message, deliveries.get(message.id) ?? ""));
    // Else the look below would find nothing, whatever is left.
    if ((await this.#alive()).length === 0) throw new Error("the last server cannot be seen");
    daemon.kill("SIGTERM");
    const { code } = await daemon.exit();
    return { fates, exitCode: code, leftOver: await this.#alive() };
  }

  async #asked(id: string, daemon: DaemonProcess): Promise<void> {
    try {
      await this.#model.isCalled(isFor(id), patience());
    } catch (cause) {
      const said = daemon.said.slice(-20).map((line) => JSON.stringify(line));
      throw new Error(`the model is not asked for ${id}:\n${said.join("\n")}`, { cause });
    }
  }

  /** The one that is written down now. */
  #server(): ServerRecord {
    const record = readServerRecord(`${this.#waybill.home}/opencode-server`);
    if (record?.pid == null) throw new Error("a turn runs, and no server is written down");
    this.#servers.set(record.nonce, record);
    return record;
  }

  async #fateOf(message: Message, deliveryId: string): Promise<Fate> {
    const ended = await this.#waybill.client().wait(deliveryId, { signal: patience() });
    const { status, attempts, reason = null, replies } = ended;
    const calls = this.#model.calls.filter(isFor(message.id));
    return { ...message, status, attempts, reason, answers: replies.length, calls };
  }

  async #alive(): Promise<number[]> {
    const table = await processTable();
    return [...this.#servers.values()].flatMap((server) => familyOf(server, table, process.pid).map(({ pid }) => pid));
  }
}
