import type { FakeBotApi, Fault } from "@waybill/fake-bot-api";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../../../../test/support/core/manual-clock.ts";
import { startTelegram } from "../../../../test/support/telegram/fake-telegram.ts";
import type { PollProblem } from "./poller.ts";
import { poll } from "./poller.ts";
import { updateId } from "./read-update.ts";

type Polling = {
  telegram: FakeBotApi;
  clock: ManualClock;
  taken: number[];
  states: (PollProblem["code"] | null)[];
  /** Errors that the store throws for the next batches. */
  refusals: Error[];
  /** Resolves when the condition holds. Advances the clock while it waits. */
  until(done: () => boolean): Promise<void>;
  close(): Promise<void>;
};

async function polling(fault?: Fault): Promise<Polling> {
  const { telegram, api } = await startTelegram();
  if (fault) telegram.fail({ method: "getUpdates", with: fault });
  const clock = new ManualClock();
  const closing = new AbortController();
  const [taken, states, refusals]: [number[], Polling["states"], Error[]] = [[], [], []];
  const running = poll(
    {
      ...{ api, clock, intervalMs: 0, longPollMs: 5000 },
      take: async (updates) => {
        const refused = refusals.shift();
        if (refused) throw refused;
        taken.push(...updates.flatMap((update) => updateId(update) ?? []));
      },
      onState: (problem) => states.push(problem?.code ?? null),
      onError: () => {},
    },
    closing.signal,
  );
  const until = async (done: () => boolean) => {
    while (!done()) {
      await clock.advance(1000);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const close = async () => {
    closing.abort();
    await running;
  };
  return { telegram, clock, taken, states, refusals, until, close };
}

const error = (code: number, description = "trouble"): Fault => ({ type: "error", code, description });

describe("a poll that fails is repeated, and its problem is reported", () => {
  const faults: [name: string, fault: Fault, problem: PollProblem["code"]][] = [
    ["400", error(400), "unreachable"],
    ["401", error(401, "Unauthorized"), "token_refused"],
    ["403", error(403), "unreachable"],
    ["404", error(404, "Not Found"), "token_refused"],
    ["409", error(409, "Conflict: terminated by other getUpdates request"), "conflict"],
    ["429", { type: "tooManyRequests", retryAfterS: 7 }, "unreachable"],
    ["500", error(500), "unreachable"],
    ["502 with a page", { type: "badGateway" }, "unreachable"],
    ["a dropped connection", { type: "cut", when: "before" }, "unreachable"],
  ];
  test.each(faults)("%s", async (_, fault, problem) => {
    const { telegram, taken, states, until, close } = await polling(fault);
    await until(() => states.includes(problem));
    telegram.raw({ update_id: 5 });
    await until(() => taken.length > 0);
    expect(taken).toEqual([5]);
    expect(states[0]).toBe(problem);
    expect(states.at(-1)).toBeNull();
    await close();
  });

  test.each<[string, Fault]>([
    ["a connection dropped after the request was handled", { type: "cut", when: "after" }],
    ["garbage", { type: "garbage" }],
  ])("%s: the updates are sent again", async (_, fault) => {
    const { telegram, taken, until, close } = await polling(fault);
    telegram.raw({ update_id: 5 });
    await until(() => taken.length > 0);
    expect(taken).toEqual([5]);
    await close();
  });

  test("a pause that the server asks for is kept", async () => {
    const { telegram, clock, states, until, close } = await polling({ type: "tooManyRequests", retryAfterS: 7 });
    await until(() => states.length === 1);
    const refusedAt = clock.now();
    const before = telegram.calls("getUpdates").length;
    await until(() => telegram.calls("getUpdates").length > before);
    expect(clock.now() - refusedAt).toBeGreaterThanOrEqual(6000);
    await close();
  });
});

describe("confirming", () => {
  test("nothing is confirmed that could not be stored", async () => {
    const { telegram, taken, states, refusals, until, close } = await polling();
    refusals.push(new Error("the disk is full"), new Error("still full"));
    telegram.raw({ update_id: 5 });
    await until(() => refusals.length === 0);
    expect(telegram.pendingUpdates()).toBe(1);
    await until(() => taken.length > 0);
    expect(states).toContain("store");
    await until(() => telegram.pendingUpdates() === 0);
    await close();
  });

  test("ids that restart lower are accepted", async () => {
    const { telegram, taken, until, close } = await polling();
    telegram.raw({ update_id: 900 });
    await until(() => telegram.pendingUpdates() === 0 && taken.length === 1);
    for (const id of [20, 21]) {
      telegram.raw({ update_id: id });
      await until(() => taken.includes(id));
    }
    await close();
    expect(taken).toEqual([900, 20, 21]);
  });

  test("updates without an id do not cause a busy loop", async () => {
    const { telegram, taken, states, until, close } = await polling();
    telegram.raw({ update_id: null });
    await until(() => states.includes("unreachable"));
    const calls = telegram.calls("getUpdates").length;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(telegram.calls("getUpdates").length).toBe(calls);
    telegram.raw({ update_id: 5 });
    await until(() => taken.includes(5));
    await close();
  });
});
