/** A whole Waybill on a real OpenCode server with a scripted model and short waits. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { scriptedProvider } from "@waybill/scripted-model";
import type { Lane } from "../../../src/core/lane/lane.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import type { RuntimeContext } from "../../../src/runtimes/descriptor.ts";
import type { StoredMessage } from "../../../src/runtimes/opencode/client/api.ts";
import { OpencodeApi } from "../../../src/runtimes/opencode/client/api.ts";
import { opencode } from "../../../src/runtimes/opencode/descriptor.ts";
import type { OpencodePermissionPolicy } from "../../../src/runtimes/opencode/permissions/permission-table.ts";
import { withPermissions } from "../../../src/runtimes/opencode/permissions/permission-table.ts";
import { OpencodeRuntime } from "../../../src/runtimes/opencode/runtime.ts";
import type { ServerSupervisorOptions } from "../../../src/runtimes/opencode/server/server-supervisor.ts";
import { ServerSupervisor } from "../../../src/runtimes/opencode/server/server-supervisor.ts";
import type { AgentWorldOptions } from "../agents/agent-world.ts";
import { AgentWorld } from "../agents/agent-world.ts";
import { freePort } from "../daemon/free-port.ts";
import { FaultyOpencode } from "./faulty-opencode.ts";
import { opencodeBin, opencodeEnvironment } from "./opencode-server.ts";

const password = "of-the-test";

export type OpencodeWorldOptions = AgentWorldOptions & {
  /** More of OpenCode's own configuration, such as `permission`. */
  config?: Record<string, unknown>;
  /** A server that Waybill did not start, behind a proxy, instead of Waybill's own. */
  behindProxy?: boolean;
  /** The timeout for a silent event stream. */
  silenceMs?: number;
  /** What the agents' tools may do. */
  permissions?: OpencodePermissionPolicy;
  /** Inside the world's own directory. */
  systemPromptPath?: string;
  toolServer?: RuntimeContext["toolServer"];
};

export class OpencodeWorld extends AgentWorld {
  /** Stands in for Waybill's own state. */
  readonly state = join(this.directory, "waybill-state");
  readonly #options: OpencodeWorldOptions;
  /** May change from the next prompt on; the server keeps the table from its start. */
  #policy: OpencodePermissionPolicy | null;
  /** The same for each start, so that a running server is adopted. */
  #port: number | null = null;
  /** With `behindProxy`. */
  opencode!: FaultyOpencode;
  supervisor!: ServerSupervisor;
  runtime!: OpencodeRuntime;

  constructor(options: OpencodeWorldOptions = {}) {
    super(options);
    this.#options = options;
    this.#policy = options.permissions ?? null;
    mkdirSync(this.state);
  }

  protected override async makeRuntime(): Promise<OpencodeRuntime> {
    const { silenceMs, systemPromptPath, toolServer } = this.#options;
    if (this.#options.behindProxy) this.opencode ??= await this.#foreignServer().start(this.model.url);
    this.supervisor = new ServerSupervisor(await this.#supervisorOptions());
    this.runtime = new OpencodeRuntime({
      identity: opencode,
      supervisor: this.supervisor,
      clock: systemClock,
      ...(this.#policy === null ? {} : { permissions: (lane) => this.#permissions(lane) }),
      onError: (error) => this.errors.push(error),
      ...(silenceMs === undefined ? {} : { silenceMs }),
      ...(toolServer === undefined ? {} : { toolServer }),
      ...(systemPromptPath === undefined ? {} : { systemPromptPath: join(this.directory, systemPromptPath) }),
    });
    return this.runtime;
  }

  #foreignServer(): FaultyOpencode {
    const { config = {} } = this.#options;
    return new FaultyOpencode({ home: join(this.directory, "opencode-home"), directory: this.work, password, config });
  }

  async #supervisorOptions(): Promise<ServerSupervisorOptions> {
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

  changePolicy(policy: OpencodePermissionPolicy): void {
    this.#policy = policy;
  }

  async #permissions(lane: Lane) {
    const others = (await this.waybill.store.lanes()).filter((one) => one.id !== lane.id);
    const otherDirectories = others.map((one) => one.directory);
    return { policy: this.#policy, otherDirectories, stateDirectories: [this.state] };
  }

  /** A message as OpenCode stores it. */
  stored(sessionId: string, messageId: string): Promise<StoredMessage> {
    const api = new OpencodeApi(() => this.supervisor.address());
    return api.message(sessionId, messageId, AbortSignal.timeout(60_000)) as Promise<StoredMessage>;
  }

  /** Acts like a person in OpenCode itself. */
  async call<T>(method: string, path: string, body?: object, directory = this.work): Promise<T> {
    const { url, authorization } = this.supervisor.address() ?? { url: "", authorization: null };
    const answer = await fetch(new URL(path, url), {
      method,
      headers: {
        "Content-Type": "application/json",
        "x-opencode-directory": encodeURIComponent(directory),
        ...(authorization === null ? {} : { Authorization: authorization }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return (await answer.text().then((text) => (text === "" ? null : JSON.parse(text)))) as T;
  }

  /** Resolves when the lane cannot send its first message, with the reason. */
  async waits(laneId: string): Promise<string> {
    for (;;) {
      const reason = this.waybill.courier.waitReason(laneId);
      if (reason !== null) return reason;
      await wait(20);
    }
  }

  override async dispose(): Promise<void> {
    await this.stop();
    await this.opencode?.stop();
    await super.dispose();
  }
}
