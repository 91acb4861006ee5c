import { afterEach, describe, expect, test } from "vitest";
import type { Mailbox } from "../../src/mail/mailbox.ts";
import { settled } from "../support/manual-clock.ts";
import type { WorldOptions } from "../support/waybill.ts";
import { aLane, World } from "../support/waybill.ts";

let world: World;
const run = async (options: WorldOptions) => {
  world = await new World(options).start();
  return world;
};
afterEach(async () => {
  const { troubles } = world;
  const findings = await world.waybill.store.check();
  await world.dispose();
  expect(troubles).toEqual([]);
  expect(findings).toEqual([]);
});

const minute = 60_000;
const answers = { always: [{ steps: [{ say: "Done, 3 files." }] }] };
const toolLane = { lanes: [{ contract: "tool" as const }] };
const unwritable: Mailbox = {
  commitsWithLedger: false,
  commitRead: async () => ({ outcome: "failed", error: "locked" }),
};

async function session() {
  const lane = await world.waybill.store.lane("lane");
  if (!lane?.sessionId) throw new Error("no session");
  return { lane, sessionId: lane.sessionId };
}

const stateOfSession = async () => {
  const { lane, sessionId } = await session();
  return (await world.stub.read(lane, sessionId, null)).status;
};

async function typeInSession(text: string) {
  const { lane, sessionId } = await session();
  const prompt = { messageId: text, partId: "p", sessionId, text, attachments: [] };
  await world.stub.submit(lane, prompt, new AbortController().signal);
}

describe("stop", () => {
  test("stops a turn that has answered already and works on", async () => {
    await run({ ...toolLane, script: { turns: [{ steps: [{ reply: "Port 8080." }, { wait: 10 * minute }] }] } });
    await world.send({ id: "m1", actionMode: "ask" });
    await world.reaches("m1", "responded");
    await world.waybill.people.stop("lane", "ada");
    expect(await stateOfSession()).toBe("idle");
    await world.clock.advance(minute);
    expect(await world.delivery("m1")).toMatchObject({ status: "responded" });
  });

  test("stops what somebody began in the session by hand", async () => {
    await run({
      script: { turns: [{ steps: [{ say: "Hi, 1." }] }, { when: "by hand", steps: [{ wait: 10 * minute }] }] },
    });
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    await typeInSession("by hand");
    await world.waybill.people.stop("lane", "ada");
    expect(await stateOfSession()).toBe("idle");
  });
});

describe("cancel", () => {
  test("does not hit the next message when the turn ends by itself meanwhile", async () => {
    await run({
      script: {
        turns: [{ steps: [{ wait: 2000 }, { say: "One, 1." }] }, { steps: [{ wait: minute }, { say: "Two, 2." }] }],
      },
    });
    const { id } = await world.send({ id: "m1" });
    await world.send({ id: "m2" });
    const release = holdNextRead();
    void world.waybill.courier.moveLane("lane", { look: true });
    await settled();
    void world.waybill.courier.moveLane("lane", { look: true });
    await world.waybill.people.cancel(id, "ada");
    await world.clock.advance(3000);
    release();
    expect(await world.reaches("m2", "responded", "cancelled")).toMatchObject({ status: "responded" });
  });

  test("between the commit and the send, nothing leaves", async () => {
    await run({ script: answers });
    const { store, people, ledger } = world.waybill;
    let cancelled: Promise<unknown> | null = null;
    const { message } = store;
    store.message = async (...args) => {
      const found = await message(...args);
      await cancelled;
      return found;
    };
    ledger.onChange(({ record, events }) => {
      if (events.some((event) => event.type === "submit")) cancelled ??= people.cancel(record.id, "ada");
    });
    await world.send({ id: "m1" });
    await world.clock.advance(minute);
    expect(await world.delivery("m1")).toMatchObject({ status: "cancelled" });
    expect(world.prompts()).toEqual([]);
  });

  test("of a prompt that may still arrive keeps the lane until it would have come", async () => {
    await run({
      script: { turns: [{ arrival: "after_timeout", steps: [{ wait: minute }] }, { steps: [{ say: "Two, 2." }] }] },
    });
    const { submit } = world.stub;
    let held = true;
    world.stub.submit = (lane, prompt, signal) =>
      held ? Promise.resolve({ outcome: "unknown", reason: "reset" }) : submit.call(world.stub, lane, prompt, signal);
    const { id } = await world.send({ id: "m1" });
    held = false;
    await world.send({ id: "m2" });
    await world.waybill.people.cancel(id, "ada");
    await world.clock.advance(10_000);
    expect(world.prompts()).toEqual([]);
    await world.clock.until(() => world.prompts().length === 1);
    expect(world.prompts()[0]?.text).toBe("m2");
  });

  test("does not stop somebody else's turn in the same session", async () => {
    await run({
      script: {
        turns: [
          { when: "m1", arrival: "lost" },
          { when: "theirs", steps: [{ wait: 10 * minute }] },
        ],
      },
    });
    const { id } = await world.send({ id: "m1" });
    await typeInSession("theirs");
    await world.clock.advance(minute);
    await world.waybill.people.cancel(id, "ada");
    await world.clock.advance(minute);
    expect(await stateOfSession()).toBe("busy");
  });
});

