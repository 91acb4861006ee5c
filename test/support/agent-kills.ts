/**
 * An agent's program, the daemon, or both are killed with SIGKILL in the middle of a turn, again and again: the built
 * program as a user runs it, with a real agent. Every message must end, and the model, which nobody kills, knows how
 * often it was asked for each.
 */
import type { FSWatcher } from "node:fs";
import { existsSync, mkdirSync, watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { processTable } from "../../src/runtimes/process/process-table.ts";
import type { ProcessIdentity } from "../../src/runtimes/process/process-tree.ts";
import { processTreeOf, treeLeader } from "../../src/runtimes/process/process-tree.ts";
import type { ModelCall } from "../../src/scripted-model/call-log.ts";
import type { ModelScriptInput } from "../../src/scripted-model/script.ts";
import type { DaemonProcess } from "./daemon-process.ts";
import { freePort } from "./free-port.ts";
import { ModelProcess } from "./model-process.ts";
import { Program } from "./program.ts";

export type Victim = "program" | "daemon" | "both";
/**
 * When it happens: a program has just been started for the message, the model was asked, a tool runs, or the agent
 * waits for a person.
 */
export type Moment = "start" | "model" | "tool" | "ask";

type Steps = NonNullable<NonNullable<ModelScriptInput["rules"]>[number]["steps"]>;
/** Of the turn in which it happens. A tool makes `marker` when it runs. */
export type TurnToBreak = { victim: Victim; moment: Moment; place: number; say: string; marker: string };
export type Kill = { victim: Victim; moment: Moment; longestWaitMs: number };

export type KilledAgent = {
  configure(waybill: Program, modelUrl: string): Promise<void>;
  /** The place where its programs are written down, and what stands there. */
  recordsIn(waybill: Program): { directory: string; read: () => ProcessIdentity[] };
  /** One after the other, and then from the beginning. */
  kills: readonly Kill[];
  brokenTurn(turn: TurnToBreak): Steps;
  /** A program that nobody talks to any more ends in mid-turn. */
  diesWithDaemon?: true;
};

/** What became of one message. */
export type Fate = {
  id: string;
  /** What happened in its first turn; null for the last message, which nothing happens to. */
  kill: Kill | null;
  /** Whether its first turn ended with that. */
  died: boolean;
  status: string;
  attempts: number;
  reason: string | null;
  /** How many messages its sender has got for it. */
  answers: number;
  /** That the model got for it, in order. `last`: with its answer the turn was at its end. */
  calls: (ModelCall & { last: boolean })[];
};

export type AgentKills = {
  fates: Fate[];
  /** How the daemon ended when it was asked to. */
  exitCode: number | null;
  /** Processes of any of the programs that were alive after that, and programs that were still written down. */
  leftOver: number[];
  recordsLeft: number;
};

type Message = Pick<Fate, "id" | "kill"> & { marker: string };

export async function killAgainAndAgain(agent: KilledAgent, kills: number): Promise<AgentKills> {
  const waybill = new Program({ PORT: String(await freePort()) });
  const messages = Array.from({ length: kills + 1 }, (_, index): Message => {
    const kill = index < kills ? (agent.kills[index % agent.kills.length] ?? null) : null;
    return { id: `m${index}`, kill, marker: join(waybill.directory, `m${index}.tool`) };
  });
  const script = scriptFor(agent, messages);
  const model = new ModelProcess(script);
  try {
    await agent.configure(waybill, await model.url);
    return await new Loop(agent, waybill, model, script).run(messages);
  } finally {
    await waybill.dispose();
    await model.close();
  }
}

function scriptFor(agent: KilledAgent, messages: readonly Message[]): ModelScriptInput {
  const say = "Done with {{1}}: I changed one file, and everything builds.";
  const firstTurns = messages.flatMap(({ id, kill, marker }, place) => {
    if (!kill) return [];
    const steps = agent.brokenTurn({ ...kill, place, say, marker });
    return [{ when: `/Message (${id})\\./`, once: true, steps }];
  });
  return { rules: [...firstTurns, { when: "/Message (m\\d+)\\./", steps: [{ say }] }] };
}

/** A minute and a half is much more than a start of everything takes, also on a machine that is under load. */
const patience = () => AbortSignal.timeout(90_000);

const isFor = (id: string) => (call: ModelCall) => call.kind === "turn" && call.prompt.includes(`Message ${id}.`);

class Loop {
  readonly #agent: KilledAgent;
  readonly #waybill: Program;
  readonly #model: ModelProcess;
  readonly #script: ModelScriptInput;
  /** By nonce, every program that was ever written down. */
  readonly #programs = new Map<string, ProcessIdentity>();
  #newest: ProcessIdentity | null = null;
  /** The one that was at work when the last kill came. */
  #struck: ProcessIdentity | null = null;
  #daemon!: DaemonProcess;

  constructor(agent: KilledAgent, waybill: Program, model: ModelProcess, script: ModelScriptInput) {
    this.#agent = agent;
    this.#waybill = waybill;
    this.#model = model;
    this.#script = script;
  }

  async run(messages: readonly Message[]): Promise<AgentKills> {
    this.#daemon = await this.#waybill.up();
    const records = this.#watchRecords();
    try {
      const deliveries = new Map<string, string>();
      for (const { id } of messages) {
        const sent = await this.#waybill.client().send({ messageId: id, to: { lane: "lane" }, text: `Message ${id}.` });
        deliveries.set(id, sent.deliveryId);
      }
      for (const message of messages) await this.#breakIn(message);
      const fates: Fate[] = [];
      for (const message of messages) fates.push(await this.#fateOf(message, deliveries.get(message.id) ?? ""));
      // Else the look below would find nothing, whatever is left.
      if ((await this.#alive()).length === 0) throw new Error("the last program cannot be seen");
      this.#daemon.kill("SIGTERM");
      const { code } = await this.#daemon.exit();
      const recordsLeft = this.#agent.recordsIn(this.#waybill).read().length;
      return { fates, exitCode: code, leftOver: await this.#alive(), recordsLeft };
    } finally {
      records.close();
    }
  }

  async #breakIn(message: Message): Promise<void> {
    const { id, kill } = message;
    await this.#until(`the moment of ${id} (${kill?.moment})`, () => this.#isTime(message));
    const program = this.#newest;
    this.#struck = program;
    if (!kill) return;
    await wait(Math.random() * kill.longestWaitMs);
    if (kill.victim !== "program") await this.#waybill.kill();
    if (kill.victim !== "daemon" && program) await this.#killProgram(program);
    if (kill.victim !== "program") this.#daemon = await this.#waybill.up();
  }

  async #isTime({ id, kill, marker }: Message): Promise<boolean> {
    if (kill?.moment === "start") return this.#newest?.nonce !== this.#struck?.nonce;
    if (!this.#model.calls.some(isFor(id))) return false;
    if (kill?.moment === "tool") return existsSync(marker);
    return kill?.moment !== "ask" || (await this.#waybill.client().asks()).asks.length > 0;
  }

  async #until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const signal = patience();
    while (!(await isSo())) {
      if (signal.aborted) {
        const said = this.#daemon.lines.slice(-20).map((line) => JSON.stringify(line));
        throw new Error(`${what} does not come:\n${said.join("\n")}`);
      }
      await wait(10);
    }
  }

  /** Its process group: what its tools run has groups of its own, and is for Waybill to end. */
  async #killProgram(program: ProcessIdentity): Promise<void> {
    const leader = treeLeader(this.#programs.get(program.nonce) ?? program, await processTable());
    if (leader) process.kill(-leader.pid, "SIGKILL");
  }

  #watchRecords(): FSWatcher {
    const { directory, read } = this.#agent.recordsIn(this.#waybill);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const look = () => {
      for (const record of read()) {
        if (!this.#programs.has(record.nonce)) this.#newest = record;
        this.#programs.set(record.nonce, record);
      }
    };
    look();
    return watch(directory, look);
  }

  async #fateOf({ id, kill }: Message, deliveryId: string): Promise<Fate> {
    const ended = await this.#waybill.client().wait(deliveryId, { signal: patience() });
    const { status, attempts, reason = null, replies } = ended;
    const calls = this.#model.calls.filter(isFor(id)).map((call) => {
      const steps = this.#script.rules?.[call.rule ?? -1]?.steps?.length ?? 0;
      return { ...call, last: call.step >= steps - 1 };
    });
    const died = kill !== null && (kill.victim !== "daemon" || this.#agent.diesWithDaemon === true);
    return { id, kill, died, status, attempts, reason, answers: replies.length, calls };
  }

  async #alive(): Promise<number[]> {
    const table = await processTable();
    const programs = [...this.#programs.values()];
    return programs.flatMap((program) => processTreeOf(program, table, process.pid).map(({ pid }) => pid));
  }
}
