import { beforeEach, describe, expect, test } from "vitest";
import { ManualClock, settled } from "../../../../test/support/core/manual-clock.ts";
import { aStore } from "../../../../test/support/telegram/outbox.ts";
import { transportBox } from "../../../mail/outbox/transport-box.ts";
import { AppError } from "../../../platform/app-error.ts";
import type { Handled } from "../telegram-context.ts";
import type { UpdateQueueDeps } from "./update-queue.ts";
import { UpdateQueue } from "./update-queue.ts";

const chat = { id: 1, type: "private" };
const from = { id: 1, first_name: "Ann" };
const message = (id: number, text: string, thread?: number) => ({
  update_id: id,
  message: {
    message_id: id,
    date: 0,
    chat,
    from,
    text,
    ...(thread === undefined ? {} : { message_thread_id: thread }),
  },
});

let clock: ManualClock;
let failingCommits: number;
let box: ReturnType<typeof transportBox>;
let handled: string[];
let woken: string[];
let errors: unknown[];
let handle: (text: string, isAgain: boolean) => Promise<Handled>;

beforeEach(() => {
  clock = new ManualClock();
  failingCommits = 0;
  const store = aStore((point) => {
    if (point !== "store.written" || failingCommits === 0) return;
    failingCommits -= 1;
    throw new Error("this commit fails");
  });
  box = transportBox("telegram", store, clock);
  [handled, woken, errors] = [[], [], []];
  handle = async () => ({});
});

function aQueue(deps: Partial<UpdateQueueDeps> = {}): UpdateQueue {
  return new UpdateQueue({
    ...{ box, clock, onTaken: () => {} },
    orderOf: (incoming) => (incoming.kind === "message" ? String(incoming.place.thread) : null),
    handle: (incoming, { isAgain }) => {
      const text = incoming.kind === "message" ? incoming.text : incoming.kind;
      handled.push(text);
      return handle(text, isAgain);
    },
    giveUp: (_, { id }) => ({ outbox: [{ key: `gave-up:${id}`, channel: "1", body: "sorry" }] }),
    wake: (channel) => woken.push(channel),
    onError: ({ error }) => errors.push(error),
    ...deps,
  });
}

const unhandled = async () => (await box.unhandled()).map(({ id }) => id);

function held(): { promise: Promise<Handled>; release: () => void } {
  let release = () => {};
  const promise = new Promise<Handled>((resolve) => {
    release = () => resolve({});
  });
  return { promise, release };
}

describe("taking updates", () => {
  test("an update is handled once, however often and in whatever order it arrives", async () => {
    const queue = aQueue();
    await queue.take([message(7, "seven"), message(5, "five")], []);
    await queue.take([message(5, "five"), message(7, "seven"), message(3, "three"), message(3, "three")], []);
    await settled();
    expect(handled).toEqual(["seven", "five", "three"]);
    expect(await unhandled()).toEqual([]);
  });

  test("an update that cannot be stored is not handled", async () => {
    const queue = aQueue();
    failingCommits = 1;
    await expect(queue.take([message(1, "one")], [])).rejects.toThrow("this commit fails");
    await settled();
    expect(handled).toEqual([]);
    await queue.take([message(1, "one")], []);
    await settled();
    expect(handled).toEqual(["one"]);
  });

  test("an update without an id is skipped, and the others of its batch are handled", async () => {
    await aQueue().take([null, { message: {} }, "text", { update_id: -1 }, message(1, "one")], []);
    await settled();
    expect(handled).toEqual(["one"]);
  });
});

