/**
 * What clients show of a running turn of the real OpenCode: one that follows it from the beginning, one that joins
 * mid-turn, and both when the worker is killed.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScriptedModel } from "@waybill/scripted-model";
import { isolatedHome, scriptedProvider, startScriptedModel } from "@waybill/scripted-model";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { WaybillClient } from "../../src/client/index.ts";
import { growingText } from "../../src/core/turn/item.ts";
import { ModelGates } from "../support/agents/model-gates.ts";
import { quickDelivery } from "../support/daemon/daemon-home.ts";
import { freePort } from "../support/daemon/free-port.ts";
import { keyOf, LiveReader } from "../support/daemon/live-reader.ts";
import { Program } from "../support/daemon/program.ts";
import { opencodeBin } from "../support/opencode/opencode-server.ts";

/** The address while the daemon starts and has none. */
const nobody = "http://127.0.0.1:9";
const lane = "lane";

let program: Program;
let model: ScriptedModel;
let gates: ModelGates;
const followers: Follower[] = [];

beforeAll(async () => {
  model = await startScriptedModel({ script: {} });
  gates = await new ModelGates(model.url).start();
  program = new Program();
  const port = await freePort();
  Object.assign(program.env, isolatedHome(program.directory), {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(scriptedProvider(gates.url)),
  });
  const server = { opencodeBin, opencodeAttachUrl: `http://127.0.0.1:${port}`, opencodeServePort: port };
  const lanes = [{ id: lane, directory: program.work }];
  const delivery = { ...quickDelivery, graceMs: 1500 };
  program.configure({}, { modelProvider: "opencode_cli", permissionPolicy: "trusted", ...server, lanes, delivery });
  await program.up();
});
afterEach(async () => {
  for (const follower of followers.splice(0)) await follower.stop();
});
afterAll(async () => {
  await program.dispose();
  await gates.close();
  await model.close();
});

/** A client like the page: it requests the open items with each connection, and again when something is missing. */
class Follower {
  readonly reader = new LiveReader();
  /** Everything it has ever shown as exact, by item and part. */
  readonly shown = new Map<string, Set<string>>();
  readonly turns: string[] = [];
  connections = 0;
  /** How many deltas did not fit the known text. */
  unplaced = 0;
  readonly #client = new WaybillClient({ url: () => program.daemonFile.url ?? nobody, token: program.token });
  readonly #stop = new AbortController();
  readonly #following: Promise<void>;
  /** Runs one step at a time: stream events wait for a pending request. */
  #steps: Promise<void> = Promise.resolve();
  #wake = () => {};
  #failure: unknown = null;

  /** Resolves when it is connected. */
  static async start(): Promise<Follower> {
    const follower = new Follower();
    await follower.until("a connection", () => follower.connections === 1);
    return follower;
  }

  private constructor() {
    followers.push(this);
    this.#following = this.#follow().catch((error: unknown) => this.#fail(error));
  }

