/** A separate session for one test, and everything reported about it while the test runs. */
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { attemptDigest } from "../../../src/core/delivery/attempt.ts";
import { promptMarker } from "../../../src/core/delivery/texts.ts";
import type { Lane } from "../../../src/core/lane/lane.ts";
import type { Ask, TranscriptRow, TranscriptSlice } from "../../../src/core/transcript/transcript.ts";
import type { Signal } from "../../../src/core/turn/signal.ts";
import { TurnTracker } from "../../../src/core/turn/turn-tracker.ts";
import type { Draft } from "../../../src/core/turn/universal-event.ts";
import type { Prompt } from "../../../src/runtimes/port.ts";
import type { RuntimeHarness } from "../runtime-conformance.ts";

/** Returns the harness, which is open by the time a test runs. */
export type Opened = () => RuntimeHarness;

export const soon = () => AbortSignal.timeout(60_000);

/** Aborts a running turn at the end of the test, unless the test closes the runtime. */
export async function openSession(harness: RuntimeHarness, { closes = false } = {}): Promise<WatchedSession> {
  const session = new WatchedSession(harness, await harness.runtime.openSession(harness.lane, soon()));
  if (!closes) onTestFinished(() => session.leave());
  return session;
}

/** Watches an existing session. */
export function watchSession(harness: RuntimeHarness, id: string): WatchedSession {
  const session = new WatchedSession(harness, id);
  onTestFinished(() => session.leave());
  return session;
}

export class WatchedSession {
  readonly id: string;
  readonly lane: Lane;
  readonly told: Draft[] = [];
  hints = 0;
  readonly #harness: RuntimeHarness;
  readonly #tracker = new TurnTracker();
  readonly #wakers = new Set<() => void>();
  #stopWatching: (() => void)[] = [];
  #prompts = 0;

  constructor(harness: RuntimeHarness, id: string) {
    this.id = id;
    this.lane = { ...harness.lane, sessionId: id };
    this.#harness = harness;
    this.watch();
  }

  /** Call again for another runtime. */
  watch(): void {
    for (const stop of this.#stopWatching) stop();
    const { runtime } = this.#harness;
    this.#stopWatching = [
      runtime.onSignal((_lane, signal) => this.#take(signal)),
      runtime.onHint(({ sessionId }) => {
        if (sessionId !== this.id) return;
        this.hints += 1;
        this.#wake();
      }),
    ];
  }

  async leave(): Promise<void> {
    for (const stop of this.#stopWatching) stop();
    const slice = await this.until(() => true);
    if (slice.status === "busy") await this.#harness.runtime.abort(this.lane, this.id, soon());
  }

  /** As the core builds it: if a runtime takes no ids, the prompt's first words name its message. */
  prompt(text: string, system?: string): Prompt {
    this.#prompts += 1;
    const { runtime } = this.#harness;
    const ids = runtime.idsFrom(attemptDigest(this.id, this.#prompts, 1));
    const head = runtime.traits.takesIds ? "" : `${promptMarker(ids.messageId)}user]\n\n`;
    const prompt = { ...ids, sessionId: this.id, text: `${head}${text} of ${this.id}`, attachments: [] };
    return system === undefined ? prompt : { ...prompt, system };
  }

  /** The id of a prompt's row: ours, or the one the program gave it. */
  idOf({ messageId, text }: Prompt, { rows }: { rows: readonly TranscriptRow[] }): string | undefined {
    if (this.#harness.runtime.traits.takesIds) return messageId;
    return rows.find((row) => row.role === "user" && row.text === text)?.id;
  }

  async send(text: string, system?: string): Promise<Prompt> {
    const prompt = this.prompt(text, system);
    expect(await this.#harness.runtime.submit(this.lane, prompt, soon())).toEqual({ outcome: "accepted" });
    return prompt;
  }

  /** Sends it, and waits for the end of its turn. */
  async played(text: string, system?: string): Promise<{ prompt: Prompt; slice: TranscriptSlice }> {
    const turns = this.of("turn.ended").length + 1;
    const prompt = await this.send(text, system);
    return { prompt, slice: await this.rests(turns) };
  }

  read(limit: number | null = null): Promise<TranscriptSlice> {
    return this.#harness.runtime.read(this.lane, this.id, limit, soon());
  }

  /** The transcript once that many turns have ended and the session is idle. */
  async rests(turns = 1): Promise<TranscriptSlice> {
    await this.hears(() => this.of("turn.ended").length >= turns);
    return this.until(({ status }) => status === "idle");
  }

  /**
   * Reads again soon after something was reported, and at times without that, because a transcript has no events of its
   * own: a hint may be lost, and a read may fail. More reads would take the machine from the program that is waited for.
   */
  async until(done: (slice: TranscriptSlice) => boolean): Promise<TranscriptSlice> {
    for (;;) {
      const reported = new Promise<void>((resolve) => this.#wakers.add(resolve));
      const slice = await this.read().catch(() => null);
      if (slice && done(slice)) return slice;
      await Promise.race([reported, wait(250)]);
      await wait(20);
    }
  }

  /** Plays it with a program that has died and does not start again immediately: retries until it is accepted. */
  async playedAgain(text: string): Promise<{ prompt: Prompt; slice: TranscriptSlice }> {
    const turns = this.of("turn.ended").length + 1;
    const prompt = this.prompt(text);
    const { runtime } = this.#harness;
    let outcome = await runtime.submit(this.lane, prompt, soon());
    for (; outcome.outcome === "not_sent"; outcome = await runtime.submit(this.lane, prompt, soon())) await wait(20);
    expect(outcome).toEqual({ outcome: "accepted" });
    return { prompt, slice: await this.rests(turns) };
  }

  async asked(): Promise<Ask> {
    const { asks } = await this.until((slice) => slice.asks.length > 0);
    expect(asks).toHaveLength(1);
    return asks[0] as Ask;
  }

  async hears(enough: () => boolean): Promise<void> {
    while (!enough()) await new Promise<void>((resolve) => this.#wakers.add(resolve));
  }

  of<T extends Draft["type"]>(type: T): Extract<Draft, { type: T }>[] {
    return this.told.filter((draft): draft is Extract<Draft, { type: T }> => draft.type === type);
  }

  #take(signal: Signal): void {
    if (signal.session !== this.id) return;
    this.told.push(...this.#tracker.take(signal));
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#wakers) wake();
    this.#wakers.clear();
  }
}
