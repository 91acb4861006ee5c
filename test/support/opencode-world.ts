/** A whole Waybill on a real OpenCode server with a scripted model, and waits that are short. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { systemClock } from "../../src/clock.ts";
import type { Waybill } from "../../src/daemon/compose.ts";
import { startWaybill } from "../../src/daemon/compose.ts";
import type { DailyLimits } from "../../src/delivery/daily-limit.ts";
import type { Lane } from "../../src/delivery/lane.ts";
import type { Policy } from "../../src/delivery/policy.ts";
import type { DeliveryRecord, Status } from "../../src/delivery/record.ts";
import type { NewMessage } from "../../src/mail/admission.ts";
import type { MessageRow } from "../../src/runtimes/opencode/opencode-api.ts";
import { OpencodeApi } from "../../src/runtimes/opencode/opencode-api.ts";
import { OpencodeRuntime } from "../../src/runtimes/opencode/opencode-runtime.ts";
import type { PermissionPolicy } from "../../src/runtimes/opencode/permission-policy.ts";
import { withPermissions } from "../../src/runtimes/opencode/permission-policy.ts";
import type { KeeperOptions } from "../../src/runtimes/opencode/server-keeper.ts";
import { ServerKeeper } from "../../src/runtimes/opencode/server-keeper.ts";
import { scriptedProvider } from "../../src/scripted-model/opencode-settings.ts";
import type { ScriptInput } from "../../src/scripted-model/script.ts";
import type { ScriptedModel } from "../../src/scripted-model/server.ts";
import { startScriptedModel } from "../../src/scripted-model/server.ts";
import type { NewLane } from "../../src/store/port.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { FaultyOpencode } from "./faulty-opencode.ts";
import { opencodeBin, opencodeEnvironment } from "./opencode-server.ts";
import { freePort } from "./program.ts";
import { quickPolicy } from "./quick-policy.ts";
import { aLane } from "./waybill.ts";

const password = "of-the-test";

export type OpencodeWorldOptions = {
  /** Directories are inside the world's own. */
  lanes?: readonly Partial<NewLane>[];
  /** More of OpenCode's own configuration, such as `permission`. */
  config?: Record<string, unknown>;
  policy?: Partial<Policy>;
  /** A server that somebody else started, behind a proxy, instead of one of Waybill's own. */
  behindProxy?: boolean;
  /** After how long a silent stream of events is given up. */
  silenceMs?: number;
  /** What the agents' tools may do. */
  permissions?: PermissionPolicy;
  /** Inside the world's own directory. */
  systemPromptPath?: string;
  /** By lane. */
  limits?: Readonly<Record<string, DailyLimits>>;
};

