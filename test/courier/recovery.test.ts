import { rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import type { ReadCommit, ReadCommitter } from "../../src/mail/read-commit.ts";
import type { Runtime } from "../../src/runtimes/port.ts";
import { readJournal } from "../../src/runtimes/stub/journal.ts";
import { backupStore, restoreStore } from "../../src/store/sqlite/store-files.ts";
import type { World, WorldOptions } from "../support/daemon/waybill.ts";
import { aLane, startWorld } from "../support/daemon/waybill.ts";

let world: World;
const run = async (options: WorldOptions) => {
  world = await startWorld(options);
};

const minute = 60_000;

describe("a restart", () => {
  test("finds an answer that came while Waybill was off, and sends nothing", async () => {
    await run({ script: { turns: [{ steps: [{ wait: minute }, { say: "Done, 3 files." }] }] } });
    await world.send({ id: "m1" });
    await world.stop();
    await world.clock.advance(2 * minute);
    await world.start();
    expect(await world.delivery("m1")).toMatchObject({ status: "responded", attempts: 1 });
    expect(world.prompts()).toHaveLength(1);
  });

  test("keeps waiting for a turn that is still running", async () => {
    await run({ script: { turns: [{ steps: [{ wait: 10 * minute }, { say: "Done, 3 files." }] }] } });
    await world.send({ id: "m1" });
    await world.stop();
    await world.start();
    await world.clock.advance(5 * minute);
    expect(await world.delivery("m1")).toMatchObject({ status: "accepted" });
    await world.reaches("m1", "responded");
    expect(world.prompts()).toHaveLength(1);
  });

  test("finds a reply to a message that had failed for good", async () => {
    await run({ policy: { lateReconcileDelaysMs: [], automaticRetry: false }, script: { always: [{ steps: [] }] } });
    await world.send({ id: "m1" });
    await world.reaches("m1", "failed_terminal");
    const message = await world.waybill.store.message({ kind: "lane", lane: "lane" }, "m1");
    if (!message) throw new Error("no message");
    const { readAt: _, ...body } = message;
    const reply = { ...body, id: "late", fromLane: "lane", text: "Port 8080.", relayOfMessageId: "m1" };
    await world.waybill.store.admit({
      message: { ...reply, recipient: { kind: "person", name: "user" } },
      payloadHash: "hash",
      delivery: null,
      choice: null,
    });
    await world.stop();
    await world.start();
    expect(await world.delivery("m1")).toMatchObject({ status: "responded" });
  });

  test("does not block other lanes when one agent hangs", async () => {
    await run({
      lanes: [{ id: "lane" }, { id: "other" }],
      scripts: {
        lane: { turns: [{ arrival: "after_timeout" }] },
        default: { always: [{ steps: [{ say: "Hi, 1." }] }] },
      },
    });
    await world.send({ id: "m1" });
    await world.send({ id: "m2", to: { lane: "other" } });
    await world.clock.advance(1000);
    expect(await world.delivery("m2", "other")).toMatchObject({ status: "responded" });
  });
});

describe("a runtime that cannot recover from the last run", () => {
  test("blocks only its own lanes", async () => {
    await run({
      lanes: [{ id: "lane" }, { id: "broken", runtime: "broken" }],
      script: { always: [{ steps: [{ say: "Hi, 1." }] }] },
    });
    await world.stop();
    const broken = Object.assign(Object.create(world.stub) as Runtime, {
      kind: "broken",
      recover: () => Promise.reject(new Error("still running")),
      onSignal: () => () => {},
      close: async () => {},
    });
    await world.start([broken]);
    await world.send({ id: "m1" });
    await world.send({ id: "m2", to: { lane: "broken" } });
    await world.reaches("m1", "responded");
    expect(await world.delivery("m2", "broken")).toMatchObject({ status: "pending" });
    expect(world.waybill.courier.waitReason("broken")).toBe("runtime_not_active");
    expect(world.errors.splice(0).map(String)).toEqual(["Error: still running"]);
  });
});

describe("a lost record", () => {
  const forget = () => {
    const db = new Database(world.storePath);
    db.pragma("foreign_keys = ON");
    db.exec("DELETE FROM delivery");
    db.close();
  };

  test("is rebuilt, and an earlier prompt is found by its derived ids instead of being sent again", async () => {
    await run({ script: { turns: [{ steps: [{ wait: minute }, { say: "Done, 3 files." }] }] } });
    await world.send({ id: "m1" });
    await world.stop();
    forget();
    await world.start();
    expect(await world.delivery("m1")).toMatchObject({ status: "accepted", attempts: 1 });
    await world.reaches("m1", "responded");
    expect(world.prompts()).toHaveLength(1);
    expect((await world.history("m1")).filter((type) => type !== "reconciled")).toEqual([
      ...["rebuilt", "attempts_searched", "proven"],
    ]);
  });

  test("is also found by a later attempt, and numbers continue from there", async () => {
    await run({ script: { turns: [{}, {}, { steps: [{ say: "Third, 3." }] }] } });
    await world.send({ id: "m1" });
    await world.clock.until(() => world.prompts().length === 2);
    await world.stop();
    forget();
    await world.start();
    const record = await world.reaches("m1", "responded");
    expect(record.attemptList.map((attempt) => attempt.number)).toEqual([1, 2, 3]);
    expect(new Set(world.prompts().map((prompt) => prompt.id)).size).toBe(3);
  });

  test("does not expire, and cannot be withdrawn, while it may have been sent", async () => {
    await run({ script: { turns: [{ steps: [{ wait: 10 * minute }, { say: "Done, 3 files." }] }] } });
    await world.send({ id: "m1", expiresAt: world.clock.now() + minute });
    await world.stop();
    forget();
    await world.clock.advance(2 * minute);
    await world.start();
    const { id } = await world.delivery("m1");
    expect(await world.waybill.interventions.withdraw(id, "user")).toMatchObject({ outcome: "refused" });
    await world.reaches("m1", "responded");
    expect(world.prompts()).toHaveLength(1);
  });

  test("is found even if a person's retry had advanced its numbers", async () => {
    const silent = Array.from({ length: 3 }, () => ({ steps: [] }));
    await run({
      policy: { maxRepairs: 0 },
      script: { turns: [...silent, { steps: [{ wait: minute }, { say: "Four, 4." }] }] },
    });
    const { id } = await world.send({ id: "m1" });
    await world.reaches("m1", "failed_terminal");
    await world.waybill.interventions.retry(id, "ada");
    await world.clock.until(() => world.prompts().length === 4);
    await world.stop();
    forget();
    await world.start();
    await world.reaches("m1", "responded");
    expect(world.prompts()).toHaveLength(4);
  });

  test("is rebuilt and sent if it was never sent", async () => {
    await run({
      script: { turns: [{ steps: [{ wait: minute }, { say: "One, 1." }] }, { steps: [{ say: "Two, 2." }] }] },
    });
    await world.send({ id: "m1" });
    await world.send({ id: "m2" });
    await world.stop();
    forget();
    await world.start();
    await world.reaches("m2", "responded");
    expect(world.prompts().map((prompt) => prompt.text)).toEqual(["m1", "m2"]);
  });
});

describe("a restore", () => {
  const backUp = () => backupStore(world.storePath, join(world.directory, "backup.db"));
  const goBack = async () => {
    await world.stop();
    const restored = await restoreStore(world.storePath, join(world.directory, "backup.db"));
    await world.start();
    return restored;
  };
  /** Backs up while the message waits, lets it be answered, and restores the state in which it still waits. */
  const answerAndGoBack = async (id: string) => {
    await world.waybill.interventions.pause("lane", "for the backup");
    await world.send({ id });
    await backUp();
    await world.waybill.interventions.resume("lane");
    await world.reaches(id, "responded");
    expect(await goBack()).toMatchObject({ toBeRebuilt: 1 });
    await world.waybill.interventions.resume("lane");
    await world.reaches(id, "responded");
  };

  test("from before a message was sent does not send it again", async () => {
    await run({ script: { always: [{ steps: [{ say: "Done, 3 files." }] }] } });
    await world.send({ id: "m0" });
    await world.reaches("m0", "responded");
    await answerAndGoBack("m1");
    expect(world.prompts()).toHaveLength(2);
  });

  test("finds a retry that was sent since, however far back it is by now", async () => {
    await run({
      policy: { readLimit: 5 },
      script: { turns: [{ when: "m1", steps: [] }], always: [{ steps: [{ say: "Done, 3." }] }] },
    });
    await world.send({ id: "m1" });
    await world.reaches("m1", "retry_scheduled");
    await backUp();
    await world.reaches("m1", "responded");
    for (const id of ["m2", "m3", "m4", "m5"]) await world.send({ id });
    await world.reaches("m5", "responded");
    await goBack();
    await world.reaches("m1", "responded");
    expect(world.prompts("m1")).toHaveLength(2);
  });

  test("never derives ids that were already used in a session unknown to the backup", async () => {
    await run({ script: { always: [{ steps: [{ say: "Done, 3 files." }] }] } });
    await answerAndGoBack("m1");
    const [before, after] = world.prompts();
    expect(after?.session).not.toBe(before?.session);
    expect(after?.id).not.toBe(before?.id);
  });
});

describe("a mailbox that commits reads in a second step", () => {
  const answers: ReadCommit[] = [];
  const reads: ReadCommitter = {
    commitsWithLedger: false,
    commitRead: async () => answers.shift() ?? { outcome: "committed" },
  };

  test("a failed read commit is repeated and never causes another prompt, and the lane waits for it", async () => {
    answers.push({ outcome: "failed", error: "locked" }, { outcome: "failed", error: "locked" });
    await run({ reads, script: { always: [{ steps: [{ say: "Done, 3 files." }] }] } });
    await world.send({ id: "m1" });
    await world.send({ id: "m2" });
    const owed = await world.reaches("m1", "responded");
    expect(owed).toMatchObject({ readCommittedAt: null, readCommitError: "locked" });
    expect(await world.delivery("m2")).toMatchObject({ status: "pending" });
    await world.reaches("m2", "responded");
    expect((await world.delivery("m1")).readCommittedAt).not.toBeNull();
    expect(world.prompts()).toHaveLength(2);
  });

  test("a missing row counts as committed, with a diagnostic", async () => {
    answers.push({ outcome: "row_gone" });
    await run({ reads, script: { always: [{ steps: [{ say: "Done, 3 files." }] }] } });
    await world.send({ id: "m1" });
    expect(await world.reaches("m1", "responded")).toMatchObject({ diagnostics: ["mailbox_row_gone"] });
  });

  test("an owed read is committed after a restart, and nothing is sent", async () => {
    answers.push({ outcome: "failed", error: "locked" });
    await run({ reads, script: { always: [{ steps: [{ say: "Done, 3 files." }] }] } });
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    await world.stop();
    await world.start();
    await world.clock.until(async () => (await world.delivery("m1")).readCommittedAt !== null);
    expect(world.prompts()).toHaveLength(1);
  });
});

describe("identity", () => {
  test("a delivery is not carried over to another runtime", async () => {
    await run({ script: { turns: [{ steps: [{ wait: minute }] }] } });
    await world.send({ id: "m1" });
    await world.waybill.store.putLane(aLane({ runtime: "elsewhere" }));
    const record = await world.reaches("m1", "failed_terminal");
    expect(record).toMatchObject({ lastReason: "recipient_runtime_identity_changed", readCommittedAt: null });
    expect(world.prompts()).toHaveLength(1);
  });

  test("a lane whose runtime is not running keeps its messages waiting, with a reason", async () => {
    await run({ lanes: [{ runtime: "elsewhere" }] });
    await world.send({ id: "m1" });
    await world.clock.advance(10 * minute);
    expect(await world.delivery("m1")).toMatchObject({ status: "pending" });
    expect(world.waybill.courier.waitReason("lane")).toBe("runtime_not_active");
  });
});

describe("a listener", () => {
  test("that throws affects no delivery, and is reported", async () => {
    await run({ script: { always: [{ steps: [{ say: "Done, 3 files." }] }] } });
    world.waybill.store.onLog(() => {
      throw new Error("listener");
    });
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    expect(world.errors.splice(0).map(String)).toContain("Error: listener");
  });
});

describe("a session that the agent has forgotten", () => {
  test("is replaced by a fresh one", async () => {
    await run({ script: { always: [{ steps: [{ say: "Done, 3 files." }] }] } });
    await world.send({ id: "m0" });
    await world.reaches("m0", "responded");
    await world.stop();
    rmSync(join(world.directory, "stub.jsonl"));
    await world.start();
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    expect(await world.waybill.store.sessions("lane")).toHaveLength(2);
  });
});

describe("a store that cannot be written", () => {
  test("stops every send, does not keep opening sessions, and work continues automatically", async () => {
    await run({ script: { always: [{ steps: [{ say: "Done, 3 files." }] }] } });
    const { store } = world.waybill;
    const { openSession } = store;
    store.openSession = async () => {
      throw new Error("disk full");
    };
    await world.send({ id: "m1" });
    await world.clock.advance(60 * minute);
    expect(world.prompts()).toEqual([]);
    expect(world.waybill.courier.waitReason("lane")).toBe("disk full");
    store.openSession = openSession;
    await world.reaches("m1", "responded");
    expect(world.waybill.courier.waitReason("lane")).toBeNull();
    expect(await store.sessions("lane")).toHaveLength(1);
    const opened = readJournal(join(world.directory, "stub.jsonl")).filter((entry) => entry.type === "open");
    expect(opened).toHaveLength(1);
  });
});

describe("a commit that fails after a decision was staged", () => {
  const types = ["admitted", "submit", "accepted", "proven"] as const;

  test.each(types.slice(1))("with %s sends nothing, and costs no answer and no second prompt", async (type) => {
    await run({ script: { always: [{ steps: [{ say: "Done, 3 files." }] }] } });
    const { store } = world.waybill;
    const { stage } = store;
    const promptsAtFailure: number[] = [];
    store.stage = async (id, events, mail) => {
      if (promptsAtFailure.length === 0 && events.some((event) => event.type === type)) {
        promptsAtFailure.push(world.prompts().length);
        world.failNextCommit(() => promptsAtFailure.push(world.prompts().length));
      }
      return stage(id, events, mail);
    };
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    expect(promptsAtFailure).toEqual(type === "submit" ? [0, 0] : [1, 1]);
    expect(world.prompts()).toHaveLength(1);
    expect(await world.mail()).toMatchObject([{ text: "Done, 3 files." }]);
    const history = await world.history("m1");
    for (const one of types) expect(history.filter((happened) => happened === one).length).toBeLessThanOrEqual(1);
    const errors = world.errors.splice(0);
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error).toMatchObject({ code: "store_unwritable" });
  });
});