  async #follow(): Promise<void> {
    const onConnected = () => {
      this.connections += 1;
      this.#next(() => this.#join());
    };
    for await (const event of this.#client.followEvents({ lane, signal: this.#stop.signal, onConnected })) {
      this.#next(async () => {
        if (this.reader.take(event)) await this.#join();
        if (event.type === "item.delta" && event.data.offset === undefined) this.unplaced += 1;
        if (event.type === "turn.ended") this.turns.push(event.data.reason);
      });
    }
  }

  #next(step: () => Promise<void>): void {
    this.#steps = this.#steps.then(step).then(
      () => this.#note(),
      (error: unknown) => this.#fail(error),
    );
  }

  async #join(): Promise<void> {
    const turn = await this.#client.turn(lane, { signal: this.#stop.signal });
    this.reader.join(turn as Parameters<LiveReader["join"]>[0]);
  }

  #note(): void {
    for (const [key, { text, isExact }] of this.reader.texts) {
      if (isExact) this.shown.set(key, (this.shown.get(key) ?? new Set()).add(text));
    }
    this.#wake();
  }

  #fail(error: unknown): void {
    if (!this.#stop.signal.aborted) this.#failure = error;
    this.#wake();
  }

  /** The texts shown now; `≈` marks a text with a gap. */
  get page(): string[] {
    return [...this.reader.texts.values()].map(({ text, isExact }) => (isExact ? text : `≈${text}`));
  }

  /** Resolves when exactly these texts are shown. */
  shows(...texts: readonly string[]): Promise<void> {
    return this.until(JSON.stringify(texts), () => JSON.stringify(this.page) === JSON.stringify(texts));
  }

  async until(what: string, isSo: () => boolean): Promise<void> {
    const signal = AbortSignal.timeout(120_000);
    signal.addEventListener("abort", () => this.#wake(), { once: true });
    while (!isSo()) {
      if (this.#failure) throw this.#failure;
      if (signal.aborted) throw new Error(`timed out waiting for ${what}; shown: ${JSON.stringify(this.page)}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#following;
    await this.#steps;
  }
}

/** A text in pieces of 8 characters, one for each word. */
const pace = { pieceLength: 8, pieceMs: 10 };
const words = (name: string) => Array.from({ length: 20 }, (_, index) => `${name}-${100 + index} `).join("");
/** The reasoning and text of a turn, and the gates that can hold the model in the middle of each. */
function speechOf(turn: string) {
  const [inThought, inText] = [`gate-${turn}1 `, `gate-${turn}2 `];
  gates.holdBefore(inThought, inText);
  const thought = { begins: words("aaa"), whole: `${words("aaa")}${inThought}${words("bbb")}end` };
  const text = { begins: words("ccc"), whole: `${words("ccc")}${inText}${words("ddd")}end` };
  return { inThought, inText, thought, text };
}

const openGate = (name: string) => writeFileSync(join(program.work, name), "");
/** A tool that prints something, and something more once the test has opened its gate. */
const gated = (gate: string) => ({
  tool: "bash",
  input: { command: `echo begun; until [ -e ${gate} ]; do sleep 0.05; done; echo over`, description: "waits" },
});

/** Nothing was ever shown that the agent did not write, and in the end everything was. */
function expectExact({ reader, shown }: Follower): void {
  for (const [key, texts] of shown) {
    const [id = ""] = key.split("/");
    const said = reader.completed.get(id)?.parts.map(growingText);
    const whole = said?.find((one) => one && keyOf(id, one.part) === key)?.text;
    for (const text of texts) expect([key, whole?.startsWith(text), text]).toEqual([key, true, text]);
    expect([key, [...texts].at(-1)]).toEqual([key, whole]);
  }
}

test("a client that joins mid-turn shows the same as one that was there from the beginning, and then the whole text", async () => {
  const { inThought, inText, thought, text } = speechOf("x");
  const step = { think: thought.whole, say: text.whole, tools: [gated("first.gate")], ...pace };
  model.setScript({ rules: [{ when: "join me", steps: [step, { say: "Done: 1 file." }] }] });
  const early = await Follower.start();
  await program.client().send({ to: { lane }, text: "Please join me." });
  await early.shows(thought.begins);
  const all = [early, await Follower.start()];
  for (const follower of all) await follower.shows(thought.begins);
  gates.letPass(inThought);
  await early.until("more thoughts", () => early.page.some((one) => one.includes("bbb-105")));
  // Joins while the turn runs.
  all.push(await Follower.start());
  for (const follower of all) await follower.shows(thought.whole, text.begins);
  all.push(await Follower.start());
  gates.letPass(inText);
  for (const follower of all) await follower.shows(thought.whole, text.whole, "begun\n");
  const last = await Follower.start();
  await last.shows(thought.whole, text.whole, "begun\n");
  openGate("first.gate");
  for (const follower of [...all, last]) {
    await follower.until("an end", () => follower.turns.length === 1);
    expectExact(follower);
    expect([follower.turns, follower.page]).toEqual([["completed"], early.page]);
  }
});

test("a client that loses the daemon mid-turn shows nothing wrong, and the whole text once it is known again", async () => {
  const { inThought, inText, thought, text } = speechOf("y");
  const step = { think: thought.whole, say: text.whole, tools: [gated("second.gate")], ...pace };
  model.setScript({ rules: [{ when: "survive", steps: [step, { say: "Done: 2 files." }] }] });
  const early = await Follower.start();
  await program.client().send({ to: { lane }, text: "Please survive." });
  await early.shows(thought.begins);
  await program.kill();
  gates.letPass(inThought);
  await gates.reached(inText);
  await program.up();
  const late = await Follower.start();
  for (const follower of [early, late]) await follower.shows(thought.whole);
  // The new worker missed the beginning of this text. OpenCode sends all of it when it is complete.
  gates.letPass(inText);
  for (const follower of [early, late]) {
    await follower.shows(thought.whole, text.whole, "begun\n");
    expect(follower.unplaced).toBeGreaterThan(0);
  }
  program.killWorker();
  await early.until("another connection", () => early.connections === 3);
  const last = await Follower.start();
  for (const follower of [early, late, last]) await follower.shows(thought.whole, text.whole, "begun\n");
  openGate("second.gate");
  for (const follower of [early, late, last]) {
    await follower.until("an end", () => follower.turns.length === 1);
    expectExact(follower);
    expect([follower.turns, follower.page]).toEqual([["completed"], early.page]);
  }
});
