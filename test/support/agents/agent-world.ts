/** A whole Waybill on a real agent program with a scripted model and short waits. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { ModelCall, ModelScriptInput, ScriptedModel } from "@waybill/scripted-model";
import { startScriptedModel } from "@waybill/scripted-model";
import type { Policy } from "../../../src/core/delivery/policy.ts";
import type { DeliveryRecord, Status } from "../../../src/core/delivery/record.ts";
import type { DailyLimits } from "../../../src/core/lane/lane.ts";
import type { StartedEngine } from "../../../src/daemon/wiring/start-engine.ts";
import { startEngine } from "../../../src/daemon/wiring/start-engine.ts";
import type { NewMessage } from "../../../src/mail/message-schema.ts";
import type { Runtime } from "../../../src/runtimes/port.ts";
import type { NewLane } from "../../../src/store/port.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { quickPolicy } from "../core/quick-policy.ts";
import { aLane } from "../daemon/waybill.ts";
import { lockDirectory } from "../teams/lock-directory.ts";

export type AgentWorldOptions = {
  /** Directories are inside the world's own. */
  lanes?: readonly Partial<NewLane>[];
  policy?: Partial<Policy>;
  /** By lane. */
  limits?: Readonly<Record<string, DailyLimits>>;
};

export abstract class AgentWorld {
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), "waybill-world-")));
  readonly work = join(this.directory, "work");
  readonly errors: unknown[] = [];
  readonly #options: AgentWorldOptions;
  readonly #asked = new Set<() => void>();
  /** The agent's instructions, by call. */
  readonly #systems: string[] = [];
  /** The user's texts before a prompt, at the model's last call for it. */
  readonly earlier = new Map<string, string>();
  model!: ScriptedModel;
  waybill!: StartedEngine;

  constructor(options: AgentWorldOptions = {}) {
    this.#options = options;
    mkdirSync(this.work);
  }

  /** A new one for each start. */
  protected abstract makeRuntime(): Runtime | Promise<Runtime>;

  async start(): Promise<this> {
    this.model ??= await startScriptedModel({ script: {}, onCall: (...call) => this.#onCall(...call) });
    const { lanes = [{}], policy = {}, limits = {} } = this.#options;
    const runtime = await this.makeRuntime();
    this.waybill = await startEngine({
      teamFiles: { stateDirectory: this.directory, takeLock: lockDirectory },
      store: openSqliteStore({
        path: join(this.directory, "waybill.db"),
        onListenerError: (error) => this.errors.push(error),
      }),
      policy: { ...quickPolicy, ...policy, limits: { ...quickPolicy.limits, byLane: limits } },
      lanes: lanes.map((lane) =>
        aLane({ runtime: runtime.kind, ...lane, directory: resolve(this.directory, lane.directory ?? "work") }),
      ),
      runtimes: () => [runtime],
      onError: ({ error }) => this.errors.push(error),
    });
    return this;
  }

  /** The call is in the log once the listeners have been notified. */
  #onCall({ prompt }: ModelCall, system: string, earlier: string): void {
    this.#systems.push(system);
    this.earlier.set(prompt, earlier);
    setImmediate(() => {
      for (const wake of this.#asked) wake();
      this.#asked.clear();
    });
  }

  script(script: ModelScriptInput): void {
    this.model.setScript(script);
  }

  async send(id: string, text: string, more: Partial<NewMessage> = {}): Promise<void> {
    await this.waybill.admission.admit({ id, to: { lane: "lane" }, from: "user", text, ...more });
  }

  /** Resolves when the delivery has one of these states. Follows the ledger's events instead of polling. */
  reaches(messageId: string, ...wanted: Status[]): Promise<DeliveryRecord> {
    return this.until(messageId, (record) => wanted.includes(record.status));
  }

  async delivery(messageId: string, laneId = "lane"): Promise<DeliveryRecord> {
    const record = await this.waybill.store.deliveryOf(laneId, messageId);
    if (!record) throw new Error(`no delivery for ${messageId}`);
    return record;
  }

  async until(messageId: string, done: (record: DeliveryRecord) => boolean, laneId = "lane"): Promise<DeliveryRecord> {
    let stop = () => {};
    const changed = new Promise<DeliveryRecord>((resolve) => {
      stop = this.waybill.store.onLog((items) => {
        for (const item of items) {
          if (item.type === "delivery" && item.record.messageId === messageId && done(item.record))
            resolve(item.record);
        }
      });
    });
    try {
      const now = await this.waybill.store.deliveryOf(laneId, messageId);
      return now && done(now) ? now : await changed;
    } finally {
      stop();
    }
  }

  async answers(): Promise<string[]> {
    const mail = await this.waybill.store.mailOf({ kind: "person", name: "user" }, 100);
    return mail.reverse().map((one) => one.text);
  }

  /** The model's calls for turns, without calls for titles and the like. */
  turns(prompt?: string, step = 0): number {
    const turns = this.model.calls.filter((call) => call.kind === "turn" && call.step === step);
    return turns.filter((call) => prompt === undefined || call.prompt.includes(prompt)).length;
  }

  /** The agent's instructions at the calls for this prompt, without calls for titles and the like. */
  instructions(prompt: string): string[] {
    const isFor = (call: ModelCall) => call.kind === "turn" && call.prompt.includes(prompt);
    return this.model.calls.flatMap((call, place) => (isFor(call) ? [this.#systems[place] ?? ""] : []));
  }

  /** The model's input at its last call for this prompt: hashes of files, and the prompt with the rest of its message. */
  received(prompt: string): { files: string[]; text: string } {
    const call = this.model.calls.findLast(({ kind, prompt: asked }) => kind === "turn" && asked.includes(prompt));
    return { files: call?.files.map(({ sha256 }) => sha256) ?? [], text: call?.prompt ?? "" };
  }

  /** Resolves when the model has been called this many times for a prompt with this text. */
  async modelIsAsked(prompt: string, times = 1, step = 0): Promise<void> {
    while (this.turns(prompt, step) < times) await new Promise<void>((resolve) => this.#asked.add(resolve));
  }

  async stop(): Promise<void> {
    await this.waybill?.close();
  }

  async dispose(): Promise<void> {
    await this.stop();
    await this.model?.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