export class OpencodeWorld {
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), "waybill-opencode-world-")));
  readonly work = join(this.directory, "work");
  /** Stands for Waybill's own state. */
  readonly state = join(this.directory, "waybill-state");
  readonly troubles: unknown[] = [];
  readonly #options: OpencodeWorldOptions;
  /** May be another one from the next prompt on; the server's table is that of its start. */
  #policy: PermissionPolicy | null;
  readonly #asked = new Set<() => void>();
  /** The same for each start, so that a server that was kept is taken over. */
  #port: number | null = null;
  /** What the model was told beside the prompts, by call. */
  readonly systems: string[] = [];
  model!: ScriptedModel;
  /** With `behindProxy`. */
  opencode!: FaultyOpencode;
  keeper!: ServerKeeper;
  runtime!: OpencodeRuntime;
  waybill!: Waybill;

  constructor(options: OpencodeWorldOptions = {}) {
    this.#options = options;
    this.#policy = options.permissions ?? null;
    mkdirSync(this.work);
    mkdirSync(this.state);
  }

  async start(): Promise<this> {
    this.model ??= await startScriptedModel({ script: {}, onCall: (_, system) => this.#onCall(system) });
    if (this.#options.behindProxy) this.opencode ??= await this.#foreignServer().start(this.model.url);
    const { lanes = [{}], policy = {}, limits = {}, silenceMs, systemPromptPath } = this.#options;
    this.keeper = new ServerKeeper(await this.#keeperOptions());
    this.runtime = new OpencodeRuntime({
      keeper: this.keeper,
      clock: systemClock,
      ...(this.#policy === null ? {} : { permissions: (lane) => this.#permissions(lane) }),
      onTrouble: (error) => this.troubles.push(error),
      ...(silenceMs === undefined ? {} : { silenceMs }),
      ...(systemPromptPath === undefined ? {} : { systemPromptPath: join(this.directory, systemPromptPath) }),
    });
    this.waybill = await startWaybill({
      store: openSqliteStore({ path: join(this.directory, "waybill.db") }),
      policy: { ...quickPolicy, ...policy, limits: { ...quickPolicy.limits, byLane: limits } },
      lanes: lanes.map((lane) =>
        aLane({ runtime: "opencode", ...lane, directory: resolve(this.directory, lane.directory ?? "work") }),
      ),
      runtimes: () => [this.runtime],
      onTrouble: ({ error }) => this.troubles.push(error),
    });
    return this;
  }

  #foreignServer(): FaultyOpencode {
    const { config = {} } = this.#options;
    return new FaultyOpencode({ home: join(this.directory, "opencode-home"), directory: this.work, password, config });
  }

  async #keeperOptions(): Promise<KeeperOptions> {
    this.#port ??= await freePort();
    const port = this.#port;
    const settings = { opencodeBin, opencodeServeHost: "127.0.0.1", opencodeServePort: port };
    const directory = join(this.directory, "server");
    const times = { firstWaitMs: 200, maxWaitMs: 500, probeMs: 1000, endMs: 1000 };
    if (this.#options.behindProxy) {
      const attach = { opencodeAttachUrl: this.opencode.proxy.url, opencodeAutoStart: false };
      const env = { ...process.env, OPENCODE_SERVER_PASSWORD: password };
      return { settings: { ...settings, ...attach }, directory, env, times };
    }
    const { config = {} } = this.#options;
    const content = JSON.stringify({ ...scriptedProvider(this.model.url), ...config });
    const extraEnv = {
      ...opencodeEnvironment(join(this.directory, "opencode-home")),
      OPENCODE_CONFIG_CONTENT: this.#policy === null ? content : withPermissions(content, this.#policy),
    };
    const own = { opencodeAttachUrl: `http://127.0.0.1:${port}`, opencodeAutoStart: true };
    return { settings: { ...settings, ...own }, directory, env: process.env, extraEnv, times };
  }

  changePolicy(policy: PermissionPolicy): void {
    this.#policy = policy;
  }

  async #permissions(lane: Lane) {
    const others = (await this.waybill.store.lanes()).filter((one) => one.id !== lane.id);
    const otherDirectories = others.map((one) => one.directory);
    return { policy: this.#policy, otherDirectories, stateDirectories: [this.state] };
  }

  /** The call is in the log once whoever listens has been told. */
  #onCall(system: string): void {
    this.systems.push(system);
    setImmediate(() => {
      for (const wake of this.#asked) wake();
      this.#asked.clear();
    });
  }

  script(script: ScriptInput): void {
    this.model.setScript(script);
  }

  async send(id: string, text: string, more: Partial<NewMessage> = {}): Promise<void> {
    await this.waybill.send({ id, to: { lane: "lane" }, from: "user", text, ...more });
  }

  /** A message as OpenCode itself has it. */
  stored(sessionId: string, messageId: string): Promise<MessageRow> {
    const api = new OpencodeApi(() => this.keeper.address());
    return api.message(sessionId, messageId, AbortSignal.timeout(5_000)) as Promise<MessageRow>;
  }

  /** Resolves when the delivery has one of these states; by the ledger's own word, not by asking over and over. */
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
      stop = this.waybill.ledger.onChange(({ record }) => {
        if (record.messageId === messageId && done(record)) resolve(record);
      });
    });
    try {
      const now = await this.waybill.store.deliveryOf(laneId, messageId);
      return now && done(now) ? now : await changed;
    } finally {
      stop();
    }
  }

  /** Resolves when the lane cannot send its first message, with the reason. */
  async waits(laneId: string): Promise<string> {
    for (;;) {
      const reason = this.waybill.courier.waitReason(laneId);
      if (reason !== null) return reason;
      await wait(20);
    }
  }

  async answers(): Promise<string[]> {
    const mail = await this.waybill.store.mailOf({ kind: "person", name: "user" }, 100);
    return mail.reverse().map((one) => one.text);
  }

  /** Calls of turns, by the model's own log: titles and the like are not among them. */
  turns(prompt?: string): number {
    const turns = this.model.calls.filter((call) => call.kind === "turn" && call.step === 0);
    return turns.filter((call) => prompt === undefined || call.prompt.includes(prompt)).length;
  }

  /** Resolves when the model works, or has worked, on a prompt with this in it, for so many times. */
  async modelIsAsked(prompt: string, times = 1): Promise<void> {
    while (this.turns(prompt) < times) await new Promise<void>((resolve) => this.#asked.add(resolve));
  }

  async stop(): Promise<void> {
    await this.waybill?.close();
  }

  async dispose(): Promise<void> {
    await this.stop();
    await this.opencode?.stop();
    await this.model?.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
