import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import type { AdmissionRequest } from "../../src/core/plan/delivery-plans.ts";
import type { ReadCommitter } from "../../src/mail/read-commit.ts";
import { settled } from "../support/core/manual-clock.ts";
import type { World, WorldOptions } from "../support/daemon/waybill.ts";
import { aLane, startWorld } from "../support/daemon/waybill.ts";

let world: World;
const run = async (options: WorldOptions) => {
  world = await startWorld(options);
};

const second = 1000;
const minute = 60 * second;
const answers = { always: [{ steps: [{ say: "Done, 3 files." }] }] };
const toolLane = { lanes: [{ contract: "tool" as const }] };
const unwritable: ReadCommitter = {
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

/** The events of this type that another connection reads, so only durable ones. */
function durableEvents(type: string): string[] {
  const db = new Database(world.storePath, { readonly: true });
  try {
    const events = db.prepare<[], string>("SELECT body ->> 'type' FROM log WHERE type = 'delivery'").pluck().all();
    return events.filter((event) => event === type);
  } finally {
    db.close();
  }
}

async function typeInSession(text: string) {
  const { lane, sessionId } = await session();
  const prompt = { messageId: text, partId: "p", sessionId, text, attachments: [] };
  await world.stub.submit(lane, prompt, new AbortController().signal);
}

describe("stop", () => {
  test("stops a turn that has already answered and is still running", async () => {
    await run({ ...toolLane, script: { turns: [{ steps: [{ reply: "Port 8080." }, { wait: 10 * minute }] }] } });
    await world.send({ id: "m1", actionMode: "ask" });
    await world.reaches("m1", "responded");
    await world.waybill.interventions.stop("lane", "ada");
    expect(await stateOfSession()).toBe("idle");
    await world.clock.advance(minute);
    expect(await world.delivery("m1")).toMatchObject({ status: "responded" });
  });

  test("stops the turn in its own session, even if the lane has another session by now", async () => {
    await run({ ...toolLane, script: { turns: [{ steps: [{ reply: "Port 8080." }, { wait: 10 * minute }] }] } });
    await world.send({ id: "m1", actionMode: "ask" });
    await world.reaches("m1", "responded");
    const { lane, sessionId } = await session();
    await world.waybill.store.openSession("lane", await world.stub.openSession(lane), world.clock.now());
    expect((await session()).sessionId).not.toBe(sessionId);
    await world.waybill.interventions.stop("lane", "ada");
    expect((await world.stub.read(lane, sessionId, null)).status).toBe("idle");
  });

  test("does not wait for a program that is starting, and stops its turn", async () => {
    await run({ script: { always: [{ steps: [{ wait: 10 * minute }, { say: "Done, 3 files." }] }] } });
    const { submit } = world.stub;
    let start = () => {};
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    world.stub.submit = async (...args) => {
      await started;
      return submit.apply(world.stub, args);
    };
    await world.send({ id: "m1" });
    expect(await world.delivery("m1")).toMatchObject({ status: "submitting" });
    // One after the other: neither of them waits.
    for (const by of ["ada", "bob"]) await world.waybill.interventions.stop("lane", by);
    expect(await world.delivery("m1")).toMatchObject({ status: "cancelled", turnEndedAt: null });
    start();
    await world.clock.advance(minute);
    expect(await stateOfSession()).toBe("idle");
    expect(await world.delivery("m1")).toMatchObject({ status: "cancelled", turnEndedAt: expect.any(Number) });
    expect(world.prompts()).toHaveLength(1);
  });

  test("stops a turn that somebody started in the session by hand", async () => {
    await run({
      script: { turns: [{ steps: [{ say: "Hi, 1." }] }, { when: "by hand", steps: [{ wait: 10 * minute }] }] },
    });
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    await typeInSession("by hand");
    await world.waybill.interventions.stop("lane", "ada");
    expect(await stateOfSession()).toBe("idle");
  });
});

describe("stop and the next message", () => {
  const next = { when: "m2", steps: [{ wait: minute }, { say: "Two, 2." }] };

  test("a stop while a retry waits does not affect it", async () => {
    await run({ script: { turns: [{ when: "m1", steps: [] }, next] } });
    await world.send({ id: "m1" });
    await world.reaches("m1", "retry_scheduled");
    await world.send({ id: "m2" });
    await world.waybill.interventions.stop("lane", "ada");
    expect(await world.reaches("m2", "responded", "cancelled")).toMatchObject({ status: "responded" });
    expect(await world.delivery("m1")).toMatchObject({ status: "cancelled", attempts: 1 });
  });

  test("a stop just as the answered turn ends does not affect it", async () => {
    await run({
      ...toolLane,
      script: { turns: [{ when: "m1", steps: [{ reply: "Port 8080." }, { wait: 1000 }] }, next] },
    });
    await world.send({ id: "m1" });
    await world.send({ id: "m2" });
    await world.reaches("m1", "responded");
    const release = holdNextRead();
    void world.waybill.courier.moveLane("lane", { reconcile: true });
    await settled();
    const stopping = world.waybill.interventions.stop("lane", "ada");
    await world.clock.advance(2000);
    release();
    await stopping;
    expect(await world.reaches("m2", "responded", "cancelled")).toMatchObject({ status: "responded" });
  });
});

describe("cancel", () => {
  test("does not affect the next message if the turn ends on its own in the meantime", async () => {
    await run({
      script: {
        turns: [{ steps: [{ wait: 2000 }, { say: "One, 1." }] }, { steps: [{ wait: minute }, { say: "Two, 2." }] }],
      },
    });
    const { id } = await world.send({ id: "m1" });
    await world.send({ id: "m2" });
    const release = holdNextRead();
    void world.waybill.courier.moveLane("lane", { reconcile: true });
    await settled();
    void world.waybill.courier.moveLane("lane", { reconcile: true });
    await world.waybill.interventions.cancel(id, "ada");
    await world.clock.advance(3000);
    release();
    expect(await world.reaches("m2", "responded", "cancelled")).toMatchObject({ status: "responded" });
  });

  test("between the commit and the send keeps the prompt from leaving", async () => {
    await run({ script: answers });
    const { store, interventions } = world.waybill;
    let cancelled: Promise<unknown> | null = null;
    const { message } = store;
    store.message = async (...args) => {
      const found = await message(...args);
      await cancelled;
      return found;
    };
    store.onLog((items) => {
      for (const item of items)
        if (item.type === "delivery" && item.event.type === "submit")
          cancelled ??= interventions.cancel(item.record.id, "ada");
    });
    await world.send({ id: "m1" });
    await world.clock.advance(minute);
    expect(await world.delivery("m1")).toMatchObject({ status: "cancelled" });
    expect(world.prompts()).toEqual([]);
  });

  test("of a prompt that may still arrive keeps the lane until it would have arrived", async () => {
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
    await world.waybill.interventions.cancel(id, "ada");
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
    await world.waybill.interventions.cancel(id, "ada");
    await world.clock.advance(minute);
    expect(await stateOfSession()).toBe("busy");
  });
});

describe("a message that a person retries", () => {
  test("gets a fresh session when the old one hangs", async () => {
    await run({
      policy: { automaticRetry: false },
      script: {
        turns: [
          { when: "m1", steps: [] },
          { when: "theirs", steps: [{ hang: true }] },
          { when: "m1", steps: [{ say: "Here, 1." }] },
        ],
      },
    });
    const { id } = await world.send({ id: "m1" });
    await world.reaches("m1", "failed_terminal");
    await typeInSession("theirs");
    await world.waybill.interventions.retry(id, "ada");
    await world.reaches("m1", "responded");
    expect(await world.waybill.store.sessions("lane")).toHaveLength(2);
  });

  test("is refused when its lane was removed", async () => {
    await run({ policy: { automaticRetry: false }, script: { always: [{ steps: [] }] } });
    const { id } = await world.send({ id: "m1" });
    await world.reaches("m1", "failed_terminal");
    await world.waybill.interventions.removeLane("lane", "ada", false);
    await expect(world.waybill.interventions.retry(id, "ada")).rejects.toMatchObject({ code: "lane_unknown" });
  });
});

describe("release", () => {
  test("frees a lane whose session is no longer readable", async () => {
    await run({ script: { turns: [{ steps: [{ wait: minute }] }, { steps: [{ say: "Two, 2." }] }] } });
    const { id } = await world.send({ id: "m1" });
    await world.send({ id: "m2" });
    const { read } = world.stub;
    let broken = true;
    world.stub.read = async (...args) => {
      if (broken) throw new Error("no answer");
      return read.apply(world.stub, args);
    };
    await world.waybill.interventions.cancel(id, "ada");
    await world.clock.advance(60 * minute);
    expect(await world.delivery("m2")).toMatchObject({ status: "pending" });
    await world.waybill.interventions.release("lane", "ada");
    broken = false;
    await world.reaches("m2", "responded");
  });

  test("frees a lane whose read flag cannot be written, with a diagnostic", async () => {
    await run({ reads: unwritable, script: answers });
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    await world.waybill.interventions.release("lane", "ada");
    const record = await world.delivery("m1");
    expect(record).toMatchObject({ status: "responded", diagnostics: ["read_released_by_person"] });
    expect(record.readCommittedAt).not.toBeNull();
  });
});

describe("pause", () => {
  test("a resumed lane continues automatically", async () => {
    await run({ script: answers });
    await world.waybill.interventions.pause("lane", "lunch");
    await world.send({ id: "m1" });
    await world.clock.advance(60 * minute);
    expect(await world.delivery("m1")).toMatchObject({ status: "pending" });
    await world.waybill.interventions.resume("lane");
    await world.reaches("m1", "responded");
  });

  test("also stops an attempt that is being prepared", async () => {
    await run({ script: answers });
    await world.send({ id: "m0" });
    await world.reaches("m0", "responded");
    const { read } = world.stub;
    world.stub.read = async (...args) => {
      await world.waybill.interventions.pause("lane", "now");
      return read.apply(world.stub, args);
    };
    await world.send({ id: "m1" });
    await world.clock.advance(minute);
    expect(world.prompts()).toHaveLength(1);
    world.stub.read = read;
    await world.waybill.interventions.resume("lane");
    await world.reaches("m1", "responded");
  });
});

describe("removing a lane", () => {
  test("succeeds even if an owed read cannot be written", async () => {
    await run({ reads: unwritable, script: answers });
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    await world.waybill.interventions.removeLane("lane", "ada", true);
    expect(await world.waybill.store.lane("lane")).toBeNull();
  });

  test("passes all its sessions to its runtime, so that they can be released", async () => {
    await run({ script: { turns: [{ steps: [{ stale: true }] }], ...answers } });
    const told: unknown[] = [];
    const laneRemoved = (...args: unknown[]) => void told.push(args);
    Object.assign(world.stub, { laneRemoved });
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    await world.clock.advance(minute);
    const sessions = (await world.waybill.store.sessions("lane")).map(({ sessionId }) => sessionId);
    await world.waybill.interventions.removeLane("lane", "ada", false);
    expect(sessions).toHaveLength(2);
    expect(told).toEqual([["lane", sessions]]);
  });

  test("releases no session that another lane has taken over since", async () => {
    await run({ script: { turns: [{ steps: [{ stale: true }] }], ...answers }, lanes: [{}, { id: "heir" }] });
    const told: unknown[] = [];
    Object.assign(world.stub, { laneRemoved: (_: string, sessions: string[]) => void told.push(...sessions) });
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    await world.clock.advance(minute);
    const { store, interventions } = world.waybill;
    const [left, last] = (await store.sessions("lane")).map(({ sessionId }) => sessionId);
    await store.openSession("heir", left ?? "", world.clock.now());
    await interventions.removeLane("lane", "ada", false);
    expect(told).toEqual([last]);
  });

  test("leaves no reconcile scheduled for its failed deliveries", async () => {
    await run({ policy: { automaticRetry: false }, script: { always: [{ steps: [] }] } });
    await world.send({ id: "m1" });
    await world.reaches("m1", "failed_terminal");
    await world.waybill.interventions.removeLane("lane", "ada", false);
    await world.clock.advance(60 * minute);
    expect(world.clock.pending).toBe(0);
    expect(await world.delivery("m1")).toMatchObject({ status: "failed_terminal", nextReconcileAt: null });
  });
});

describe("a lane that moves to another runtime", () => {
  test("is free again if its answered turn was still running", async () => {
    await run({ ...toolLane, script: { turns: [{ steps: [{ reply: "Port 8080." }, { wait: 60 * minute }] }] } });
    await world.send({ id: "m1", actionMode: "ask" });
    await world.reaches("m1", "responded");
    await world.waybill.store.putLane(aLane({ contract: "tool", runtime: "elsewhere" }));
    await world.clock.advance(5 * minute);
    expect((await world.delivery("m1")).turnEndedAt).not.toBeNull();
  });

  test("is also released by its previous runtime when it is removed", async () => {
    await run({ script: answers });
    const told: unknown[] = [];
    Object.assign(world.stub, { laneRemoved: (...args: unknown[]) => void told.push(args) });
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    const { sessionId } = await session();
    await world.waybill.store.putLane(aLane({ runtime: "elsewhere" }));
    await world.waybill.interventions.removeLane("lane", "ada", true);
    expect(told).toEqual([["lane", [sessionId]]]);
  });
});

describe("people in two teams", () => {
  test("an answer to one is not proof for another of the same name", async () => {
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

  test("a reply that names the message and goes to somebody else is not an answer to its sender", async () => {
    await run({ ...toolLane, script: { always: [{ steps: [{ reply: "Look at port 8080, please.", to: "bob" }] }] } });
    await world.send({ id: "m1", actionMode: "ask" });
    expect(await world.reaches("m1", "failed_terminal", "responded")).toMatchObject({ status: "failed_terminal" });
  });
});

describe("a person's decision", () => {
  test("a person's stop is never retried, and is durable before the agent is stopped", async () => {
    await run({ script: { turns: [{ steps: [{ wait: 10 * minute }] }, { steps: [{ say: "Next." }] }] } });
    await world.send({ id: "m1" });
    await world.send({ id: "m2" });
    await world.clock.advance(30 * second);
    const { abort } = world.stub;
    const storedAtAbort: string[] = [];
    world.stub.abort = async (...args) => {
      storedAtAbort.push(...durableEvents("cancelled"));
      return abort.apply(world.stub, args);
    };
    await world.waybill.interventions.stop("lane", "ada");
    expect(await world.delivery("m1")).toMatchObject({ status: "cancelled", lastReason: "stopped_by_person" });
    await world.reaches("m2", "responded");
    expect(storedAtAbort).toEqual(["cancelled"]);
    await world.clock.advance(3600 * second);
    expect(world.prompts().filter((prompt) => prompt.text === "m1")).toHaveLength(1);
    const record = await world.delivery("m1");
    expect(record.turnEndedAt).not.toBeNull();
  });

  test("a turn that somebody stopped in the session itself is not retried either", async () => {
    await run({ script: { turns: [{ steps: [{ wait: 10 * minute }] }] } });
    await world.send({ id: "m1" });
    const lane = await world.waybill.store.lane("lane");
    if (!lane?.sessionId) throw new Error("no session");
    await world.stub.abort(lane, lane.sessionId);
    expect(await world.reaches("m1", "cancelled")).toMatchObject({ lastReason: "stopped_in_session", attempts: 1 });
  });

  test("a rejected ask with no further work ends as failed_terminal and is not retried", async () => {
    await run({ script: { turns: [{ steps: [{ ask: "permission", title: "rm" }, { say: "Removed 3 files." }] }] } });
    await world.send({ id: "m1", actionMode: "do" });
    const blocked = await asked("permission_blocked");
    await world.stub.answer(blocked.lane, blocked.ask, { decision: "reject" });
    expect(await world.reaches("m1", "failed_terminal")).toMatchObject({ lastReason: "ask_rejected", attempts: 1 });
    await world.clock.advance(3600 * second);
    expect(world.prompts()).toHaveLength(1);
  });

  test.each([
    ["permission", "permission_blocked"],
    ["question", "question_blocked"],
  ] as const)("while a %s waits, nothing is retried, however long it takes", async (kind, state) => {
    await run({ script: { turns: [{ steps: [{ ask: kind }, { say: "Thank you, 3 done." }] }] } });
    await world.send({ id: "m1" });
    const blocked = await asked(state);
    await world.clock.advance(3600 * second);
    expect(await world.delivery("m1")).toMatchObject({ status: "accepted", responseState: state, attempts: 1 });
    await world.stub.answer(blocked.lane, blocked.ask, { decision: "once" });
    await world.reaches("m1", "responded");
    expect(world.prompts()).toHaveLength(1);
  });

  test("a manual retry reconciles the earlier attempts first", async () => {
    await run({ policy: { automaticRetry: false, lateReconcileDelaysMs: [] }, script: { always: [{ steps: [] }] } });
    const { id } = await world.send({ id: "m1" });
    await world.reaches("m1", "failed_terminal");
    const { store } = world.waybill;
    await store.admit(await aReply("m1"));
    await world.waybill.interventions.retry(id, "ada");
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 1 });
    expect(world.prompts()).toHaveLength(1);
  });

  test("a manual retry has a new budget, and attempt numbers continue", async () => {
    await run({ script: { turns: [{}, {}, {}, { steps: [{ say: "Fourth time lucky." }] }] } });
    const { id } = await world.send({ id: "m1" });
    await world.reaches("m1", "failed_terminal");
    await world.waybill.interventions.retry(id, "ada");
    const record = await world.reaches("m1", "responded");
    expect(record).toMatchObject({ attempts: 4, maxAttempts: 6 });
    expect(record.attemptList.map((attempt) => attempt.number)).toEqual([1, 2, 3, 4]);
  });

  test("a waiting message can be withdrawn, and one that was sent cannot", async () => {
    await run({ script: { turns: [{ steps: [{ wait: minute }, { say: "One, 1." }] }] } });
    const sent = await world.send({ id: "m1" });
    const waiting = await world.send({ id: "m2" });
    expect(await world.waybill.interventions.withdraw(waiting.id, "user")).toMatchObject({ outcome: "applied" });
    expect(await world.waybill.interventions.withdraw(sent.id, "user")).toMatchObject({ outcome: "refused" });
    await world.reaches("m1", "responded");
    await world.clock.advance(minute);
    expect(await world.delivery("m2")).toMatchObject({ status: "cancelled", lastReason: "withdrawn" });
    expect(world.prompts()).toHaveLength(1);
  });

  test("a message that expires while it waits is never sent, and its sender is notified", async () => {
    await run({ script: { turns: [{ steps: [{ wait: 10 * minute }, { say: "One, 1." }] }] } });
    await world.send({ id: "m1" });
    await world.send({ id: "m2" });
    await world.send({ id: "m3", expiresAt: world.clock.now() + minute });
    await world.clock.advance(2 * minute);
    expect(await world.delivery("m3")).toMatchObject({ status: "cancelled", lastReason: "expired" });
    expect((await world.mail()).at(-1)).toMatchObject({ from: "waybill", relayOf: "m3" });
    expect(world.prompts()).toHaveLength(1);
  });

  test("a lane with open deliveries is removed only by force, which ends them as cancelled", async () => {
    await run({ script: { turns: [{ steps: [{ wait: 10 * minute }] }] } });
    await world.send({ id: "m1" });
    await world.send({ id: "m2" });
    const { interventions, store } = world.waybill;
    await expect(interventions.removeLane("lane", "ada", false)).rejects.toMatchObject({ code: "lane_in_use" });
    const lane = await store.lane("lane");
    await interventions.removeLane("lane", "ada", true);
    expect(await store.lane("lane")).toBeNull();
    for (const id of ["m1", "m2"]) {
      expect(await world.delivery(id)).toMatchObject({ status: "cancelled", lastReason: "lane_removed" });
    }
    if (!lane?.sessionId) throw new Error("no session");
    expect(await world.stub.read(lane, lane.sessionId, null)).toMatchObject({ status: "idle" });
    await world.clock.advance(minute);
    expect(world.prompts()).toHaveLength(1);
  });

  test("a paused lane sends nothing, keeps watching, and continues where it was", async () => {
    await run({ script: { turns: [{}, { steps: [{ say: "Two, 2." }] }] } });
    await world.send({ id: "m1" });
    await world.waybill.interventions.pause("lane", "lunch");
    await world.clock.advance(3600 * second);
    expect(await world.delivery("m1")).toMatchObject({ attempts: 1, status: "retry_scheduled" });
    await world.waybill.interventions.resume("lane");
    await world.reaches("m1", "responded");
    expect(world.prompts()).toHaveLength(2);
  });
});

async function asked(state: string) {
  await world.clock.until(async () => (await world.delivery("m1")).responseState === state);
  const lane = await world.waybill.store.lane("lane");
  if (!lane?.sessionId) throw new Error("no session");
  const [ask] = (await world.stub.read(lane, lane.sessionId, null)).asks;
  if (!ask) throw new Error("nothing is asked");
  return { lane, ask: ask.id };
}

async function aReply(messageId: string): Promise<AdmissionRequest> {
  const { store } = world.waybill;
  const original = await store.message({ kind: "lane", lane: "lane" }, messageId);
  if (!original) throw new Error("no message");
  const { readAt: _, ...message } = original;
  const reply = {
    ...message,
    id: "reply",
    from: "lane",
    fromLane: "lane",
    text: "The port is 8080.",
    relayOfMessageId: messageId,
  };
  const recipient = { kind: "person", name: "user" } as const;
  return { message: { ...reply, recipient }, payloadHash: "hash", delivery: null, choice: null };
}

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
