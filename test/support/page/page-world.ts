/**
 * The page as a person uses it: the built daemon as a process, the real OpenCode with a scripted model in its lanes, and a
 * real browser that is signed in with a link like that of `waybill open`.
 */
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { ModelScriptInput, ScriptedModel } from "@waybill/scripted-model";
import { isolatedHome, scriptedProvider, startScriptedModel } from "@waybill/scripted-model";
import type { Browser, BrowserContextOptions } from "playwright-core";
import type { WaybillClient } from "../../../src/client/index.ts";
import type { StubScriptInput } from "../../../src/runtimes/stub/script.ts";
import { loginUrl } from "../../../src/transports/http/page/login-codes.ts";
import { ModelGates } from "../agents/model-gates.ts";
import { quickPolicy } from "../core/quick-policy.ts";
import type { DaemonProcess } from "../daemon/daemon-process.ts";
import { freePort } from "../daemon/free-port.ts";
import { Program } from "../daemon/program.ts";
import { opencodeBin } from "../opencode/opencode-server.ts";
import { launchBrowser, openPage } from "./browser.ts";
import { PageView } from "./page-view.ts";

export type PageWorldOptions = {
  /** The script of the model behind OpenCode. Without it, OpenCode is not used. */
  script?: ModelScriptInput;
  /** Lanes with scripted agents, by id. The tests create the lanes on OpenCode. */
  stubs?: Record<string, StubLane>;
  settings?: Record<string, unknown>;
  /** Waits that differ from the defaults. */
  waits?: Record<string, unknown>;
};

export type StubLane = { script?: StubScriptInput; contract?: "text" | "tool"; displayName?: string };

/** Long enough to show that a retry is coming, and still short. */
const delivery = {
  maxAttempts: 2,
  retryDelaysMs: [2000],
  graceMs: quickPolicy.graceMs,
  graceForTaskMs: quickPolicy.graceForTaskMs,
  rereadMs: quickPolicy.rereadMs,
  firstReconcileDelayMs: quickPolicy.firstReconcileDelayMs,
  maxReconcileDelayMs: quickPolicy.maxReconcileDelayMs,
};

export class PageWorld {
  readonly program = new Program();
  readonly work = realpathSync(this.program.work);
  readonly #views: PageView[] = [];
  #scripted: ScriptedModel | null = null;
  /** Can hold the model's output in the middle of a sentence. */
  model!: ModelGates;
  daemon!: DaemonProcess;
  browser!: Browser;
  client!: WaybillClient;

  async start(options: PageWorldOptions = {}): Promise<this> {
    const browser = launchBrowser();
    await this.#configure(options);
    await this.up();
    this.browser = await browser;
    return this;
  }

  async #configure({ script, stubs = {}, settings = {}, waits = {} }: PageWorldOptions): Promise<void> {
    const { program, work } = this;
    // The same after a restart, so that the page finds it again.
    program.env.PORT = String(await freePort());
    const lanes = Object.entries(stubs).map(([id, lane]) => ({
      id,
      directory: this.directoryOf(id),
      runtime: "stub",
      ...lane,
    }));
    const opencode = script ? await this.#opencode(script) : { modelProvider: "stub" };
    program.configure(
      {},
      { allowedDirectories: [work], delivery: { ...delivery, ...waits }, lanes, ...opencode, ...settings },
    );
  }

  async #opencode(script: ModelScriptInput): Promise<Record<string, unknown>> {
    this.#scripted = await startScriptedModel({ script });
    this.model = await new ModelGates(this.#scripted.url).start();
    const port = await freePort();
    Object.assign(this.program.env, isolatedHome(this.program.directory), {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(scriptedProvider(this.model.url)),
    });
    const server = { opencodeAttachUrl: `http://127.0.0.1:${port}`, opencodeServePort: port };
    return { modelProvider: "opencode_cli", opencodeBin, ...server };
  }

  /** The daemon, ready. */
  async up(): Promise<void> {
    this.daemon = await this.program.up();
    this.client = this.program.client();
  }

  get url(): string {
    return `http://127.0.0.1:${this.program.env.PORT}`;
  }

  /** A new directory inside the allowed ones. */
  directoryOf(lane: string): string {
    const path = join(this.work, lane);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /** A new lane on OpenCode, so that tests do not affect each other. */
  async lane(id: string, displayName?: string): Promise<string> {
    const named = displayName === undefined ? {} : { displayName };
    await this.client.addLane({ id, runtime: "opencode", directory: this.directoryOf(id), ...named });
    return id;
  }

  /** Like a person: the link of `waybill open`, then the wanted address. */
  async signIn({ path, ...options }: BrowserContextOptions & { path?: string } = {}): Promise<PageView> {
    const { code } = await this.client.login();
    const view = new PageView(await openPage(this.browser, options), this.url);
    this.#views.push(view);
    await view.page.goto(loginUrl(this.url, code));
    await view.page.getByRole("main").waitFor();
    if (path !== undefined) await view.open(path);
    return view;
  }

  /** Problems in the pages of a test, except those that the test caused. Expected to be empty at its end. */
  takeProblems(): string[] {
    return this.#views.splice(0).flatMap(({ problems }) => problems);
  }

  async dispose(): Promise<void> {
    await this.browser?.close();
    await this.program.dispose();
    await this.model?.close();
    await this.#scripted?.close();
  }
}

/** A model's answer in these pieces, so that it can be held before each of them. */
export function inPieces(...parts: readonly string[]): { say: string; pieceLength: number } {
  const pieceLength = Math.max(...parts.map(({ length }) => length)) + 1;
  return {
    say: parts
      .map((part) => part.padEnd(pieceLength))
      .join("")
      .trimEnd(),
    pieceLength,
  };
}