describe("a stop that could not be committed", () => {
  test("aborts nothing, although the courier saw it before it was durable", async () => {
    await run({ script: { turns: [{ steps: [{ hang: true }] }] } });
    await world.send({ id: "m1" });
    const record = await world.reaches("m1", "accepted");
    const { interventions, courier } = world.waybill;
    world.failNextCommit();
    const stopped = interventions.cancel(record.id, "user");
    const moved = courier.moveLane("lane", { reconcile: true });
    await expect(stopped).rejects.toMatchObject({ code: "store_unwritable" });
    await moved;
    const entries = readJournal(join(world.directory, "stub.jsonl"));
    expect(entries.filter(({ type }) => type === "abort")).toEqual([]);
    expect(await world.delivery("m1")).toMatchObject({ status: "accepted" });
    world.errors.splice(0);
    await interventions.cancel(record.id, "user");
    expect((await world.reaches("m1", "cancelled")).lastReason).not.toBe("stopped_in_session");
  });
});

describe("a stuck turn whose failure could not be committed", () => {
  test("is not taken for a person's stop", async () => {
    await run({ policy: { maxRepairs: 0 }, script: { turns: [{ steps: [{ hang: true }] }] } });
    await world.send({ id: "m1" });
    const { store } = world.waybill;
    const { stage } = store;
    store.stage = async (id, events, mail) => {
      if (!events.some((event) => event.type === "failed_terminal")) return stage(id, events, mail);
      store.stage = stage;
      throw new Error("disk full");
    };
    const record = await world.reaches("m1", "failed_terminal", "cancelled");
    expect(record).toMatchObject({ status: "failed_terminal", readCommittedAt: null });
    expect(world.errors.splice(0).map(String)).toEqual(["Error: disk full"]);
  });
});
