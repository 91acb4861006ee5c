/** A real OpenCode server that Waybill did not start, behind a proxy that can inject faults. */
import { setTimeout as wait } from "node:timers/promises";
import { FaultProxy } from "../agents/fault-proxy.ts";
import type { OpencodeOptions, OpencodeServer } from "./opencode-server.ts";
import { startOpencode } from "./opencode-server.ts";

export class FaultyOpencode {
  readonly #options: Omit<OpencodeOptions, "modelUrl">;
  #modelUrl = "";
  #stopped = true;
  server!: OpencodeServer;
  proxy!: FaultProxy;

  /** `home` and `directory` are required, so that a restarted server finds its sessions. */
  constructor(options: Omit<OpencodeOptions, "modelUrl"> & { home: string; directory: string }) {
    this.#options = options;
  }

  async start(modelUrl: string): Promise<this> {
    this.#modelUrl = modelUrl;
    this.server = await startOpencode({ ...this.#options, modelUrl });
    this.#stopped = false;
    this.proxy = await new FaultProxy(this.server.url).start();
    return this;
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.server.kill(signal);
    await this.server.ended;
    this.#stopped = true;
  }

  /** At the same address; with the same home unless another one is given. */
  async comeBack(home?: string): Promise<void> {
    const options = { ...this.#options, modelUrl: this.#modelUrl, port: this.server.port };
    this.server = await startOpencode({ ...options, ...(home === undefined ? {} : { home }) });
    this.#stopped = false;
  }

  /** Resolves when this session is no longer busy. */
  async rests(sessionId: string): Promise<void> {
    while (sessionId in (await this.server.call<object>("GET", "/session/status"))) await wait(50);
  }

  async stop(): Promise<void> {
    await this.proxy?.close();
    if (!this.#stopped) await this.server.stop();
  }
}
