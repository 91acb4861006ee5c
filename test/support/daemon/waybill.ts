/** A whole Waybill on a real store file, with scripted agents and a clock that the test controls. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Policy } from "../../../src/core/delivery/policy.ts";
import { defaultPolicy } from "../../../src/core/delivery/policy.ts";
import type { Alert, DeliveryRecord } from "../../../src/core/delivery/record.ts";
import type { TurnLimitOptions } from "../../../src/courier/turn-limit.ts";
import type { StartedEngine } from "../../../src/daemon/wiring/start-engine.ts";
import { startEngine } from "../../../src/daemon/wiring/start-engine.ts";
import type { NewMessage } from "../../../src/mail/message-schema.ts";
import type { ReadCommitter } from "../../../src/mail/read-commit.ts";
import type { AlertTimes } from "../../../src/operator/alerts.ts";
import type { Runtime } from "../../../src/runtimes/port.ts";
import type { JournalEntry } from "../../../src/runtimes/stub/journal.ts";
import { readJournal } from "../../../src/runtimes/stub/journal.ts";
import type { StubOptions } from "../../../src/runtimes/stub/runtime.ts";
import { StubRuntime } from "../../../src/runtimes/stub/runtime.ts";
import type { StubScriptInput } from "../../../src/runtimes/stub/script.ts";
import type { CommitPoint } from "../../../src/store/administration.ts";
import type { NewLane } from "../../../src/store/port.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { ManualClock, settled } from "../core/manual-clock.ts";
import { lockDirectory } from "../teams/lock-directory.ts";

export type WorldOptions = {
  script?: StubScriptInput;
  scripts?: Record<string, StubScriptInput>;
  lanes?: readonly Partial<NewLane>[];
  policy?: Partial<Policy>;
  sendingAgain?: StubOptions["sendingAgain"];
  reads?: ReadCommitter;
  restlessClock?: boolean;
  alerts?: AlertTimes;
  maxTurns?: TurnLimitOptions;
};

export class World {
  readonly directory = mkdtempSync(join(tmpdir(), "waybill-test-"));
  readonly clock: ManualClock;
  readonly errors: unknown[] = [];
  readonly alerts: Alert[] = [];
  readonly #options: WorldOptions;
  #waybill: StartedEngine | null = null;
  #onFailedCommit: (() => void) | null = null;
  stub!: StubRuntime;

  constructor(options: WorldOptions = {}) {
    this.#options = options;
    this.clock = new ManualClock(options.restlessClock ? { restless: true } : {});
  }

  get storePath(): string {
    return join(this.directory, "waybill.db");
  }

  get waybill(): StartedEngine {
    if (!this.#waybill) throw new Error("this world is not running");
    return this.#waybill;
  }

  async start(others: readonly Runtime[] = []): Promise<this> {
    const { script, scripts, lanes = [{}], policy, sendingAgain, reads, alerts, maxTurns } = this.#options;
    this.#waybill = await startEngine({
      store: openSqliteStore({
        path: this.storePath,
        failPoint: this.#failPoint,
        onListenerError: (error) => this.errors.push(error),
      }),
      policy: { ...defaultPolicy, ...policy },
      clock: this.clock,
      // The real disk check takes time that a manual clock does not see.
      missingFiles: async (directory, names) => names.filter((name) => !existsSync(resolve(directory, name))),
      changedFiles: async (directory) => (existsSync(directory) ? readdirSync(directory) : []),
      ...(reads ? { reads } : {}),
      teamFiles: { stateDirectory: this.directory, takeLock: lockDirectory },
      lanes: lanes.map(aLane),
      ...(maxTurns ? { maxTurns } : {}),
      ...(alerts ? { alerts: { times: alerts, onAlert: (alert) => void this.alerts.push(alert) } } : {}),
      onError: ({ error }) => this.errors.push(error),
      runtimes: (postMessage) => {
        this.stub = new StubRuntime({
          journalPath: join(this.directory, "stub.jsonl"),
          clock: this.clock.steady,
          scripts: scripts ?? { default: script ?? {} },
          postMessage,
          ...(sendingAgain ? { sendingAgain } : {}),
        });
        return [this.stub, ...others];
      },
    });
    await settled();
    return this;
  }

  /** Makes the next commit fail. */
  failNextCommit(onFailed: () => void = () => {}): void {
    this.#onFailedCommit = onFailed;
  }

  readonly #failPoint = (point: CommitPoint): void => {
    if (!this.#onFailedCommit || point !== "store.written") return;
    this.#onFailedCommit();
    this.#onFailedCommit = null;
    throw new Error("this commit fails");
  };

  async stop(): Promise<void> {
    await this.#waybill?.close();
    this.#waybill = null;
  }

  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  async send(message: Partial<NewMessage> & { id: string }): Promise<DeliveryRecord> {
    const admitted = await this.waybill.admission.admit({
      to: { lane: "lane" },
      from: "user",
      text: message.id,
      ...message,
    });
    await settled();
    if (!admitted.delivery) throw new Error("a message to a person has no delivery");
    return admitted.delivery;
  }

  async delivery(messageId: string, laneId = "lane"): Promise<DeliveryRecord> {
    const record = await this.waybill.store.deliveryOf(laneId, messageId);
    if (!record) throw new Error(`no delivery for ${messageId}`);
    return record;
  }

  /** Moves the clock until the delivery has one of these states. */
  async reaches(messageId: string, ...wanted: DeliveryRecord["status"][]): Promise<DeliveryRecord> {
    await this.clock.until(async () => wanted.includes((await this.delivery(messageId)).status));
    return this.delivery(messageId);
  }

  prompts(messageId?: string): Extract<JournalEntry, { type: "prompt" }>[] {
    const entries = readJournal(join(this.directory, "stub.jsonl")).filter((entry) => entry.type === "prompt");
    return messageId === undefined ? entries : entries.filter((entry) => entry.text.includes(messageId));
  }

  async mail(person = "user"): Promise<{ from: string; text: string; relayOf: string | null }[]> {
    const mail = await this.waybill.store.mailOf({ kind: "person", name: person }, 100);
    return mail.reverse().map((one) => ({ from: one.from, text: one.text, relayOf: one.relayOfMessageId }));
  }

  async history(messageId: string): Promise<string[]> {
    const record = await this.delivery(messageId);
    return (await this.waybill.store.history(record.id)).map((event) => event.type);
  }
}

/** Starts a world for one test; at its end nothing may have gone wrong that the test did not expect. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const world = await new World(options).start();
  onTestFinished(async () => {
    const { errors } = world;
    const findings = await world.waybill.store.check();
    await world.dispose();
    expect({ errors, findings }).toEqual({ errors: [], findings: [] });
  });
  return world;
}

export function aLane(lane: Partial<NewLane> = {}): NewLane {
  return {
    id: "lane",
    displayName: null,
    team: null,
    member: null,
    runtime: "stub",
    directory: "/tmp",
    agent: null,
    model: null,
    contract: "text",
    createdAt: 0,
    ...lane,
  };
}