describe("handling", () => {
  test("updates of a topic keep their order, and topics do not wait for each other", async () => {
    const { promise, release } = held();
    handle = async (text) => (text === "one" ? promise : {});
    await aQueue().take([message(1, "one", 8), message(2, "two", 8), message(3, "other", 9)], []);
    await settled();
    expect(handled).toEqual(["one", "other"]);
    release();
    await settled();
    expect(handled).toEqual(["one", "other", "two"]);
  });

  test("an update without an order does not wait", async () => {
    const { promise, release } = held();
    handle = async (text) => (text === "one" ? promise : {});
    const button = { id: "q", from, data: "stop", message: { message_id: 1, date: 0, chat } };
    await aQueue().take([message(1, "one"), { update_id: 2, callback_query: button }], []);
    await settled();
    expect(handled).toEqual(["one", "button"]);
    release();
    await settled();
  });

  test("the result is durable before anything follows from it", async () => {
    const row = { key: "k", channel: "12", body: "hello" };
    const seen: unknown[] = [];
    const after = async () => void seen.push(await box.head("12"), await unhandled());
    handle = async () => ({ outbox: [row], state: [{ key: "s", value: 1 }], after });
    await aQueue().take([message(1, "one")], []);
    await settled();
    expect(seen).toMatchObject([{ key: "k" }, []]);
    expect(woken).toEqual(["12"]);
    expect((await box.state()).get("s")).toBe(1);
  });

  test("a channel that moved is woken under its new name", async () => {
    handle = async () => ({ moved: { from: "-1", to: "-100" } });
    await aQueue().take([message(1, "one")], []);
    await settled();
    expect(woken).toEqual(["-100"]);
  });

  test("an error in the follow-up does not undo the result", async () => {
    const error = new Error("after");
    handle = async () => ({ after: () => Promise.reject(error) });
    await aQueue().take([message(1, "one"), message(2, "two")], []);
    await settled();
    expect(errors).toEqual([error, error]);
    expect(await unhandled()).toEqual([]);
  });

  test("a commit that fails is repeated with the same writes, without handling again", async () => {
    const { promise, release } = held();
    handle = async () => ({ ...(await promise), state: [{ key: "topic", value: handled.length }] });
    await aQueue().take([message(1, "one")], []);
    await settled();
    failingCommits = 2;
    release();
    await clock.advance(3000);
    expect(handled).toEqual(["one"]);
    expect((await box.state()).get("topic")).toBe(1);
    expect(await unhandled()).toEqual([]);
  });
});

describe("errors", () => {
  test("an update is given up after five errors, and its topic continues", async () => {
    handle = async (text) => {
      if (text === "one") throw new Error("a bug");
      return {};
    };
    await aQueue().take([message(1, "one"), message(2, "two")], []);
    await clock.until(async () => (await unhandled()).length === 0);
    expect(handled).toEqual(["one", "one", "one", "one", "one", "two"]);
    expect((await box.head("1"))?.key).toBe("gave-up:1");
  });

  test("a retryable error is waited out, however long that takes", async () => {
    const until = clock.now() + 3600_000;
    handle = async () => {
      if (clock.now() < until) throw new AppError({ code: "store_unwritable", message: "full", retryable: true });
      return {};
    };
    await aQueue().take([message(1, "one")], []);
    await clock.until(async () => (await unhandled()).length === 0);
    expect(clock.now()).toBeGreaterThanOrEqual(until);
    expect(await box.head("1")).toBeNull();
  });

  test("a drain leaves an update to the next process", async () => {
    handle = async () => {
      throw new AppError({ code: "draining", message: "stopping", retryable: true });
    };
    const queue = aQueue();
    await queue.take([message(1, "one")], []);
    await settled();
    await queue.close();
    expect(await unhandled()).toEqual(["1"]);
    expect(errors).toEqual([]);
  });
});

describe("a restart", () => {
  test("handles the updates that an earlier process stored, in order, and marks them as repeated", async () => {
    const first = aQueue();
    const { promise } = held();
    handle = () => promise;
    await first.take([message(2, "two"), message(1, "one")], [{ key: "cursor", value: 3 }]);
    await settled();
    const again: boolean[] = [];
    handled = [];
    handle = async (_, isAgain) => {
      again.push(isAgain);
      return {};
    };
    await aQueue().start();
    await settled();
    expect(handled).toEqual(["two", "one"]);
    expect(again).toEqual([true, true]);
    expect((await box.state()).get("cursor")).toBe(3);
  });
});
