/**
 * Kills an agent's program, the daemon, or both with SIGKILL mid-turn, again and again: the built program as a user runs it,
 * with a real agent. Every message must end, and the model, which is never killed, knows how often it was called for each.
 */
import type { FSWatcher } from "node:fs";
import { existsSync, mkdirSync, watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { ModelCall, ModelScriptInput } from "@waybill/scripted-model";
import { processTable } from "../../../src/runtimes/process/process-table.ts";
import type { ProcessIdentity } from "../../../src/runtimes/process/process-tree.ts";
import { processTreeOf, treeLeader } from "../../../src/runtimes/process/process-tree.ts";
import type { DaemonProcess } from "../daemon/daemon-process.ts";
import { freePort } from "../daemon/free-port.ts";
import { Program } from "../daemon/program.ts";
import { ModelProcess } from "./model-process.ts";

export type Victim = "program" | "daemon" | "both";
/**
 * When to kill: a program has just been started for the message, the model was called, a tool runs, or the agent waits for
 * a person.
 */
export type Moment = "start" | "model" | "tool" | "ask";

type Steps = NonNullable<NonNullable<ModelScriptInput["rules"]>[number]["steps"]>;
/** Of the turn with the kill. A tool creates `marker` when it runs. */
export type TurnToBreak = { victim: Victim; moment: Moment; place: number; say: string; marker: string };
export type Kill = { victim: Victim; moment: Moment; longestWaitMs: number };

export type KilledAgent = {
  configure(waybill: Program, modelUrl: string): Promise<void>;
  /** Where its programs are recorded, and how to read the records. */
  recordsIn(waybill: Program): { directory: string; read: () => ProcessIdentity[] };
  /** Used in turn, then from the beginning again. */
  kills: readonly Kill[];
  brokenTurn(turn: TurnToBreak): Steps;
  /** A program that lost its daemon exits mid-turn. */
  diesWithDaemon?: true;
};

/** The result of one message. */
export type Fate = {
  id: string;
  /** The kill in its first turn; null for the last message, which gets none. */
  kill: Kill | null;
  /** Whether the kill ended its first turn. */
  died: boolean;
  status: string;
  attempts: number;
  reason: string | null;
  /** How many replies its sender got. */
  answers: number;
  /** The calls that the model got for it, in order. `last`: its answer ended the turn. */
  calls: (ModelCall & { last: boolean })[];
};

export type AgentKills = {
  fates: Fate[];
  /** How the daemon exited on request. */
  exitCode: number | null;
  /** Processes of these programs that were still alive after that, and programs that were still recorded. */
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

/** A minute and a half is much longer than a start takes, even on a loaded machine. */
const patience = () => AbortSignal.timeout(90_000);

const isFor = (id: string) => (call: ModelCall) => call.kind === "turn" && call.prompt.includes(`Message ${id}.`);

class Loop {
  readonly #agent: KilledAgent;
  readonly #waybill: Program;
  readonly #model: ModelProcess;
  readonly #script: ModelScriptInput;
  /** Every program that was ever recorded, by nonce. */
  readonly #programs = new Map<string, ProcessIdentity>();
  #newest: ProcessIdentity | null = null;
  /** The program that was working at the last kill. */
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
      // Otherwise the check below would find nothing, whatever is left.
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

  /** Kills its process group. Its tools have their own groups, which Waybill has to end. */
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