describe("release", () => {
  test("gives a lane back whose session cannot be read any more", async () => {
    await run({ script: { turns: [{ steps: [{ wait: minute }] }, { steps: [{ say: "Two, 2." }] }] } });
    const { id } = await world.send({ id: "m1" });
    await world.send({ id: "m2" });
    const { read } = world.stub;
    let broken = true;
    world.stub.read = async (...args) => {
      if (broken) throw new Error("no answer");
      return read.apply(world.stub, args);
    };
    await world.waybill.people.cancel(id, "ada");
    await world.clock.advance(60 * minute);
    expect(await world.delivery("m2")).toMatchObject({ status: "pending" });
    await world.waybill.people.release("lane", "ada");
    broken = false;
    await world.reaches("m2", "responded");
  });

  test("gives a lane back whose read flag cannot be written, and says so", async () => {
    await run({ mailbox: unwritable, script: answers });
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    await world.waybill.people.release("lane", "ada");
    const record = await world.delivery("m1");
    expect(record).toMatchObject({ status: "responded", diagnostics: ["read_released_by_person"] });
    expect(record.readCommittedAt).not.toBeNull();
  });
});

describe("pause", () => {
  test("a lane that is resumed goes on by itself", async () => {
    await run({ script: answers });
    await world.waybill.people.pause("lane", "lunch");
    await world.send({ id: "m1" });
    await world.clock.advance(60 * minute);
    expect(await world.delivery("m1")).toMatchObject({ status: "pending" });
    await world.waybill.people.resume("lane");
    await world.reaches("m1", "responded");
  });

  test("holds also against an attempt that is being prepared", async () => {
    await run({ script: answers });
    await world.send({ id: "m0" });
    await world.reaches("m0", "responded");
    const { read } = world.stub;
    world.stub.read = async (...args) => {
      await world.waybill.people.pause("lane", "now");
      return read.apply(world.stub, args);
    };
    await world.send({ id: "m1" });
    await world.clock.advance(minute);
    expect(world.prompts()).toHaveLength(1);
    world.stub.read = read;
    await world.waybill.people.resume("lane");
    await world.reaches("m1", "responded");
  });
});

describe("removing a lane", () => {
  test("ends although a read is owed that cannot be written", async () => {
    await run({ mailbox: unwritable, script: answers });
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    await world.waybill.people.removeLane("lane", "ada", true);
    expect(await world.waybill.store.lane("lane")).toBeNull();
  });

  test("leaves no look behind for what had failed in it", async () => {
    await run({ policy: { automaticRetry: false }, script: { always: [{ steps: [] }] } });
    await world.send({ id: "m1" });
    await world.reaches("m1", "failed_terminal");
    await world.waybill.people.removeLane("lane", "ada", false);
    await world.clock.advance(60 * minute);
    expect(world.clock.pending).toBe(0);
    expect(await world.delivery("m1")).toMatchObject({ status: "failed_terminal", nextLookAt: null });
  });
});

describe("a lane that moves to another runtime", () => {
  test("is free once more when its answered turn was still running", async () => {
    await run({ ...toolLane, script: { turns: [{ steps: [{ reply: "Port 8080." }, { wait: 60 * minute }] }] } });
    await world.send({ id: "m1", actionMode: "ask" });
    await world.reaches("m1", "responded");
    await world.waybill.store.putLane(aLane({ contract: "tool", runtime: "elsewhere" }));
    await world.clock.advance(5 * minute);
    expect((await world.delivery("m1")).turnEndedAt).not.toBeNull();
  });
});

describe("people in two teams", () => {
  test("the answer of one is no proof for another of the same name", async () => {
    const member = { member: "tom", contract: "tool" as const };
    await run({
      lanes: [
        { id: "red", team: "red", ...member },
        { id: "blue", team: "blue", ...member },
      ],
      scripts: { red: { always: [{ steps: [{ reply: "Port 8080." }] }] }, blue: { always: [{ steps: [] }] } },
    });
    for (const lane of ["red", "blue"]) await world.send({ id: "m1", to: { lane }, text: "port?" });
    await world.clock.advance(30 * minute);
    expect(await world.delivery("m1", "red")).toMatchObject({ status: "responded" });
    expect(await world.delivery("m1", "blue")).toMatchObject({ status: "failed_terminal" });
  });

  test("a reply that names the message and goes to somebody else is no answer to its sender", async () => {
    await run({ ...toolLane, script: { always: [{ steps: [{ reply: "Look at port 8080, please.", to: "bob" }] }] } });
    await world.send({ id: "m1", actionMode: "ask" });
    expect(await world.reaches("m1", "failed_terminal", "responded")).toMatchObject({ status: "failed_terminal" });
  });
});

/** The next read of a transcript answers only when the returned function is called. */
function holdNextRead(): () => void {
  const { read } = world.stub;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  world.stub.read = async (...args) => {
    world.stub.read = read;
    const slice = await read.apply(world.stub, args);
    await held;
    return slice;
  };
  return release;
}
